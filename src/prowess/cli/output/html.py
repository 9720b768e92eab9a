"""Standings as one HTML page that works offline: tables that can be sorted and searched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ...atomic_files import replace_file
from ...model.ladder.leaderboard import only_active
from ...text import count
from .standings import POINTS, USUAL, format_change, format_points, format_ratings, format_time, rating_decimals

if TYPE_CHECKING:
    import polars as pl

    from .effects import Block


def write_page(
    path: Path,
    title: str,
    about: Iterable[str],
    groups: Mapping[str, tuple[str, pl.DataFrame, list[Block]]],
    digits: int = 0,
) -> None:
    """Write a page: the paragraphs `about`, then for each group a heading, a summary line, a table and its facets.

    `digits` is the number of decimals of ratings in points. The active players come first, ranked among themselves;
    inactive players are in a collapsed table below.
    """
    from ...lab.charts.files import PAGE
    from ...lab.report import STYLE

    links = " · ".join(f'<a href="#group{i}">{escape(name)}</a>' for i, name in enumerate(groups) if name)
    body = [f"<h1>{escape(title)}</h1>", *(f"<p>{escape(text)}</p>" for text in about), SEARCH]
    body += [f"<nav>{links}</nav>"] if len(groups) > 1 else []
    for i, (name, (line, frame, blocks)) in enumerate(groups.items()):
        heading = f'<h2 id="group{i}">{escape(name)}</h2>' if name else ""
        facets = "".join(map(_facet, blocks))
        body.append(f"<section>{heading}\n<p>{escape(line)}</p>\n{_tables(frame, digits)}{facets}</section>")
    script = f"<script>{SCRIPT}</script>"
    page = PAGE.format(title=escape(title), style=STYLE + MORE, body="\n".join(body), script=script)
    with replace_file(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def _facet(block: Block) -> str:
    rows = "\n".join(
        f'<tr><td>{escape(label)}</td><td class="number">{escape(text)}</td></tr>'
        for label, (_, text) in block.rows.items()
    )
    table = f'<div class="table"><table><tbody>\n{rows}\n</tbody></table></div>' if rows else ""
    return f"\n<p>{escape(block.title)}</p>\n{table}"


def _tables(frame: pl.DataFrame, digits: int) -> str:
    import polars as pl

    inactive = frame.filter(~pl.col("active"))
    if inactive.is_empty():
        return _table(frame, digits)
    title = count(len(inactive), "inactive player", "inactive players")
    folded = _table(inactive.drop("change", strict=False), digits)
    summary = f"<summary>{title}, ranked among all {len(frame)} players</summary>"
    return f'{_table(only_active(frame), digits)}\n<details class="inactive">{summary}\n{folded}</details>'


def _table(frame: pl.DataFrame, digits: int) -> str:
    columns = _columns(frame, digits)
    heads = "".join(f"<th{_class(head)}><button>{escape(head)}</button></th>" for head in columns)
    cells = [[f"<td{_class(head, text)}>{escape(text)}</td>" for text in texts] for head, texts in columns.items()]
    best = ["" if rank > 3 else ' class="best"' for rank in frame["rank"]]
    rows = "\n".join(f"<tr{top}>{''.join(row)}</tr>" for top, row in zip(best, zip(*cells, strict=True), strict=True))
    return f'<div class="table"><table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></div>'


def _class(head: str, text: str = "") -> str:
    if head == "player":
        return ""
    colour = {"▲": " up", "▼": " down"}.get(text[:1], "") if head == "change" else ""
    return f' class="number{colour}"'


def _columns(frame: pl.DataFrame, digits: int) -> dict[str, list[str]]:
    number = f"{{:.{rating_decimals(frame)}f}}".format
    columns = {"rank": list(map(str, frame["rank"]))}
    if "change" in frame.columns:
        columns["change"] = list(map(format_change, frame["change"]))
    columns |= {"player": frame["player"].to_list(), "rating": format_ratings(frame, digits)}
    uncertain = frame["sigma"].null_count() < len(frame)
    if "points" in frame.columns:
        means, margins = format_points(frame, digits)
        columns |= {"μ": means} if "points_shown" in frame.columns else {}
        columns |= {"±": margins} if uncertain else {}
    elif uncertain:
        columns |= {"μ": list(map(number, frame["mu"])), "σ": list(map(number, frame["sigma"]))}
    others = [name for name in frame.columns if name not in (*USUAL, *POINTS)]
    columns |= {name: [f"{value:.4g}" for value in frame[name]] for name in others}
    if "peak" in frame.columns:
        columns["peak"] = list(map(format_time, frame["peak"]))
    columns["matches"] = list(map(str, frame["matches"]))
    if frame["last_seen"].null_count() < len(frame):
        columns["last seen"] = list(map(format_time, frame["last_seen"]))
    return columns


SEARCH = '<p><input type="search" placeholder="Find a player" aria-label="Find a player"></p>'
MORE = """
th, td { white-space: nowrap; } th { position: sticky; top: 0; background: #fff; } .best td { font-weight: 600; }
th button { all: unset; cursor: pointer; font-weight: 600; } th button:focus-visible { outline: 2px solid #36c; }
th[aria-sort=ascending] button::after { content: " ↑"; } th[aria-sort=descending] button::after { content: " ↓"; }
details { margin-top: 1.5rem; } .inactive td { color: #767676; font-weight: normal; }
.table { overflow: visible; } .up { color: #17752f; } .down { color: #b3261e; }
input { font: inherit; padding: .4rem .6rem; width: 18rem; max-width: 100%; }
tbody tr:hover { background: #f5f7fa; } nav { line-height: 1.8; }
"""
# Plain JavaScript without a library, so that the page works offline and from a file.
SCRIPT = r"""
const value = cell => {
  const text = cell.textContent.replace("▲", "").replace("▼", "-").replace(/^–$/, "0").replace(/^([\d.-]+)\?$/, "$1");
  return text !== "" && !isNaN(text) ? Number(text) : text === "new" ? -Infinity : text;
};
document.querySelectorAll("th").forEach(head => head.onclick = () => {
  const rows = head.closest("table").tBodies[0], column = head.cellIndex;
  const first = head.classList.contains("number") && head.textContent !== "rank" ? "descending" : "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const order = head.getAttribute("aria-sort") === first ? other : first;
  head.parentNode.querySelectorAll("th").forEach(cell => cell.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  const keyed = [...rows.rows].map(row => [value(row.cells[column]), row]);
  keyed.sort(([a], [b]) => sign * (typeof a === "number" && typeof b === "number" ? (a > b) - (a < b)
    : String(a).localeCompare(String(b))));
  const sorted = document.createDocumentFragment();
  keyed.forEach(([, row]) => sorted.append(row));
  rows.append(sorted);
});
document.querySelector("input").oninput = event => {
  const wanted = event.target.value.trim().toLowerCase();
  document.querySelectorAll("tbody tr").forEach(row => {
    row.hidden = !row.querySelector("td:not(.number)").textContent.toLowerCase().includes(wanted);
  });
};
"""
