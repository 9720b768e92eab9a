"""Benchmark of fits through time: against other packages, for histories of increasing length, and of corrections."""

import statistics
import time
import tracemalloc
from collections.abc import Iterator

import numpy as np

import prowess as pw
from prowess.model.hindsight.smoother import Smoother

from .figures import Figure
from .through_time import MODEL, PEERS, Prowess, installed_peers, simulated, tennis_or_simulated
from .timing import interleaved, per_item
from .workloads import scaled

MATCHES = 71_454
PART = 2_000  # the matches that other packages fit
SWEEPS = 5  # of prowess in each measurement, because other packages take hundreds of times as long
# How many times as fast as a package prowess should be: in a sweep, and until convergence.
SWEEP_TARGETS = {"trueskillthroughtime": 500.0}
FIT_TARGETS = {"trueskillthroughtime": 500.0, "whole-history-rating": 20.0}


def hindsights(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure a fit of all matches until convergence, and a sweep, also against other packages.

    The others take up to 0.3 ms for a match in each sweep, and many sweeps for a fit, so they fit the last 2,000
    matches only.
    """
    part = scaled(PART, scale, 200)
    league = tennis_or_simulated(scaled(MATCHES, scale, part))
    past, count, short = league.history, len(league), Prowess(league[-part:])
    smoother = Smoother(pw.Ladder(MODEL), past)
    smoother.sweep()
    fitted, last = MODEL.hindsight(past[:-1], progress=False), past[-1:]
    clocks = {
        "fit": per_item(lambda: MODEL.hindsight(past, progress=False), 1),
        "sweep": per_item(lambda: [smoother.sweep() for _ in range(SWEEPS)], SWEEPS * count),
        "online": per_item(lambda: MODEL.fit(past, progress=False), 1),
        "part fit": per_item(short.fit, part),
        "one more": per_item(lambda: fitted.add(last), 1),
    }
    for package, peer in installed_peers().items():
        clocks[package] = per_item(peer(league).sweeper(), count)
        clocks[f"{package} fit"] = per_item(peer(league[-part:]).fit, part)
    found = interleaved(clocks, repeats)
    yield Figure("fit until converged", found["fit"], "s", below=1.5)
    yield Figure("online fit", found["online"], "s")
    yield Figure("one match more", found["one more"], "s")
    yield Figure("sweep, per match", found["sweep"], "ns", below=400.0)
    for package in PEERS:
        against = {"peer": package, "theirs": found.get(package), "at_least": SWEEP_TARGETS.get(package)}
        yield Figure("sweep, per match", found["sweep"], "ns", **against)
    for package in PEERS:
        against = {"peer": package, "theirs": found.get(f"{package} fit"), "at_least": FIT_TARGETS.get(package)}
        yield Figure(f"fit of {PART:,}, per match", found["part fit"], "ns", **against)


def hindsight_growth(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure a sweep, and the memory beside the history, for simulated leagues of constant activity."""
    for length in (10_000, 100_000, 1_000_000, 10_000_000):
        matches = scaled(length, scale)
        past = simulated(matches).history
        MODEL.fit(past, progress=False)  # the history keeps its schedule
        tracemalloc.start()
        smoother = Smoother(pw.Ladder(MODEL), past)
        smoother.sweep()
        held = tracemalloc.get_traced_memory()[0] / past.entries
        tracemalloc.stop()
        median = interleaved({length: per_item(smoother.sweep, matches)}, 2 if length > 1_000_000 else repeats)[length]
        yield Figure(f"{length:,} matches: a sweep, per match", median, "ns", below=400.0)
        players = smoother.chains.players
        stored = (players.sites.nbytes + players.messages.nbytes) / past.entries
        yield Figure(f"{length:,} matches: messages, per entry", stored, "bytes", below=32.5)
        yield Figure(f"{length:,} matches: all new memory, per entry", held, "bytes")


def hindsight_corrections(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure corrections of one result: the number of visits must not grow with the length of the history."""
    least = 0.0
    for length in (10_000, 100_000, 1_000_000):
        matches = scaled(length, scale, 300)
        league = simulated(matches)
        fitted = MODEL.hindsight(league.history, progress=False, tolerance=1e-5)
        visits, spent = [], []
        for match in np.linspace(matches * 0.2, matches * 0.8, 2 * repeats + 1).astype(int).tolist():
            swapped = {"teams": [[str(league.loser[match])], [str(league.winner[match])]]}
            start = time.perf_counter()
            visits.append(fitted.replace(match, swapped, tolerance=0.01).visits)
            spent.append(time.perf_counter() - start)
        median = statistics.median(visits)
        least = least or median
        yield Figure(f"{length:,} matches: visits", median, "visits", "for the shortest", least, at_most=1.5)
        yield Figure(f"{length:,} matches: time", statistics.median(spent), "ms")


def hindsight_merged(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure fits of votes among a hundred models, of which equal ones are merged because skills do not drift."""
    still = pw.TrueSkill(tau=0)
    million, ten = (votes(scaled(count, scale)) for count in (1_000_000, 10_000_000))
    clocks = {
        "1,000,000 votes: fit": lambda: still.hindsight(million, progress=False),
        "1,000,000 votes: fit with all covariances": lambda: still.hindsight(million, joint=True, progress=False),
        "10,000,000 votes: fit": lambda: still.hindsight(ten, progress=False),
    }
    for name, median in interleaved({name: per_item(task, 1) for name, task in clocks.items()}, repeats).items():
        yield Figure(name, median, "s")


def votes(count: int, models: int = 100) -> pw.History:
    """Return matches between random pairs of models of different skill, a tenth of them ties."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, models, count)
    second = (first + rng.integers(1, models, count)) % models
    skill = rng.normal(0.0, 1.0, models)
    lead = skill[first] - skill[second] + rng.normal(0.0, 1.0, count)
    place = np.where(np.abs(lead) < 0.1, 1, np.where(lead > 0, 1, 2))
    starts = np.arange(0, 2 * count + 1, dtype=np.int32)
    return pw.History(
        match_start=starts[::2].copy(),
        team_start=starts,
        player=np.column_stack([first, second]).astype(np.int32).ravel(),
        place=np.column_stack([place, np.where(np.abs(lead) < 0.1, 1, 3 - place)]).astype(np.int32).ravel(),
        players=tuple(f"model {number}" for number in range(models)),
    )
