"""Draws found by match quality: the second experiment of section 4.1 of the TrueSkill paper.

Games are compared only with games of the same number of teams. In free-for-alls, games with more teams have more draws,
so sorting all games together would mostly measure the number of teams.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from prowess.history import History
from prowess.history.ragged import Floats
from prowess.lab.interval import Interval
from prowess.lab.measures import Tally
from prowess.lab.report import Claim, Section

from ..charts import Axis, curves
from ..statistics import difference_interval, drawn_neighbours, mean_interval
from .mode import SYSTEMS, Mode

POINTS = 201  # number of points of a curve
CHANCE = "by chance"


def draws(modes: Sequence[Mode], published: dict[str, Any]) -> Section:
    """Return a section on how many of the games that each system considers closest are draws."""
    import polars as pl

    rows, points, claims = [], [], []
    for mode in modes:
        drawn = drawn_neighbours(mode.history)
        if not drawn.any():
            continue
        places = {system: _share_behind(mode.closeness[system], mode.history) for system in SYSTEMS}
        ahead = {system: Tally(drawn * places[system], drawn) for system in SYSTEMS}
        lead = difference_interval(ahead["TrueSkill"], ahead["Elo"])
        areas = {f"area, {system}": round(mean_interval(ahead[system]).value, 4) for system in SYSTEMS}
        rows.append({"mode": mode.name, "draws": int(drawn.sum())} | areas | {"TrueSkill − Elo": lead.words(3)})
        points += _points(mode, drawn, places)
        if "draws" in published["mode"][mode.name]:
            claims.append(_claim(mode.name, published["mode"][mode.name]["draws"], lead))
    if not rows:
        return Section("Draws found by match quality", "No game of these files was drawn.")
    text = (
        "A draw is a pair of neighbouring teams with the same score; a game of many teams may have several draws. Each"
        " system sorts the games by how close it expects them to be, before they are played. The area under the curve"
        " is the mean share of games that the system expected to be less close than a drawn game: 0.5 is chance, higher"
        " is better. Games are compared only with games of the same number of teams. A game with more teams has more"
        " draws and a lower match quality, so sorting all free-for-alls together would mostly measure the number of"
        " teams."
    )
    chart = curves(
        pl.DataFrame(points),
        Axis("games", "share of games, closest first", (0, 1), form="%"),
        Axis("found", "share of all draws", (0, 1), form="%"),
        colour="system",
        panel="mode",
        dashed=(CHANCE,),
        title="Draws found by match quality",
        subtitle="a system that knows which games are close finds most draws early",
        size=(320, 260),
    )
    return Section("Draws found by match quality", text, pl.DataFrame(rows), chart, tuple(claims))


def _share_behind(closeness: Floats, history: History) -> Floats:
    # Equally close games count half.
    teams = np.diff(history.match_start)
    share = np.empty(len(closeness))
    for size in np.unique(teams):
        same = teams == size
        ordered = np.sort(closeness[same])
        below, upto = (np.searchsorted(ordered, closeness[same], side=side) for side in ("left", "right"))
        share[same] = (below + upto) / (2.0 * len(ordered))
    return share


def _points(mode: Mode, drawn: Floats, places: dict[str, Floats]) -> list[dict[str, Any]]:
    x_values = np.linspace(0, 1, POINTS)
    points = []
    for system in SYSTEMS:
        order = np.argsort(-places[system], kind="stable")
        share = np.concatenate([[0.0], np.cumsum(drawn[order])]) / drawn.sum()
        values = np.interp(x_values, np.linspace(0, 1, len(share)), share)
        points += [
            {"mode": mode.name, "system": system, "games": float(x), "found": float(y)}
            for x, y in zip(x_values, values, strict=True)
        ]
    return points + [{"mode": mode.name, "system": CHANCE, "games": x, "found": x} for x in (0.0, 1.0)]


def _claim(mode: str, better: str, lead: Interval) -> Claim:
    holds = (lead if better == "TrueSkill" else lead.times(-1)).above_zero
    worse = SYSTEMS[1 - SYSTEMS.index(better)]
    evidence = f"area under the curve, TrueSkill − Elo: {lead.words(3)}"
    return Claim(f"{mode}: {better} finds draws better than {worse}", holds, evidence)
