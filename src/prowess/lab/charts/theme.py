"""The look of all charts: sizes, fonts, distinct colours and dashes, legends and axes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History

# Okabe and Ito (2008), distinct for colour-blind readers; colours that are faint on white come last
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
DASHES = ([1, 0], [6, 3], [2, 2])  # to distinguish lines that share a colour
MAX_CURVES = len(COLOURS) * len(DASHES)  # largest number of lines, so that no two lines look alike
MAX_POINTS = 500  # largest number of points per curve; a chart has no more pixels
INK, FAINT = "#333333", "#e4e4e4"
FONT = "DejaVu Sans, Noto Sans, Segoe UI, Helvetica, Arial, sans-serif"
WIDE, NARROW = 1056, 328  # pixels: the width of a chart on a page, and on a phone


@dataclass(frozen=True)
class Look:
    """The colours, fonts and size of charts. `type` is the font size.

    `size` is the width and height of the whole chart on a page that has its own title and text; None gives a chart its
    natural size and its own title. `narrow` is for phones.

    >>> LIGHT.ink, DARK.ink, page_look(DARK, 300, narrow=True).size
    ('#333333', '#d5d9df', (328, 300))
    """

    page: str = "white"
    ink: str = INK
    middle: str = "#999999"
    faint: str = FAINT
    colours: tuple[str, ...] = COLOURS
    type: int = 15
    font: str = FONT
    size: tuple[int, int] | None = None
    narrow: bool = False

    def columns(self, usual: int) -> int:
        """Return the number of panels side by side: 1 on phones, otherwise `usual`.

        >>> LIGHT.columns(3), page_look(LIGHT, 300, narrow=True).columns(3)
        (3, 1)
        """
        return 1 if self.narrow else usual

    def panel(self, usual: int, columns: int, beside: int) -> int:
        """Return the width of a panel if `columns` panels are side by side.

        `usual` is the width of a panel in charts without a fixed size. `beside` is the number of pixels for the axis
        and spacing of a panel.

        >>> LIGHT.panel(300, 2, 100), page_look(LIGHT, 300).panel(300, 2, 100)
        (300, 416)
        """
        return usual if self.size is None else max((self.size[0] - 2 * self.margin) // columns - beside, 80)

    @property
    def margin(self) -> int:
        """The space in pixels at the sides of a chart, for letters that are wider than estimated."""
        return 16 if self.size is None else 8 if self.narrow else 12

    @property
    def padding(self) -> int | dict[str, int]:
        """The space around a chart."""
        sides = {"left": self.margin, "right": self.margin, "top": 4, "bottom": 4}
        return self.margin if self.size is None else sides


LIGHT = Look()
DARK = Look(
    page="#14171b",
    ink="#d5d9df",
    middle="#8a929c",
    faint="#3a414b",
    # The colours are the same, but the colours that are faint on black come last.
    colours=("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#D55E00", "#FFFFFF", "#0072B2"),
)


def page_look(look: Look, height: int, *, narrow: bool = False) -> Look:
    """Return a look for pages of the service: transparent, with the font of the page and a fixed size.

    >>> page_look(LIGHT, 300).size
    (1056, 300)
    """
    size = NARROW if narrow else WIDE, height
    return replace(look, page="transparent", font="system-ui, sans-serif", type=13, size=size, narrow=narrow)


def apply_look(alt: Any, chart: Any, title: str, subtitle: str | list[str], look: Look = LIGHT) -> Any:
    """Give a chart a look, a title and a subtitle, and remove links to other sites from its menu.

    >>> import altair as alt
    >>> points = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point().encode(x="x:Q")
    >>> apply_look(alt, points, "One", "point").to_dict()["title"]["text"]
    'One'
    """
    actions = {"export": True, "source": False, "compiled": False, "editor": False}
    properties: dict[str, Any] = {"padding": look.padding, "background": look.page}
    if look.size is None:
        properties["title"] = alt.TitleParams(title, subtitle=subtitle, anchor="start", offset=14)
        properties["usermeta"] = {"embedOptions": {"actions": actions}}
    elif isinstance(chart, (alt.Chart, alt.LayerChart)):  # panels of other charts set their own sizes
        properties |= {"width": look.size[0], "height": look.size[1]}
        properties["autosize"] = alt.AutoSizeParams(type="fit", contains="padding")
    ink, faint, small = look.ink, look.faint, look.type - 1
    heading = alt.TitleConfig(
        fontSize=look.type + 5, subtitleFontSize=small, color=ink, subtitleColor=ink, subtitlePadding=6
    )
    axis = alt.AxisConfig(
        labelFontSize=small,
        titleFontSize=look.type,
        titleFontWeight="normal",
        titlePadding=10,
        labelColor=ink,
        titleColor=ink,
        gridColor=faint,
        domainColor=faint,
        tickColor=faint,
        tickCount=4 if look.narrow else 6,
    )
    text = {"labelFontSize": look.type, "titleFontSize": look.type, "titleFontWeight": "normal"}
    if look.size is not None or ink != INK:
        text |= {"labelColor": ink, "titleColor": ink}
    legend = alt.LegendConfig(**text, rowPadding=5, offset=10 if look.narrow else 20)
    parts = {"title": heading, "axis": axis, "legend": legend, "view": alt.ViewConfig(stroke=None)}
    # all settings in one call, because every call copies the chart with its data
    return chart.properties(**properties).configure(font=look.font, **parts)


def unique_names(names: Iterable[str], what: str) -> list[str]:
    """Return the names without duplicates; raises `Error` if there are more than a chart can show.

    >>> unique_names(["ann", "bob", "ann"], "players")
    ['ann', 'bob']
    """
    unique = list(dict.fromkeys(names))
    if not 1 <= len(unique) <= MAX_CURVES:
        raise Error(f"choose 1 to {MAX_CURVES} {what} for a chart, not {len(unique)}", field=what)
    return unique


def line_encoding(
    alt: Any, field: str, names: list[str], order: list[str] | None = None, look: Look = LIGHT
) -> dict[str, Any]:
    """Return the encoding of lines by a field: `names` fixes each line's colour and dash, `order` the legend's order.

    >>> import altair
    >>> line_encoding(altair, "model", ["Elo", "Glicko"], ["Glicko", "Elo"])["color"].to_dict()["scale"]["range"]
    ['#D55E00', '#0072B2']
    """
    order = names if order is None else order
    place = [names.index(name) for name in order]
    colours = [look.colours[index % len(COLOURS)] for index in place]
    dashes = [DASHES[index // len(COLOURS)] for index in place]
    legend = None
    if look.size is None or len(names) > 1:  # a single line needs no legend, because the text of the page names it
        options = {"title": field, "symbolSize": 260, "labelLimit": 260}
        if look.size is not None:
            options |= {"title": None, "labelLimit": 180}
        if look.narrow:
            options |= {"symbolSize": 160, "labelLimit": 110, "orient": "bottom", "columns": 2}
        legend = alt.Legend(**options, symbolType="stroke", symbolStrokeWidth=4, symbolOpacity=1)
    return {
        "color": alt.Color(f"{field}:N", scale=alt.Scale(domain=order, range=colours), legend=legend),
        "strokeDash": alt.StrokeDash(f"{field}:N", scale=alt.Scale(domain=order, range=dashes), legend=legend),
    }


def thin(count: int) -> NDArray[np.intp]:
    """Return the indices of the points to show if a curve has `count` points, including the first and the last.

    >>> thin(3), len(thin(100_000))
    (array([0, 1, 2]), 500)
    """
    return np.arange(count) if count <= MAX_POINTS else np.linspace(0, count - 1, MAX_POINTS).round().astype(np.intp)


def axis_value(when: float | date) -> float | str:
    """Return a time or a match index as a value for the time axis.

    Times get no zone, so that all browsers show the same date. Match indices, which are integers, count from 1.

    >>> axis_value(date(2026, 1, 31)), axis_value(0), axis_value(0.5)
    ('2026-01-31T00:00:00', 1, 0.5)
    """
    if isinstance(when, datetime):
        return (when if when.tzinfo is None else when.astimezone(UTC).replace(tzinfo=None)).isoformat()
    if isinstance(when, date):
        return f"{when.isoformat()}T00:00:00"
    return when + 1 if isinstance(when, int) else when


def time_axis(history: History) -> tuple[str, str, str]:
    """Return the name of the column for the time axis, its Vega-Lite type, and its title.

    >>> time_axis(History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    ('match', 'Q', 'match number')
    """
    if history.time is None:
        return "match", "Q", "match number"
    if history.time_kind == "number":
        return "time", "Q", "time (as in the history)"
    zone = "" if history.time_zone is None else " (UTC)"
    return "time", "T", "date" if history.time_kind == "date" else f"time{zone}"
