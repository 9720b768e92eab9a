"""Comparison of the forecasts of fits through time: with other packages, and of weekly refits with online ratings."""

from collections.abc import Iterator

import numpy as np

from .figures import Figure
from .through_time import MODEL, PEERS, Forecast, League, Prowess, installed_peers, last_days, tennis_or_simulated
from .timing import seconds
from .workloads import scaled

MATCHES, PART, CUTS, AHEAD = 71_454, 2_000, 3, 300
TEST_FROM = 14_610.0  # the first day of 2010, in days since 1970


def hindsight_forecasts(scale: float, repeats: int) -> Iterator[Figure]:
    """Compare forecasts of matches after a few dates with those of other packages.

    At each date, all packages fit the same 2,000 matches before it, and forecast the next 300 of players among them.
    """
    part = scaled(PART, scale, 200)
    league = tennis_or_simulated(scaled(MATCHES, scale, 4 * part))
    packages = {"prowess": Prowess, **installed_peers()}
    losses: dict[str, list[float]] = {package: [] for package in packages}
    for cut in np.linspace(len(league) / 2, len(league) - 2 * AHEAD, CUTS).astype(int).tolist():
        cut = int(np.searchsorted(league.day, league.day[cut]))  # the matches of a day are forecast together
        past, future = league[cut - part : cut], seen_before(league, cut, part)
        for package, peer in packages.items():
            fitted = peer(past)
            fitted.fit()
            losses[package] += log_losses(fitted.forecast(), future)
    ours = np.array(losses["prowess"])
    for package in PEERS:
        theirs = np.array(losses[package]) if package in losses else None
        yield Figure("log loss", float(ours.mean()), "nats", package, None if theirs is None else float(theirs.mean()))
        if theirs is not None:
            yield from gain(f"{package} minus ours", theirs - ours)


def hindsight_refits(scale: float, repeats: int) -> Iterator[Figure]:
    """Compare the forecasts of weekly refits with those of online ratings, and measure how long refits take."""
    league = tennis_or_simulated(scaled(MATCHES, scale, 800))
    past = league.history
    tested = league.day >= (TEST_FROM if league.day[-1] > TEST_FROM else league.day[len(league) // 2])
    online = -np.log(MODEL.fit(past, progress=False).forecasts.win[tested])
    for days, window in (("730 days", 730), ("the whole past", None)):
        fits = []
        took = seconds(lambda w=window, fits=fits: fits.append(MODEL.fit(past, refit=7, window=w, progress=False)))
        loss = -np.log(fits[0].forecasts.win[tested])
        name = f"refits of {days}"
        yield Figure(f"{name}: log loss", float(loss.mean()), "nats", "online", float(online.mean()))
        yield from gain(f"{name}: gain", online - loss, league.day[tested] // 7)
        yield Figure(f"{name}: time", took, "s")


def gain(name: str, differences: np.ndarray, groups: np.ndarray | None = None) -> Iterator[Figure]:
    """Yield a mean and its 95 % interval by the bootstrap over groups, by default single matches."""
    number = np.arange(len(differences)) if groups is None else np.unique(groups, return_inverse=True)[1]
    sums, sizes = np.bincount(number, differences), np.bincount(number).astype(float)
    drawn = np.random.default_rng(0).integers(0, len(sums), (1000, len(sums)))
    low, high = np.quantile(sums[drawn].sum(1) / sizes[drawn].sum(1), [0.025, 0.975])
    for end, value in (("", differences.mean()), (", from", low), (", to", high)):
        yield Figure(f"{name}{end}", float(value), "nats")


def seen_before(league: League, cut: int, part: int) -> League:
    """Return the next matches of players who are in the part before a match."""
    players = np.array(list(last_days(league[cut - part : cut])))
    future = league[cut : cut + 2 * AHEAD]
    known = np.isin(future.winner, players) & np.isin(future.loser, players)
    return League(league.name, future.winner[known], future.loser[known], future.day[known])[:AHEAD]


def log_losses(forecast: Forecast, league: League) -> list[float]:
    columns = (league.winner.tolist(), league.loser.tolist(), league.day.tolist())
    return [-float(np.log(forecast(one, other, day))) for one, other, day in zip(*columns, strict=True)]
