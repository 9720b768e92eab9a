"""Draws found by match quality: the second experiment of section 4.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from prowess.history.ragged import Floats
from prowess.lab.interval import Interval
from prowess.lab.measures import Tally
from prowess.lab.report import Claim, Section

from ..charts import Axis, curves
from ..statistics import difference_interval, drawn_neighbours, mean_interval
from .mode import SYSTEMS, Mode

POINTS = 201  # of a curve
CHANCE = "by chance"


def draws(modes: Sequence[Mode], said: dict[str, Any]) -> Section:
    """The share of all draws among the games that a system deems closest, and the area under that curve."""
    import polars as pl

    rows, points, claims = [], [], []
    for mode in modes:
        drawn = drawn_neighbours(mode.history)
        if not drawn.any():
            continue
        ahead = {system: Tally(drawn * _ahead(mode.closeness[system]), drawn) for system in SYSTEMS}
        lead = difference_interval(ahead["TrueSkill"], ahead["Elo"])
        areas = {f"area, {system}": round(mean_interval(ahead[system]).value, 4) for system in SYSTEMS}
        rows.append({"mode": mode.name, "draws": int(drawn.sum())} | areas | {"TrueSkill − Elo": lead.words(3)})
        points += _points(mode, drawn)
        if "draws" in said["mode"][mode.name]:
            claims.append(_claim(mode.name, said["mode"][mode.name]["draws"], lead))
    if not rows:
        return Section("Draws found by match quality", "No game of these files was drawn.")
    text = (
        "A draw is a pair of neighbouring teams with the same score; a game of many teams may have several. Games stand"
        " in the order in which a system deems them close, before they are played; the area under the curve is the mean"
        " share of games behind a draw: 0.5 by chance, higher is better."
    )
    chart = curves(
        pl.DataFrame(points),
        Axis("games", "share of games, closest first", (0, 1), form="%"),
        Axis("found", "share of all draws", (0, 1), form="%"),
        colour="system",
        panel="mode",
        dashed=(CHANCE,),
        title="Draws found by match quality",
        subtitle="a system that knows which games are close finds most draws among the first",
        size=(320, 260),
    )
    return Section("Draws found by match quality", text, pl.DataFrame(rows), chart, tuple(claims))


def _ahead(closeness: Floats) -> Floats:
    """Of every game the share of games that are deemed less close; those deemed equally close count half."""
    ordered = np.sort(closeness)
    below, upto = (np.searchsorted(ordered, closeness, side=side) for side in ("left", "right"))
    found: Floats = (below + upto) / (2.0 * len(ordered))
    return found


def _points(mode: Mode, drawn: Floats) -> list[dict[str, Any]]:
    """The curves of a mode, at as many points as can be seen."""
    place = np.linspace(0, 1, POINTS)
    found = []
    for system in SYSTEMS:
        order = np.argsort(-mode.closeness[system], kind="stable")
        share = np.concatenate([[0.0], np.cumsum(drawn[order])]) / drawn.sum()
        values = np.interp(place, np.linspace(0, 1, len(share)), share)
        found += [
            {"mode": mode.name, "system": system, "games": float(x), "found": float(y)}
            for x, y in zip(place, values, strict=True)
        ]
    return found + [{"mode": mode.name, "system": CHANCE, "games": x, "found": x} for x in (0.0, 1.0)]


def _claim(mode: str, better: str, lead: Interval) -> Claim:
    holds = (lead if better == "TrueSkill" else lead.times(-1)).above_zero
    worse = SYSTEMS[1 - SYSTEMS.index(better)]
    evidence = f"area under the curve, TrueSkill − Elo: {lead.words(3)}"
    return Claim(f"{mode}: {better} finds draws better than {worse}", holds, evidence)
