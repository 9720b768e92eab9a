"""The sections of the benchmark: each function yields the figures of one table."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

import prowess as pw
from prowess.model.engine.buffers import Columns, Record, Table
from prowess.model.engine.schedule import schedule
from prowess.model.engine.sweep import sweep_blocks

from .calls import calls, imports, uncompiled
from .choosing import choosing
from .comparing import comparing
from .figures import Figure
from .hindsight import hindsight_corrections, hindsight_growth, hindsight_merged, hindsights
from .hindsight_accuracy import hindsight_forecasts, hindsight_refits
from .native import native
from .pairing import pairing
from .peers import play_openskill, play_trueskill
from .reading import reading
from .systems import systems, tournaments
from .timing import interleaved, per_call, per_item
from .workloads import BETA, MU, SIGMA, Workload, frame, history, scaled

PLAYERS = 100_000


def histories(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure `fit` of a whole history, including forecasts, against other packages that rate match by match."""
    cases = (
        (Workload("1v1", 1_000_000, PLAYERS), 1500, 900.0, 80.0),
        (Workload("4v4", 200_000, 20_000, size=4), 400, 1000.0, None),
        (Workload("free-for-all of 8", 100_000, 20_000, teams=8), 100, 200.0, None),
    )
    for named, sample, *targets in cases:
        workload = replace(named, matches=scaled(named.matches, scale))
        rosters = workload.rosters()
        past, sample = history(rosters), scaled(sample, scale, 10)
        clocks = {
            "prowess": per_item(lambda past=past: pw.TrueSkill().fit(past), len(past)),
            "trueskill": per_item(lambda rows=rosters[:sample]: play_trueskill(rows), sample),
            "openskill": per_item(lambda rows=rosters[:sample]: play_openskill(rows), sample),
        }
        medians = interleaved(clocks, repeats)
        for peer, target in zip(("trueskill", "openskill"), targets, strict=True):
            name = f"{named.name}, {named.matches:,} matches: per match"
            yield Figure(name, medians["prowess"], "ns", peer, medians[peer], at_least=target)


def growth_in_matches(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure the time per match for leagues of increasing size; small leagues have less to rate at the same time."""
    leagues = [(24, 100_000), (100, 100_000), (PLAYERS, 100_000), (PLAYERS, 1_000_000), (PLAYERS, 4_000_000)]
    clocks = {}
    for players, matches in leagues:
        past = history(Workload("1v1", scaled(matches, scale), players).rosters())
        run = per_item(lambda past=past: pw.TrueSkill().fit(past), len(past))
        clocks[f"1v1, {matches:,} matches of {players:,} players: per match"] = run
    for name, median in interleaved(clocks, repeats).items():
        yield Figure(name, median, "ns")


def growth_in_teams(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure the time per team of one call of `rate` for free-for-alls of increasing size."""
    model, rng, clocks = pw.TrueSkill(), np.random.default_rng(0), {}
    for named in (10, 100, 1000, 10_000):
        count = scaled(named, scale, 10)
        skill = rng.normal(MU, SIGMA, count)
        order = np.argsort(-(skill + rng.normal(0, BETA, count)))
        teams = [[model.rating(mu=float(skill[i]), sigma=4.0)] for i in order]
        run = per_call(lambda teams=teams: model.rate(teams), max(1, 10_000 // named))
        clocks[f"free-for-all of {named:,}: per team"] = lambda run=run, count=count: run() / count
    for name, median in interleaved(clocks, repeats).items():
        yield Figure(name, median, "µs")


def growth_in_players(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure the time per player for teams of increasing size."""
    clocks = {}
    for size in (1, 10, 100, 1000):
        workload = Workload(f"{size}v{size}", scaled(500_000 // size, scale, 2), 20_000, size=size)
        past = history(workload.rosters())
        entries = 2 * size * len(past)
        clocks[f"teams of {size:,}: per player"] = per_item(lambda past=past: pw.TrueSkill().fit(past), entries)
    for name, median in interleaved(clocks, repeats).items():
        yield Figure(name, median, "ns")


def where_time_goes(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure each step of rating a frame of 1v1 matches.

    Matches of importance 0 show the time of everything except learning.
    """
    workload = Workload("1v1", scaled(1_000_000, scale), PLAYERS)
    table = frame(workload.rosters())
    past = pw.History.from_frame(table)
    model, count = pw.TrueSkill(), len(past)
    fit = model.fit(past)
    idle = replace(past, importance=np.zeros(count))
    clocks = {
        "History.from_frame": per_item(lambda: pw.History.from_frame(table), count),
        "first fit of a history, with its schedule": per_item(lambda: model.fit(replace(past)), count),
        "another fit": per_item(lambda: model.fit(past), count),
        "of that, the kernel": per_item(kernel(model, past, fit.ladder.state), count),
        "of that, reading, forecasting and writing": per_item(kernel(model, idle, fit.ladder.state), count),
        "leaderboard": per_item(fit.leaderboard, count),
    }
    for name, median in interleaved(clocks, repeats).items():
        yield Figure(f"{name}: per match", median, "ns")


def kernel(model: pw.Model, past: pw.History, state: np.ndarray) -> Callable[[], None]:
    """Return a function that runs only the compiled loop over a history, in preallocated memory."""
    pipeline, columns = model.pipeline, Columns(past, past.player)
    plan = schedule(past, pipeline.lanes, pipeline.ordered)
    record, board, memory = Record(columns), pipeline.block(plan), np.array(pipeline.memory())

    def run() -> None:
        table = Table(state.copy(), memory.copy())
        sweep_blocks(pipeline, board, columns, table, record, plan, 0, plan.windows)

    return run


SECTIONS = {
    "Histories": histories,
    "Systems: 1,000,000 matches 1v1, per match": systems,
    "Tournaments of teams of six on 40 places": tournaments,
    "Native code, per match": native,
    "Hindsight of 71,454 matches": hindsights,
    "Hindsight: growth in matches, 1v1": hindsight_growth,
    "Hindsight: a result corrected to 0.01 sigma": hindsight_corrections,
    "Hindsight of votes among 100 models": hindsight_merged,
    "Compare ten models on 1,000,000 matches": comparing,
    "Choose and tune a model on 100,000 matches": choosing,
    "Pairing": pairing,
    "Reading a CSV file of 10,000,000 rows": reading,
    "Single calls": calls,
    "Uncompiled": uncompiled,
    "Import": imports,
    "Growth in matches": growth_in_matches,
    "Growth in teams": growth_in_teams,
    "Growth in players": growth_in_players,
    "Where the time goes": where_time_goes,
}
# These compare accuracy, which does not depend on the machine, and take long: `make bench-peers`.
PEER_SECTIONS = {
    "Hindsight: forecasts of 900 matches after 3 dates": hindsight_forecasts,
    "Hindsight: weekly refits of 71,454 matches": hindsight_refits,
}
