"""One look for all charts: quiet axes, type that is still read at half the size, colours for every kind of eye."""

from __future__ import annotations

from typing import Any

__all__ = ["COLOURS", "DASHES", "FAINT", "INK", "styled"]

# Okabe and Ito (2008), who chose them for every kind of colour vision; the faint ones on white last
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
DASHES = ([1, 0], [6, 3], [2, 2])  # tell those apart who share a colour
INK, FAINT = "#333333", "#e4e4e4"


def styled(alt: Any, chart: Any, title: str, subtitle: str | list[str]) -> Any:
    """Give a chart the one look, a title and a subtitle; no links to elsewhere.

    >>> import altair as alt
    >>> chart = styled(alt, alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point().encode(x="x:Q"), "One", "point")
    >>> chart.to_dict()["title"]["text"]
    'One'
    """
    heading = alt.TitleParams(title, subtitle=subtitle, anchor="start", offset=14)
    actions = {"export": True, "source": False, "compiled": False, "editor": False}
    looks = chart.properties(
        title=heading, padding=16, background="white", usermeta={"embedOptions": {"actions": actions}}
    )
    return looks.configure(  # all at once: every call copies the chart with its data
        font="DejaVu Sans, Noto Sans, Segoe UI, Helvetica, Arial, sans-serif",
        title=alt.TitleConfig(fontSize=20, subtitleFontSize=14, color=INK, subtitleColor=INK, subtitlePadding=6),
        axis=alt.AxisConfig(
            labelFontSize=14,
            titleFontSize=15,
            titleFontWeight="normal",
            titlePadding=10,
            labelColor=INK,
            titleColor=INK,
            gridColor=FAINT,
            domainColor=FAINT,
            tickColor=FAINT,
            tickCount=6,
        ),
        legend=alt.LegendConfig(labelFontSize=15, titleFontSize=15, titleFontWeight="normal", rowPadding=5, offset=20),
        view=alt.ViewConfig(stroke=None),
    )
