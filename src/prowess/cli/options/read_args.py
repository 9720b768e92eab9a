"""Arguments and options that say which matches are read and how, and the functions that read them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from ... import History
from ...errors import Error, Remark
from ...history.columns.aliases import COMMON, HOME_AWAY, LONG, WINNER_LOSER
from ...history.concat import join
from ...history.read_context import history_or_error
from ...history.read_options import Choices
from ...history.readers import read_file
from ...text import count
from ..output.console import note, note_remarks
from ..output.standings import USUAL

HELP = "Matches: .csv .tsv .txt .jsonl .ndjson (or these and .gz), .parquet, .xlsx."
READ_PANEL = "How the file is read"  # panels of --help
SPAN_PANEL = "Which matches and players"
SIDES = ("team1", "team2", "player1", "player2", "score1", "score2", "rank1", "rank2")
REPEATABLE = ("columns", "unplaced", "absent")

File = Annotated[Path, typer.Argument(metavar="FILE", help=HELP)]
Files = Annotated[list[Path], typer.Argument(metavar="FILE", help=f"{HELP} Several are read as one history.")]
Since = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        show_default=False,
        rich_help_panel=SPAN_PANEL,
        help="Only matches from then on: 2026, 2026-06, 2026-06-30.",
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        show_default=False,
        rich_help_panel=SPAN_PANEL,
        help="Only matches up to then; a day, month or year is whole.",
    ),
]


def make_option(name: str, kind: Any, default: Any, panel: str, **details: Any) -> inspect.Parameter:
    """Make a keyword parameter that Typer turns into an option of the same name."""
    flag = f"--{name.replace('_', '-')}"
    if kind == bool | None:
        flag = f"{flag}/--no-{flag[2:]}"
    option = typer.Option(flag, show_default=False, rich_help_panel=panel, **details)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])


def complete_role(incomplete: str) -> list[str]:
    """List the roles of columns that begin so, for the Tab key.

    >>> complete_role("home_")
    ['home_score=']
    """
    roles = dict.fromkeys((*LONG, *COMMON, *HOME_AWAY, *WINNER_LOSER, "winner", *SIDES))
    return [f"{role}=" for role in roles if role.startswith(incomplete)]


def _read_options() -> list[inspect.Parameter]:
    hints = get_type_hints(Choices)
    options = []
    for field in fields(Choices):
        kind: Any = list[str] | None if field.name in REPEATABLE else hints[field.name]
        kind = str | None if field.name in ("duplicates", "walkovers") else kind
        default = None if field.name in REPEATABLE else field.default
        complete = {"autocompletion": complete_role} if field.name == "columns" else {}
        options.append(make_option(field.name, kind, default, READ_PANEL, **field.metadata, **complete))
    return options


READ_OPTIONS = _read_options()  # one for each field of `Choices`


def make_choices(
    columns: list[str] | None, unplaced: list[str] | None, absent: list[str] | None, **rest: Any
) -> Choices:
    """Make the choices of a reading from the values of `READ_OPTIONS`."""
    mapping = parse_pairs("--columns", columns or []) or None
    return Choices(columns=mapping, unplaced=tuple(split_words(unplaced)), absent=tuple(split_words(absent)), **rest)


def split_words(values: Iterable[str] | None) -> list[str]:
    """Split values that may be given one by one, or with commas between them.

    >>> split_words(["elo,glicko", "ts2"]), split_words(None)
    (['elo', 'glicko', 'ts2'], [])
    """
    return [word.strip() for value in values or () for word in value.split(",") if word.strip()]


def parse_pairs(flag: str, values: list[str]) -> dict[str, str | None]:
    """Parse `name=value` arguments; "name=" is a name without a value."""
    pairs: dict[str, str | None] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            right = "ROLE=NAME, such as winner=won" if flag == "--columns" else "NAME=VALUE, such as beta=3"
            raise typer.BadParameter(f"{text!r} must be {right}", param_hint=flag)
        if name.strip() in pairs:
            what = "role" if flag == "--columns" else "parameter"
            raise Error(f"{flag} names the {what} {name.strip()!r} twice")
        pairs[name.strip()] = value or None
    return pairs


def read(file: Path, choices: Choices) -> History:
    """Read a file, and print what was recognised in it."""
    history = history_or_error(read_file(file, choices), choices.skip_problems)
    note(f"{file}: {_describe_size(history)}")
    note_remarks(history.remarks)
    return history


def _describe_size(history: History) -> str:
    return f"{count(len(history), 'match', 'matches')}, {count(len(history.players), 'player', 'players')}"


def read_all(files: Sequence[Path], choices: Choices) -> History:
    """Read several files as one history, and print what was recognised in each."""
    _check_distinct(files)
    histories = [read(file, choices) for file in files]
    if len(files) == 1:
        return histories[0]
    joined = _join(files, histories, choices)
    printed = {remark for history in histories for remark in history.remarks}
    note_remarks(remark for remark in joined.remarks if remark not in printed)
    note(f"together: {_describe_size(joined)}")
    return joined


def read_groups(files: Sequence[Path], by: str, choices: Choices) -> dict[str, History]:
    """Read files that hold several leagues, and print what was recognised; a league may go on in the next file."""
    _check_distinct(files)
    if by in USUAL:
        raise Error(f"--by {by}: standings have a column of that name already; rename it in the file")
    parts = [History.read_groups(file, by, **vars(choices)) for file in files]
    names = dict.fromkeys(name for part in parts for name in part)
    groups = {} if names else {"": History.from_matches([])}
    for name in names:
        sources = [(file, part[name]) for file, part in zip(files, parts, strict=True) if name in part]
        groups[name] = _join([file for file, _ in sources], [history for _, history in sources], choices)
    remarks: dict[Remark, None] = dict.fromkeys(remark for group in groups.values() for remark in group.remarks)
    note_remarks(remarks)
    matches = count(sum(map(len, groups.values())), "match", "matches")
    note(f"{', '.join(map(str, files))}: {matches} in {count(len(groups), 'group', 'groups')} by {by}")
    return groups


def _join(files: Sequence[Path], histories: Sequence[History], choices: Choices) -> History:
    if len(histories) == 1:
        return histories[0]
    return join(histories, once=choices.duplicates != "keep", names=[str(file) for file in files])


def _check_distinct(files: Sequence[Path]) -> None:
    """A file that is named twice is a mistake: its matches would count twice."""
    for index, file in enumerate(files):
        if any(other.resolve() == file.resolve() for other in files[:index]):
            raise Error(f"{file}: the file is named twice")


def select_span(groups: Mapping[str, History], since: str | None, until: str | None) -> dict[str, History]:
    """Select the matches of a span of time from every group, and print how many they are."""
    if since is None and until is None:
        return dict(groups)
    chosen = {name: history.within(since, until) for name, history in groups.items()}
    total = count(sum(map(len, groups.values())), "match", "matches")
    note(f"chosen by time: {sum(map(len, chosen.values())):,} of {total}")
    return chosen
