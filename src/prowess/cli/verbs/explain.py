"""`prowess explain`: why a rating is what it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import Explanation, Fit, Model
from ...atomic_files import file_extension
from ...errors import Error
from ...history.read_options import Choices
from ...text import count
from ..options.player_args import find_players, fit_file
from ..options.read_args import File
from ..options.shared import Json, add_shared_options
from ..output.console import get_console, note, printable
from ..output.forecast import percent, team_name
from ..output.json import print_json
from ..output.plots import line_chart
from ..output.standings import moment
from ..output.tables import cut, print_table, write_table

if TYPE_CHECKING:
    from rich.text import Text

LAST = 20  # matches on a terminal
SOME = 12  # cells that are enough for the beginning of a partner's name
ENDINGS = (".csv", ".parquet", ".json")

Player = Annotated[str, typer.Argument(metavar="PLAYER", help="The name of a player.")]
Last = Annotated[
    int | None,
    typer.Option(
        min=0, show_default=False, help=f"Print so many matches; 0: all. (default: {LAST} on a terminal, else all)"
    ),
]
Out = Annotated[
    Path | None, typer.Option(show_default=False, help=f"Write all matches to a file: {' '.join(ENDINGS)}.")
]
Html = Annotated[
    Path | None,
    typer.Option(metavar="FILE", show_default=False, help="Write a page with the skill curve, which needs no network."),
]


@add_shared_options
def explain(
    file: File,
    player: Player,
    model: Model,
    choices: Choices,
    last: Last = None,
    json: Json = False,
    out: Out = None,
    html: Html = None,
) -> None:
    """Explain a rating: the matches behind it, what was expected of each, and what it moved.

    The rating with which a player began and all that was moved add up to the rating now.

    \b
    prowess explain examples/league.csv Ada
    prowess explain examples/league.csv Ada --last 5 --model glicko2
    prowess explain examples/league.csv Ada --html ada.html --out ada.csv
    prowess explain examples/league.csv Ada --json | jq '.matches[-1].moved'
    """
    for path, endings in ((out, ENDINGS), (html, (".html", ".htm"))):
        if path is not None:
            file_extension(path, endings)
            if not path.parent.is_dir():
                raise Error(f"{path}: there is no folder {path.parent}")
    fit = fit_file(file, model, choices)
    [name] = find_players(fit.ladder, [player])
    found = fit.explain(name)
    if out is not None:
        write_table(found.matches, out)
    if html is not None:
        _page(fit, found).save(html)
    limit = LAST if last is None and not json and get_console().is_terminal else last or len(found.matches)
    if json:
        print_json(found.to_dict() | {"matches": found.matches.tail(limit).to_dicts()})
    else:
        _print(found, limit)
    for path in (out, html):
        if path is not None:
            note(f"wrote {path}")


def _print(found: Explanation, limit: int) -> None:
    """The words, the line of the rating, and the matches."""
    from rich.text import Text

    console = get_console()
    width = min(console.width, 100) if console.is_terminal else None
    for sentence in found.sentences:
        console.print(Text(printable(sentence)), width=width, soft_wrap=width is None)
    rows = found.matches
    if len(rows) > 2 and console.is_terminal:
        _print_line(found)
    if len(rows):
        console.print()
        _print_matches(found, limit)
        if limit < len(rows):
            note(f"{count(len(rows) - limit, 'earlier match', 'earlier matches')}: --last 0 shows all")
        rating = "" if found.now.sigma is None else f"; rating = μ − {found.now.caution:g}σ"
        note(f"expected: before the match; moved: what the match did to μ{rating}")


def _print_line(found: Explanation) -> None:
    """How what is shown went, from the first match to the last."""
    console = get_console()
    rows = found.matches
    room = min(console.width - 12, 72, max(30, len(rows)))
    values = [found.start.shown, *rows["shown_after"]]
    console.print()
    for line in line_chart(values, room, digits=found.digits):
        console.print(f"  {line}", soft_wrap=True, style="cyan")
    if "time" in rows.columns:
        first, last = (moment(rows["time"][index]) for index in (0, -1))
        left = len(line) - len(line.lstrip()) + line.index("┤" if "┤" in line else "┼") + 2
        gap = max(1, room - 1 - len(first) - len(last))
        console.print(" " * left + first + " " * gap + last, style="dim", soft_wrap=True)


def _print_matches(found: Explanation, limit: int) -> None:
    """A row for every match, the last ones last."""
    rows = found.matches.tail(limit)
    console = get_console()
    cells: dict[str, list[str | Text]] = {}
    if "time" in rows.columns:
        cells["time"] = [moment(value) for value in rows["time"]]
    else:
        cells["match"] = [str(match + 1) for match in rows["match"]]
    named = list(rows.iter_rows(named=True))
    cells["result"] = [_result(row) for row in named]
    cells["expected"] = [_expected(row) for row in named]
    cells["moved"] = [_moved(found, row["moved"]) for row in named]
    cells["rating"] = [f"{value:.{found.digits}f}" for value in rows["shown_after"]]
    taken = sum(max(len(head), *(len(str(cell)) for cell in column)) + 3 for head, column in cells.items())
    room = max(16, console.width - taken - 2) if console.is_terminal else None
    cells["against"] = [_against(row, room) for row in named]
    order = [head for head in ("time", "match", "against", "result", "expected", "moved", "rating") if head in cells]
    table = list(zip(*(cells[head] for head in order), strict=True))
    print_table(order, table, right=("match", "expected", "moved", "rating"))


def _against(row: dict[str, Any], room: int | None) -> str:
    """The opponents, and after them the partners, as far as there is room."""
    from rich.cells import cell_len

    more = row["opponent_count"] - len(row["opponents"])
    against = team_name([*row["opponents"], *[f"{more} more"] * (more > 0)], room)
    partners = f" (with {team_name(row['partners'])})" if row["partners"] else ""
    if room is None or cell_len(against + partners) <= room:
        return against + partners
    left = room - cell_len(against)
    return against + (cut(partners, left - 1) + ")" if left >= SOME else "")


def _result(row: dict[str, Any]) -> str:
    """How it ended for the player."""
    if row["teams"] > 2:
        return f"{row['place']}. of {row['teams']}"
    word = {1.0: "won", 0.5: "drawn", 0.0: "lost"}[row["actual"]]
    scored = row.get("score") is not None and row["score"] == row["score"]
    return f"{word:5} {row['score']:g}:{row['against']:g}" if scored else word


def _expected(row: dict[str, Any]) -> str:
    """A probability between two teams, a place among more."""
    if row["expected"] is None:
        return "–"
    if row["teams"] == 2:
        return percent(row["expected"]).strip()
    return f"{1 + (1 - row['expected']) * (row['teams'] - 1):.1f}."


def _moved(found: Explanation, moved: float) -> Text:
    """What a match did to the mean, up or down."""
    from rich.text import Text

    small = abs(moved) < 0.5 * 10**-found.digits
    style = "" if small else "green" if moved > 0 else "red"
    return Text(f"{0.0 if small else moved:+.{found.digits}f}".replace("-", "−"), style=style)


def _page(fit: Fit, found: Explanation) -> Any:
    """A page with the words, the skill curve and all matches."""
    from ...lab.charts import skill_curves
    from ...lab.report import Report, Section

    words = "\n\n".join(found.sentences)
    if not len(found.matches):
        return Report(found.player, (Section("The rating", text=words),))
    import polars as pl

    table = found.matches.with_columns(pl.col(pl.List(pl.String)).list.join(", "))
    wanted = ["time", "partners", "opponents", "place", "score", "against", "expected", "actual", "moved"]
    wanted += ["mu_after", "sigma_after", "shown_after"]
    table = table.select([name for name in wanted if name in table.columns])
    curve = skill_curves(fit, [found.player], title=f"The skill of {found.player}")
    return Report(
        f"{found.player}: the rating explained",
        (Section("In words", text=words), Section("Over time", chart=curve), Section("Match by match", table=table)),
    )
