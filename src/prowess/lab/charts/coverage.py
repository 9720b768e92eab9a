"""Coverage: how often intervals hold what they should, against how often they say that they do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..extras import extra
from .series import distinct, series
from .theme import LIGHT, Look, styled

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["coverage_curves"]


def coverage_curves(
    frames: Mapping[str, pl.DataFrame],
    *,
    title: str = "How sure is sure?",
    width: int = 460,
    height: int = 460,
    look: Look = LIGHT,
) -> alt.LayerChart:
    """Nominal level along, actual share up, a line for each model: on the diagonal sigma means what it says.

    `frames` are what `coverage` gives, by the names of the models.

    >>> import prowess as pw
    >>> from prowess.lab.simulate.coverage import coverage
    >>> chart = coverage_curves({"TrueSkill": coverage(pw.TrueSkill(), 500, 50)})
    >>> chart.to_dict()["layer"][1]["encoding"]["y"]["title"]
    'true skills inside the interval (%)'
    """
    altair = extra("altair", "Altair")
    names = distinct(frames, "models")
    data = altair.InlineData(values=[point for name, frame in frames.items() for point in _points(name, frame)])
    # as the lines lie, from the top down
    order = sorted(names, key=lambda name: -float(frames[name]["covered"].sum()))
    base = altair.Chart(data, width=width, height=height)
    chart = _layers(altair, base, series(altair, "model", names, order, look), look)
    least = min(int(frame["skills"].min()) for frame in frames.values())  # type: ignore[arg-type]
    subtitle = [
        "simulated leagues: the share of true skills in the middle part of what is believed",
        f"below the diagonal a model is too sure; standard errors are at most {50 / least**0.5:.2g} %",
    ]
    finished: alt.LayerChart = styled(altair, chart, title, subtitle, look)
    return finished


def _points(name: str, frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of the chart's data, in percent."""
    columns = ("level", "covered", "error")
    return [
        {"model": name} | {column: 100.0 * row[column] for column in columns}
        for row in frame.select(columns).iter_rows(named=True)
    ]


def _layers(alt: Any, base: Any, legend: dict[str, Any], look: Look) -> Any:
    """The diagonal, the lines, their points, and what a mouse finds."""
    ends = alt.Scale(domain=[0, 100])
    x = alt.X("level:Q", title="nominal probability of the interval (%)", scale=ends)
    y = alt.Y("covered:Q", title="true skills inside the interval (%)", scale=ends)
    diagonal = alt.Chart(alt.InlineData(values=[{"level": 0, "covered": 0}, {"level": 100, "covered": 100}]))
    found = [
        alt.Tooltip("model:N"),
        alt.Tooltip("level:Q", title="nominal (%)"),
        alt.Tooltip("covered:Q", title="inside (%)", format=".1f"),
        alt.Tooltip("error:Q", title="standard error (%)", format=".1f"),
    ]
    return alt.layer(
        diagonal.mark_line(color=look.ink, strokeWidth=1, strokeDash=[3, 3]).encode(x=x, y=y),
        base.mark_line(strokeWidth=2.5, strokeJoin="round").encode(x=x, y=y, **legend),
        base.mark_point(filled=True, size=40, opacity=1).encode(x=x, y=y, color=legend["color"], tooltip=found),
    )
