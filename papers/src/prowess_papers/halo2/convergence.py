"""Convergence: how many games it takes to find the skills of the best free-for-all players."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log
from typing import TYPE_CHECKING, Any

import numpy as np

from prowess.history.ragged import Floats
from prowess.lab.report import Claim, Section

from ..charts import Axis, curves
from .mode import SYSTEMS, Mode

if TYPE_CHECKING:
    import altair as alt

TITLE = "Convergence of the best players"
ENOUGH = 50  # players with fewer games are left out, because their ratings have not converged
WINDOW = 10  # ratings are averaged over this many games
GAMES = 400  # number of games that the chart shows
TWICE = 2.0  # the paper says "about 10 games"; the claim holds for up to this many times as many


def games_needed(curve: Floats, start: float, near: float) -> int:
    """Return how many games a rating needs to reach its final level.

    The final level is the mean rating in the second half of the games. A rating has reached the level when its distance
    from the level is at most the share `near` of the initial distance. The mean of the rating and the next nine ratings
    is used for the distance, so that crossing the level once does not count.

    >>> games_needed(np.array([28.0, 31.0, 34.5, 35.0] + [35.0] * 30), 25.0, 0.1)
    2
    """
    settled = float(curve[len(curve) // 2 :].mean())
    sums = np.concatenate([[0.0], np.cumsum(curve)])
    last = np.minimum(np.arange(len(curve)) + WINDOW, len(curve))
    means = (sums[last] - sums[:-1]) / (last - np.arange(len(curve)))
    found = np.flatnonzero(np.abs(means - settled) <= near * abs(settled - start))
    return int(found[0]) + 1 if len(found) else len(curve)


def convergence(modes: Sequence[Mode], published: dict[str, Any]) -> Section:
    """Return a section on how many games the two best players, and the best hundred, needed to converge."""
    import polars as pl

    wanted = published["convergence"]
    mode = next((mode for mode in modes if mode.name == wanted["mode"]), None)
    if mode is None:
        return Section(TITLE, f"The paper shows convergence for {wanted['mode']}, whose file is missing.")
    ranked = mode.fits["TrueSkill"].leaderboard().filter(pl.col("matches") >= ENOUGH)["player"].to_list()
    if len(ranked) < 2:
        return Section(TITLE, f"Fewer than two players have played the required {ENOUGH} games.")
    ranked = ranked[: wanted["best"]]
    start = {system: published[system.lower()]["mu"] for system in SYSTEMS}
    paths = {(system, name): _path(mode, system, name) for system in SYSTEMS[::-1] for name in ranked}
    needed = {key: games_needed(path, start[key[0]], wanted["near"]) for key, path in paths.items()}
    # Ranking n players needs about n log n bits, and a game of k players gives about k log k bits.
    players = len(np.unique(mode.history.player))
    seats = max(int(np.median(np.diff(mode.history.match_start))), 2)
    limit = log(players) / log(seats)
    text = (
        f"The table shows the two best players by μ − 3σ, and the median of the best {len(ranked)} with {ENOUGH} games "
        f"or more. It counts the games until the mean of {WINDOW} ratings has covered all but "
        f"{100 * wanted['near']:.0f} % of the distance to the final level, which is the mean rating in the second half "
        f"of the player's games. If {seats} teams meet in a game and every order is equally probable, ranking "
        f"{players:,} players takes at least log({players:,})/log({seats}) = {limit:.1f} games each. This is the limit "
        "of information."
    )
    rows = pl.DataFrame(_rows(needed, ranked))
    return Section(TITLE, text, rows, _chart(paths, ranked, start), _claims(needed, ranked, wanted, limit))


def _chart(paths: dict[tuple[str, str], Floats], ranked: list[str], start: dict[str, float]) -> alt.TopLevelMixin:
    import polars as pl

    points = [
        {"player": f"player {1 + ranked.index(name)}", "system": system, "game": game, "skill": float(mu)}
        for (system, name), path in paths.items()
        if name in ranked[:2]
        for game, mu in enumerate([start[system], *path[:GAMES]])
    ]
    return curves(
        pl.DataFrame(points),
        Axis("game", "games played"),
        Axis("skill", "skill μ (rating points)"),
        colour="player",
        dash="system",
        title="The two best players in free-for-alls",
        subtitle="solid: TrueSkill; dashed: Elo, on the same scale and from the same start",
    )


def _path(mode: Mode, system: str, name: str) -> Floats:
    path: Floats = mode.fits[system].trajectory(name)["mu"].to_numpy()
    return path


def _rows(needed: dict[tuple[str, str], int], ranked: list[str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for place, name in enumerate(ranked[:2], 1):
        rows.append({"player": f"player {place}"} | {f"games, {system}": needed[system, name] for system in SYSTEMS})
    medians = {f"games, {system}": ceil(_median(needed, system, ranked)) for system in SYSTEMS}
    return [*rows, {"player": f"median of the best {len(ranked)}"} | medians]


def _median(needed: dict[tuple[str, str], int], system: str, names: list[str]) -> float:
    return float(np.median([needed[system, name] for name in names]))


def _claims(
    needed: dict[tuple[str, str], int], ranked: list[str], wanted: dict[str, Any], limit: float
) -> tuple[Claim, ...]:
    two = [needed["TrueSkill", name] for name in ranked[:2]]
    elo, trueskill = (_median(needed, system, ranked) for system in SYSTEMS)
    about = f"about {wanted['games']:.0f} games"
    counts = f"{two[0]} and {two[1]} games"
    many = f"median of the best {len(ranked)}: {trueskill:g} games, the limit of information is {limit:.1f}"
    quicker = sum(needed["TrueSkill", name] < needed["Elo", name] for name in ranked)
    return (
        Claim(f"TrueSkill finds the two best players' skills in {about}", max(two) <= TWICE * wanted["games"], counts),
        Claim(f"TrueSkill finds the best players' skills in {about}", trueskill <= TWICE * wanted["games"], many),
        Claim(
            "Elo converges more slowly",
            elo > trueskill,
            f"median of the best {len(ranked)}: {elo:g} games against {trueskill:g};"
            f" TrueSkill is quicker for {quicker} of {len(ranked)}",
        ),
    )
