"""The fields of the import page that say how a file is read, and messages of the library in their words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import FormData

from ....errors import Error, Option
from ....history.columns.layout import NoLayout
from ....history.read_options import Choices

ROLES = {
    "winner": "the winner, or the result",
    "loser": "the loser",
    "winner_score": "the winner's score",
    "loser_score": "the loser's score",
    "home": "the team at home",
    "away": "the team that is away",
    "home_score": "the score at home",
    "away_score": "the score away",
    "match": "which match it is",
    "player": "the player",
    "players": "the players of a team",
    "team": "the team",
    "rank": "the place",
    "score": "the score",
    "duration": "the time needed",
    "result": "the result",
    "opponent": "the opponent",
    "opponent_score": "the opponent's score",
    "weight": "the share of the match",
    "time": "when it was",
    "clock": "the time of day",
    "importance": "how much it counts",
    "id": "the id of the match",
    "status": "whether it was played",
    "neutral": "whether the place is neutral",
    "venue": "where it was played",
    "draw": "whether it was a draw",
}
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("A line is a match, the winner first", ("winner", "loser")),
    ("A line is a match, home and away", ("home", "away", "home_score", "away_score")),
    ("A line is a match, with a column for each side", ("team1", "team2", "score1", "score2")),
    ("A line is a player or a team in a match", ("match", "player", "team", "rank", "score")),
    ("In any file", ("time", "id")),
)
_SIDE = re.compile(r"(team|player|score|rank)([0-9]{1,2})")
MARKS = ";,/+&|"
COLUMN, NONE = "=", "-"  # before the name of a column; and no column


@dataclass(frozen=True)
class Field:
    """A choice of how a file is read: its label, what may be chosen, and the values that the choices mean.

    >>> FIELDS["day_first"].options["True"]
    'the day first: 31/1/2026'
    """

    label: str
    options: Mapping[str, str]
    meant: Mapping[str, Any] | None = None

    @property
    def values(self) -> Mapping[str, Any]:
        """The value of each choice: itself, unless `meant` says otherwise."""
        return {one: one for one in self.options} if self.meant is None else self.meant


FIELDS: dict[str, Field] = {
    "day_first": Field(
        "Dates",
        {"True": "the day first: 31/1/2026", "False": "the month first: 1/31/2026"},
        {"True": True, "False": False},
    ),
    "rosters": Field(
        "Several names in a cell",
        {"whole": "are one name"} | {mark: f"stand apart by {mark}" for mark in MARKS},
        {"whole": ""} | {mark: mark for mark in MARKS},
    ),
    "duplicates": Field("Lines that come twice", {"once": "count once", "keep": "count each"}),
    "walkovers": Field("Walkovers", {"skip": "are left out", "count": "count as matches"}),
    "header": Field(
        "The first line", {"True": "names the columns", "False": "is a match"}, {"True": True, "False": False}
    ),
    "decimal": Field("Decimal mark", {".": "a point: 2.5", ",": "a comma: 2,5"}),
}


def role_label(role: str) -> str:
    """Say for people what a column is read as.

    >>> role_label("winner"), role_label("score2"), role_label("teama")
    ('the winner, or the result', 'the score of side 2', 'teama')
    """
    if side := _SIDE.fullmatch(role):
        kinds = {"team": "side", "player": "side", "score": "the score of side", "rank": "the place of side"}
        return f"{kinds[side[1]]} {side[2]}"
    return ROLES.get(role, role)


def parse_choices(form: FormData | Mapping[str, Any]) -> Choices:
    """Return the choices that a form makes; what is left empty is recognised from the file.

    >>> parse_choices({"role.winner": "=won", "role.time": "-", "day_first": "False"}).columns
    {'winner': 'won', 'time': None}
    """
    columns: dict[str, str | None] = {}
    for name, value in form.items():
        if name.startswith("role.") and isinstance(value, str) and value:
            columns[name.removeprefix("role.")] = None if value == NONE else value.removeprefix(COLUMN)
    chosen = {name: field.values[str(form[name])] for name, field in FIELDS.items() if form.get(name) in field.values}
    time_format = str(form.get("time_format", "")).strip()
    return Choices(columns=columns or None, time_format=time_format or None, utc=True, **chosen)


def field_values(choices: Choices) -> dict[str, str]:
    """Return the values of the fields of a form that makes these choices.

    >>> field_values(Choices(columns={"winner": "won", "time": None}, day_first=False))
    {'role.winner': '=won', 'role.time': '-', 'day_first': 'False', 'time_format': ''}
    """
    columns = {
        f"role.{role}": NONE if column is None else COLUMN + column for role, column in (choices.columns or {}).items()
    }
    chosen = {
        name: next((text for text, value in field.values.items() if value == getattr(choices, name)), "")
        for name, field in FIELDS.items()
        if getattr(choices, name) is not None
    }
    return columns | chosen | {"time_format": choices.time_format or ""}


def render_option(option: Option) -> str:
    """Write an option of the library in the words of the form.

    >>> render_option(Option("day_first", False)), render_option(Option("sheet", "Games"))
    ('“Dates: the month first: 1/31/2026”', 'sheet Games')
    """
    name, value = option.name, str(option.value)
    if name == "columns":
        return "“Which column is what”"
    if name == "time_format":
        return f"“How dates are written: {value}”"
    if name not in FIELDS:
        return f"{name.replace('_', ' ')} {value}"
    words = FIELDS[name].options.get("whole" if name == "rosters" and not value else value, value)
    return f"“{FIELDS[name].label}: {words}”"


def render_error(error: Error) -> str:
    """Write an error in the words of the form, which has its own place to say what the columns are."""
    if isinstance(error, NoLayout):
        return f"{error.reason}: say below which column is what"
    return error.render(render_option)
