"""`prowess explain`: the matches behind a rating."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import Explanation, Fit, Hindsight
from ...atomic_files import check_target
from ...frames import FORMATS, join_lists, write_frame
from ...history.read_options import Choices
from ...model.fit.explain import defies_result, expectation, statistics_of, statistics_outweigh, surprise
from ...model.hindsight.support import can_look_back
from ...text import count, join_words
from ..options.model_args import ModelChoice
from ..options.player_args import find_players, fit_file
from ..options.read_args import File
from ..options.shared import Html, Json, ScaleText, add_shared_options, parse_scale
from ..output.console import get_console, note, note_files, print_json
from ..output.forecast import ordinal, percent, team_name
from ..output.plots import line_chart
from ..output.standings import format_time
from ..output.tables import cut, print_table, print_text

if TYPE_CHECKING:
    import polars as pl
    from rich.text import Text

    from ...lab.report import Report

KNOWN = (
    "Then: the skill as it was known after each match, from earlier matches. Now: the skill at the same matches as all "
    "matches, earlier and later, show it."
)
LAST = 20  # matches shown on a terminal
RIGHT = ("match", "expected", "moved", "rating", "hindsight")  # columns of numbers
LEAST_PARTNERS = 12  # partners' names are left out if fewer cells than this remain for them
HINDSIGHT_HELP = (
    "Show also what is known now: the rating at each match, given all matches, earlier and later. A page (--html) "
    "always shows both, if the model can."
)
LAST_HELP = f"Number of matches to show (0 = all). (default: {LAST} on a terminal, else all)"

Player = Annotated[str, typer.Argument(metavar="PLAYER", help="The name of a player.")]
Last = Annotated[int | None, typer.Option(min=0, help=LAST_HELP)]
InHindsight = Annotated[bool, typer.Option("--hindsight", help=HINDSIGHT_HELP)]
Out = Annotated[Path | None, typer.Option(help=f"Write all matches to a file: {' '.join(FORMATS)}.")]


@add_shared_options
def explain(
    file: File,
    player: Player,
    given_model: ModelChoice | None,
    choices: Choices,
    last: Last = None,
    hindsight: InHindsight = False,
    json: Json = False,
    out: Out = None,
    html: Html = None,
    scale: ScaleText = None,
) -> None:
    """Explain a rating: the player's matches, the expected and actual results, and how each match moved the rating.

    The starting rating plus all moves equals the current rating.

    \b
    prowess explain examples/league.csv Ada
    prowess explain examples/league.csv Ada --last 5 --model glicko2
    prowess explain examples/league.csv Ada --scale 1500,400
    prowess explain examples/league.csv Ada --hindsight --model trueskill
    prowess explain examples/league.csv Ada --html ada.html --out ada.csv
    prowess explain examples/league.csv Ada --json | jq '.matches[-1].moved'
    """
    for path, formats in ((out, FORMATS), (html, (".html", ".htm"))):
        if path is not None:
            check_target(path, formats)
    fit = fit_file(file, given_model, choices, parse_scale(scale), hindsight=hindsight)
    explanation = fit.explain(*find_players(fit.ladder, [player]))
    looks_back = hindsight or (html is not None and can_look_back(fit.model))
    all_known = fit.model.hindsight(fit.history, scale=fit.ladder.scale) if looks_back else None
    matches = explanation.matches
    if hindsight and all_known is not None:
        matches = _add_hindsight(matches, all_known, explanation.player)
    if out is not None:
        write_frame(matches, out)
    if html is not None:
        _make_report(fit, explanation, all_known).save(html)
    limit = LAST if last is None and not json and get_console().is_terminal else last or len(matches)
    if json:
        print_json(explanation.to_dict() | {"matches": matches.tail(limit).to_dicts()})
    else:
        _print(explanation, matches, limit)
        columns = dict.fromkeys(facet.column for facet in fit.model.facets if facet.personal)
        if columns:
            names = join_words(columns)
            note(f"this is the player's skill, without deviations by {names}; prowess rate --at shows both together")
    note_files(out, html)


def _add_hindsight(matches: pl.DataFrame, hindsight: Hindsight, player: str) -> pl.DataFrame:
    """Add the rating at each match, given all matches, as columns that end in _hindsight."""
    import polars as pl

    names = ("mu", "sigma", "shown", "points")
    curve = hindsight.curve(player)
    known = curve.select(
        pl.col("match").cast(matches["match"].dtype),
        *(pl.col(name).alias(f"{name}_hindsight") for name in names if name in curve.columns),
    )
    return matches.join(known, on="match", how="left", maintain_order="left")


def _hindsight_ratings(matches: pl.DataFrame) -> list[float | None]:
    """Return the ratings in hindsight, in points if there is a scale; without --hindsight, an empty list."""
    name = "points_hindsight" if "points_hindsight" in matches.columns else "shown_hindsight"
    return matches[name].to_list() if name in matches.columns else []


def _print(explanation: Explanation, matches: pl.DataFrame, limit: int) -> None:
    console = get_console()
    for sentence in explanation.sentences:
        print_text(sentence)
    later = [rating for rating in _hindsight_ratings(matches) if rating is not None]
    if later:
        print_text(_describe_hindsight(explanation, matches))
    if len(matches) > 2 and console.is_terminal:
        _print_chart(explanation, explanation.ratings, "known then:" if later else "")
        if len(later) > 2:
            _print_chart(explanation, later, "known now:")
    if len(matches):
        console.print()
        _print_matches(explanation, matches, limit)
        if limit < len(matches):
            note(f"{count(len(matches) - limit, 'earlier match', 'earlier matches')}; --last 0 shows all")
        note(f"expected: score predicted before the match; {_describe_rating(explanation)}")


def _describe_hindsight(explanation: Explanation, matches: pl.DataFrame) -> str:
    known = [(rating, row) for row, rating in enumerate(_hindsight_ratings(matches)) if rating is not None]
    first, last, best = (f"{rating:.{explanation.digits}f}" for rating, _ in (known[0], known[-1], max(known)))
    when = f" on {format_time(matches['time'][max(known)[1]])}" if "time" in matches.columns else ""
    return (
        f"In hindsight, given all matches, {explanation.player} was rated {first} at the first match and {last} at the"
        f" last; the best was {best}{when}."
    )


def _describe_rating(explanation: Explanation) -> str:
    if explanation.points is not None:
        return f"moved: how far the match moved the rating, in points: {explanation.points.scale.meaning}"
    rating = "" if explanation.now.sigma is None else f"; rating = μ − {explanation.now.caution:g}σ"
    return f"moved: how far the match moved μ{rating}"


def _print_chart(explanation: Explanation, ratings: Sequence[float], title: str) -> None:
    console, matches = get_console(), explanation.matches
    width = min(console.width - 12, 72, max(30, len(matches)))
    console.print()
    if title:
        console.print(f"  {title}", style="dim")
    for line in line_chart(ratings, width, digits=explanation.digits):
        console.print(f"  {line}", soft_wrap=True, style="cyan")
    if "time" in matches.columns:
        first, last = (format_time(matches["time"][index]) for index in (0, -1))
        indent = len(line) - len(line.lstrip()) + line.index("┤" if "┤" in line else "┼") + 2
        gap = max(1, width - 1 - len(first) - len(last))
        console.print(" " * indent + first + " " * gap + last, style="dim", soft_wrap=True)


def _print_matches(explanation: Explanation, matches: pl.DataFrame, limit: int) -> None:
    matches, console = matches.tail(limit), get_console()
    rows = list(matches.iter_rows(named=True))
    timed = "time" in matches.columns
    cells: dict[str, list[str | Text]] = {
        "time" if timed else "match": [format_time(row["time"]) if timed else str(row["match"] + 1) for row in rows],
        "against": [],
        "result": list(map(_format_result, rows)),
        "expected": list(map(_format_expected, rows)),
        "moved": [
            _format_move(moved, explanation.digits, None if statistics_outweigh(row) else surprise(row))
            for moved, row in zip(explanation.moves[-limit:], rows, strict=True)
        ],
        "rating": [f"{rating:.{explanation.digits}f}" for rating in explanation.ratings[1:][-limit:]],
    }
    later = _hindsight_ratings(matches)
    if later:
        cells["hindsight"] = ["–" if rating is None else f"{rating:.{explanation.digits}f}" for rating in later]
    widths = (max(map(len, (head, *map(str, column)))) + 3 for head, column in cells.items() if head != "against")
    room = max(16, console.width - sum(widths) - 2) if console.is_terminal else None
    cells["against"] += [_format_opponents(row, room) for row in rows]
    print_table(list(cells), list(zip(*cells.values(), strict=True)), right=RIGHT)


def _format_opponents(row: dict[str, Any], room: int | None) -> str:
    from rich.cells import cell_len

    more = row["opponent_count"] - len(row["opponents"])
    opponents = team_name([*row["opponents"], *[f"{more} more"] * (more > 0)], room)
    partners = f" (with {team_name(row['partners'])})" if row["partners"] else ""
    if room is None or cell_len(opponents + partners) <= room:
        return opponents + partners
    left = room - cell_len(opponents)
    return opponents + (cut(partners, left - 1) + ")" if left >= LEAST_PARTNERS else "")


def _format_result(row: dict[str, Any]) -> str:
    if row["teams"] > 2:
        return f"{ordinal(row['place'])} of {row['teams']}"
    result = {1.0: "won", 0.5: "drawn", 0.0: "lost"}[row["actual"]]
    has_score = row.get("score") is not None and row["score"] == row["score"]
    return f"{result:5} {row['score']:g}:{row['against']:g}" if has_score else result


def _format_expected(row: dict[str, Any]) -> str:
    # A win probability if there are two teams, otherwise a place; the lead, if that explains a surprising change.
    if row["expected"] is None:
        return "–"
    if row["teams"] == 2 and row.get("expected_lead") is not None and defies_result(row):
        return expectation(row).removeprefix("expected ")
    expected = f"place {1 + (1 - row['expected']) * (row['teams'] - 1):.1f}"
    if row["teams"] == 2:
        expected = percent(row["expected"]).strip()
    if defies_result(row) and statistics_outweigh(row):
        return f"{expected}, {join_words(statistics_of(row))}"
    return expected


def _format_move(moved: float, digits: int, better: float | None) -> Text:
    """Format a change of a rating: green if the result was `better` than expected, red if it was worse."""
    from rich.text import Text

    # "−0.00" would look like a loss.
    small = abs(moved) < 0.5 * 10**-digits
    style = "" if small else "green" if (moved if better is None else better) > 0 else "red"
    return Text(f"{0.0 if small else moved:+.{digits}f}".replace("-", "−"), style=style)


def _make_report(fit: Fit, explanation: Explanation, hindsight: Hindsight | None) -> Report:
    # Charts need Altair, which is optional.
    from ...lab.charts.skill import knowledge_curves, skill_curves
    from ...lab.report import Report, Section

    player, text = explanation.player, "\n\n".join(explanation.sentences)
    if not len(explanation.matches):
        return Report(player, (Section("Rating", text=text),))
    wanted = ["time", "partners", "opponents", "place", "score", "against", "expected", "actual", "moved"]
    wanted += ["mu_after", "sigma_after", "shown_after", "points_moved", "points_after"]
    table = join_lists(explanation.matches.select(name for name in wanted if name in explanation.matches.columns))
    curve = skill_curves(fit, [player], title=f"Skill of {player}")
    sections = [Section("Summary", text=text), Section("Over time", chart=curve)]
    if hindsight is not None:
        chart = knowledge_curves(fit, hindsight, player)
        sections.append(Section("What was known then, and what is known now", text=KNOWN, chart=chart))
    sections.append(Section("All matches", table=table))
    return Report(f"{player}: the rating explained", tuple(sections))
