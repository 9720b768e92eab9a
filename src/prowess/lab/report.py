"""A report: sections of text, tables and charts, as plain data and as one page that needs no network."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite
from typing import TYPE_CHECKING, Any

from ..atomic_files import check_target, replace_file
from ..optional import import_extra
from .charts.files import vega_bundle

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

ALIGNED = 3  # digits after the point up to which a column has as many in all of its cells
VERDICTS = {True: "holds", False: "does not hold", None: "cannot be told from these data"}


@dataclass(frozen=True)
class Claim:
    """What somebody claims, whether it holds on these data (None: cannot be told), and the figures that say so.

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
    """A heading with what stands under it: text, a table, a chart, claims; any of them may be missing.

    `bold` marks cells of the table that stand out, as pairs of row and column name.

    >>> Section("Pair error", text="Lower is better.").title
    'Pair error'
    """

    title: str
    text: str = ""
    table: pl.DataFrame | None = None
    chart: alt.TopLevelMixin | None = None
    claims: tuple[Claim, ...] = ()
    bold: frozenset[tuple[int, str]] = frozenset()


@dataclass(frozen=True, eq=False)
class Report:
    """Sections under one title.

    >>> report = Report("A league", (Section("Matches", text="Three were played."),))
    >>> report.to_dict()["sections"][0]["text"]
    'Three were played.'
    """

    title: str
    sections: tuple[Section, ...]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, for JSON; charts are left out, the numbers are in the tables.

        JSON knows no NaN and no infinity, nor dates: they are None, and text.

        >>> Report("A league", ()).to_dict()
        {'title': 'A league', 'sections': []}
        """
        return {"title": self.title, "sections": [_plain(section) for section in self.sections]}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file, by its ending: .html, one page that holds all it needs, or .json.

        >>> from pathlib import Path; from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     Report("A league", ()).save(Path(folder, "report.json"))
        ...     Path(folder, "report.json").read_text()[:20]
        '{"title": "A league"'
        """
        ending = check_target(path, (".html", ".json"))  # charts may take a while
        text = self.page() if ending == ".html" else _json(self.to_dict())
        with replace_file(path) as place:
            place.write_text(text, encoding="utf-8")

    def page(self) -> str:
        """The report as one page, which holds all it needs; its charts answer to the mouse.

        >>> "<h1>A league</h1>" in Report("A league", ()).page()
        True
        """
        specs = [section.chart.to_dict() for section in self.sections if section.chart is not None]
        charts = iter(range(len(specs)))
        body = "\n".join(_html(section, charts) for section in self.sections)
        data = _json(_clean(specs)).replace("<", "\\u003c")  # a name may not end the script
        script = f"<script>{vega_bundle()}</script>\n<script>const charts = {data};{DRAW}</script>" if specs else ""
        return PAGE.format(title=escape(self.title), style=STYLE, body=body, script=script)


def check_report_path(path: str | os.PathLike[str]) -> None:
    """Raise an Error if a page with charts cannot be written to a path; who works for minutes asks before the work.

    >>> check_report_path("report.pdf")
    Traceback (most recent call last):
    ...
    prowess.Error: report.pdf: the name must end in .html
    """
    check_target(path, (".html",))
    for module, package in (("altair", "Altair"), ("vl_convert", "vl-convert")):
        import_extra(module, package, "lab")


def _plain(section: Section) -> dict[str, Any]:
    """A section as plain data."""
    found: dict[str, Any] = {"title": section.title}
    if section.text:
        found["text"] = section.text
    if section.table is not None:
        found["table"] = _clean(section.table.to_dicts())
    if section.claims:
        found["claims"] = [
            {"claim": claim.text, "holds": claim.holds, "evidence": claim.evidence} for claim in section.claims
        ]
    return found


def _clean(value: Any) -> Any:
    """Plain data that JSON can hold."""
    if isinstance(value, dict):
        return {str(key): _clean(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(part) for part in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def _json(plain: Any) -> str:
    return json.dumps(plain, ensure_ascii=False, allow_nan=False)


def _html(section: Section, charts: Any) -> str:
    """A section as HTML; the charts are drawn into places that are numbered."""
    parts = [f"<section>\n<h2>{escape(section.title)}</h2>"]
    parts += [f"<p>{escape(part)}</p>" for part in section.text.split("\n\n") if part]
    if section.claims:
        parts.append("<ul>" + "".join(map(_claim, section.claims)) + "</ul>")
    if section.table is not None:
        parts.append(_table(section.table, section.bold))
    if section.chart is not None:
        # Vega makes its place as wide as the chart, so another one around it lets a phone scroll there alone
        parts.append(f'<div class="chart"><div id="chart{next(charts)}"></div></div>')
    return "\n".join([*parts, "</section>"])


def _claim(claim: Claim) -> str:
    verdict = f"<strong>{escape(claim.verdict)}</strong>"
    return f"<li>{escape(claim.text)}: {verdict} <span>({escape(claim.evidence)})</span></li>"


def _table(frame: pl.DataFrame, bold: frozenset[tuple[int, str]]) -> str:
    """A table; numbers stand to the right, and so do their headings."""
    sides = [' class="number"' if kind.is_numeric() else "" for kind in frame.dtypes]
    head = "".join(f"<th{side}>{escape(name)}</th>" for name, side in zip(frame.columns, sides, strict=True))
    columns = []
    for column, side in zip(frame, sides, strict=True):
        texts = enumerate(format_column(column.to_list()))
        columns.append([f"<td{side}>{_cell(text, (row, column.name) in bold)}</td>" for row, text in texts])
    rows = [f"<tr>{''.join(cells)}</tr>" for cells in zip(*columns, strict=True)]
    return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _cell(text: str, bold: bool) -> str:
    return f"<strong>{escape(text)}</strong>" if bold else escape(text)


def format_column(values: Sequence[Any]) -> list[str]:
    """A column as a table shows it: four digits, more where there are more before the point, points below each other.

    >>> format_column([38.3, 35.64, None, float("nan")]), format_column([1464.0507, 0.05999]), format_column([7, "ann"])
    (['38.30', '35.64', '', ''], ['1464.05', '0.05999'], ['7', 'ann'])
    """
    texts = [_format_cell(value) for value in values]
    floats = [text for text, value in zip(texts, values, strict=True) if text and isinstance(value, float)]
    places = max((len(text.partition(".")[2]) for text in floats), default=0)
    if places > ALIGNED or any("e" in text or "n" in text for text in floats):
        return texts
    return [
        f"{value:.{places}f}" if text and isinstance(value, float) else text
        for text, value in zip(texts, values, strict=True)
    ]


def _format_cell(value: Any) -> str:
    """A value as text; nothing for what is not there."""
    if value is None or value != value:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".") if 1e3 <= abs(value) < 1e15 else f"{value:.4g}"
    return str(value)


DRAW = """
charts.forEach((spec, i) => vegaEmbed("#chart" + i, spec, {renderer: "svg"}).catch(console.error));
"""
STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 60rem; }
body { margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
.table, .chart { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem; text-align: left; border-bottom: 1px solid #e4e4e4; white-space: nowrap; }
.number { text-align: right; }
li span { color: #555; }
"""
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
{body}
{script}
</body>
</html>
"""
