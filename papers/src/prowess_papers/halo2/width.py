"""The width of the skill distribution: how many levels of skill a game mode has."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from prowess.lab.charts.theme import COLOURS, apply_look
from prowess.lab.interval import Interval
from prowess.lab.report import Claim, Section
from prowess.optional import import_extra

from .mode import Mode

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

TITLE = "Width of the skill distribution"
MIDDLE = (0.025, 0.975)  # quantiles that bound the middle 95 % of the players


def width(modes: Sequence[Mode], published: dict[str, Any]) -> Section:
    """Return a section on the spread of TrueSkill's means, in units of the performance noise and in levels."""
    import polars as pl

    least = published["width"]["games"]
    rows, spreads, points = [], {}, []
    for mode in modes:
        known = mode.fits["TrueSkill"].leaderboard().filter(pl.col("matches") >= least)
        if len(known) < 2:
            continue
        beta = mode.fits["TrueSkill"].model.noise
        mu, sigma = known["mu"].to_numpy(), known["sigma"].to_numpy()
        # The standard error of the standard deviation of normal values.
        spread = Interval.normal(mu.std(ddof=1) / beta, mu.std(ddof=1) / beta / sqrt(2 * (len(mu) - 1)))
        low, high = np.quantile(mu, MIDDLE)
        # The means vary less than the true skills, because the variance of the skills includes the uncertainty σ².
        true = sqrt(mu.var(ddof=1) + float(np.mean(sigma**2))) / beta
        rows.append(
            {"mode": mode.name, "players": len(mu), "sd of μ / β": round(spread.value, 3)}
            | {"sd of skill / β": round(true, 3), "levels": round(1 + (high - low) / beta, 1)}
        )
        spreads[mode.name] = spread
        # Quantiles instead of all players keep the page small: there may be thousands.
        points += [{"mode": mode.name, "skill": float(value)} for value in np.quantile(mu, np.linspace(0, 1, 101))]
    if not rows:
        return Section(TITLE, f"No mode has two players with {least} games or more.")
    text = (
        f"Only players with {least} games or more are counted. β is the noise of one performance. A player who is "
        "better by β wins 76 % of games between two players; this difference is one level. The table counts the levels "
        "that the middle 95 % of the players span. The spread of the skills combines the spread of the means μ and the "
        "uncertainty σ."
    )
    return Section(TITLE, text, pl.DataFrame(rows), _chart(pl.DataFrame(points), modes[0]), _claims(spreads))


def _claims(spreads: dict[str, Interval]) -> tuple[Claim, ...]:
    if len(spreads) < 2:
        return ()
    narrow, wide = (pick(spreads, key=lambda name: spreads[name].value) for pick in (min, max))
    one, other = spreads[wide], spreads[narrow]
    apart = one.apart(other)
    evidence = f"sd of μ in units of β: {wide} {one.value:.2f}, {narrow} {other.value:.2f}; difference {apart.words()}"
    return (Claim("Games differ in the number of effective skill levels", apart.above_zero, evidence),)


def _chart(frame: pl.DataFrame, mode: Mode) -> alt.TopLevelMixin:
    altair: Any = import_extra("altair", "Altair", "lab")
    order = frame["mode"].unique(maintain_order=True).to_list()
    prior = mode.fits["TrueSkill"].model.rating().mu
    level = altair.Chart().mark_rule(strokeDash=[3, 3], color="#777777").encode(x=altair.datum(prior))
    area = (
        altair.Chart()
        .transform_density("skill", groupby=["mode"], as_=["skill", "density"], extent=_extent(frame))
        .mark_area(opacity=0.75, line=True, color=COLOURS[0])
        .encode(
            x=altair.X("skill:Q", title="skill μ (rating points)"),
            y=altair.Y("density:Q", title=None, axis=None),
        )
    )
    chart = altair.layer(area, level, data=altair.InlineData(values=frame.to_dicts())).properties(width=560, height=90)
    header = altair.Header(labelAngle=0, labelAlign="left", labelFontSize=15, labelPadding=8)
    chart = chart.facet(row=altair.Row("mode:N", title=None, sort=order, header=header), spacing=6)
    subtitle = "density of TrueSkill's μ; dashed: where everybody starts"
    return cast("alt.TopLevelMixin", apply_look(altair, chart, TITLE, subtitle))


def _extent(frame: pl.DataFrame) -> list[float]:
    # The axis extends a little beyond the lowest and the highest skill.
    skill = frame["skill"].to_numpy()
    edge = 0.1 * max(float(skill.max() - skill.min()), 1.0)
    return [float(skill.min()) - edge, float(skill.max()) + edge]
