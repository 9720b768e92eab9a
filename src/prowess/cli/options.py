"""Options that many verbs share: how a file is read, and which model rates it.

A verb takes a parameter `choices: Choices` or `model: Model`, and `shared` gives it the options of which they are made.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from .. import History, Model
from ..errors import Error
from ..history.choices import Choices
from ..history.files import read as read_file
from ..history.findings import settled
from ..model.presets import PRESETS, preset
from .screen import count, note

__all__ = ["File", "Json", "as_flags", "read", "shared"]

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="Matches: .csv .tsv .txt .jsonl .ndjson (or these and .gz), .parquet, .xlsx."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
READING = "How the file is read"  # the panels of --help
MODEL = "The rating system"
_LAYOUT = "say which column is what, for example"  # after it the library has examples in Python
EXAMPLE = "--columns home=Heim --columns away=Gast --columns home_score=Tore1 --columns away_score=Tore2"
_KEYWORD = re.compile(r"`(\w+)=([^`]*)`")
_BARE = re.compile(  # the same where a message has it without the marks
    rf"(?<![\w`])({'|'.join(one.name for one in fields(Choices))})=('[^']*'|True|False|{{[^}}]*}})"
)
_WORD = re.compile(r"[^(),\s']+")


def shared(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the options from which its parameters `choices` and `model` are made."""
    own = inspect.signature(verb, eval_str=True)
    hints = get_type_hints(verb, include_extras=True)
    makers = {name: maker for name, maker in _MAKERS.items() if name in own.parameters}
    parameters = [part for name, part in own.parameters.items() if name not in makers]
    for options, _ in makers.values():
        parameters += options

    @wraps(verb)
    def run(**given: Any) -> None:
        made = {
            name: make(**{one.name: given.pop(one.name) for one in options}) for name, (options, make) in makers.items()
        }
        verb(**given, **made)

    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    kept = {name: hint for name, hint in hints.items() if name not in makers}
    run.__annotations__ = kept | {part.name: part.annotation for part in parameters if part.name not in hints}
    return run


def _option(name: str, kind: Any, default: Any, panel: str, **details: Any) -> inspect.Parameter:
    flags = (f"--{name.replace('_', '-')}",)
    if kind == bool | None:
        flags = (f"{flags[0]}/--no-{flags[0][2:]}",)
    option = typer.Option(*flags, show_default=False, rich_help_panel=panel, **details)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])


def _reading() -> list[inspect.Parameter]:
    """An option for each field of `Choices`; a field that holds several values may be repeated."""
    hints = get_type_hints(Choices)
    found = []
    for one in fields(Choices):
        several = one.name in ("columns", "unplaced", "absent")
        kind: Any = list[str] | None if several else hints[one.name]
        kind = str | None if one.name in ("duplicates", "walkovers") else kind
        default = None if several else one.default
        found.append(_option(one.name, kind, default, READING, **one.metadata))
    return found


def _choices(columns: list[str] | None, unplaced: list[str] | None, absent: list[str] | None, **rest: Any) -> Choices:
    mapping = _pairs("--columns", columns or []) or None
    return Choices(columns=mapping, unplaced=_words(unplaced or []), absent=_words(absent or []), **rest)


def _words(said: list[str]) -> tuple[str, ...]:
    """Words that may be given one by one, or with commas between them."""
    return tuple(word.strip() for part in said for word in part.split(",") if word.strip())


def _pairs(option: str, said: list[str]) -> dict[str, str | None]:
    """Names and their values; "name=" is a name without a value."""
    pairs: dict[str, str | None] = {}
    for one in said:
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            right = "ROLE=NAME, such as winner=won" if option == "--columns" else "NAME=VALUE, such as beta=3"
            raise typer.BadParameter(f"{one!r} must be {right}", param_hint=option)
        if name.strip() in pairs:
            what = "role" if option == "--columns" else "parameter"
            raise Error(f"{option} names the {what} {name.strip()!r} twice")
        pairs[name.strip()] = value or None
    return pairs


_MODEL = [
    _option("model", str, "TrueSkill", MODEL, metavar="NAME", help=f"One of {', '.join(PRESETS)}."),
    _option(
        "set", list[str] | None, None, MODEL, metavar="NAME=VALUE", help="A parameter, as beta=3; may be repeated."
    ),
]


def _model(model: str, set: list[str] | None) -> Model:
    """The preset of a name, with the parameters that are set."""
    made = preset(model)()
    said = _pairs("--set", set or [])
    changes = {name: _value(name, text) for name, text in said.items()}
    try:
        return made.replace(**changes) if changes else made
    except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
        if isinstance(error, Error) and any(name in str(error) for name in said):
            raise
        given = " ".join(f"--set {name}={text}" for name, text in said.items())
        raise Error(f"{given}: {error}") from error


def _value(name: str, text: str | None) -> Any:
    """A parameter's value as JSON writes it: a number, true, null, or text where it is nothing else."""
    if text is None:
        raise Error(f"--set {name}= gives no value")
    try:
        return json.loads(text)
    except ValueError:
        return text


_MAKERS: dict[str, tuple[list[inspect.Parameter], Callable[..., Any]]] = {
    "choices": (_reading(), _choices),
    "model": (_MODEL, _model),
}


def as_flags(text: str) -> str:
    """The keywords of the library, as the options that they are here.

    >>> as_flags("`day_first=False` reads the month first, `absent=('DNS', 'DNQ')` leaves those out")
    '--no-day-first reads the month first, --absent DNS,DNQ leaves those out'
    """

    def flag(found: re.Match[str]) -> str:
        name, value = f"--{found[1].replace('_', '-')}", found[2]
        if value in ("True", "False"):
            return name if value == "True" else f"--no-{name[2:]}"
        if value.startswith("{"):
            pairs = re.findall(r"['\"](\w+)['\"]: ['\"]?([^'\",}]*)['\"]?", value)
            return " ".join(f"{name} {role}={column}" for role, column in pairs)
        if value.startswith("("):
            return f"{name} {','.join(_WORD.findall(value))}"
        return f"{name} {value}"

    if _LAYOUT in text:
        text = f"{text.partition(_LAYOUT)[0]}{_LAYOUT} {EXAMPLE}"
    text = re.sub(r"\bcolumns: there is no", "--columns: there is no", text)
    return _BARE.sub(flag, _KEYWORD.sub(flag, text))


def read(file: Path, choices: Choices) -> History:
    """Read a file, and say what was recognised in it."""
    try:
        history = settled(read_file(file, choices), choices.skip_problems)
    except Error as error:
        raise Error(as_flags(str(error))) from error
    players = count(len(history.players), "player", "players")
    note(f"{file}: {count(len(history), 'match', 'matches')}, {players}")
    for line in history.recognised.splitlines():
        note(as_flags(line))
    return history
