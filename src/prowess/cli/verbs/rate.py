"""`prowess rate`: files of matches in, standings out."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ... import History, Ladder, Model, TrueSkill
from ...atomic_files import file_extension
from ...errors import Error
from ...history.read_options import Choices
from ...lab.parallel import group_standings
from ...model.fit.leaderboard import Standings, last_time, standings
from ...text import count
from ..options.player_args import SAVED
from ..options.read_args import SPAN_PANEL, Files, Since, Until, read_all, read_groups, select_span
from ..options.shared import add_shared_options
from ..output.console import get_console, note, note_remarks
from ..output.html import write_page
from ..output.standings import ENDINGS, joined, moment, print_standings, to_json, write

if TYPE_CHECKING:
    import polars as pl
from ...history.stream import Stream

TOP = 20  # players on a terminal
OUT = (*ENDINGS, ".html")
RESULT = "What becomes of it"  # a panel of --help
PERIODS = "Show the change over the last hour, day, week, month, year, or over 10d, 2w, 3m; none: do not."
NAMES = "Rate apart what a column tells apart, such as leagues or seasons."

By = Annotated[str | None, typer.Option(metavar="COLUMN", rich_help_panel=SPAN_PANEL, help=NAMES)]
MinMatches = Annotated[
    int, typer.Option(min=0, metavar="N", rich_help_panel=SPAN_PANEL, help="Rank only players with so many matches.")
]
Top = Annotated[
    int | None,
    typer.Option(
        min=0, metavar="N", rich_help_panel=SPAN_PANEL, help=f"Print so many players; 0: all. (terminals show {TOP})"
    ),
]
Period = Annotated[str | None, typer.Option(metavar="LENGTH", rich_help_panel=RESULT, help=PERIODS)]
Out = Annotated[
    Path | None,
    typer.Option(metavar="FILE", rich_help_panel=RESULT, help=f"Write all standings to a file: {' '.join(OUT)}."),
]
Save = Annotated[
    Path | None,
    typer.Option(metavar="FILE", rich_help_panel=RESULT, help="Save the ladder, to go on from later: league.prowess."),
]
Resume = Annotated[
    Path | None,
    typer.Option(metavar="FILE", rich_help_panel=RESULT, help="Go on from a ladder that was saved, with its model."),
]
InParts = Annotated[
    bool | None,
    typer.Option(
        "--stream/--no-stream",
        rich_help_panel=SPAN_PANEL,
        show_default=False,
        help="Rate the file, which is in the order of time, in parts that need little memory. (large files: yes)",
    ),
]
Json = Annotated[bool, typer.Option("--json", rich_help_panel=RESULT, help="Print JSON, for machines.")]


class _Wanted(NamedTuple):
    """Which matches and players are rated, and how."""

    since: str | None
    until: str | None
    by: str | None
    period: str | None
    min_matches: int
    stream: bool | None


@add_shared_options
def rate(
    files: Files,
    given_model: Model | None,
    choices: Choices,
    since: Since = None,
    until: Until = None,
    by: By = None,
    min_matches: MinMatches = 0,
    stream: InParts = None,
    period: Period = None,
    top: Top = None,
    json: Json = False,
    out: Out = None,
    save: Save = None,
    resume: Resume = None,
) -> None:
    """Rate the players of one or more files of matches, and print the standings.

    How a file is laid out is recognised by the names of its columns: a row per match or a row per player.

    \b
    prowess rate matches.csv
    prowess rate matches.csv --model glicko2 --set tau=0.3
    prowess rate 2025.csv 2026.csv --top 0 --out standings.html
    prowess rate week1.csv --save league.prowess
    prowess rate week2.csv --resume league.prowess --save league.prowess
    prowess rate all.csv --by season --min-matches 10
    prowess rate years.csv.gz --stream
    prowess rate chess.csv --columns winner=won --columns loser=lost
    prowess rate matches.parquet --json | jq '.[0].player'
    """
    _check(files, by, out, save, resume)
    start = None if resume is None else _resumed(resume, given_model)
    model = start.model if start is not None else given_model or TrueSkill()
    wanted = _Wanted(since, until, by, period, min_matches, stream)
    found, histories = _rated(model, files, choices, start, wanted)
    if out is not None:
        _write(out, files, found, by, model)
    if save is not None:
        found[""].ladder.save(save)
    hidden = _print(found, by, json, top)
    _remarks(model, found, hidden, [path for path in (out, save) if path is not None])
    advise(model, histories)


def _check(files: Sequence[Path], by: str | None, out: Path | None, save: Path | None, resume: Path | None) -> None:
    """What can be known to be wrong before the work: what is written goes over no file that is still needed."""
    if out is not None:
        file_extension(out, OUT)
    if by is not None and (save is not None or resume is not None):
        raise Error("--by rates many ladders apart, and --save and --resume are for one: choose one of them")
    used = {file.resolve(): "FILE" for file in files}
    for option, path in (("--resume", resume), ("--out", out), ("--save", save)):
        if path is None:
            continue
        if not path.parent.is_dir():
            raise Error(f"{path}: there is no folder {path.parent}")
        other = used.get(path.resolve())
        if other is not None and (other, option) != ("--resume", "--save"):
            wrong = f"{option} is {other}, too" if option == "--resume" else f"{option} would overwrite {other}"
            raise Error(f"{path}: {wrong}; choose another name")
        used[path.resolve()] = option
    if save is not None:
        file_extension(save, (SAVED,))  # by which the other verbs know a ladder


def _rated(
    model: Model, files: Sequence[Path], choices: Choices, start: Ladder | None, wanted: _Wanted
) -> tuple[dict[str, Standings], list[History]]:
    """The standings by group (one without a name where there are none), and the histories, unless rated in parts."""
    parts = _in_parts(model, files, choices, start, wanted)
    if parts is not None:
        return {"": parts}, []
    groups = {"": read_all(files, choices)} if wanted.by is None else read_groups(files, wanted.by, choices)
    groups = select_span(groups, wanted.since, wanted.until)
    if wanted.by is not None:
        found = group_standings(model, groups, period=wanted.period, min_matches=wanted.min_matches)
        return found, list(groups.values())
    if start is not None and (again := _same_time(start, groups[""])):
        note(again)
    return {"": standings(model, groups[""], start=start, period=wanted.period, min_matches=wanted.min_matches)}, [
        groups[""]
    ]


def _in_parts(
    model: Model, files: Sequence[Path], choices: Choices, start: Ladder | None, wanted: _Wanted
) -> Standings | None:
    """The standings after a file that is rated in parts, as was asked or because it is large; None where it is not."""
    whole = len(files) == 1 and {wanted.by, wanted.since, wanted.until, wanted.period} == {None}
    if wanted.stream and not whole:
        raise Error(
            "--stream rates one file from its first match to its last: leave --by, --since, --until, --period out"
        )
    if not whole or not (is_large(files[0]) if wanted.stream is None else wanted.stream):
        return None
    try:
        return streamed(model, files[0], choices, start, wanted.min_matches)
    except Error as error:
        if wanted.stream:
            raise
        note(f"{files[0]}: it cannot be rated in parts, and is read as a whole: {error}")
        return None


def _resumed(path: Path, given: Model | None) -> Ladder:
    ladder = Ladder.load(path)
    if given not in (None, ladder.model):
        raise Error(
            f"{path}: the ladder was rated with another model than --model and --set name: leave them out, or rate all "
            "of its matches anew"
        )
    note(f"{path}: {count(len(ladder), 'player', 'players')}")
    return ladder


def _same_time(ladder: Ladder, history: History) -> str:
    """A remark where the first matches have the time of the ladder's last: they may be in it already."""
    last = last_time(ladder)
    if last is None or not len(history) or history[0].get("time") != last:
        return ""
    return f"the first match has the time of the ladder's last, {moment(last)}: see that none is rated twice"


def _write(path: Path, files: Sequence[Path], found: Mapping[str, Standings], by: str | None, model: Model) -> None:
    """Write all standings to a file, as its ending says."""
    if file_extension(path, OUT) != ".html":
        write(joined({name: one.frame for name, one in found.items()}, by), path)
        return
    tables = {}
    for name, one in found.items():
        line = ", ".join(filter(None, [count(len(one.frame), "player", "players"), _title(one)]))
        tables["" if by is None else f"{by} {name or '(none)'}"] = (line, _shown(one))
    title = ", ".join(file.name.partition(".")[0] for file in files)
    write_page(path, f"Standings: {title}", _meaning(model), tables)


def _meaning(model: Model) -> str:
    """What the rating says."""
    if model.absorb.certain:
        return "rating = μ: this system does not say how sure it is"
    return f"rating = μ − {model.caution:g}σ: almost certainly the skill is higher"


def _shown(one: Standings) -> pl.DataFrame:
    """The standings without a column of changes where there are none to tell."""
    return one.frame if one.since is not None else one.frame.drop("change", "gain", strict=False)


def _title(one: Standings) -> str:
    """When these standings are of, and with when they are compared."""
    last = last_time(one.ladder)
    said = [] if last is None else [f"after {moment(last)}"]
    return ", ".join([*said, f"change since {moment(one.since)}"] if one.since is not None else said)


def _print(found: Mapping[str, Standings], by: str | None, as_json: bool, top: int | None) -> int:
    """Print the standings; returns how many players were not shown."""
    terminal = get_console().is_terminal and not as_json
    limit = TOP if top is None and terminal else top
    parts = {name: one.frame.head(limit) if limit else one.frame for name, one in found.items()}
    if as_json:
        encoding = (sys.stdout.encoding or "").lower()
        typer.echo(to_json(joined(parts, by), ascii_only=not encoding.startswith("utf")))
    elif terminal:
        for name, one in found.items():
            group = [] if by is None else [f"{by} {name or '(none)'}"]
            kept = parts[name].select(_shown(one).columns)
            print_standings(kept, ": ".join(filter(None, [*group, _title(one)])))
    else:
        told = [name for name, one in found.items() if one.since is not None]
        columns = _shown(found[told[0]] if told else next(iter(found.values()))).columns
        print_standings(joined({name: part.select(columns) for name, part in parts.items()}, by), by=by)
    return sum(len(one.frame) - len(parts[name]) for name, one in found.items())


def _remarks(model: Model, found: Mapping[str, Standings], hidden: int, written: Sequence[Path]) -> None:
    """What a reader of the table may want to know."""
    if not any(len(one.frame) for one in found.values()):
        note("there are no matches, and so no standings")
    else:
        note(_meaning(model))
    times = {moment(one.since) for one in found.values() if one.since is not None}
    if len(times) == 1 and not get_console().is_terminal:
        note(f"change: since {times.pop()}; --period chooses another time")
    if hidden:
        note(f"{count(hidden, 'more player', 'more players')}: --top 0 shows all")
    for path in written:
        note(f"wrote {path}")


LARGE = 200_000_000  # bytes of a file that is rated in parts unless the user wants it otherwise
ROWS = 500_000  # of a part


def is_large(file: Path) -> bool:
    """Whether a file is rated in parts without being asked to."""
    try:
        return file.stat().st_size >= LARGE
    except OSError:
        return False


def streamed(model: Model, file: Path, choices: Choices, start: Ladder | None, min_matches: int) -> Standings:
    """Rate a file that is in the order of time, part by part; there is no change to show, as nothing is kept."""
    rated = model.fit_stream(Stream(file, choices, ROWS), start)
    players = count(len(rated.ladder), "player", "players")
    note(f"{file}: {count(rated.matches, 'match', 'matches')}, {players}, rated in parts (--no-stream: as a whole)")
    note_remarks(rated.remarks)
    return Standings(rated.ladder.leaderboard(min_matches=min_matches), rated.ladder, None)


ENOUGH = 100  # matches from which the share of draws is known well enough to give advice
MANY = 5  # teams of a match


def advise(model: Model, histories: Sequence[History]) -> None:
    """Where draws are much rarer or more frequent than supposed, say how to say so."""
    import numpy as np

    supposed = model.params.get("draw_probability")
    if supposed is None:
        return
    many = sum(int(np.sum(np.diff(one.match_start) >= MANY)) for one in histories)
    if supposed and 2 * many > sum(map(len, histories)):
        note(
            f"most matches have {MANY} teams or more, where draws that are supposed add up: --model ts2 or --set"
            " draw_probability=0 may fit better, and prowess compare tells"
        )
    pairs = [(history, history.match_start[:-1][np.diff(history.match_start) == 2]) for history in histories]
    matches = sum(len(first) for _, first in pairs)
    if matches < ENOUGH:
        return
    share = sum(int(np.sum(one.place[first] == one.place[first + 1])) for one, first in pairs) / matches
    if not supposed / 2 <= share <= 2 * supposed:
        drawn = f"{100 * share:.0f} % of the matches of two teams were drawn"
        note(f"{drawn}, {100 * supposed:.0f} % were supposed: --set draw_probability={share:.2f} may fit better")
