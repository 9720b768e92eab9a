"""V and W of the TrueSkill paper, Figure 2: how far a result moves the mean, and how much it reduces the variance."""

from __future__ import annotations

from typing import Any

import numpy as np

from prowess.lab.report import Claim, Section
from prowess.model.maths.normal import Truncated, above, within

from ..charts import Axis, curves

FUNCTIONS = ("V, win", "V, draw", "W, win", "W, draw")
SHOWN = (-4.0, -2.0, 0.0, 2.0, 4.0)


def v_and_w(t: float, margin: float) -> dict[str, float]:
    """Return V and W after a win and after a draw (section 3 of the TrueSkill paper) at one point.

    They are computed from the special functions that all models use.

    >>> {name: round(value, 4) for name, value in v_and_w(0.0, 0.0).items()}
    {'V, win': 0.7979, 'V, draw': 0.0, 'W, win': 0.6366, 'W, draw': 1.0}
    """
    found = Truncated()
    above(t - margin, found)
    win = found.shift[0], found.lost[0]
    within(t, margin, found, 0)
    values = (win[0], found.shift[0] + 0.0, win[1], found.lost[0])  # adding 0.0 turns −0.0 into 0.0
    return dict(zip(FUNCTIONS, values, strict=True))


def figure2(published: dict[str, Any]) -> Section:
    """Return a section with the curves of the TrueSkill paper's Figure 2."""
    import polars as pl

    margins = published["figure2"]["margins"]
    points = [
        {"function": name, "ε": f"ε = {margin:.2f}", "t": float(t), "value": value}
        for margin in margins
        for t in np.linspace(-6, 6, 121)
        for name, value in v_and_w(float(t), margin).items()
    ]
    frame = pl.DataFrame(points).sort(pl.col("function").cast(pl.Enum(FUNCTIONS)), maintain_order=True)
    chart = curves(
        frame,
        Axis("t", "t (standard deviations of the difference)"),
        Axis("value", "value"),
        colour="ε",
        panel="function",
        title="Figure 2: V and W",
        subtitle="V moves the mean; W is the share of the variance that is removed",
        own=True,
        size=(320, 220),
    )
    rows = [{"ε": margin, "t": t} | v_and_w(t, margin) for margin in margins for t in SHOWN]
    text = (
        "V and W depend on the margin ε and on the expected difference t of the teams' performances, both in standard "
        "deviations of the difference."
    )
    return Section("V and W (Figure 2)", text, pl.DataFrame(rows), chart, _claims(margins))


def _claims(margins: list[float]) -> tuple[Claim, ...]:
    surprise = all(v_and_w(-2.0, e)["V, win"] > 2 * v_and_w(2.0 + e, e)["V, win"] for e in margins)
    stark = all(abs(v_and_w(6.0, e)["V, draw"]) > abs(v_and_w(0.5, e)["V, draw"]) for e in margins)
    win, draw = v_and_w(-2.0, margins[0])["V, win"], v_and_w(6.0, margins[0])["V, draw"]
    return (
        Claim("An unexpected win moves ratings a lot", surprise, f"V at t = −2, ε = {margins[0]}: {win:.2f}"),
        Claim("A draw between unequal teams moves ratings a lot", stark, f"V at t = 6, ε = {margins[0]}: −{-draw:.2f}"),
    )
