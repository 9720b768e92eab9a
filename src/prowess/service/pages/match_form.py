"""The form for a match: convert fields to a match and back, and find the fields that an error is about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any

from starlette.datastructures import FormData

from ...errors import Error
from ...history.names.index import NameIndex
from ...store.clock import Clock
from ...store.leagues import storable
from ...text import capitalise
from ..api.matches import read_match
from ..api.schemas.common import LONGEST
from ..errors import Problem
from .web.forms import parse_number
from .web.page import Plain

MOST = 40  # teams with their own fields; a match with more teams is edited as JSON
WAYS = ("first", "draw", "places", "scores", "both")  # ways to enter a result
SINGLE = ("time", "home", "importance", "reason", "whole", "once", "id", "seen")
FIELDS = {"teams": "team", "weights": "team", "ranks": "place", "scores": "score"}  # the form field for each match key


class FormError(Error):
    """A form that cannot be read; `ids` are the element ids of the fields at fault.

    >>> FormError("'x' is not a place", ["place-1"]).ids
    ['place-1']
    """

    def __init__(self, message: str, ids: Sequence[str]) -> None:
        super().__init__(message)
        self.ids = list(ids)


@dataclass(frozen=True)
class MatchFields:
    """The raw fields of a match form: each team has names, one per line, a place and a score.

    `by`, one of `WAYS`, says how the result is entered. `whole` is the match as JSON if it has too many teams for
    fields. `once` is a token that prevents recording a form twice. `seen` is the revision of the match that the form
    shows.

    >>> MatchFields(("ann", "bob")).by
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
        places, scores = ((*cells, *[""] * len(self.teams)) for cells in (self.places, self.scores))
        cells = zip(self.teams, places, scores, strict=False)
        return [{"names": names, "place": place, "score": score} for names, place, score in cells]

    def rename_player(self, old: str, new: str) -> MatchFields:
        """Return the same fields with one player renamed.

        >>> MatchFields(("Jhon\\nAda", "Bob")).rename_player("Jhon", "John").teams
        ('John\\nAda', 'Bob')
        """
        lines = ([new if line.strip() == old else line for line in team.split("\n")] for team in self.teams)
        return replace(self, teams=tuple(map("\n".join, lines)))

    def with_players(self, names: NameIndex) -> MatchFields:
        """Return the same fields with the exact names of the players whom the typed names mean.

        >>> MatchFields(("joao\\nAda", "Bob")).with_players(NameIndex(["João", "bob"])).teams
        ('João\\nAda', 'bob')
        """
        lines = ([names.resolve(line) if line.strip() else line for line in team.split("\n")] for team in self.teams)
        return replace(self, teams=tuple(map("\n".join, lines)))


def read_fields(form: FormData) -> MatchFields:
    """Return the submitted fields, with plain line breaks."""

    def texts(name: str) -> tuple[str, ...]:
        return tuple(str(text).replace("\r\n", "\n").replace("\r", "\n") for text in form.getlist(name))

    teams = texts("team") or ("", "")
    if len(teams) > MOST:
        raise Error.in_field("team", f"at most {MOST} teams can be entered in this form, not {len(teams)}")
    by = str(form.get("by", "first"))
    single = {name: (texts(name) or ("",))[0] for name in SINGLE}
    return MatchFields(teams, texts("place"), texts("score"), by if by in WAYS else "first", **single)


def fields_of_match(match: Mapping[str, Any], clock: Clock) -> MatchFields:
    """Return the fields of the form for a recorded match.

    >>> match = {"teams": [["ann", "dan"], ["bob"]], "scores": [3, 1.5], "home": 0, "time": 7.0}
    >>> fields = fields_of_match(match, "number")
    >>> fields.teams, fields.scores, fields.by, fields.home, fields.time
    (('ann\\ndan', 'bob'), ('3', '1.5'), 'scores', '1', '7')
    """
    ranks, scores, home = match.get("ranks"), match.get("scores"), match.get("home")
    if len(match["teams"]) > MOST:
        whole = {key: value for key, value in match.items() if key != "id"}
        return MatchFields(whole=json.dumps(whole, ensure_ascii=False))
    return MatchFields(
        tuple("\n".join(names) for names in match["teams"]),
        tuple(map(_exact, ranks or ())),
        tuple(map(_exact, scores or ())),
        _way(ranks, scores),
        time=_time_text(match.get("time"), clock),
        home="" if home is None else str(home + 1),
        importance="" if match.get("importance") is None else _exact(match["importance"]),
    )


def _way(ranks: Sequence[float] | None, scores: Sequence[float] | None) -> str:
    if scores is not None:
        return "scores" if ranks is None else "both"
    if ranks is None or list(ranks) == list(range(1, len(ranks) + 1)):
        return "first"
    return "draw" if len(set(ranks)) == 1 else "places"


def _exact(value: float) -> str:
    return repr(float(value)).removesuffix(".0")  # round-trips exactly


def _time_text(time: str | float | None, clock: Clock) -> str:
    """Return a time as the text of its form field.

    >>> _time_text("2026-01-31T19:30:00Z", "utc"), _time_text(7.0, "number"), _time_text(None, "utc")
    ('2026-01-31T19:30', '7', '')
    """
    if time is None or clock == "none":
        return ""
    if not isinstance(time, str):
        return _exact(time)
    moment = datetime.fromisoformat(time).replace(tzinfo=None)
    # A time with microseconds was set by the service; the form shows the time without microseconds.
    return moment.isoformat(timespec="minutes") if moment.microsecond else moment.isoformat().removesuffix(":00")


def parse_match(fields: MatchFields, clock: Clock, old: Mapping[str, Any] | None = None) -> Plain:
    """Return the match that the fields describe; values for which the form has no field are taken from the `old` match.

    >>> parse_match(MatchFields(("ann\\n dan ", "bob", ""), scores=("3", "1,5"), by="scores", home="2"), "utc")
    {'teams': [['ann', 'dan'], ['bob']], 'scores': [3.0, 1.5], 'home': 1}
    """
    if not storable(fields.reason, LONGEST):
        raise FormError(f"the reason must be text of at most {LONGEST} characters", ["reason"])
    if fields.whole:
        return _parse_json(fields.whole)
    result_fields = {"places": ["place"], "scores": ["score"], "both": ["place", "score"]}.get(fields.by, [])
    rows = []
    for number, row in enumerate(fields.rows, 1):
        if row["names"].strip():
            rows.append((number, row))
        elif any(row[name].strip() for name in result_fields):
            raise FormError(f"team {number} has a result but no players", [f"team-{number}"])
    if len(rows) < 2:
        empty = [f"team-{number}" for number, row in enumerate(fields.rows, 1) if not row["names"].strip()]
        raise FormError("a match needs two teams; enter the players of each team, one name per line", empty)
    match: Plain = {"teams": [_names(row["names"]) for _, row in rows]}
    if fields.by == "draw":
        match["ranks"] = [1] * len(rows)
    for name in result_fields:
        numbers = [_number(row[name], f"{name}-{k}", f"the {name} of team {k}") for k, row in rows]
        match["ranks" if name == "place" else "scores"] = numbers
    return match | _optional_keys(fields, [number for number, _ in rows], clock, old or {}, match["teams"])


def _names(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _optional_keys(
    fields: MatchFields, numbers: Sequence[int], clock: Clock, old: Mapping[str, Any], teams: Sequence[Sequence[str]]
) -> Plain:
    match: Plain = {}
    if old.get("weights"):
        weights = dict(zip(chain(*old["teams"]), chain(*old["weights"]), strict=True))
        match["weights"] = [[weights.get(name, 1.0) for name in names] for names in teams]
    if old.get("context"):
        match["context"] = _kept_context(old, numbers, teams)
    if fields.importance.strip():
        match["importance"] = _number(fields.importance, "importance", "the importance")
    if fields.home.strip():
        if fields.home not in map(str, numbers):
            raise FormError("home: choose one of the teams in the match", ["home"])
        match["home"] = numbers.index(int(fields.home))
    if fields.time.strip() and not _same_time(fields.time, old.get("time")):
        match["time"] = _number(fields.time, "time", "the time") if clock == "number" else fields.time.strip()
    return match


def _kept_context(old: Mapping[str, Any], numbers: Sequence[int], teams: Sequence[Sequence[str]]) -> Plain:
    """Return the context of the old match, adapted to the new teams and players.

    The form has no fields for the context.

    >>> old = {"teams": [["ann"], ["bob"]], "context": {"map": "Dust", "side": ["red", "blue"], "kills": [[3], [4]]}}
    >>> _kept_context(old, [2, 3], [["bob", "eve"], ["cat"]])
    {'map': 'Dust', 'side': ['blue', None], 'kills': [[4, None], [None]]}
    """
    context: Plain = {}
    for name, value in old["context"].items():
        if isinstance(value, list) and isinstance(value[0], list):
            by_player = dict(zip(chain(*old["teams"]), chain(*value), strict=True))
            context[name] = [[by_player.get(player) for player in names] for names in teams]
        elif isinstance(value, list):
            context[name] = [value[number - 1] if number <= len(value) else None for number in numbers]
        else:
            context[name] = value
    return context


def _same_time(text: str, time: Any) -> bool:
    # The time of the old match may be more precise than the field shows.
    try:
        sent = datetime.fromisoformat(text.strip())
    except ValueError:
        return False
    return isinstance(time, str) and sent == datetime.fromisoformat(_time_text(time, "utc"))


def _number(text: str, id: str, name: str) -> float:
    value = parse_number(text)
    if value is None:
        raise FormError(f"{name} must be a number{f', not {text.strip()!r}' if text.strip() else ''}", [id])
    return value


def _parse_json(text: str) -> Plain:
    try:
        match = read_match("application/json", text.encode())
    except Problem as problem:
        raise FormError(str(problem.detail), ["whole"]) from None
    if match.get("id") is not None:
        raise FormError("the id of a match cannot be changed; leave it out", ["whole"])
    return match


def invalid_fields(error: Error, fields: MatchFields) -> list[str]:
    """Return the element ids of the fields that an error is about.

    >>> twice = Error("ann is listed in team 1 and in team 2", field="teams", value="ann")
    >>> invalid_fields(twice, MatchFields(("ann", "bob\\nann", "cat")))
    ['team-1', 'team-2']
    >>> invalid_fields(Error("team 2 has no score", field="scores", team=1), MatchFields(("ann", "", "bob")))
    ['score-3']
    """
    if isinstance(error, FormError):
        return error.ids
    if fields.whole:
        return ["whole"]
    field = FIELDS.get(error.field or "")
    if field is None:
        return [error.field] if error.field in ("time", "home", "importance", "reason") else []
    numbers = [number for number, team in enumerate(fields.teams, 1) if team.strip()]
    naming = [number for number in numbers if error.value in _names(fields.teams[number - 1])]
    if field == "team" and naming:
        numbers = naming
    elif error.team is not None and error.team < len(numbers):
        numbers = [numbers[error.team]]
    return [f"{field}-{number}" for number in numbers]


def error_text(error: Error, fields: MatchFields) -> str:
    """Return the text of an error for a match form, capitalised unless it begins with a player's name.

    >>> error_text(Error("importance must be a number").within("match 1: ", match=0), MatchFields())
    'Importance must be a number'
    >>> error_text(Error("ann is listed in team 1 and in team 2", value="ann"), MatchFields(("ann", "ann")))
    'ann is listed in team 1 and in team 2'
    """
    about_player = any(error.value in _names(team) for team in fields.teams)
    return error.detail() if about_player else capitalise(error.detail())
