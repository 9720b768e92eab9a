"""Reports: sections of text, tables, charts and claims, as plain data and as a self-contained HTML page."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from ..atomic_files import check_target, replace_file
from ..frames import json_types
from ..optional import import_extra
from .charts.files import PAGE, script_json, vega_bundle

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

MAX_ALIGNED_DECIMALS = 3  # largest number of decimals to which a column is padded; more would be unreadable
DENSE = 10  # a table with more columns gets smaller type, so that it fits on a page of 1200 pixels
VERDICTS = {True: "holds", False: "does not hold", None: "cannot be decided with these data"}


@dataclass(frozen=True)
class Claim:
    """A claim, whether it holds on these data (None if undecided), and the figures that support the verdict.

    >>> Claim("TS2 beats TrueSkill", True, "pair error 24.6 % against 28.0 %").verdict
    'holds'
    """

    text: str
    holds: bool | None
    evidence: str

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return VERDICTS[self.holds]


@dataclass(frozen=True, eq=False)
class Section:
    """A heading with optional text, table, chart and claims.

    `bold` lists the highlighted cells of the table as pairs of row and column name.

    >>> Section("Pair error", text="Lower is better.").title
    'Pair error'
    """

    title: str
    text: str = ""
    table: pl.DataFrame | None = None
    chart: alt.TopLevelMixin | None = None
    claims: tuple[Claim, ...] = ()
    bold: frozenset[tuple[int, str]] = frozenset()

    def to_dict(self) -> dict[str, Any]:
        """Return the section as plain data; its chart and all parts that are empty are left out."""
        parts: dict[str, Any] = {"title": self.title}
        if self.text:
            parts["text"] = self.text
        if self.table is not None:
            parts["table"] = self.table.to_dicts()
        if self.claims:
            parts["claims"] = [{"claim": own.text, "holds": own.holds, "evidence": own.evidence} for own in self.claims]
        return parts


@dataclass(frozen=True, eq=False)
class Report:
    """Sections under one title.

    >>> report = Report("A league", (Section("Matches", text="There were three."),))
    >>> report.to_dict()["sections"][0]["text"]
    'There were three.'
    """

    title: str
    sections: tuple[Section, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data for JSON, without charts; NaN and infinities become None, dates become text.

        >>> Report("A league", ()).to_dict()
        {'title': 'A league', 'sections': []}
        """
        return {"title": self.title, "sections": [json_types(section.to_dict()) for section in self.sections]}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file: a self-contained .html page or a .json file, according to the extension.

        >>> from pathlib import Path; from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     Report("A league", ()).save(Path(folder, "report.json"))
        ...     Path(folder, "report.json").read_text()[:20]
        '{"title": "A league"'
        """
        ending = check_target(path, (".html", ".json"))
        # NaN is not valid JSON: a value that slipped through must fail here.
        text = self.page() if ending == ".html" else json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)
        with replace_file(path) as place:
            place.write_text(text, encoding="utf-8")

    def page(self) -> str:
        """Return the report as a self-contained HTML page with interactive charts.

        >>> "<h1>A league</h1>" in Report("A league", ()).page()
        True
        """
        specs = [section.chart.to_dict() for section in self.sections if section.chart is not None]
        title, charts = escape(self.title), iter(range(len(specs)))
        body = "\n".join([f"<h1>{title}</h1>", *(_html(section, charts) for section in self.sections)])
        script = ""
        if specs:
            data = script_json(json_types(specs))
            script = f"<script>{vega_bundle()}</script>\n<script>const charts = {data};{DRAW}</script>"
        return PAGE.format(title=title, style=STYLE, body=body, script=script)


def check_report_path(path: str | os.PathLike[str]) -> None:
    """Raise an Error if a page with charts cannot be written to a path; call this before a long computation.

    >>> check_report_path("report.pdf")
    Traceback (most recent call last):
    ...
    prowess.Error: report.pdf: the name must end in .html
    """
    check_target(path, (".html",))
    for module, package in (("altair", "Altair"), ("vl_convert", "vl-convert")):
        import_extra(module, package, "lab")


def _html(section: Section, charts: Iterator[int]) -> str:
    parts = [f"<section>\n<h2>{escape(section.title)}</h2>"]
    parts += [f"<p>{escape(part)}</p>" for part in section.text.split("\n\n") if part]
    if section.claims:
        parts.append("<ul>")
        for claim in section.claims:
            text, verdict, evidence = map(escape, (claim.text, claim.verdict, claim.evidence))
            parts.append(f"<li>{text}: <strong>{verdict}</strong> <span>({evidence})</span></li>")
        parts.append("</ul>")
    if section.table is not None:
        parts.append(_table(section.table, section.bold))
    if section.chart is not None:
        # Vega makes its element as wide as the chart; the outer element lets a phone scroll only the chart
        parts.append(f'<div class="chart"><div id="chart{next(charts)}"></div></div>')
    return "\n".join([*parts, "</section>"])


def _table(frame: pl.DataFrame, bold: frozenset[tuple[int, str]]) -> str:
    sides = [' class="number"' if kind.is_numeric() else "" for kind in frame.dtypes]
    head = "".join(f"<th{side}>{escape(name)}</th>" for name, side in zip(frame.columns, sides, strict=True))
    columns = []
    for column, side in zip(frame, sides, strict=True):
        texts = [escape(text) for text in format_column(column.to_list())]
        marked = [f"<strong>{text}</strong>" if (row, column.name) in bold else text for row, text in enumerate(texts)]
        columns.append([f"<td{side}>{text}</td>" for text in marked])
    rows = [f"<tr>{''.join(cells)}</tr>" for cells in zip(*columns, strict=True)]
    dense = " dense" if len(columns) > DENSE else ""
    return (
        f'<div class="table{dense}"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def format_column(values: Sequence[Any]) -> list[str]:
    """Format a column for a table: four significant digits, more for large numbers, and aligned decimal points.

    >>> format_column([38.3, 35.64, None, float("nan")]), format_column([1464.0507, 0.05999]), format_column([7, "ann"])
    (['38.30', '35.64', '', ''], ['1464.05', '0.05999'], ['7', 'ann'])
    """
    texts = [_format_cell(value) for value in values]
    floats = [text for text, value in zip(texts, values, strict=True) if text and isinstance(value, float)]
    places = max((len(text.partition(".")[2]) for text in floats), default=0)
    if places > MAX_ALIGNED_DECIMALS or any("e" in text or "n" in text for text in floats):
        return texts
    return [
        f"{value:.{places}f}" if text and isinstance(value, float) else text
        for text, value in zip(texts, values, strict=True)
    ]


def _format_cell(value: Any) -> str:
    if value is None or value != value:  # NaN
        return ""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".") if 1e3 <= abs(value) < 1e15 else f"{value:.4g}"
    return str(value)


DRAW = """
charts.forEach((spec, i) => vegaEmbed("#chart" + i, spec, {renderer: "svg"}).catch(console.error));
"""
STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 71rem; }
body { margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
.table, .chart { overflow-x: auto; }
p, li { max-width: 60rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: left; border-bottom: 1px solid #e4e4e4; vertical-align: top; }
.number { text-align: right; }
.dense { font-size: .8rem; } .dense th, .dense td { padding: .3rem; }
li span { color: #555; }
"""
