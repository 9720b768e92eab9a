"""The match that somebody filled in, or what is wrong with it and in which fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ....errors import Error
from ....store.clock import Clock
from ....store.slugs import storable
from ....text import capital
from ...api.payloads import match_of
from ...api.schemas.common import LONGEST
from ...error_fields import field_of
from ...errors import Problem
from .form import Filled, names_in, number_in, time_field

__all__ = ["Wrong", "match_from", "worded", "wrong_fields"]

PREFIX = re.compile(r"match \d+: ")  # of errors, which count the matches of a post


class Wrong(Error):
    """Something in a form cannot be read; `fields` are the ids of the fields at fault.

    >>> Wrong("2 is no place", ["place-1"]).fields
    ['place-1']
    """

    def __init__(self, message: str, fields: Sequence[str]) -> None:
        super().__init__(message)
        self.fields = list(fields)


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
    match: dict[str, Any] = {"teams": [names_in(row["names"]) for _, row in rows]}
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
        return datetime.fromisoformat(text.strip()) == datetime.fromisoformat(time_field(time, "utc"))
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
        said = [k for k in numbers if any(_names_it(str(error), one) for one in names_in(filled.teams[k - 1]))]
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
    names = (name for team in filled.teams for name in names_in(team))
    return capital(PREFIX.sub("", str(error), count=1), names)
