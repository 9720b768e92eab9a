"""One look for all charts: quiet axes, type that is still read at half the size, colours for every kind of eye."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

# Okabe and Ito (2008), who chose them for every kind of colour vision; the faint ones on white last
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
DASHES = ([1, 0], [6, 3], [2, 2])  # tell those apart who share a colour
INK, FAINT = "#333333", "#e4e4e4"
FONT = "DejaVu Sans, Noto Sans, Segoe UI, Helvetica, Arial, sans-serif"
WIDE, NARROW = 1056, 328  # how wide a chart is on a page, and on that of a phone


@dataclass(frozen=True)
class Look:
    """The colours and the type of charts.

    `size` is the width and height of the whole chart on a page, which has the title and all other words in itself; None
    for a chart that stands alone, as large as it likes to be and under its own title. What is `narrow` is for a phone.

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
        """How many panels stand beside each other.

        >>> LIGHT.columns(3), page_look(LIGHT, 300, narrow=True).columns(3)
        (3, 1)
        """
        return 1 if self.narrow else usual

    def panel(self, usual: int, columns: int, beside: int) -> int:
        """How wide one of so many panels beside each other is; it has `beside` pixels of axis and room at its side.

        >>> LIGHT.panel(300, 2, 100), page_look(LIGHT, 300).panel(300, 2, 100)
        (300, 416)
        """
        return usual if self.size is None else max((self.size[0] - 2 * self.margin) // columns - beside, 80)

    @property
    def margin(self) -> int:
        """The room at the sides of a chart: on a page, for letters that are wider there than where it is drawn."""
        return 16 if self.size is None else 8 if self.narrow else 12

    @property
    def padding(self) -> int | dict[str, int]:
        """The room around a chart."""
        low = {"left": self.margin, "right": self.margin, "top": 4, "bottom": 4}
        return self.margin if self.size is None else low


LIGHT = Look()
DARK = Look(
    page="#14171b",
    ink="#d5d9df",
    middle="#8a929c",
    faint="#3a414b",
    # the same colours, of which others are faint on black
    colours=("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#D55E00", "#FFFFFF", "#0072B2"),
)


def page_look(look: Look, height: int, *, narrow: bool = False) -> Look:
    """How charts look on a page of the service: nothing behind them, the letters of the page, and a size that is known.

    >>> page_look(LIGHT, 300).size
    (1056, 300)
    """
    size = NARROW if narrow else WIDE, height
    return replace(look, page="transparent", font="system-ui, sans-serif", type=13, size=size, narrow=narrow)


def apply_look(alt: Any, chart: Any, title: str, subtitle: str | list[str], look: Look = LIGHT) -> Any:
    """Give a chart a look, a title and a subtitle; no links to elsewhere.

    >>> import altair as alt
    >>> points = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point().encode(x="x:Q")
    >>> apply_look(alt, points, "One", "point").to_dict()["title"]["text"]
    'One'
    """
    actions = {"export": True, "source": False, "compiled": False, "editor": False}
    said: dict[str, Any] = {"padding": look.padding, "background": look.page}
    if look.size is None:
        said["title"] = alt.TitleParams(title, subtitle=subtitle, anchor="start", offset=14)
        said["usermeta"] = {"embedOptions": {"actions": actions}}
    elif isinstance(chart, (alt.Chart, alt.LayerChart)):  # of others the panels have their sizes
        said |= {"width": look.size[0], "height": look.size[1]}
        said["autosize"] = alt.AutoSizeParams(type="fit", contains="padding")
    looks = chart.properties(**said)
    return looks.configure(**_configuration(alt, look))  # all at once: every call copies the chart with its data


def _configuration(alt: Any, look: Look) -> dict[str, Any]:
    """Type and colours of all parts."""
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
    written = {"labelFontSize": look.type, "titleFontSize": look.type, "titleFontWeight": "normal"}
    if look.size is not None or ink != INK:  # elsewhere legends keep the black of Vega
        written |= {"labelColor": ink, "titleColor": ink}
    legend = alt.LegendConfig(**written, rowPadding=5, offset=10 if look.narrow else 20)
    return {"font": look.font, "title": heading, "axis": axis, "legend": legend, "view": alt.ViewConfig(stroke=None)}
