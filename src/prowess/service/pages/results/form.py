"""What somebody fills in about a match, as text: the fields of its form, which keep all that was written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import isfinite
from typing import Any

from starlette.datastructures import FormData

from ....errors import Error
from ....store.clock import Clock
from ...error_fields import field_of

__all__ = ["MOST", "Filled", "fault_of", "filled_of", "names_in", "number_in", "read_form", "texts_of", "time_field"]

MOST = 40  # teams that have fields of their own; a match of more is written as JSON
WAYS = ("first", "draw", "places", "scores", "both")  # how a result is told


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
    teams = texts("team") or ("", "")
    if len(teams) > MOST:
        raise Error(f"team: at most {MOST} teams are written in fields of their own, not {len(teams)}")
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
        "time": time_field(match.get("time"), clock),
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


def names_in(text: str) -> list[str]:
    """The names of a team, one a line.

    >>> names_in("ann\\n dan \\n")
    ['ann', 'dan']
    """
    return [one.strip() for one in text.split("\n") if one.strip()]


def time_field(time: str | float | None, clock: Clock) -> str:
    """A time as it stands in its field.

    >>> time_field("2026-01-31T19:30:00Z", "utc"), time_field(7.0, "number"), time_field(None, "utc")
    ('2026-01-31T19:30', '7', '')
    """
    if time is None or clock == "none":
        return ""
    if not isinstance(time, str):
        return _text(time)
    moment = datetime.fromisoformat(time).replace(tzinfo=None)  # one with microseconds was given by a machine
    return moment.isoformat(timespec="minutes") if moment.microsecond else moment.isoformat().removesuffix(":00")


def texts_of(form: FormData) -> dict[str, str]:
    """The fields of a form as text, without what only says who sends it.

    >>> texts_of(FormData([("title", "Darts"), ("token", "abc")]))
    {'title': 'Darts'}
    """
    return {name: str(value) for name, value in form.items() if name != "token"}


def number_in(text: str) -> float | None:
    """A number as people write it, with a point or a comma and any minus; None where it is none, or has no end.

    >>> number_in(" 2,5 "), number_in("−3"), number_in("soon"), number_in("inf")
    (2.5, -3.0, None, None)
    """
    try:
        value = float(text.strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        return None
    return value if isfinite(value) else None


def fault_of(error: Error) -> tuple[str, str]:
    """The field that an error is about, empty if it names none, and what it says of it.

    >>> fault_of(Error("title: give the league a title"))
    ('title', 'give the league a title')
    """
    field = field_of(str(error)) or ""
    return field, str(error).removeprefix(f"{field}: ")
