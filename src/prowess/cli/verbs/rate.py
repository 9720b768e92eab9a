"""`prowess rate`: standings from files of matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from ... import History, Ladder, Model, TrueSkill
from ...atomic_files import check_target, file_extension
from ...errors import Error
from ...frames import FORMATS, write_frame
from ...history.read_options import Choices
from ...history.stream import Stream
from ...history.times import show_time
from ...lab.parallel import group_standings
from ...model.fit.leaderboard import Standings, active_since, last_time, only_active, standings
from ...text import count
from ..options.player_args import LADDER_EXTENSION, load_ladder
from ..options.read_args import SPAN_PANEL, Files, Since, Until, for_rating, read_groups, read_span, select_span
from ..options.shared import add_shared_options
from ..output.console import get_console, note, note_files, note_remarks, print_json
from ..output.html import write_page
from ..output.standings import concat_groups, format_time, print_standings

if TYPE_CHECKING:
    import polars as pl

TOP = 20  # players shown on a terminal
OUT_FORMATS = (*FORMATS, ".html")
LARGE = 200_000_000  # bytes: larger files are rated in chunks by default
ROWS = 500_000  # rows of each chunk
ENOUGH = 100  # fewer matches do not give a reliable share of draws
MANY_TEAMS = 5
SHOWN = 3  # names in a note
OUT_PANEL = "Output"
TOP_HELP = f"Number of players to show (0 = all). (default: {TOP} on a terminal, else all)"
STREAM_HELP = "Rate a chronological file in chunks, which needs little memory. (default: for large files)"
PERIOD_HELP = (
    "Show the change over the last hour, day, week, month or year, or over a span such as 10d, 2w or 3m; none hides it."
)

By = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", rich_help_panel=SPAN_PANEL, help="Rate each league or season separately, using this column."
    ),
]
MinMatches = Annotated[
    int, typer.Option(min=0, metavar="N", rich_help_panel=SPAN_PANEL, help="Rank only players with at least N matches.")
]
Top = Annotated[int | None, typer.Option(min=0, metavar="N", rich_help_panel=SPAN_PANEL, help=TOP_HELP)]
All = Annotated[
    bool, typer.Option("--all", rich_help_panel=SPAN_PANEL, help="Show inactive players, too; they appear in grey.")
]
InParts = Annotated[bool | None, typer.Option("--stream/--no-stream", rich_help_panel=SPAN_PANEL, help=STREAM_HELP)]
Period = Annotated[str | None, typer.Option(metavar="LENGTH", rich_help_panel=OUT_PANEL, help=PERIOD_HELP)]
Json = Annotated[bool, typer.Option("--json", rich_help_panel=OUT_PANEL, help="Print machine-readable JSON.")]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", rich_help_panel=OUT_PANEL, help=f"Write all standings to a file: {' '.join(OUT_FORMATS)}."
    ),
]
Save = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=OUT_PANEL,
        help="Save the ladder to a file such as league.prowess, to continue from it later.",
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(metavar="FILE", rich_help_panel=OUT_PANEL, help="Continue from a saved ladder, with its model."),
]


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
    all: All = False,
    json: Json = False,
    out: Out = None,
    save: Save = None,
    resume: Resume = None,
) -> None:
    """Rate the players in one or more files of matches, and print the standings.

    The layout, one row per match or one row per player, is recognised from the column names.

    Players are hidden as inactive if they have not played for a year, or for a tenth of the time that the matches
    span, whichever is longer.

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
    _check_paths(files, by, out, save, resume)
    start = None if resume is None else load_ladder(resume, given_model)
    model = start.model if start is not None else given_model or TrueSkill()
    if start is not None:
        _note_aliases_in(start, choices)
    histories: list[History] = []
    whole_file = len(files) == 1 and {by, since, until, period} == {None}
    if stream and not whole_file:
        raise Error("--stream rates one whole file; leave out --by, --since, --until and --period")
    streamed = _rate_in_parts(model, files[0], choices, start, min_matches, stream) if whole_file else None
    if streamed is not None:
        groups = {"": streamed}
    elif by is not None:
        leagues = select_span(read_groups(files, by, choices), since, until)
        histories += leagues.values()
        groups = group_standings(model, leagues, period=period, min_matches=min_matches)
    else:
        history = read_span(files, choices, since, until)
        histories.append(history)
        _note_same_time(start, history)
        groups = {"": standings(model, history, start=start, period=period, min_matches=min_matches)}
    if out is not None:
        _write(out, files, groups, by, model)
    if save is not None:
        # `_check_paths` excludes --by, so there is only one group.
        groups[""].ladder.save(save)
    hidden = _print(groups, by, json, top, all)
    _print_notes(model, groups, hidden)
    if not (json or all):
        _note_inactive(groups)
    note_files(out, save)
    _advise_on_draws(model, histories)


def _check_paths(
    files: Sequence[Path], by: str | None, out: Path | None, save: Path | None, resume: Path | None
) -> None:
    """Raise `Error` before the work begins if options conflict, or if an output would overwrite an input."""
    if by is not None and (save is not None or resume is not None):
        raise Error("--by makes a ladder for each group, but --save and --resume need a single ladder; leave out --by")
    used = {file.resolve(): "FILE" for file in files}
    if resume is not None and used.setdefault(resume.resolve(), "--resume") == "FILE":
        raise Error(f"{resume} is given both as FILE and with --resume; FILE must hold the new matches")
    for option, path, formats in (("--out", out, OUT_FORMATS), ("--save", save, (LADDER_EXTENSION,))):
        if path is None:
            continue
        other = used.setdefault(path.resolve(), option)
        # Updating a saved ladder in place is the usual way to continue a league.
        if other != option and (other, option) != ("--resume", "--save"):
            raise Error(f"{path}: {option} would overwrite {other}; choose another name")
        check_target(path, formats)


def _rate_in_parts(
    model: Model, file: Path, choices: Choices, start: Ladder | None, min_matches: int, stream: bool | None
) -> Standings | None:
    """Rate a file in chunks if requested or if it is large; return None if it must be read as a whole."""
    if not (_is_large(file) if stream is None else stream):
        return None
    try:
        rated = model.fit_stream(Stream(file, for_rating(choices), ROWS), start)
    except Error as error:
        if stream:
            raise
        note(f"{file}: cannot be rated in chunks ({error}); reading the whole file")
        return None
    matches, players = count(rated.matches, "match", "matches"), count(len(rated.ladder), "player", "players")
    note(f"{file}: {matches}, {players}, rated in chunks; --no-stream reads the file as a whole")
    note_remarks(rated.remarks)
    return Standings(rated.ladder.leaderboard(min_matches=min_matches), rated.ladder, None)


def _is_large(file: Path) -> bool:
    try:
        return file.stat().st_size >= LARGE
    except OSError:
        return False


def _note_aliases_in(ladder: Ladder, choices: Choices) -> None:
    """Warn if a saved ladder has players whom the aliases merge, because only a new rating can merge them."""
    both = [name for name in choices.aliases or () if name in ladder]
    if both:
        listed = f"{', '.join(map(repr, both[:SHOWN]))}{', …' if len(both) > SHOWN else ''}"
        note(
            f"the saved ladder has players whose names are now aliases: {listed}; their new matches count for the other"
            " name, but their old ones do not; rate all matches again to merge them"
        )


def _note_same_time(ladder: Ladder | None, history: History) -> None:
    """Warn if the first match has the same time as the ladder's last match, because it may already be rated."""
    last = None if ladder is None else last_time(ladder)
    if last is not None and len(history) and history[0].get("time") == last:
        note(
            f"the first match has the same time as the ladder's last match ({format_time(last)});"
            " check that no match is counted twice"
        )


def _write(path: Path, files: Sequence[Path], groups: Mapping[str, Standings], by: str | None, model: Model) -> None:
    if file_extension(path, OUT_FORMATS) != ".html":
        write_frame(concat_groups({name: group.frame for name, group in groups.items()}, by), path)
        return
    tables = {}
    for name, group in groups.items():
        line = ", ".join(filter(None, [count(len(group.frame), "player", "players"), _describe_times(group)]))
        tables[_group_title(by, name)] = (line, _visible_columns(group))
    title = ", ".join(file.name.partition(".")[0] for file in files)
    write_page(path, f"Standings: {title}", _describe_rating(model), tables)


def _group_title(by: str | None, name: str) -> str:
    return "" if by is None else f"{by} {name or '(none)'}"


def _describe_rating(model: Model) -> str:
    if model.absorb.certain:
        return "rating = μ: this system has no measure of uncertainty"
    return f"rating = μ − {model.caution:g}σ: true skill is almost certainly higher than this"


def _describe_times(group: Standings) -> str:
    last = last_time(group.ladder)
    after = "" if last is None else f"after {format_time(last)}"
    return ", ".join(filter(None, [after, "" if group.since is None else f"change since {format_time(group.since)}"]))


def _visible_columns(group: Standings) -> pl.DataFrame:
    return group.frame if group.since is not None else group.frame.drop("change", "gain", strict=False)


def _print(groups: Mapping[str, Standings], by: str | None, as_json: bool, top: int | None, all: bool) -> int:
    """Print the standings; return the number of players beyond `top`, who are not shown."""
    terminal = get_console().is_terminal and not as_json
    limit = TOP if top is None and terminal else top
    everybody = as_json or all
    frames = {name: group.frame if everybody else only_active(group.frame) for name, group in groups.items()}
    parts = {name: frame.head(limit) if limit else frame for name, frame in frames.items()}
    if as_json:
        print_json(concat_groups(parts, by).to_dicts())
    elif terminal:
        for name, group in groups.items():
            title = ": ".join(filter(None, [_group_title(by, name), _describe_times(group)]))
            print_standings(parts[name].select(_visible_columns(group).columns), title)
    else:
        first = next(iter(groups.values()))
        columns = _visible_columns(next((group for group in groups.values() if group.since is not None), first)).columns
        print_standings(concat_groups({name: part.select(columns) for name, part in parts.items()}, by), by=by)
    return sum(len(frame) - len(parts[name]) for name, frame in frames.items())


def _print_notes(model: Model, groups: Mapping[str, Standings], hidden: int) -> None:
    empty = not any(len(group.frame) for group in groups.values())
    note("no matches, so no standings" if empty else _describe_rating(model))
    times = {format_time(group.since) for group in groups.values() if group.since is not None}
    if len(times) == 1 and not get_console().is_terminal:
        note(f"changes are since {times.pop()}; use --period for another period")
    if hidden:
        note(f"{count(hidden, 'more player', 'more players')}; --top 0 shows all")


def _note_inactive(groups: Mapping[str, Standings]) -> None:
    inactive = sum(int((~group.frame["active"]).sum()) for group in groups.values())
    if not inactive:
        return
    since = ""
    if len(groups) == 1:
        [ladder] = (group.ladder for group in groups.values())
        assert ladder.stamp is not None
        since = f", last seen before {format_time(show_time(*ladder.stamp, active_since(ladder)))}"
    note(f"{count(inactive, 'inactive player', 'inactive players')}{since}, not shown; --all shows them")


def _advise_on_draws(model: Model, histories: Sequence[History]) -> None:
    """Suggest another `draw_probability` if draws are much rarer or more frequent than the model assumes."""
    assumed = model.params.get("draw_probability")
    if assumed is None:
        return
    many = sum(int(np.sum(np.diff(history.match_start) >= MANY_TEAMS)) for history in histories)
    if assumed and 2 * many > sum(map(len, histories)):
        note(
            f"most matches have {MANY_TEAMS} or more teams, and with so many the model expects too many draws; try"
            " --model ts2 or --set draw_probability=0, and use prowess compare to see which predicts better"
        )
    pairs = [(history, history.match_start[:-1][np.diff(history.match_start) == 2]) for history in histories]
    matches = sum(len(first) for _, first in pairs)
    if matches < ENOUGH:
        return
    share = sum(int(np.sum(history.place[first] == history.place[first + 1])) for history, first in pairs) / matches
    if not assumed / 2 <= share <= 2 * assumed:
        drawn = f"{100 * share:.0f} % of the matches between two teams were draws"
        note(f"{drawn}; the model assumes {100 * assumed:.0f} %; try --set draw_probability={round(share, 2):g}")
