"""What somebody fills in about a match, as text: read into a match, or made of one; nothing of it is ever lost."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from starlette.datastructures import FormData

from ...errors import Error
from ...store.clock import Clock
from ...store.texts import storable
from ...words import capital
from ..api.bodies import match_of
from ..api.schemas.common import LONGEST
from ..fields import field_of
from ..problems import Problem
from .typed import number_in

__all__ = ["MOST", "Filled", "Wrong", "filled_of", "match_from", "read_form", "worded", "wrong_fields"]

MOST = 40  # teams that have fields of their own; a match of more is written as JSON
WAYS = ("first", "draw", "places", "scores", "both")  # how a result is told
PREFIX = re.compile(r"match \d+: ")  # of errors, which count the matches of a post


class Wrong(Error):
    """Something in a form cannot be read; `fields` are the ids of the fields at fault.

    >>> Wrong("2 is no place", ["place-1"]).fields
    ['place-1']
    """

    def __init__(self, message: str, fields: Sequence[str]) -> None:
        super().__init__(message)
        self.fields = list(fields)


@dataclass(frozen=True)
class Filled:
    """The fields of a form about a match; of each team its names by lines, its place and its score.

    `once` makes sure that a form is recorded once, `seen` is the revision of the match that is edited.

    >>> Filled(("ann", "bob")).by
    'first'
    """

    teams: tuple[str, ...] = ("", "")
    places: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    by: str = "first"
    time: str = ""
    home: str = ""
    importance: str = ""
    reason: str = ""
    whole: str = ""
    once: str = ""
    id: str = ""
    seen: str = ""

    @property
    def rows(self) -> list[dict[str, str]]:
        """The fields of each team."""
        count = len(self.teams)
        cells = zip(self.teams, _padded(self.places, count), _padded(self.scores, count), strict=True)
        return [{"names": names, "place": place, "score": score} for names, place, score in cells]

    def renamed(self, old: str, new: str) -> Filled:
        """The same with another name for a player.

        >>> Filled(("Jhon\\nAda", "Bob")).renamed("Jhon", "John").teams
        ('John\\nAda', 'Bob')
        """
        lines = ([new if one.strip() == old else one for one in team.split("\n")] for team in self.teams)
        return replace(self, teams=tuple(map("\n".join, lines)))


def _padded(cells: Sequence[str], count: int) -> list[str]:
    return [*cells[:count], *[""] * (count - len(cells))]


def read_form(form: FormData) -> Filled:
    """The fields that were sent, with plain line breaks."""

    def texts(name: str) -> tuple[str, ...]:
        return tuple(str(one).replace("\r\n", "\n").replace("\r", "\n") for one in form.getlist(name))

    single = {name: (texts(name) or ("",))[0] for name in ("time", "home", "importance", "reason", "id", "seen")}
    single |= {name: (texts(name) or ("",))[0] for name in ("whole", "once")}
    teams = texts("team")[:MOST] or ("", "")
    by = str(form.get("by", "first"))
    return Filled(teams, texts("place"), texts("score"), by if by in WAYS else "first", **single)


def filled_of(match: Mapping[str, Any], clock: Clock) -> Filled:
    """The fields of a match that is there.

    >>> filled = filled_of({"teams": [["ann", "dan"], ["bob"]], "scores": [3, 1.5], "home": 0, "time": 7.0}, "number")
    >>> filled.teams, filled.scores, filled.by, filled.home, filled.time
    (('ann\\ndan', 'bob'), ('3', '1.5'), 'scores', '1', '7')
    """
    ranks, scores, home = match.get("ranks"), match.get("scores"), match.get("home")
    common = {
        "time": _time_field(match.get("time"), clock),
        "home": "" if home is None else str(home + 1),
        "importance": "" if match.get("importance") is None else _text(match["importance"]),
    }
    if len(match["teams"]) > MOST:
        whole = {key: value for key, value in match.items() if key != "id"}
        return Filled(whole=json.dumps(whole, ensure_ascii=False))
    return Filled(
        tuple("\n".join(names) for names in match["teams"]),
        tuple(map(_text, ranks or ())),
        tuple(map(_text, scores or ())),
        _way(ranks, scores),
        **common,
    )


def _way(ranks: Sequence[float] | None, scores: Sequence[float] | None) -> str:
    if scores is not None:
        return "scores" if ranks is None else "both"
    if ranks is None or list(ranks) == list(range(1, len(ranks) + 1)):
        return "first"
    return "draw" if len(set(ranks)) == 1 else "places"


def _text(value: float) -> str:
    """A number that is read back to the last bit."""
    return repr(float(value)).removesuffix(".0")


def _time_field(time: str | float | None, clock: Clock) -> str:
    if time is None or clock == "none":
        return ""
    if not isinstance(time, str):
        return _text(time)
    moment = datetime.fromisoformat(time).replace(tzinfo=None)  # one with microseconds was given by a machine
    return moment.isoformat(timespec="minutes") if moment.microsecond else moment.isoformat().removesuffix(":00")


def match_from(filled: Filled, clock: Clock, old: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The match that was filled in; of an `old` one that it replaces, what has no field is kept.

    >>> match_from(Filled(("ann\\n dan ", "bob", ""), scores=("3", "1,5"), by="scores", home="2"), "utc")
    {'teams': [['ann', 'dan'], ['bob']], 'scores': [3.0, 1.5], 'home': 1}
    """
    if not storable(filled.reason, LONGEST):
        raise Wrong(f"reason: it must be text of at most {LONGEST} letters", ["reason"])
    if filled.whole:
        return _whole(filled.whole)
    rows = [(number, row) for number, row in enumerate(filled.rows, 1) if _is_there(number, row, filled.by)]
    if len(rows) < 2:
        empty = [f"team-{number}" for number, row in enumerate(filled.rows, 1) if not row["names"].strip()]
        raise Wrong("a match needs two teams: write the names of those who played, one a line", empty)
    match: dict[str, Any] = {"teams": [_names(row["names"]) for _, row in rows]}
    if filled.by == "draw":
        match["ranks"] = [1] * len(rows)
    if filled.by in ("places", "both"):
        match["ranks"] = _column(rows, "place")
    if filled.by in ("scores", "both"):
        match["scores"] = _column(rows, "score")
    return match | _more(filled, [number for number, _ in rows], clock, old or {}, match["teams"])


def _column(rows: Sequence[tuple[int, Mapping[str, str]]], what: str) -> list[float]:
    """The places or the scores of all teams."""
    return [_number(row[what], f"{what}-{number}", f"the {what} of team {number}") for number, row in rows]


def _names(text: str) -> list[str]:
    return [one.strip() for one in text.split("\n") if one.strip()]


def _is_there(number: int, row: Mapping[str, str], by: str) -> bool:
    """Whether a team was filled in; a result of nobody is a slip."""
    if row["names"].strip():
        return True
    told = [name for name, ways in (("place", ("places", "both")), ("score", ("scores", "both"))) if by in ways]
    if any(row[name].strip() for name in told):
        raise Wrong(f"team {number} has a result, but nobody plays in it", [f"team-{number}"])
    return False


def _more(
    filled: Filled, numbers: Sequence[int], clock: Clock, old: Mapping[str, Any], teams: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """What a match has beside its teams and their result."""
    found: dict[str, Any] = {}
    if old.get("weights"):
        weight = {
            name: share
            for names, shares in zip(old["teams"], old["weights"], strict=True)
            for name, share in zip(names, shares, strict=True)
        }
        found["weights"] = [[weight.get(name, 1.0) for name in names] for names in teams]
    if filled.importance.strip():
        found["importance"] = _number(filled.importance, "importance", "the importance")
    if filled.home.strip():
        if filled.home not in map(str, numbers):
            raise Wrong("home: choose one of the teams that play", ["home"])
        found["home"] = numbers.index(int(filled.home))
    if filled.time.strip() and not _same_time(filled.time, old.get("time")):
        found["time"] = _number(filled.time, "time", "the time") if clock == "number" else filled.time.strip()
    return found


def _same_time(text: str, time: Any) -> bool:
    """Whether a time is what the form had for that of the match, which may be finer than a form tells."""
    if not isinstance(time, str):
        return False
    try:
        return datetime.fromisoformat(text.strip()) == datetime.fromisoformat(_time_field(time, "utc"))
    except ValueError:
        return False


def _number(text: str, field: str, what: str) -> float:
    """A number that was written into a field."""
    value = number_in(text)
    if value is None:
        said = f"not {text.strip()!r}" if text.strip() else "it is empty"
        raise Wrong(f"{what} must be a number; {said}", [field])
    return value


def _whole(text: str) -> dict[str, Any]:
    """A match that was written as JSON."""
    try:
        match = match_of("application/json", text.encode())
    except Problem as problem:
        raise Wrong(str(problem.detail), ["whole"]) from None
    if match.get("id") is not None:
        raise Wrong("id: a match keeps its id: leave it out", ["whole"])
    return match


def wrong_fields(error: Error, filled: Filled) -> list[str]:
    """The ids of the fields that an error is about.

    >>> twice = Error("match 1: ann stands in team 1 and in team 2: a player plays for one team")
    >>> wrong_fields(twice, Filled(("ann", "bob\\nann", "cat")))
    ['team-1', 'team-2']
    """
    if isinstance(error, Wrong):
        return error.fields
    field = field_of(str(error), single=True)
    numbers = range(1, len(filled.teams) + 1)
    if filled.whole:
        return ["whole"]
    if field == "teams":
        said = [k for k in numbers if any(_names_it(str(error), one) for one in _names(filled.teams[k - 1]))]
        return [f"team-{k}" for k in said or numbers]
    if field in ("ranks", "scores"):
        return [f"{'place' if field == 'ranks' else 'score'}-{k}" for k in numbers]
    return [field] if field in ("time", "home", "importance", "reason") else []


def _names_it(message: str, name: str) -> bool:
    """Whether a message names a player."""
    return repr(name)[:20] in message or bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message))


def worded(error: Error, filled: Filled) -> str:
    """What an error says by a form of one match: with a capital, unless it begins with somebody's name.

    >>> worded(Error("match 1: importance must be a number"), Filled())
    'Importance must be a number'
    >>> worded(Error("match 1: ann stands in team 1 and in team 2"), Filled(("ann", "ann")))
    'ann stands in team 1 and in team 2'
    """
    names = (name for team in filled.teams for name in _names(team))
    return capital(PREFIX.sub("", str(error), count=1), names)
