"""Winning ratios: how often players win if only the games that a system expects to be close are played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, exp, lgamma, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prowess.history import History
from prowess.history.ragged import Floats, owners
from prowess.lab.interval import Interval
from prowess.lab.report import Claim, Section
from prowess.model.model import Model
from prowess.progress import steps

from ..charts import Axis, curves
from .mode import SYSTEMS, Mode, fit_quietly, qualities_of

CHANCE = "coin tosses"
TITLE = "Winning ratio of players in games that are expected to be close"
SHOWN = (1, 2, 5, 10, 20, 50, 100)  # minimum numbers of games in the rows of the table
HALVINGS = 8  # number of bisection steps for Elo's threshold


@dataclass(frozen=True, eq=False)
class Ratios:
    """The number of games of each player, and the distance of the player's winning ratio from one half."""

    games: NDArray[np.int64]
    deviation: Floats

    def among(self, least: int) -> Interval:
        """Return the mean distance from one half, over the players with at least `least` games."""
        values = self.deviation[self.games >= least]
        spread = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
        return Interval.normal(float(values.mean()), spread / sqrt(len(values)))


def winning(modes: Sequence[Mode], published: dict[str, Any], progress: bool | None) -> Section:
    """Return a section on how far players' winning ratios are from one half, by the minimum number of games."""
    import polars as pl

    wanted = published["winning"]
    mode = next((mode for mode in modes if mode.name == wanted["mode"]), None)
    if mode is None:
        return Section(TITLE, f"The paper shows winning ratios for {wanted['mode']}, whose file is missing.")
    played = _played(mode, wanted["quality"], progress)
    ratios = {system: _ratios(mode.history, mask) for system, mask in played.items()}
    text = (
        f"{mode.name}: a game counts, and is learnt from, only if the system expects it to be close. TrueSkill accepts"
        f" games with a quality of {wanted['quality']:g} or more (for two newcomers it is 0.447):"
        f" {int(played['TrueSkill'].sum()):,} of {len(mode.history):,} games. Elo accepts games with a small difference"
        f" of ratings; its threshold is chosen to accept about as many games: {int(played['Elo'].sum()):,}. A draw is"
        " half a win. With few games any ratio deviates from one half; the dashed curve shows the deviation of coin"
        " tosses."
    )
    # Every mean should have at least ten players.
    most = max(1, min(SHOWN[-1], *(int(np.sort(r.games)[-10:][0]) for r in ratios.values())))
    rows = [_row(ratios, least) for least in SHOWN if least <= most]
    points = pl.DataFrame(_points(ratios, most))
    top = ceil(20 * float(points["deviation"].to_numpy().max())) / 20  # rounded up to a multiple of 5 %
    chart = curves(
        points,
        Axis("least", "minimum number of games per player"),
        Axis("deviation", "mean |winning ratio − 50 %|", (0, top), form="%"),
        colour="system",
        dashed=(CHANCE,),
        rule=wanted["fair"],
        title="How fair are the games that a system expects to be close?",
        subtitle="lower is fairer; dotted: 15 %, a winning ratio of 35 % or 65 %",
    )
    return Section(TITLE, text, pl.DataFrame(rows), chart, _claims(ratios, wanted, min(wanted["few"], most)))


def _played(mode: Mode, quality: float, progress: bool | None) -> dict[str, NDArray[np.bool_]]:
    # Bisection finds the threshold at which Elo accepts as many games as TrueSkill.
    models = {system: mode.fits[system].model for system in SYSTEMS}
    everything = np.ones(len(mode.history), bool)
    wanted = accepted(models["TrueSkill"], mode.history, quality, everything)
    low, high, best = 0.0, 1.0, everything
    mask = everything
    for _ in steps(range(HALVINGS), "winning ratios", progress):
        middle = 0.5 * (low + high)
        # The solution for the previous threshold is a good first guess, which saves fits.
        mask = accepted(models["Elo"], mode.history, middle, mask)
        if abs(int(mask.sum()) - int(wanted.sum())) <= abs(int(best.sum()) - int(wanted.sum())):
            best = mask
        low, high = (middle, high) if mask.sum() > wanted.sum() else (low, middle)
    return {"Elo": best, "TrueSkill": wanted}


def accepted(model: Model, history: History, quality: float, guess: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of the games with at least this match quality, if the model learns only from such games.

    Whether a game is accepted depends only on earlier games. So start with any guess, fit the accepted games and choose
    again, until nothing changes. Every round decides at least one more game for good, in chronological order, so this
    finds the only solution.

    >>> from prowess import TrueSkill
    >>> games = History.from_matches([{"teams": [["a"], ["b"]]}, {"teams": [["a"], ["b"]]}])
    >>> accepted(TrueSkill(), games, 0.4, np.ones(2, bool))
    array([ True, False])
    """
    while True:
        counted = history if guess.all() else replace(history, importance=guess.astype(np.float64))
        found = qualities_of(fit_quietly(model, counted)) >= quality
        if np.array_equal(found, guess):
            return found
        guess = found


def _ratios(history: History, mask: NDArray[np.bool_]) -> Ratios:
    # A winning ratio is the share of other teams beaten, where ties count half.
    match = owners(history.match_start)
    teams = np.diff(history.match_start)
    # The key is a number for each match and place: teams with equal keys are tied.
    key = match * np.int64(1 + teams.max()) + history.place
    _, group, tied = np.unique(key, return_inverse=True, return_counts=True)
    with_it = tied[group]
    behind = teams[match] - (history.place - 1) - with_it
    points = (behind + 0.5 * (with_it - 1)) / np.maximum(teams[match] - 1, 1)
    team = owners(history.team_start)
    chosen = mask[match[team]]
    games = np.bincount(history.player[chosen], minlength=len(history.players))
    won = np.bincount(history.player[chosen], points[team[chosen]], minlength=len(history.players))
    seen = games > 0
    return Ratios(games[seen], np.abs(won[seen] / games[seen] - 0.5))


def _coin(games: NDArray[np.int64]) -> Floats:
    """Return E|X/n − ½| for X ~ Binomial(n, ½), by de Moivre's formula C(n − 1, ⌊n/2⌋)/2ⁿ."""
    sizes, where = np.unique(games, return_inverse=True)
    ends = [exp(lgamma(n) - lgamma(n // 2 + 1) - lgamma(n - n // 2) - n * log(2.0)) for n in sizes.tolist()]
    found: Floats = np.array(ends)[where]
    return found


def _row(ratios: dict[str, Ratios], least: int) -> dict[str, Any]:
    row: dict[str, Any] = {"games at least": least}
    for system, found in ratios.items():
        row[f"players, {system}"] = int((found.games >= least).sum())
        row[f"deviation, {system}"] = round(100 * found.among(least).value, 2)
    coin = ratios["TrueSkill"].games
    row["coin toss"] = round(100 * float(_coin(coin[coin >= least]).mean()), 2)
    return row


def _points(ratios: dict[str, Ratios], most: int) -> list[dict[str, Any]]:
    coin = Ratios(ratios["TrueSkill"].games, _coin(ratios["TrueSkill"].games))
    return [
        {"system": system, "least": least, "deviation": found.among(least).value}
        for system, found in (ratios | {CHANCE: coin}).items()
        for least in range(1, most + 1)
    ]


def _claims(ratios: dict[str, Ratios], wanted: dict[str, Any], few: int) -> tuple[Claim, ...]:
    """Return the claims that TrueSkill's games are fair even for players with few games, and fairer than Elo's."""
    elo, trueskill = (ratios[system].among(few) for system in SYSTEMS)
    apart = elo.apart(trueskill).times(100)
    beyond = Interval.normal(wanted["fair"], 0.0).apart(trueskill)
    evidence = f"mean deviation of players with {few} games or more: {100 * trueskill.value:.1f} %"
    evidence += f" ({100 * trueskill.low:.1f} to {100 * trueskill.high:.1f})"
    gap = f"Elo − TrueSkill: {apart.words(1, 'percentage points')}"
    return (
        Claim("With TrueSkill even players with few games win 35 % to 65 % of games", beyond.above_zero, evidence),
        Claim("TrueSkill's close games are fairer than Elo's", apart.above_zero, gap),
    )
