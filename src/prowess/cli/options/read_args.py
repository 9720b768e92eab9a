"""Arguments and options for reading files of matches, and the functions that read them."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from ... import History
from ...errors import Error, Remark
from ...history.columns.roles.aliases import COMMON, HOME_AWAY, LONG, WINNER_LOSER
from ...history.concat import join
from ...history.data_checks import note_spellings
from ...history.names.aliases import Aliases
from ...history.names.renaming import read_aliases
from ...history.read_context import history_or_error
from ...history.read_options import Choices, IfPresent
from ...history.readers import read_file
from ...text import count
from ..output.console import note, note_remarks
from ..output.standings import USUAL

READ_PANEL = "Reading the file"
SPAN_PANEL = "Matches and players"
SIDES = ("team1", "team2", "player1", "player2", "score1", "score2", "rank1", "rank2")
REPEATABLE = ("columns", "context", "unplaced", "absent")
OPPOSITES = {"skip_problems": "--strict"}  # switches whose opposite has its own name
FILE_HELP = "Matches: .csv .tsv .txt .json .jsonl .pgn .xml (also with .gz), .parquet, .xlsx .xls .ods."
SINCE_HELP = "Only matches from this time on: 2026, 2026-06, 2026-06-30."
UNTIL_HELP = "Only matches up to this time; a day, month or year is included to its end."

File = Annotated[Path, typer.Argument(metavar="FILE", help=FILE_HELP)]
Files = Annotated[
    list[Path], typer.Argument(metavar="FILE", help=f"{FILE_HELP} Several files are read as one history.")
]
Since = Annotated[str | None, typer.Option(metavar="TIME", rich_help_panel=SPAN_PANEL, help=SINCE_HELP)]
Until = Annotated[str | None, typer.Option(metavar="TIME", rich_help_panel=SPAN_PANEL, help=UNTIL_HELP)]


def make_option(name: str, kind: Any, panel: str, default: Any = None, **details: Any) -> inspect.Parameter:
    """Make a keyword parameter that Typer turns into an option of the same name."""
    flag = f"--{name.replace('_', '-')}"
    if kind == bool | None:
        # A switch that may be None has three states: on, off, and not given.
        flag = f"{flag}/{OPPOSITES.get(name, f'--no-{flag[2:]}')}"
    elif default is True:
        flag = f" /--no-{flag[2:]}"  # Click's notation for a switch with only an off flag
    option = typer.Option(flag, show_default=False, rich_help_panel=panel, **details)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])


def complete_role(incomplete: str) -> list[str]:
    """List the column roles that begin with a text, for shell completion.

    >>> complete_role("home_")
    ['home_score=']
    """
    roles = dict.fromkeys((*LONG, *COMMON, *HOME_AWAY, *WINNER_LOSER, "winner", *SIDES))
    return [f"{role}=" for role in roles if role.startswith(incomplete)]


def _read_options() -> list[inspect.Parameter]:
    words = ("duplicates", "walkovers", "score_unit", "seeds", "placeholders", "totals", "shootouts", "fixtures")
    kinds = get_type_hints(Choices) | dict.fromkeys(words, str | None)
    kinds |= {"limits": bool, "aliases": Path | None}
    kinds |= dict.fromkeys(REPEATABLE, list[str] | None)
    options = []
    for field in fields(Choices):
        default = None if field.name in (*REPEATABLE, *OPPOSITES) else field.default
        complete = {"autocompletion": complete_role} if field.name == "columns" else {}
        options.append(make_option(field.name, kinds[field.name], READ_PANEL, default, **field.metadata, **complete))
    return options


READ_OPTIONS = _read_options()


def make_choices(
    columns: list[str] | None,
    aliases: Path | None,
    context: list[str] | None,
    unplaced: list[str] | None,
    absent: list[str] | None,
    **others: Any,
) -> Choices:
    """Make the `Choices` for reading a file from the values of `READ_OPTIONS`."""
    return Choices(
        columns=parse_pairs("--columns", columns) or None,
        aliases=None if aliases is None else read_aliases(aliases),
        context=None if context is None else parse_context(context),
        unplaced=tuple(split_words(unplaced)),
        absent=tuple(split_words(absent)),
        **others,
    )


def make_choices_to_edit(aliases: Path | None, **others: Any) -> Choices:
    """Make the `Choices` for a verb that may write the alias file, so that the file need not exist yet."""
    if aliases is None or aliases.exists():
        return make_choices(aliases=aliases, **others)
    return replace(make_choices(aliases=None, **others), aliases=Aliases({}, str(aliases)))


def parse_context(values: list[str]) -> tuple[str, ...]:
    """Parse the values of --context: names of columns, or "none" alone.

    >>> parse_context(["surface,round", "venue"]), parse_context(["none"])
    (('surface', 'round', 'venue'), ())
    """
    names = split_words(values)
    return () if [name.lower() for name in names] == ["none"] else tuple(names)


EVERY = IfPresent(["*"])  # all columns of the context, for a model that is chosen for the matches


def for_rating(choices: Choices) -> Choices:
    """Return the choices without context columns, unless the user or the model needs them.

    >>> for_rating(Choices()).context, for_rating(Choices(context=["surface"])).context
    ((), ('surface',))
    >>> for_rating(Choices(context=EVERY)).context is None
    True
    """
    if choices.context is EVERY:
        return replace(choices, context=None)
    return replace(choices, context=()) if choices.context is None else choices


def split_words(values: Iterable[str] | None) -> list[str]:
    """Split the values of an option that may be repeated or contain commas.

    >>> split_words(["elo,glicko", "ts2"]), split_words(None)
    (['elo', 'glicko', 'ts2'], [])
    """
    return [word.strip() for value in values or () for word in value.split(",") if word.strip()]


def parse_number(text: str) -> float | str:
    """Parse a number; return any other text unchanged, because it may be a date.

    >>> parse_number("0.25"), parse_number("2026-01-31")
    (0.25, '2026-01-31')
    """
    try:
        return float(text)
    except ValueError:
        return text


def parse_pairs(flag: str, values: list[str] | None, repeatable: Collection[str] = ()) -> dict[str, str | None]:
    """Parse the `name=value` arguments of --columns, --set or --at; the value of "name=" is None.

    The values of a name in `repeatable` are joined by commas.
    """
    kind, form = ("role", "ROLE=NAME, such as winner=won")
    if flag == "--set":
        kind, form = ("parameter", "NAME=VALUE, such as beta=3")
    elif flag == "--at":
        kind, form = ("column", "COLUMN=VALUE, such as surface=clay")
    pairs: dict[str, str | None] = {}
    for text in values or ():
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name:
            raise typer.BadParameter(f"{text!r} must be {form}", param_hint=flag)
        if name in repeatable and pairs.get(name) and value:
            value = f"{pairs[name]},{value}"
        elif name in pairs:
            raise Error(f"{flag}: the {kind} {name!r} is set twice; set it once")
        pairs[name] = value or None
    return pairs


def read(file: Path, choices: Choices) -> History:
    """Read a file, and print its size and remarks."""
    history = _read_part(file, choices)
    note_aliases(choices, history.players)
    return history


def note_aliases(choices: Choices, players: Iterable[str]) -> None:
    """Print the remarks on aliases; call this after all files are read."""
    if isinstance(choices.aliases, Aliases):
        note_remarks(choices.aliases.remarks(players))


def _read_part(file: Path, choices: Choices) -> History:
    history = history_or_error(read_file(file, choices), choices.skip_problems)
    note(f"{file}: {_describe_size(history)}")
    note_remarks(history.remarks)
    return history


def _describe_size(history: History) -> str:
    return f"{count(len(history), 'match', 'matches')}, {count(len(history.players), 'player', 'players')}"


def read_span(files: Sequence[Path], choices: Choices, since: str | None, until: str | None) -> History:
    """Read several files as one history, print the size and remarks of each, and select a time span."""
    _check_distinct(files)
    histories = [_read_part(file, for_rating(choices)) for file in files]
    history = _join(files, histories, choices)
    note_aliases(choices, history.players)
    if len(files) > 1:
        # Remarks on a single file were printed when it was read.
        printed = [remark for part in histories for remark in part.remarks]
        note_remarks(remark for remark in history.remarks if remark not in printed)
        note(f"combined: {_describe_size(history)}")
    return select_span({"": history}, since, until)[""]


def read_groups(files: Sequence[Path], by: str, choices: Choices) -> dict[str, History]:
    """Read files with several groups, such as leagues; column `by` names the group. A group may span several files."""
    _check_distinct(files)
    if by in USUAL:
        raise Error(f"--by {by}: the standings already have a column with this name; rename it in the file")
    parts = [History.read_groups(file, by, **vars(for_rating(choices))) for file in files]
    names = dict.fromkeys(name for part in parts for name in part)
    # Even a file with only a header must give a table.
    groups = {} if names else {"": History.from_matches([])}
    for name in names:
        sources = {file: part[name] for file, part in zip(files, parts, strict=True) if name in part}
        groups[name] = _join(list(sources), list(sources.values()), choices)
    # Groups share most remarks. A remark cannot be a key, because the value of its option may be a dictionary.
    remarks: dict[str, Remark] = {str(remark): remark for group in groups.values() for remark in group.remarks}
    note_remarks(remarks.values())
    note_aliases(choices, dict.fromkeys(name for group in groups.values() for name in group.players))
    matches = count(sum(map(len, groups.values())), "match", "matches")
    note(f"{', '.join(map(str, files))}: {matches} in {count(len(groups), 'group', 'groups')} by {by}")
    return groups


def _join(files: Sequence[Path], histories: Sequence[History], choices: Choices) -> History:
    if len(histories) == 1:
        return histories[0]
    joined = join(histories, once=choices.duplicates != "keep", names=[str(file) for file in files])
    return note_spellings(joined)


def _check_distinct(files: Sequence[Path]) -> None:
    # The matches of a file that is listed twice would count twice.
    for index, file in enumerate(files):
        if any(other.resolve() == file.resolve() for other in files[:index]):
            raise Error(f"{file} is listed twice; list each file once")


def select_span(groups: Mapping[str, History], since: str | None, until: str | None) -> dict[str, History]:
    """Select the matches of every group that are in a time span, and print how many were selected."""
    if since is None and until is None:
        return dict(groups)
    selected = {name: history.within(since, until) for name, history in groups.items()}
    total = count(sum(map(len, groups.values())), "match", "matches")
    note(f"selected by time: {sum(map(len, selected.values())):,} of {total}")
    return selected
