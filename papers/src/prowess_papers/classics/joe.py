"""Joe Chess-Player, who returns after thirty years: section 4.1 of Stout, A Manifesto of Skill (2025)."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np

from prowess.history import History
from prowess.lab.report import Claim, Section
from prowess.model.model import Model
from prowess.model.presets import Elo, Glicko, Glicko2

from ..charts import Axis, curves

LEFT = date(1980, 1, 1)
YEAR = 365.25


def return_of(model: Model, given: dict[str, Any], years: list[float]) -> list[dict[str, float]]:
    """For each number of `years`, return Joe's deviation when he returns, and his gain for beating an equal player.

    `years` must be in ascending order. On the day he leaves, Joe draws with an equal player, because a model needs a
    match to know when he last played.

    >>> [back] = return_of(Glicko(), {"rating": 2100, "deviation": 50}, [30.0])
    >>> back["deviation"]
    350.0
    """
    games = []
    for index, away in enumerate(years):
        back = LEFT + timedelta(days=round(YEAR * away))
        games.append({"teams": [[f"joe {index}"], [f"old {index}"]], "ranks": [1, 1], "time": LEFT})
        games.append({"teams": [[f"joe {index}"], [f"new {index}"]], "time": back})
    names = {name for game in games for [name] in game["teams"]}  # type: ignore[attr-defined]
    start = {name: model.rating(given["rating"], given["deviation"]) for name in names}
    fit = model.fit(History.from_matches(games), start=start, progress=False)
    spread = np.sqrt(fit.forecasts.variance)
    found = []
    for index, away in enumerate(years):
        # Matches are in chronological order, so all returns follow all departures.
        team = fit.history.match_start[len(years) + index]
        gained = fit[f"joe {index}"].mu - given["rating"]
        found.append({"years": away, "deviation": float(spread[team]), "gained": gained})
    return found


def joe(published: dict[str, Any]) -> Section:
    """Return a section on how certain each system is about Joe, and how much he gains by a win."""
    import polars as pl

    given = published["joe"]
    away = float(given["years"])
    models = {"Elo, K = 32": Elo(), "Glicko": Glicko(), "Glicko-2": Glicko2()}
    # A player who was away for only a tenth of a year counts as active.
    gains = {name: [case["gained"] for case in return_of(model, given, [0.1, away])] for name, model in models.items()}
    rows = [{"system": name, "active": here, f"after {away:g} years": back} for name, (here, back) in gains.items()]
    path = return_of(Glicko(), given, [round(0.25 * k, 2) for k in range(1, int(4 * away) + 1)])
    path2 = return_of(Glicko2(), given, [case["years"] for case in path])
    points = [
        {"system": name, "years": case["years"], "deviation": case["deviation"]}
        for name, cases in (("Glicko", path), ("Glicko-2", path2))
        for case in cases
    ]
    chart = curves(
        pl.DataFrame(points),
        Axis("years", "years away"),
        Axis("deviation", "rating deviation RD (points)", (0, 400)),
        colour="system",
        title="How uncertain Joe's rating is when he comes back",
        subtitle=f"RD {given['deviation']} when he left; rating periods of 30 days, c = 34.6, volatility 0.06",
    )
    text = (
        f"Joe left in 1980 with a rating of {given['rating']} (RD {given['deviation']}). The table shows what he gains"
        f" by a win against a player of the same rating and RD: as an active player, and after {away:g} years away. In"
        " Glicko, the RD grows to 350, the RD of a newcomer, in 100 periods without games. In Glicko-2, with a"
        " volatility of 0.06, it grows more slowly, but without limit."
    )
    return Section(
        "Joe Chess-Player comes back (points gained by a win)", text, pl.DataFrame(rows), chart, _claims(gains)
    )


def _claims(gains: dict[str, list[float]]) -> tuple[Claim, ...]:
    # For each system, `gains` has an active player's gain, then the gain of Joe after his return.
    (here, back), (same, still) = gains["Glicko"], gains["Elo, K = 32"]
    fluctuates = f"{back:.1f} points for the same win, {here:.1f} for an active player"
    return (
        Claim(
            "Elo lets Joe gain at the same rate as active players",
            abs(still - same) < 1e-9,
            f"{still:.1f} points for a win against a player of equal rating, as for everybody",
        ),
        Claim("In Glicko a higher RD makes the score fluctuate more", back > here, fluctuates),
    )
