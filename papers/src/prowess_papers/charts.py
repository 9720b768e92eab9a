"""The line chart of the papers: lines over a numeric axis, in one panel or in several panels side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from prowess.lab.charts.theme import COLOURS, DASHES, INK, apply_look
from prowess.optional import import_extra

if TYPE_CHECKING:
    import altair as alt
    import polars as pl


@dataclass(frozen=True)
class Axis:
    """An axis: the column that it shows, its title with the unit, and its ends (by default the range of the data).

    >>> Axis("games", "games played").column
    'games'
    """

    column: str
    title: str
    domain: tuple[float, float] | None = None
    form: str = ""

    def scale(self, altair: Any) -> Any:
        """Return the Vega-Lite scale of the axis."""
        if self.domain is not None:
            return altair.Scale(domain=list(self.domain), nice=False)
        # Ratings and errors lie far from 0; an axis that included 0 would squeeze the lines.
        return altair.Scale(zero=False)


def curves(
    frame: pl.DataFrame,
    x: Axis,
    y: Axis,
    *,
    colour: str,
    dash: str = "",
    panel: str = "",
    columns: int = 2,
    rule: float | None = None,
    dashed: Sequence[str] = (),
    own: bool = False,
    title: str,
    subtitle: str,
    size: tuple[int, int] = (640, 380),
) -> alt.TopLevelMixin:
    """Chart y over x, with a line for every value of `colour` (and `dash`) and a panel for every value of `panel`.

    Series named in `dashed`, which show what chance would give, are thin, grey and dashed. `rule` is a value of y to
    compare with, drawn as a line. With `own`, every panel has its own y axis. `columns` is the number of panels side by
    side, and `size` is the width and height of a panel in pixels.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"games": [1, 2], "error": [0.5, 0.4], "system": ["Elo", "Elo"]})
    >>> chart = curves(frame, Axis("games", "games"), Axis("error", "error"), colour="system", title="A", subtitle="b")
    >>> chart.to_dict()["layer"][0]["encoding"]["y"]["title"]
    'error'
    """
    altair = import_extra("altair", "Altair", "lab")
    data = _data(altair, frame)
    series = [name for name in frame[colour].unique(maintain_order=True).to_list() if name not in dashed]
    dashes = frame[dash].unique(maintain_order=True).to_list() if dash else []
    layers = _layers(altair, data, x, y, (colour, dash), series, dashes, list(dashed))
    if rule is not None:
        level = altair.Chart(altair.InlineData(values=[{"level": rule}]))
        layers.append(level.mark_rule(color=INK, strokeDash=[2, 3]).encode(y="level:Q"))
    chart = altair.layer(*layers, data=data).properties(width=size[0], height=size[1])
    if panel:
        order = frame[panel].unique(maintain_order=True).to_list()
        facet = altair.Facet(f"{panel}:N", title=None, sort=order, header=altair.Header(labelFontSize=16))
        chart = chart.facet(facet, columns=columns).resolve_scale(y="independent" if own else "shared")
    finished: alt.TopLevelMixin = apply_look(altair, chart, title, subtitle)
    return finished


def _data(alt: Any, frame: pl.DataFrame) -> Any:
    # Altair validates its data repeatedly, which takes less time for a single string.
    kinds = {name: "number" if kind.is_numeric() else "string" for name, kind in frame.schema.items()}
    return alt.InlineData(values=frame.write_csv(), format=alt.CsvDataFormat(type="csv", parse=kinds))


def _layers(
    alt: Any,
    data: Any,
    x: Axis,
    y: Axis,
    by: tuple[str, str],
    series: list[str],
    dashes: list[str],
    chance: list[str],
) -> list[Any]:
    # Lines that show chance are drawn below the others.
    colour, dash = by
    across = alt.X(f"{x.column}:Q", title=x.title, scale=x.scale(alt), axis=_axis(alt, x, grid=False))
    up = alt.Y(f"{y.column}:Q", title=y.title, scale=y.scale(alt), axis=_axis(alt, y, grid=True))
    names = [*series, *chance]
    colours = [*COLOURS[: len(series)], *["#999999"] * len(chance)]
    legend = alt.Legend(title=None, symbolType="stroke", symbolStrokeWidth=4, symbolSize=260, labelLimit=320)
    shade = alt.Color(f"{colour}:N", scale=alt.Scale(domain=names, range=colours), sort=names, legend=legend)
    tips = [alt.Tooltip(f"{colour}:N"), *(alt.Tooltip(f"{a.column}:Q", title=a.title, format=".4~g") for a in (x, y))]
    base = alt.Chart(data).encode(x=across, y=up, color=shade)
    line = base.transform_filter(alt.FieldOneOfPredicate(field=colour, oneOf=series))
    line = line.mark_line(strokeWidth=2.5, strokeJoin="round", clip=True).encode(tooltip=tips)
    if dash:
        styles = alt.Scale(domain=dashes, range=list(DASHES[: len(dashes)]))
        line = line.encode(strokeDash=alt.StrokeDash(f"{dash}:N", sort=dashes, scale=styles, legend=legend))
    if not chance:
        return [line]
    below = base.transform_filter(alt.FieldOneOfPredicate(field=colour, oneOf=chance))
    return [below.mark_line(strokeWidth=1.5, strokeDash=[5, 4], clip=True), line]


def _axis(alt: Any, axis: Axis, grid: bool) -> Any:
    return alt.Axis(grid=grid, format=axis.form) if axis.form else alt.Axis(grid=grid)
