"""Benchmark of fits through time: against other packages, for histories of increasing length, and of corrections."""

import statistics
import time
import tracemalloc
from collections.abc import Iterator

import numpy as np

import prowess as pw
from prowess.model.hindsight.smoother import Smoother

from .figures import Figure
from .through_time import MODEL, PEERS, Forecast, League, Prowess, last_days, simulated, tennis_or_simulated
from .timing import interleaved, per_item, seconds

MATCHES, CUTS, AHEAD = 71_454, 3, 300
PART = 2_000  # the matches that other packages fit
SWEEPS = 5  # of prowess in each measurement, because other packages take hundreds of times as long
# How many times as fast as a package prowess should be: in a sweep, and until convergence.
SWEEP_TARGETS = {"trueskillthroughtime": 500.0}
FIT_TARGETS = {"trueskillthroughtime": 500.0, "whole-history-rating": 20.0}
TEST_FROM = 14_610.0  # the first day of 2010, in days since 1970


def hindsights(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure a fit of all matches until convergence, and a sweep, also against other packages.

    The others take up to 0.3 ms for a match in each sweep, and many sweeps for a fit, so they fit the last 2,000
    matches only. All times are per match.
    """
    league = tennis_or_simulated(max(PART, int(MATCHES * scale)))
    past, count, name = league.history, len(league), league.name
    smoother = Smoother(pw.Ladder(MODEL), past)
    smoother.sweep()
    part = league[-PART:]
    short = Prowess(part)
    clocks = {
        "fit": lambda: seconds(lambda: MODEL.hindsight(past, progress=False)),
        "sweep": per_item(lambda: [smoother.sweep() for _ in range(SWEEPS)], SWEEPS * count),
        "online": per_item(lambda: MODEL.fit(past, progress=False), count),
        "part fit": per_item(short.fit, PART),
    }
    for package, peer in PEERS.items():
        clocks[package] = per_item(peer(league).sweeper(), count)
        clocks[f"{package} fit"] = per_item(peer(part).fit, PART)
    found = interleaved(clocks, repeats)
    yield Figure(f"{name}, {count:,} matches: fit until beliefs move by less than 1e-4", found["fit"], "s", below=1.5)
    per_sweep = f"{name}: a sweep, per match of"
    yield Figure(f"{per_sweep} {count:,}", found["sweep"], "ns", below=400.0)
    yield Figure(f"{per_sweep} {count:,}", found["sweep"], "ns", "fit", found["online"])
    for package in PEERS:
        against = {"peer": package, "peer_seconds": found[package], "at_least": SWEEP_TARGETS.get(package)}
        yield Figure(f"{per_sweep} {count:,}", found["sweep"], "ns", **against)
    for package in PEERS:
        against = {"peer": package, "peer_seconds": found[f"{package} fit"], "at_least": FIT_TARGETS.get(package)}
        yield Figure(f"{name}: fit, per match of {PART:,}", found["part fit"], "ns", **against)


def hindsight_forecasts(scale: float, repeats: int) -> Iterator[Figure]:
    """Compare forecasts: matches after a few dates from fits of earlier ones, and those of weekly refits.

    At each date, all packages fit the same 2,000 matches before it, and forecast the next 300 of players among them.
    """
    league = tennis_or_simulated(max(4 * PART, int(MATCHES * scale)))
    losses: dict[str, list[float]] = {"prowess": [], **{package: [] for package in PEERS}}
    for cut in np.linspace(len(league) / 2, len(league) - 2 * AHEAD, CUTS).astype(int).tolist():
        cut = int(np.searchsorted(league.day, league.day[cut]))  # the matches of a day are forecast together
        past, future = league[cut - PART : cut], seen_before(league, cut)
        for package, peer in {"prowess": Prowess, **PEERS}.items():
            fitted = peer(past)
            fitted.fit()
            losses[package] += log_losses(fitted.forecast(), future)
    ours = np.array(losses.pop("prowess"))
    for package, theirs in losses.items():
        gain = interval(np.array(theirs) - ours)
        label = f"{league.name}: log loss of {len(ours):,} matches after {CUTS} dates, {gain} less"
        yield Figure(label, ours.mean(), "nats", package, float(np.mean(theirs)))
    past = league.history
    tested = league.day >= (TEST_FROM if league.name == "tennis" else league.day[len(league) // 2])
    online = -np.log(MODEL.fit(past, progress=False).forecasts.win[tested])
    for window in (730, None):
        start = time.perf_counter()
        loss = -np.log(MODEL.fit(past, refit=7, window=window, progress=False).forecasts.win[tested])
        spent = (time.perf_counter() - start) / len(past)
        gain = interval(online - loss, league.day[tested] // 7)
        name = f"{league.name}: weekly refits" + (f" of {window} days" if window else " of the whole past")
        yield Figure(f"{name}: log loss, {gain} less", float(loss.mean()), "nats", "online", float(online.mean()))
        yield Figure(f"{name}: per match", spent, "µs")


def seen_before(league: League, cut: int) -> League:
    """Return the next matches of players who are in the part before a match."""
    players = np.array(list(last_days(league[cut - PART : cut])))
    future = league[cut : cut + 2 * AHEAD]
    known = np.isin(future.winner, players) & np.isin(future.loser, players)
    return League(league.name, future.winner[known], future.loser[known], future.day[known])[:AHEAD]


def log_losses(forecast: Forecast, league: League) -> list[float]:
    columns = (league.winner.tolist(), league.loser.tolist(), league.day.tolist())
    return [-float(np.log(forecast(one, other, day))) for one, other, day in zip(*columns, strict=True)]


def interval(gain: np.ndarray, groups: np.ndarray | None = None) -> str:
    """Return a mean and its 95 % interval by the bootstrap over groups, by default single matches."""
    number = np.arange(len(gain)) if groups is None else np.unique(groups, return_inverse=True)[1]
    sums, sizes = np.bincount(number, gain), np.bincount(number).astype(float)
    drawn = np.random.default_rng(0).integers(0, len(sums), (1000, len(sums)))
    low, high = np.quantile(sums[drawn].sum(1) / sizes[drawn].sum(1), [0.025, 0.975])
    return f"{gain.mean():.4f} ({low:.4f} to {high:.4f})"


def hindsight_growth(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure a sweep, and the memory beside the history, for simulated leagues of constant activity."""
    for length in (10_000, 100_000, 1_000_000, 10_000_000):
        matches = int(length * scale)
        past = simulated(matches).history
        MODEL.fit(past, progress=False)  # the history keeps its schedule
        tracemalloc.start()
        smoother = Smoother(pw.Ladder(MODEL), past)
        smoother.sweep()
        held = tracemalloc.get_traced_memory()[0] / past.entries
        tracemalloc.stop()
        median = statistics.median(seconds(smoother.sweep) for _ in range(2 if length > 1_000_000 else repeats))
        yield Figure(f"1v1, history of {matches:,}: a sweep, per match", median / matches, "ns", below=400.0)
        players = smoother.chains.players
        stored = (players.sites.nbytes + players.messages.nbytes) / past.entries
        yield Figure(f"1v1, history of {matches:,}: messages, per entry", stored, "bytes", below=32.5)
        yield Figure(f"1v1, history of {matches:,}: everything beside the history, per entry", held, "bytes")


def hindsight_corrections(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure corrections of one result: the number of visits must not grow with the length of the history."""
    least = 0.0
    for length in (10_000, 100_000, 1_000_000):
        matches = max(2_000, int(length * scale))
        league = simulated(matches)
        fitted = MODEL.hindsight(league.history, progress=False, tolerance=1e-5)
        visits, spent = [], []
        for match in np.linspace(matches * 0.2, matches * 0.8, max(3, 4 * repeats)).astype(int).tolist():
            swapped = [[str(league.loser[match])], [str(league.winner[match])]]
            start = time.perf_counter()
            visits.append(fitted.replace(match, {"teams": swapped}, tolerance=0.01).visits)
            spent.append(time.perf_counter() - start)
        median = statistics.median(visits)
        least = least or median
        label = f"1v1, history of {matches:,}: a result corrected to 0.01 sigma"
        yield Figure(label, median, "visits", "the shortest", least, at_most=1.5)
        yield Figure(label, statistics.median(spent), "ms")
