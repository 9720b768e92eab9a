"""The form that maps the columns of a file: convert its fields to the reader's choices, and back.

The drop-downs show how the file is read. Until the user changes a drop-down, the layout is detected from the file;
after that, all drop-downs count as chosen by the user. `detected` is a hash of the detected values. By comparing
`detected` with the submitted values, the service notices whether the user changed a drop-down, without storing
anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from starlette.datastructures import FormData

from ....errors import Error, Option
from ....history.columns.roles.headers import split_columns
from ....history.columns.roles.layout import Layout, NoLayout, Shape
from ....history.read_options import Choices
from ...background.uploads import FilePreview
from ..web.page import Plain

Values = dict[str, list[str]]  # the selected values of each drop-down, by its name

COLUMN, NONE = "=", "-"  # in the value of a role: the prefix of a column's name, and the value for no column
FIRST_WON = "first"  # value of the result field if side 1 is always the winner
ONE_NAME = "name"  # value of the field about cells if each cell is one name, never a roster
ROLE = "role."

# The roles of the two sides and of their scores, depending on the fields about the result and the home side.
SIDES = ("team1", "team2", "score1", "score2")
_OTHER_SIDES = {
    ("role.winner", FIRST_WON): ("winner", "loser", "winner_score", "loser_score"),
    ("home", "1"): ("home", "away", "home_score", "away_score"),
    ("home", "2"): ("away", "home", "away_score", "home_score"),
    ("home", "venue"): ("player", "opponent", "score", "opponent_score"),
}
PLAYER_ROLES = ("match", "player", "team", "rank", "score", "duration")  # roles in a file with a row per player or team
COMMON_ROLES = ("time", "id")
_SIDE = re.compile(r"(team|player|score|rank)([0-9]{1,2})")
_LABELS = {  # labels for roles whose name is not clear enough
    "winner": "result",
    "rank": "place",
    "duration": "time taken",
    "time": "date or time",
    "clock": "time of day",
    "id": "match id",
    "status": "status of the match",
    "neutral": "neutral venue",
    "home": "home team",
    "away": "away team",
    "players": "players of a team",
    "loser": "loser",
    "winner_score": "winner's score",
    "loser_score": "loser's score",
    "opponent_score": "opponent's score",
    "weight": "share of play",
}
MARKS = ";,/+&|"
COLUMNS, ANSWERS = 60, 4  # maximum number of columns in a drop-down, and of answers to a question
ANSWERABLE = {"columns", "day_first", "duplicates", "sheet"}  # options that an answer to a question can set


@dataclass(frozen=True)
class Field:
    """A form field about how to read a file: its label, the labels of its options, and the options' values."""

    label: str
    options: Mapping[str, str]
    meanings: Mapping[str, Any] | None = None

    @property
    def values(self) -> Mapping[str, Any]:
        """The value of each option."""
        return self.meanings or {option: option for option in self.options}

    def text_of(self, value: object) -> str:
        """Return the name of the option with this value; empty if no option has it."""
        return next((text for text, meaning in self.values.items() if meaning == value), "")


YES_NO = {"True": True, "False": False}
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
FIELDS: dict[str, Field] = {
    "day_first": Field("Dates", {"True": "day first: 31/1/2026", "False": "month first: 1/31/2026"}, YES_NO),
    "score_unit": Field("Score unit", {"games": "games", "sets": "sets", "points": "points"}),
    "rosters": Field(
        "Several names in a cell",
        {"whole": "are one name"} | {mark: f"are separated by {mark}" for mark in MARKS},
        {"whole": ""} | {mark: mark for mark in MARKS},
    ),
    "duplicates": Field("Duplicate rows", {"once": "count once", "keep": "count each"}),
    "walkovers": Field("Walkovers", {"skip": "are left out", "count": "count as matches"}),
    "seeds": Field("Seeds in names", {"drop": "are dropped", "keep": "are a part of the name"}),
    "placeholders": Field("Names such as TBD", {"skip": "are left out", "keep": "are players"}),
    "lowest_wins": Field("Best score", {"True": "is the lowest", "False": "is the highest"}, YES_NO),
    "totals": Field("Columns of wins", {"matches": "count that many matches", "score": "are the score of a match"}),
    "shootouts": Field("A shoot-out", {"win": "has a winner", "draw": "is a draw"}),
    "fixtures": Field("Last scores of 0-0", {"skip": "are matches to come", "count": "are draws"}),
    "decimal": Field("Decimal mark", {".": "point: 2.5", ",": "comma: 2,5"}),
    "separator": Field("Cells are separated by", {name: f"a {name}" for name in SEPARATORS}, SEPARATORS),
    "header": Field("The first row", {"True": "has the column names", "False": "is a match"}, YES_NO),
}
TABLE_FIELDS = ("separator", "header", "sheet")  # these fields change the columns of the table
TEXTS = ("time_format", "sheet")  # fields that accept any text


def role_label(role: str) -> str:
    """Return the label of a role that a column can have.

    >>> role_label("winner"), role_label("score2"), role_label("teama")
    ('result', 'score of side 2', 'teama')
    """
    if side := _SIDE.fullmatch(role):
        kinds = {"team": "side", "player": "side", "score": "score of side", "rank": "place of side"}
        return f"{kinds[side[1]]} {side[2]}"
    return _LABELS.get(role, role.replace("_", " "))


def parse_choices(form: FormData) -> Choices:
    """Return the choices made in a form; empty fields are left to automatic detection.

    >>> parse_choices(FormData([("role.winner", "=won"), ("role.time", "-"), ("day_first", "False")])).columns
    {'winner': 'won', 'time': None}
    >>> doubles = [("role.team1", "=A1"), ("role.team1", "=A2"), ("role.team2", "=B1"), ("home", "1")]
    >>> parse_choices(FormData(doubles)).columns
    {'home': 'A1+A2', 'away': 'B1'}
    """
    values = drop_downs(form)
    columns = {} if form.get("detected") == signature(values) else _columns(values)
    chosen = {name: field.values[str(form[name])] for name, field in FIELDS.items() if form.get(name) in field.values}
    chosen |= {name: str(form[name]).strip() for name in TEXTS if str(form.get(name, "")).strip()}
    return Choices(columns=columns or None, utc=True, **chosen)


def drop_downs(form: FormData) -> Values:
    """Return the values of the drop-downs about columns; empty drop-downs are left out."""
    values: Values = {}
    for name, value in form.multi_items():
        if (name.startswith(ROLE) or name in ("row", "home", "cell")) and isinstance(value, str) and value:
            values.setdefault(name, []).append(value)
    return values


def signature(values: Values) -> str:
    """Return a hash of the values of the drop-downs, to notice whether any value has changed.

    >>> signature({"home": ["1"]}) == signature({"home": ["2"]})
    False
    """
    return sha256(repr(sorted(values.items())).encode()).hexdigest()[:16]


def _columns(values: Values) -> dict[str, str | None]:
    # Several columns of a side are joined by plus signs.
    columns: dict[str, str | None] = {}
    for name, chosen in values.items():
        parts = [value.removeprefix(COLUMN) for value in chosen if value.startswith(COLUMN)]
        if name.startswith(ROLE) and (parts or NONE in chosen):
            columns[name.removeprefix(ROLE)] = "+".join(parts) if parts else None
    if "player" in values.get("row", ()):
        return {role: column for role, column in columns.items() if not _SIDE.fullmatch(role) and role != "winner"}
    if "match" in values.get("row", ()):
        columns = {role: column for role, column in columns.items() if role not in PLAYER_ROLES}
    if NONE in values.get("home", ()):
        columns["neutral"] = None  # otherwise, a detected `neutral` column would make the first side the home team
    for (field, value), names in _OTHER_SIDES.items():
        if value in values.get(field, ()):
            renamed = dict(zip(SIDES, names, strict=True))
            return {renamed.get(role, role): column for role, column in columns.items()}
    one_name = ONE_NAME in values.get("cell", ()) and all(len(values.get(ROLE + side, ())) < 2 for side in SIDES[:2])
    stem = "player" if one_name else "team"
    return {re.sub("^team(?=[0-9])", stem, role): column for role, column in columns.items()}


def drop_downs_of(columns: Mapping[str, str | None], names: Sequence[str]) -> Values:
    """Convert column roles to the values of the drop-downs; `names` are all columns of the file.

    >>> drop_downs_of({"winner": "A1+A2", "loser": "B1+B2", "time": None}, ["A1", "A2", "B1", "B2"])
    {'role.winner': ['first'], 'role.team1': ['=A1', '=A2'], 'role.team2': ['=B1', '=B2'], 'role.time': ['-']}
    """
    values: Values = {}
    renamed: dict[str, str] = {}
    for (field, value), sides in _OTHER_SIDES.items():
        if not renamed and set(sides[:2]) <= columns.keys():
            renamed, values[field] = dict(zip(sides, SIDES, strict=True)), [value]
    if not renamed and "player1" in columns:
        renamed = {role: role.replace("player", "team") for role in columns if _SIDE.fullmatch(role)}
        values["cell"] = [ONE_NAME]
    if "neutral" in columns and columns["neutral"] is None and "home" not in values:
        columns = {role: column for role, column in columns.items() if role != "neutral"}
        values["home"] = [NONE]
    for role, column in columns.items():
        parts = () if column is None else split_columns(column, names)
        values[ROLE + renamed.get(role, role)] = [COLUMN + part for part in parts] or [NONE]
    return values


def detected_drop_downs(layout: Layout | None, names: Sequence[str]) -> Values:
    """Convert the detected layout to the values of the drop-downs; roles without a drop-down are left out.

    >>> layout = Layout(Shape.SINGLES, {"match": "game", "team": "who", "rank": "place"})
    >>> detected_drop_downs(layout, ["game", "who", "place"])["role.rank"]
    ['=place']
    """
    if layout is None:
        return {}
    columns: dict[str, str | None] = {role: layout.roles.get(role) for role in COMMON_ROLES}
    if not layout.sides:
        known = {role: layout.roles.get(role) for role in PLAYER_ROLES}
        if layout.parts or known["match"] is None:
            del known["match"]  # several columns identify the matches together, or the file is one match
        return {"row": ["player"]} | drop_downs_of(_offered(known | columns, names), names)
    if layout.shape != Shape.PLACES:
        columns |= _sides(layout)
    values = {"row": ["match"]} | drop_downs_of(_offered(columns, names), names)
    if "venue" in layout.roles:
        values["home"] = ["venue"]
    elif "neutral" in layout.roles and layout.shape == Shape.SIDES:
        values["home"] = ["1"]
    elif layout.shape == Shape.SIDES and not layout.sides[0].roster:
        values["cell"] = [ONE_NAME]
    return {"home": [NONE]} | values


def _sides(layout: Layout) -> dict[str, str | None]:
    """Return the columns of the sides, their scores and the result; the keys are the roles in the form."""
    names: Sequence[str] = SIDES
    if layout.shape == Shape.WINNER_LOSER:
        names = _OTHER_SIDES["role.winner", FIRST_WON]
    elif layout.shape == Shape.HOME_AWAY:
        names = _OTHER_SIDES["home", "1"]
    columns: dict[str, str | None] = {}
    for number, side in enumerate(layout.sides):
        team, score = (names[number], names[number + 2]) if number < 2 else (f"team{number + 1}", f"score{number + 1}")
        columns |= {team: "+".join((side.column, *side.more)), score: side.score}
        if side.rank is not None:
            columns[f"rank{number + 1}"] = side.rank
    if layout.shape != Shape.WINNER_LOSER:
        columns["winner"] = layout.roles.get("winner")
    return columns


def _offered(columns: Mapping[str, str | None], names: Sequence[str]) -> dict[str, str | None]:
    # Leave out columns that the reader has made, for example from a cross table: the file does not have them.
    return {
        role: column
        for role, column in columns.items()
        if column is None or set(split_columns(column, names)) <= set(names)
    }


def mapper_context(file: FilePreview, choices: Choices, detected: str) -> Plain:
    """Return the context of the form: the drop-downs with their options, and the questions that the file leaves open.

    `detected` is the submitted hash, which is kept while the form shows the user's own choices.
    """
    layout, columns = None if file.found is None else file.found.layout, list(file.columns)
    if choices.columns:
        values = drop_downs_of(choices.columns, columns)
    else:
        values = detected_drop_downs(layout, columns[:COLUMNS])
    values.setdefault("row", [_row(values, layout)])
    roles = [name.removeprefix(ROLE) for name in values if name.startswith(ROLE)]
    numbers = [int(side[2]) for role in roles if (side := _SIDE.fullmatch(role))]
    chosen = [value.removeprefix(COLUMN) for parts in values.values() for value in parts if value.startswith(COLUMN)]
    up_front = _open_fields(file, choices)
    return {
        "names": list(dict.fromkeys([*columns[:COLUMNS], *chosen])),
        "drop_downs": values,
        "first": {name: parts[0] for name, parts in values.items()},
        "sides": max([2, *numbers]),
        "player_roles": PLAYER_ROLES,
        "other_roles": [*COMMON_ROLES, *(role for role in roles if not _has_drop_down(role))],
        "detected": detected if choices.columns else signature(values),
        "is_chosen": bool(choices.columns),
        "fields": {name: field for name, field in FIELDS.items() if name in up_front},
        "more_fields": {
            name: field
            for name, field in FIELDS.items()
            if name not in up_front and (file.is_text or name != "separator")
        },
        "table_fields": TABLE_FIELDS,
        "field_values": field_values(choices),
        "sheets": _sheets(file),
        "questions": _questions(file, choices),
    }


def _row(values: Values, layout: Layout | None) -> str:
    roles = {name.removeprefix(ROLE) for name in values}
    if roles & {*SIDES, "winner"}:
        return "match"
    return "player" if roles & set(PLAYER_ROLES) or (layout is not None and not layout.sides) else "match"


def _has_drop_down(role: str) -> bool:
    side = _SIDE.fullmatch(role)
    return role in (*PLAYER_ROLES, *COMMON_ROLES, "winner") or (side is not None and side[1] in ("team", "score"))


def _open_fields(file: FilePreview, choices: Choices) -> set[str]:
    """Return the fields to show expanded: fields that the user has set, and fields that a message mentions."""
    options = [] if file.problem is None else [file.problem.hint]
    if file.found is not None:
        options += [remark.option for remark in file.found.history.remarks]
    return {*field_values(choices), *(option.name for option in options if option is not None)}


def _sheets(file: FilePreview) -> list[str]:
    answers = next((question.answers for question in file.questions if question.code == "sheet"), ())
    return [answer.reading["sheet"] for answer in answers]


def _questions(file: FilePreview, choices: Choices) -> list[Plain]:
    # Only the first question about columns is asked, because its answer may also answer the others. None is asked after
    # the user has chosen columns.
    about_columns = [question for question in file.questions if question.code in ("sides", "result", "home")]
    about_columns.sort(key=lambda question: len(question.answers) < 2)  # ask a question with a single answer last
    answered = ("sheet", *(question.code for question in about_columns[0 if choices.columns else 1 :]))
    return [
        {
            "text": question.text,
            "answers": [
                {
                    "label": answer.label,
                    "value": json.dumps(answer.reading),
                    "matches": answer.matches,
                    "is_current": number == question.current,
                }
                for number, answer in enumerate(question.answers[:ANSWERS])
            ],
        }
        for question in file.questions
        if question.code not in answered
    ]


def apply_answer_text(choices: Choices, text: str) -> Choices:
    """Apply the answer to a question to the choices; the page sends the answer as JSON.

    >>> apply_answer_text(Choices(), '{"columns": {"winner": "won"}}').columns
    {'winner': 'won'}
    """
    try:
        reading = json.loads(text)
        columns = reading.get("columns") or {}
        if not reading.keys() <= ANSWERABLE or any(not isinstance(name, str | None) for name in columns.values()):
            raise ValueError("this page does not offer that answer")
        return replace(choices, **reading)
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise Error.in_field("answer", "this page does not offer that answer; choose an answer that it shows") from None


def field_values(choices: Choices) -> dict[str, str]:
    """Convert choices to the values of the form fields that are not about columns.

    >>> field_values(Choices(day_first=False, separator=";"))
    {'day_first': 'False', 'separator': 'semicolon'}
    """
    values = {name: field.text_of(getattr(choices, name)) for name, field in FIELDS.items()}
    values |= {name: getattr(choices, name) or "" for name in TEXTS}
    return {name: value for name, value in values.items() if value}


def render_option(option: Option) -> str:
    """Describe an option of `History.read` with the labels of the form.

    >>> render_option(Option("day_first", False)), render_option(Option("sheet", "Games"))
    ('“Dates: month first: 1/31/2026”', '“Sheet: Games”')
    """
    name, value = option.name, str(option.value)
    if name == "columns":
        return "“Columns”"
    if name in TEXTS:
        return f"“{'Date format' if name == 'time_format' else 'Sheet'}: {value}”"
    if name not in FIELDS:
        return f"{name.replace('_', ' ')} {value}"
    field = FIELDS[name]
    return f"“{field.label}: {field.options.get(field.text_of(option.value), value)}”"


def render_error(error: Error) -> str:
    """Describe an error with the labels of the form.

    The text may refer to the drop-downs for columns below the error.
    """
    if not isinstance(error, NoLayout):
        return error.render(render_option)
    if error.value:
        return "these columns do not make a match yet: choose both sides, and their scores or the result"
    return f"{error.reason}: choose them below"
