"""`prowess rate`: standings from files of matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from ... import History, Ladder, Model
from ...atomic_files import check_target, file_extension, replace_file
from ...errors import Error
from ...frames import FORMATS, json_text, write_frame
from ...history.read_options import Choices
from ...history.stream import Stream
from ...history.times import show_time
from ...model.ladder.effects import matches_at
from ...model.ladder.leaderboard import (
    Standings,
    active_since,
    choose_ranking,
    last_time,
    only_active,
    rating_column,
    standings,
)
from ...model.scale import Scale
from ...text import count
from ..options.choosing import ChosenModel, choose_for_groups, choose_model, given_or_auto, note_choice
from ..options.context_args import RatingsAt, check_at, history_values, ladder_values, parse_at
from ..options.hindsight_args import Best, HindsightView, InHindsight, On, hindsight_view
from ..options.model_args import LADDER_EXTENSION, ModelChoice, add_context
from ..options.player_args import load_ladder
from ..options.read_args import SPAN_PANEL, Files, Since, Until, for_rating, read_groups, read_span, select_span
from ..options.shared import RankingName, ScaleText, add_shared_options, parse_scale
from ..output.console import get_console, note, note_files, note_remarks, print_json
from ..output.effects import Block, describe_effects, print_effects
from ..output.html import write_page
from ..output.standings import concat_groups, format_time, print_standings
from ..output.statistics import describe_statistics, print_statistics

if TYPE_CHECKING:
    import polars as pl

TOP = 20  # players shown on a terminal
OUT_FORMATS = (*FORMATS, ".html")
REPORT_FORMATS = (".html", ".json")
LARGE = 200_000_000  # bytes: larger files are rated in chunks by default
ROWS = 500_000  # rows of each chunk
ENOUGH = 100  # fewer matches do not give a reliable share of draws
MANY_TEAMS = 5
SHOWN = 3  # names in a note
PROVISIONAL = "? marks provisional ratings, of players with few matches, who come after all others"
OUT_PANEL = "Output"
ALL_HELP = "Show inactive players, too, in grey; with --at, also players who have not played there."
TOP_HELP = f"Number of players to show (0 = all). (default: {TOP} on a terminal, else all)"
STREAM_HELP = "Rate a chronological file in chunks, which needs little memory. (default: for large files)"
PERIOD_HELP = (
    "Show the change over the last hour, day, week, month or year, or over a span such as 10d, 2w or 3m; none hides "
    "it. (default: since seven days, or units, before the last match)"
)
CHOOSE_HELP = (
    "With --resume, choose the model again and rate all matches with it; give all files of the ladder's matches."
)
REPORT_HELP = f"Write why the model was chosen, and what else was tried, to a file: {' '.join(REPORT_FORMATS)}."

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
All = Annotated[bool, typer.Option("--all", rich_help_panel=SPAN_PANEL, help=ALL_HELP)]
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
Choose = Annotated[bool, typer.Option("--choose", rich_help_panel=OUT_PANEL, help=CHOOSE_HELP)]
ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", rich_help_panel=OUT_PANEL, help=REPORT_HELP)
]


@add_shared_options
def rate(
    files: Files,
    given_model: ModelChoice | None,
    choices: Choices,
    since: Since = None,
    until: Until = None,
    by: By = None,
    min_matches: MinMatches = 0,
    at: RatingsAt = None,
    hindsight: InHindsight = False,
    on: On = None,
    best: Best = False,
    stream: InParts = None,
    period: Period = None,
    top: Top = None,
    all: All = False,
    json: Json = False,
    out: Out = None,
    save: Save = None,
    resume: Resume = None,
    choose: Choose = False,
    report: ReportFile = None,
    scale: ScaleText = None,
    ranking: RankingName = None,
) -> None:
    """Rate the players in one or more files of matches, and print the standings.

    The layout, one row per match or one row per player, is recognised from the column names. A model is chosen for the
    matches, unless you name one.

    Players are hidden as inactive if they have not played for a year, or for a tenth of the time that the matches
    span, whichever is longer.

    \b
    prowess rate matches.csv
    prowess rate matches.csv --report choice.html
    prowess rate matches.csv --model trueskill
    prowess rate matches.csv --model glicko2 --set tau=0.3
    prowess rate matches.csv --scale 1500,400
    prowess rate matches.csv --scale 1500,400 --ranking conservative
    prowess rate matches.csv --drift time --home-advantage learnt --seasons season
    prowess rate tennis.csv --facet surface --at surface=clay
    prowess rate tennis.csv --hindsight --on 2009-12-31
    prowess rate tennis.csv --hindsight --best
    prowess rate shooter.csv --statistic kills --statistic deaths:lower
    prowess rate 2025.csv 2026.csv --top 0 --out standings.html
    prowess rate week1.csv --save league.prowess
    prowess rate week2.csv --resume league.prowess --save league.prowess
    prowess rate week1.csv week2.csv --resume league.prowess --choose --save league.prowess
    prowess rate all.csv --by season --min-matches 10
    prowess rate years.csv.gz --stream
    prowess rate chess.csv --columns winner=won --columns loser=lost
    prowess rate matches.parquet --json | jq '.[0].player'
    """
    _check_paths(files, by, out, save, resume, report)
    _check_choose(choose, given_model, resume, report)
    view = hindsight_view(hindsight, on, best, all)
    if view is not None:
        changes = None if period == "none" else period
        view.check_options(at, {"--resume": resume, "--stream": stream, "--period": changes, "--save": save})
    saved = None if resume is None else load_ladder(resume, None if choose else given_model)
    options = {"min_matches": min_matches, "ranking": ranking and choose_ranking(ranking)}
    job = _Job(files, given_or_auto(given_model), choices, None if choose else saved, options, period, at, all, view)
    job.set_scale(scale, saved)
    if at and by is not None:
        raise Error("--at shows the ratings of a single ladder; leave out --by")
    whole_file = len(files) == 1 and {by, since, until, period, view} == {None}
    if stream and not whole_file:
        raise Error("--stream rates one whole file; leave out --by, --since, --until and --period")
    rated = _rate_in_parts(job, stream) if whole_file else None
    if rated is None:
        rated = _rate_history(job, since, until) if by is None else _rate_groups(job, by, since, until)
    if choose and saved is not None and resume is not None:
        _check_complete(resume, saved, rated.groups[""].ladder)
    note_choice(rated.chosen)
    if out is not None:
        _write(out, files, rated, by)
    if save is not None:
        # `_check_paths` excludes --by, so there is only one group.
        rated.groups[""].ladder.save(save)
    if report is not None:
        _write_report(report, rated.chosen)
    hidden = _print(rated, by, json, top, all or view is not None)
    _print_notes(rated, hidden)
    if not (json or all or view is not None):
        _note_inactive(rated.groups)
        _note_absent(rated)
    note_files(out, save, report)
    if rated.chosen.choice is None:
        _advise_on_draws(rated.chosen.model, rated.histories)


@dataclass
class _Job:
    """The files to rate, and the options that say how."""

    files: Sequence[Path]
    given: ModelChoice
    choices: Choices
    start: Ladder | None
    options: dict[str, Any]  # those of all leaderboards: `min_matches` and `ranking`
    period: str | None
    at: list[str] | None
    all: bool = False
    view: HindsightView | None = None
    scale: Scale | None = None

    def __post_init__(self) -> None:
        if self.start is None:
            self.choices = self.given.add_columns(self.choices)
        else:
            self.choices = add_context(self.choices, self.start.model.context_columns)
            _note_aliases_in(self.start, self.choices)

    def set_scale(self, text: str | None, saved: Ladder | None) -> None:
        """Set the scale given with --scale, or by default the scale of the saved ladder."""
        self.scale = parse_scale(text)
        if self.start is not None:
            self.start.scale = self.start.scale if text is None else self.scale
        elif saved is not None and text is None:
            self.scale = saved.scale
        if self.scale is not None and not (self.start is None and self.given.auto):
            # Raise an `Error` before the work begins if the model has no scale.
            (self.given.build_without_history() if self.start is None else self.start.model).points(self.scale)

    def choose(self, history: History | None, basis: str = "") -> ChosenModel:
        """Return the model of the ladder to continue from, or the model for these matches."""
        if self.start is not None:
            return ChosenModel(self.start.model)
        return choose_model(self.given, history, basis, hindsight=self.view is not None)


@dataclass(frozen=True)
class _Rated:
    """Standings by group, their model, and the matches, unless they were rated in chunks."""

    groups: Mapping[str, Standings]
    chosen: ChosenModel
    histories: Sequence[History] = ()
    context: Mapping[str, str | float] = field(default_factory=dict)
    view: HindsightView | None = None

    @property
    def about(self) -> str:
        """What the numbers of the standings mean."""
        at = ", ".join(f"{column} {value}" for column, value in self.context.items())
        seen = "" if self.view is None else f"{self.view.description}: "
        return seen + _describe_rating(self.chosen.model, self.groups) + (f"; ratings are for {at}" if at else "")

    @property
    def has_effects(self) -> bool:
        """Whether the standings show ratings at the last matches, to which effects and deviations belong."""
        return bool(self.chosen.model.facets) and (self.view is None or self.view.is_last)


def _rate_history(job: _Job, since: str | None, until: str | None) -> _Rated:
    history = read_span(job.files, job.choices, since, until)
    _note_same_time(job.start, history)
    chosen = job.choose(history)
    context = parse_at(chosen.model, job.at, history_values(chosen.model, history, job.start))
    try:
        if job.view is not None:
            rated = job.view.standings(chosen.model, history, scale=job.scale, context=context, **job.options)
        else:
            rated = standings(
                chosen.model,
                history,
                start=job.start,
                period=job.period,
                scale=job.scale,
                context=context,
                all=job.all,
                **job.options,
            )
    except Error as error:
        raise error.within("--at: ") if error.field == "context" else error from None
    return _Rated({"": rated}, chosen, [history], context, job.view)


def _rate_groups(job: _Job, by: str, since: str | None, until: str | None) -> _Rated:
    from ...lab.parallel import group_standings

    leagues = select_span(read_groups(job.files, by, job.choices), since, until)
    chosen = choose_for_groups(job.given, leagues, hindsight=job.view is not None)
    if job.view is not None:
        each = (job.view.standings(chosen.model, one, scale=job.scale, **job.options) for one in leagues.values())
        return _Rated(dict(zip(leagues, each, strict=True)), chosen, list(leagues.values()), view=job.view)
    groups = group_standings(chosen.model, leagues, period=job.period, scale=job.scale, **job.options)
    return _Rated(groups, chosen, list(leagues.values()))


def _check_paths(
    files: Sequence[Path],
    by: str | None,
    out: Path | None,
    save: Path | None,
    resume: Path | None,
    report: Path | None,
) -> None:
    # Conflicting options must not surface after minutes of work, and no output may overwrite an input.
    if by is not None and (save is not None or resume is not None):
        raise Error("--by makes a ladder for each group, but --save and --resume need a single ladder; leave out --by")
    used = {file.resolve(): "FILE" for file in files}
    if resume is not None and used.setdefault(resume.resolve(), "--resume") == "FILE":
        raise Error(f"{resume} is given both as FILE and with --resume; FILE must contain the new matches")
    targets = (
        ("--out", out, OUT_FORMATS),
        ("--save", save, (LADDER_EXTENSION,)),
        ("--report", report, REPORT_FORMATS),
    )
    for option, path, formats in targets:
        if path is None:
            continue
        other = used.setdefault(path.resolve(), option)
        # Updating a saved ladder in place is the usual way to continue a league.
        if other != option and (other, option) != ("--resume", "--save"):
            raise Error(f"{path}: {option} would overwrite {other}; choose another name")
        check_target(path, formats)


def _check_choose(choose: bool, given: ModelChoice | None, resume: Path | None, report: Path | None) -> None:
    named = given is not None and not given.auto
    if choose and named:
        raise Error("--choose chooses a model for the matches; leave out the other options of the rating system")
    if report is not None and (named or (resume is not None and not choose)):
        raise Error(
            f"--report {report}: no model is chosen, because {'you name one' if named else 'the ladder has one'}; leave"
            " out --report"
        )


def _check_complete(file: Path, saved: Ladder, rated: Ladder) -> None:
    """Raise `Error` if a saved ladder has matches that were not rated again: a new model needs all matches."""
    after = dict(zip(rated.names, _match_counts(rated), strict=True))
    for name, before in zip(saved.names, _match_counts(saved), strict=True):
        now = after.get(name, 0)
        if now < before:
            missing = f"{name!r} has {count(before, 'match', 'matches')} in {file} and {now:,} in the given files"
            raise Error(
                f"--choose rates all matches again, but {missing}; give all files of matches, or leave out --choose to"
                " continue with the model of the ladder"
            )


def _match_counts(ladder: Ladder) -> list[int]:
    counts: list[int] = ladder.state[: len(ladder), ladder.layout.matches].astype(np.int64).tolist()
    return counts


def _rate_in_parts(job: _Job, stream: bool | None) -> _Rated | None:
    """Rate a file in chunks if requested or if it is large; return None if it must be read as a whole."""
    [file] = job.files
    if not (_is_large(file) if stream is None else stream):
        return None
    try:
        chunks = Stream(file, for_rating(job.choices), ROWS)
        chosen = _choose_by_first_chunk(job, chunks)
        rated = chosen.model.fit_stream(chunks, job.start, scale=job.scale)
    except Error as error:
        if stream:
            raise
        note(f"{file}: cannot be rated in chunks ({error}); reading the whole file")
        return None
    matches, players = count(rated.matches, "match", "matches"), count(len(rated.ladder), "player", "players")
    note(f"{file}: {matches}, {players}, rated in chunks; --no-stream reads the file as a whole")
    note_remarks(rated.remarks)
    context = parse_at(chosen.model, job.at, ladder_values(rated.ladder))
    check_at(rated.ladder, context)
    group = Standings(rated.ladder.leaderboard(all=job.all, **job.options, **context), rated.ladder, None)
    return _Rated({"": group}, chosen, context=context)


def _choose_by_first_chunk(job: _Job, chunks: Stream) -> ChosenModel:
    if job.start is not None or not job.given.needs_history:
        return job.choose(None)
    first = chunks.peek()
    return job.choose(first, f"the first chunk of the file, {count(len(first), 'match', 'matches')}, and used for all")


def _is_large(file: Path) -> bool:
    try:
        return file.stat().st_size >= LARGE
    # Standard input and missing files have no size; reading them gives the proper error.
    except OSError:
        return False


def _note_aliases_in(ladder: Ladder, choices: Choices) -> None:
    # Players of a saved ladder cannot be merged without rating all matches again.
    both = [name for name in choices.aliases or () if name in ladder]
    if both:
        listed = f"{', '.join(map(repr, both[:SHOWN]))}{', …' if len(both) > SHOWN else ''}"
        note(
            f"the saved ladder has players whose names are now aliases: {listed}; new matches count for the player's"
            " other name, but old matches do not; rate all matches again to merge the names"
        )


def _note_same_time(ladder: Ladder | None, history: History) -> None:
    # A match at the same time as the ladder's last match may already be rated.
    last = None if ladder is None else last_time(ladder)
    if last is not None and len(history) and history[0].get("time") == last:
        note(
            f"the first match has the same time as the ladder's last match ({format_time(last)});"
            " check that no match is counted twice"
        )


def _write(path: Path, files: Sequence[Path], rated: _Rated, by: str | None) -> None:
    groups = rated.groups
    if file_extension(path, OUT_FORMATS) != ".html":
        write_frame(concat_groups({name: group.frame for name, group in groups.items()}, by), path)
        return
    tables = {}
    for name, group in groups.items():
        line = ", ".join(
            filter(None, [count(len(group.frame), "player", "players"), _describe_times(group, rated.view)])
        )
        players = only_active(group.frame)["player"].to_list()
        blocks = describe_effects(group.ladder, players) if rated.has_effects else []
        blocks += map(Block, describe_statistics(group.ladder, rated.histories))
        tables[_group_title(by, name)] = (line, _visible_columns(group, rated.view), blocks)
    title = ", ".join(file.name.partition(".")[0] for file in files)
    about = [rated.about]
    if rated.chosen.choice is not None:
        about.append(" ".join(rated.chosen.choice.lines))
    write_page(path, f"Standings: {title}", about, tables, _digits(groups))


def _write_report(path: Path, chosen: ChosenModel) -> None:
    assert chosen.choice is not None  # `_check_choose` has excluded a named model
    if file_extension(path, REPORT_FORMATS) == ".html":
        chosen.choice.to_html(path)
        return
    with replace_file(path) as temporary:
        temporary.write_text(json_text(chosen.choice.to_dict()) + "\n", encoding="utf-8")


def _group_title(by: str | None, name: str) -> str:
    return "" if by is None else f"{by} {name or '(none)'}"


def _describe_rating(model: Model, groups: Mapping[str, Standings]) -> str:
    frames, scale = [group.frame for group in groups.values()], next(iter(groups.values())).ladder.scale
    cautious = not model.absorb.certain and rating_column(frames[0].columns) in ("shown", "points_shown")
    points = "" if scale is None else f"{'skills' if cautious else 'rating'} in points: {scale.meaning}"
    if model.absorb.certain:
        return points or "rating = μ: this system has no measure of uncertainty"
    if cautious:
        rating = f"rating = μ − {model.caution:g}σ: true skill is almost certainly higher than this"
        return f"{points}; {rating}; μ ± is the mean with its 95 % interval" if points else rating
    text = f"{points}; ± is the 95 % interval" if points else "rating = μ, the mean of what is known about the skill"
    return f"{text}; {PROVISIONAL}" if any(frame["provisional"].any() for frame in frames) else text


def _digits(groups: Mapping[str, Standings]) -> int:
    scale = next(iter(groups.values())).ladder.scale
    return 0 if scale is None else scale.digits


def _describe_times(group: Standings, view: HindsightView | None) -> str:
    if view is not None:
        return view.description
    last = last_time(group.ladder)
    after = "" if last is None else f"after {format_time(last)}"
    return ", ".join(filter(None, [after, "" if group.since is None else f"change since {format_time(group.since)}"]))


def _visible_columns(group: Standings, view: HindsightView | None = None) -> pl.DataFrame:
    import polars as pl

    # Players of all times are compared in hindsight, so a page does not fold those who play no more.
    frame = group.frame if view is None else group.frame.with_columns(active=pl.lit(True))
    return frame if group.since is not None else frame.drop("change", "gain", strict=False)


def _print(rated: _Rated, by: str | None, as_json: bool, top: int | None, all: bool) -> int:
    # Returns the number of players beyond `top`, who are not shown.
    groups = rated.groups
    terminal = get_console().is_terminal and not as_json
    limit = TOP if top is None and terminal else top
    everybody = as_json or all
    frames = {name: group.frame if everybody else only_active(group.frame) for name, group in groups.items()}
    parts = {name: frame.head(limit) if limit else frame for name, frame in frames.items()}
    if as_json:
        rows = concat_groups(parts, by).to_dicts()
        print_json({"standings": rows} | _facet_dicts(groups, by) if rated.has_effects else rows)
    elif terminal:
        for name, group in groups.items():
            title = ": ".join(filter(None, [_group_title(by, name), _describe_times(group, rated.view)]))
            print_standings(parts[name].select(_visible_columns(group).columns), title, digits=_digits(groups))
    else:
        first = next(iter(groups.values()))
        columns = _visible_columns(next((group for group in groups.values() if group.since is not None), first)).columns
        frame = concat_groups({name: part.select(columns) for name, part in parts.items()}, by)
        print_standings(frame, by=by, digits=_digits(groups))
    if rated.has_effects and not as_json and by is None:
        [group] = groups.values()
        print_effects(group.ladder, parts[""]["player"].to_list())
    if not as_json and by is None:
        [group] = groups.values()
        print_statistics(group.ladder, rated.histories)
    return sum(len(frame) - len(parts[name]) for name, frame in frames.items())


def _facet_dicts(groups: Mapping[str, Standings], by: str | None) -> dict[str, list[dict[str, object]]]:
    """Return the effects and deviations of all groups as rows; with --by, each row begins with its group."""
    firsts = {name: {} if by is None else {by: name} for name in groups}
    return {
        "effects": [firsts[name] | row for name, group in groups.items() for row in group.ladder.effects.to_dicts()],
        "deviations": [
            firsts[name] | row for name, group in groups.items() for row in group.ladder.deviations.to_dicts()
        ],
    }


def _print_notes(rated: _Rated, hidden: int) -> None:
    groups = rated.groups
    empty = not any(len(group.frame) for group in groups.values())
    note(_describe_empty(rated) if empty else rated.about)
    times = {format_time(group.since) for group in groups.values() if group.since is not None}
    if len(times) == 1 and not get_console().is_terminal:
        note(f"changes are since {times.pop()}; use --period for another period")
    if rated.has_effects and len(groups) > 1:
        note("use --json to see the effects and deviations of each group")
    if hidden:
        note(f"{count(hidden, 'more player', 'more players')}; --top 0 shows all")


def _describe_empty(rated: _Rated) -> str:
    if rated.view is None or rated.view.on is None or not any(map(len, rated.histories)):
        return "no matches, so no standings"
    return f"no player was between the first and the last match on {rated.view.on}; --all shows all players"


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


def _note_absent(rated: _Rated) -> None:
    for group in rated.groups.values():
        played = matches_at(group.ladder, rated.context)
        absent = 0 if played is None else int(np.count_nonzero(played == 0))
        if absent:
            at = " and ".join(f"{column} {value}" for column, value in rated.context.items())
            have = "player has" if absent == 1 else "players have"
            note(f"{absent:,} {have} no match at {at}, not shown; --all shows them")


def _advise_on_draws(model: Model, histories: Sequence[History]) -> None:
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
