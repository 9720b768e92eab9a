"""Options that many verbs share: how a file is read, and which model rates it.

A verb takes a parameter `choices: Choices`, `model: Model` or `given_model: Model | None` (None where no model is
named; `given_preset` is its name and parameters), and `shared` gives it the options of which they are made.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import wraps
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, get_type_hints

import typer

from ... import History, Model
from ...errors import Error
from ...history.read_context import settled
from ...history.read_options import Choices
from ...history.readers import read_file
from ...model.presets import PRESETS, preset
from ...model.registry import BASES, COMPONENTS
from ...text import count
from ..output.console import be_quiet, note
from ..output.standings import USUAL
from . import completion

__all__ = ["File", "Files", "Json", "Quiet", "as_flags", "quietly", "read", "read_all", "read_groups", "shared"]

HELP = "Matches: .csv .tsv .txt .jsonl .ndjson (or these and .gz), .parquet, .xlsx."
File = Annotated[Path, typer.Argument(metavar="FILE", help=HELP)]
Files = Annotated[list[Path], typer.Argument(metavar="FILE", help=f"{HELP} Several are read as one history.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Make no remarks; errors and warnings are still said.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
READING = "How the file is read"  # the panels of --help
MODEL = "The rating system"
_LAYOUT = "say which column is what, for example"  # after it the library has examples in Python
_KEYWORD = re.compile(r"`(\w+)=([^`]*)`")
_BARE = re.compile(  # the same where a message has it without the marks
    rf"(?<![\w`])({'|'.join(one.name for one in fields(Choices))})=('[^']*'|True|False|{{[^}}]*}})"
)
QUOTES = ("'", '"')
_WORD = re.compile(r"[^(),\s']+")


def shared(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the options from which its parameters `choices` and `model` are made."""
    own = inspect.signature(verb, eval_str=True)
    makers = {name: maker for name, maker in _MAKERS.items() if name in own.parameters}
    parameters = [part for name, part in own.parameters.items() if name not in makers]
    for options, _ in makers.values():
        parameters += options

    def run(**given: Any) -> None:
        made = {
            name: make(**{one.name: given.pop(one.name) for one in options}) for name, (options, make) in makers.items()
        }
        verb(**given, **made)

    return _like(verb, run, parameters)


def quietly(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the option to make no remarks."""

    def run(quiet: bool, **given: Any) -> None:
        if quiet:
            be_quiet()
        verb(**given)

    quiet = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Quiet)
    return _like(verb, run, [*inspect.signature(verb, eval_str=True).parameters.values(), quiet])


def _like(
    verb: Callable[..., None], run: Callable[..., None], parameters: list[inspect.Parameter]
) -> Callable[..., None]:
    """A function that is called like a verb, but for its parameters."""
    run = wraps(verb)(run)
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {part.name: part.annotation for part in parameters}
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
        complete = {"autocompletion": completion.roles} if one.name == "columns" else {}
        found.append(_option(one.name, kind, default, READING, **one.metadata, **complete))
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


NAMES = f"One of {', '.join(PRESETS.names)}. (default: TrueSkill)"
SET = "A parameter, as beta=3, or a part, as team=Mean; may be repeated."
_MODEL = [
    _option("model", str | None, None, MODEL, metavar="NAME", help=NAMES, autocompletion=completion.models),
    _option("set", list[str] | None, None, MODEL, metavar="NAME=VALUE", help=SET, autocompletion=completion.parameters),
]


def _model(model: str | None, set: list[str] | None) -> Model:
    """The preset of a name, with the parameters that are set."""
    made = preset(model or "TrueSkill")()
    said = _pairs("--set", set or [])
    changes = {name: _value(name, text) for name, text in said.items()}
    try:
        return made.replace(**changes) if changes else made
    except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
        if isinstance(error, Error) and any(name in str(error) for name in said):
            raise
        given = " ".join(f"--set {name}={text}" for name, text in said.items())
        raise Error(f"{given}: {error}") from error


def _given_model(model: str | None, set: list[str] | None) -> Model | None:
    return None if model is None and not set else _model(model, set)


def _given_preset(model: str | None, set: list[str] | None) -> tuple[str, dict[str, Any]] | None:
    """The name of a preset and the parameters that are set, as a league keeps them; None where nothing is said."""
    said = {name: _value(name, text) for name, text in _pairs("--set", set or []).items()}
    if parts := said.keys() & BASES.keys():
        raise Error(
            f"--set {min(parts)}: a league keeps a preset and its parameters, and no other parts: --model names one"
        )
    return None if _given_model(model, set) is None else (model or "TrueSkill", said)


def _value(name: str, text: str | None) -> Any:
    """A parameter's value as JSON writes it: a number, true, null, or text where it is nothing else; a part by name."""
    if text is None:
        raise Error(f"--set {name}= gives no value")
    if name in BASES:
        return _part(name, text)
    try:
        return json.loads(text)
    except ValueError:
        return text


def _part(name: str, text: str) -> Any:
    """A part of a model by its name, with the parameters that it has by itself."""
    kinds = {known: kind for known, kind in COMPONENTS.items() if issubclass(kind, BASES[name])}
    found = {known.lower(): kind for known, kind in kinds.items()}.get(text.lower())
    if found is None:
        raise Error(f"--set {name}={text}: there is no such part, but {', '.join(kinds)}")
    try:
        return found()
    except TypeError:
        raise Error(f"--set {name}={text}: that part needs parameters, and can be chosen from Python only") from None


_MAKERS: dict[str, tuple[list[inspect.Parameter], Callable[..., Any]]] = {
    "choices": (_reading(), _choices),
    "model": (_MODEL, _model),
    "given_model": (_MODEL, _given_model),
    "given_preset": (_MODEL, _given_preset),
}


def as_flags(text: str) -> str:
    """The keywords of the library, as the options that they are here, in a way that a shell understands.

    >>> as_flags("`day_first=False` reads the month first, `absent=('DNS', 'DNQ')` leaves those out")
    '--no-day-first reads the month first, --absent DNS,DNQ leaves those out'
    >>> as_flags("`duplicates='keep'` counts all, `rosters=' '` splits at blanks, `columns={'home': 'Heim'}` names one")
    "--duplicates keep counts all, --rosters ' ' splits at blanks, --columns home=Heim names one"
    >>> as_flags("`columns={'player1': 'Player 1'}` is what was taken")
    "--columns 'player1=Player 1' is what was taken"
    """

    def flag(found: re.Match[str]) -> str:
        name, value = f"--{found[1].replace('_', '-')}", found[2]
        if value in ("True", "False"):
            return name if value == "True" else f"--no-{name[2:]}"
        if value.startswith("{"):
            pairs = re.findall(r"['\"](\w+)['\"]: ['\"]?([^'\",}]*)['\"]?", value)
            return " ".join(f"{name} {quote(f'{role}={column}')}" for role, column in pairs)
        if value.startswith("("):
            return f"{name} {','.join(_WORD.findall(value))}"
        return f"{name} {quote(value[1:-1]) if value[:1] in QUOTES else value}"

    before, layout, examples = text.partition(_LAYOUT)
    if layout:
        first = ast.literal_eval(examples[examples.index("{") : examples.index("}`") + 1])
        flags = " ".join(f"--columns {quote(f'{role}={name}')}" for role, name in first.items())
        text = f"{before}{layout} {flags}"
    text = re.sub(r"\bcolumns: there is no", "--columns: there is no", text)
    return _BARE.sub(flag, _KEYWORD.sub(flag, text))


def read(file: Path, choices: Choices) -> History:
    """Read a file, and say what was recognised in it."""
    try:
        history = settled(read_file(file, choices), choices.skip_problems)
    except Error as error:
        raise Error(as_flags(str(error))) from error
    note(f"{file}: {_size(history)}")
    for line in history.recognised.splitlines():
        note(as_flags(line))
    return history


def _size(history: History) -> str:
    return f"{count(len(history), 'match', 'matches')}, {count(len(history.players), 'player', 'players')}"


def read_all(files: Sequence[Path], choices: Choices) -> History:
    """Read several files as one history, and say what was recognised in each."""
    _check_once(files)
    histories = [read(file, choices) for file in files]
    if len(files) == 1:
        return histories[0]
    joined = _joined(files, histories, choices)
    known = {line for one in histories for line in one.recognised.splitlines()}
    for line in joined.recognised.splitlines():
        if line not in known:
            note(as_flags(line))
    note(f"together: {_size(joined)}")
    return joined


def read_groups(files: Sequence[Path], by: str, choices: Choices) -> dict[str, History]:
    """Read files that hold several leagues, and say what was recognised; a league may go on in the next file."""
    _check_once(files)
    if by in USUAL:
        raise Error(f"--by {by}: standings have a column of that name already; rename it in the file")
    try:
        found = [History.read_groups(file, by, **vars(choices)) for file in files]
    except Error as error:
        raise Error(as_flags(str(error))) from error
    names = dict.fromkeys(name for one in found for name in one)
    groups = {} if names else {"": History.from_matches([])}
    for name in names:
        there = [(file, one[name]) for file, one in zip(files, found, strict=True) if name in one]
        groups[name] = _joined([file for file, _ in there], [history for _, history in there], choices)
    for line in dict.fromkeys(line for one in groups.values() for line in one.recognised.splitlines()):
        note(as_flags(line))
    matches = count(sum(map(len, groups.values())), "match", "matches")
    note(f"{', '.join(map(str, files))}: {matches} in {count(len(groups), 'group', 'groups')} by {by}")
    return groups


def _joined(files: Sequence[Path], histories: Sequence[History], choices: Choices) -> History:
    """One history of all, where an error names a file by its name."""
    try:
        return History.join(histories, once=choices.duplicates != "keep") if len(histories) > 1 else histories[0]
    except Error as error:
        said = re.sub(r"^history (\d+) of \d+", lambda found: str(files[int(found[1]) - 1]), str(error))
        raise Error(as_flags(said)) from error


def _check_once(files: Sequence[Path]) -> None:
    """A file that is named twice is a mistake: its matches would count twice."""
    for index, file in enumerate(files):
        again = next((other for other in files[:index] if other.resolve() == file.resolve()), None)
        if again is not None:
            raise Error(f"{file}: the file is named twice")
