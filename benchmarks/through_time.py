"""Packages that fit skills through time, called as their users call them, and leagues for them.

A package that is not installed is left out. All but one have the same model as `MODEL`; `whole-history-rating` has
logistic probabilities, and its parameters are those that come closest.
"""

import math
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import prowess as pw

from .peers import installed

TENNIS = Path(os.environ.get("PROWESS_DATA") or "/nonexistent", "atp_2000_2023.csv.gz")
# The parameters with the highest evidence for the tennis matches of 2000 to 2009; drift is per day.
VARIANCE, DRIFT, BETA = 0.391, 3.43e-4, 1.0
MODEL = pw.TrueSkill(mu=0, sigma=VARIANCE**0.5, beta=BETA, tau=0, draw_probability=0).replace(
    drift=pw.drift.PerTime(DRIFT**0.5)
)
# A skill in units of log-odds, if the logistic curve is to be close to the normal one. `whole-history-rating` has drift
# in points of Elo, squared, and a prior of k wins and k losses against an average player, with a precision of k / 2.
LOG_ODDS = 1.7 / 2**0.5 / BETA
ELO_DRIFT, PRIOR_WINS = DRIFT * (LOG_ODDS * 400 / math.log(10)) ** 2, 2 / (VARIANCE * LOG_ODDS**2)
ROUNDS = ("ER", "RR", "R128", "R64", "R32", "R16", "QF", "SF", "BR", "F")

Forecast = Callable[[int, int, float], float]


@dataclass(frozen=True)
class League:
    """Matches of two players: the numbers of winners and losers, and the days, which never decrease."""

    name: str
    winner: np.ndarray
    loser: np.ndarray
    day: np.ndarray

    def __len__(self) -> int:
        return len(self.day)

    def __getitem__(self, part: slice) -> "League":
        return League(self.name, self.winner[part], self.loser[part], self.day[part])

    @property
    def history(self) -> pw.History:
        return pw.History.from_frame(pl.DataFrame({"winner": self.winner, "loser": self.loser, "time": self.day}))


def tennis_or_simulated(matches: int) -> League:
    """Return the tennis matches in the folder PROWESS_DATA, or as many simulated ones."""
    if not TENNIS.exists():
        return simulated(matches)
    frame = pl.read_csv(TENNIS, infer_schema_length=None)
    frame = frame.filter(~pl.col("score").fill_null("").str.contains("W/O|DEF|ABN"))
    number = pl.col("round").replace_strict({name: k for k, name in enumerate(ROUNDS)}, return_dtype=pl.Int64)
    frame = frame.sort("tourney_date", "tourney_id", number, "match_num", maintain_order=True)
    days = frame["tourney_date"].cast(pl.String).str.to_date("%Y%m%d").cast(pl.Int32).to_numpy().astype(float)
    players = (frame[name].to_numpy() for name in ("winner_id", "loser_id"))
    return League("tennis", *players, days)[:matches]


def simulated(matches: int, active: int = 400, career: int = 60, per_day: int = 10, seed: int = 0) -> League:
    """Return a league of any length with constant activity: players retire after about 60 matches each.

    There are always 400 active players and ten matches a day, so longer histories have more players, not busier ones.
    """
    rng = np.random.default_rng(seed)
    first = rng.integers(0, active, matches)
    pairs = np.stack([first, (first + rng.integers(1, active, matches)) % active], axis=1).ravel()
    order = np.argsort(pairs, kind="stable")
    counts = np.bincount(pairs, minlength=active)
    played = np.empty(len(pairs), np.int64)
    played[order] = np.arange(len(pairs)) - np.repeat(np.cumsum(counts) - counts, counts)
    generation = (played + rng.integers(0, career, active)[pairs]) // career
    player = (generation * active + pairs).reshape(-1, 2)
    skill = rng.normal(0.0, VARIANCE**0.5, int(player.max()) + 1)
    turned = skill[player[:, 0]] - skill[player[:, 1]] + rng.normal(0.0, 2**0.5 * BETA, matches) < 0.0
    player[turned] = player[turned, ::-1]
    return League("simulated", player[:, 0], player[:, 1], (np.arange(matches) // per_day).astype(float))


def win_probability(beliefs: dict[int, tuple[float, float, float]]) -> Forecast:
    """Return forecasts from mean, variance and day of each player's last match."""

    def forecast(one: int, other: int, day: float) -> float:
        (mean, variance, last), (mean_2, variance_2, last_2) = beliefs[one], beliefs[other]
        spread = variance + variance_2 + DRIFT * (2 * day - last - last_2) + 2 * BETA**2
        return 0.5 * math.erfc((mean_2 - mean) / math.sqrt(2 * spread))

    return forecast


class Prowess:
    """A hindsight that is at least as accurate as the other packages.

    On 2,000 tennis matches, its beliefs are within 6e-7 standard deviations of the fixed point. With their default
    tolerances, those of `trueskillthroughtime` are within 1.1e-6 and those of `kickscore` within 9e-3.
    """

    def __init__(self, league: League) -> None:
        self.history, self.league = league.history, league

    def fit(self) -> None:
        self.fitted = MODEL.hindsight(self.history, tolerance=1e-6, progress=False)

    def forecast(self) -> Forecast:
        last = last_days(self.league)
        ratings = {player: self.fitted[str(player)] for player in last}
        return win_probability({p: (r.mu, r.sigma**2, last[p]) for p, r in ratings.items()})


class ThroughTime:
    """`trueskillthroughtime` with its default tolerance and number of iterations."""

    def __init__(self, league: League) -> None:
        self.league = league

    def prepare(self) -> Any:
        import trueskillthroughtime

        pairs = [[[winner], [loser]] for winner, loser in _pairs(self.league)]
        settings = {"mu": 0.0, "sigma": VARIANCE**0.5, "beta": BETA, "gamma": DRIFT**0.5}
        return trueskillthroughtime.History(pairs, times=self.league.day.tolist(), **settings)

    def fit(self) -> None:
        self.fitted = self.prepare()
        self.fitted.convergence(verbose=False)

    def sweeper(self) -> Callable[[], object]:
        return self.prepare().iteration

    def forecast(self) -> Forecast:
        curves = self.fitted.learning_curves()
        return win_probability({p: (c[-1][1].mu, c[-1][1].sigma ** 2, c[-1][0]) for p, c in curves.items()})


class Kickscore:
    """`kickscore` with its default tolerance and number of iterations."""

    def __init__(self, league: League) -> None:
        self.league = league

    def prepare(self) -> Any:
        import kickscore

        model = kickscore.BinaryModel(obs_type="probit")
        unit = (2**0.5 * BETA) ** -2  # its noise has the variance 1
        for (winner, loser), day in zip(_pairs(self.league), self.league.day.tolist(), strict=True):
            for player in (winner, loser):
                if player not in model.item:
                    model.add_item(player, kickscore.kernel.Wiener(DRIFT * unit, day, VARIANCE * unit))
            model.observe([winner], [loser], t=day)
        return model

    def fit(self) -> None:
        self.fitted = self.prepare()
        self.fitted.fit()

    def sweeper(self) -> Callable[[], object]:
        model = self.prepare()
        model.fit(max_iter=1)  # numba compiles its functions
        return lambda: model.fit(max_iter=1)

    def forecast(self) -> Forecast:
        beliefs = {}
        for player, item in self.fitted.item.items():
            days, means, variances = item.scores
            unit = 2 * BETA**2
            beliefs[player] = (float(means[-1]) * unit**0.5, float(variances[-1]) * unit, float(days[-1]))
        return win_probability(beliefs)


class WholeHistory:
    """`whole-history-rating` with its default precision."""

    def __init__(self, league: League) -> None:
        self.league = league

    def prepare(self) -> Any:
        import whr

        base = whr.WHR({"w2": ELO_DRIFT, "initial_prior_wins": PRIOR_WINS})
        for (winner, loser), day in zip(_pairs(self.league), self.league.day.astype(int).tolist(), strict=True):
            base.create_game(str(winner), str(loser), "B", day, 0)
        return base

    def fit(self) -> None:
        self.fitted = self.prepare()
        self.fitted.auto_iterate()

    def sweeper(self) -> Callable[[], object]:
        base = self.prepare()
        return lambda: base.iterate(1)

    def forecast(self) -> Forecast:
        def forecast(one: int, other: int, _: float) -> float:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # some players of a part are not connected by its matches
                return self.fitted.probability_future_match(str(one), str(other), account_for_uncertainty=True)[0]

        return forecast


def _pairs(league: League) -> list[list[int]]:
    return np.stack([league.winner, league.loser], axis=1).tolist()


def last_days(league: League) -> dict[int, float]:
    """Return the day of each player's last match."""
    days = league.day.tolist()
    return {player: day for pair, day in zip(_pairs(league), days, strict=True) for player in pair}


PEERS = {"trueskillthroughtime": ThroughTime, "kickscore": Kickscore, "whole-history-rating": WholeHistory}


def installed_peers() -> dict[str, type]:
    return {package: peer for package, peer in PEERS.items() if installed(package)}
