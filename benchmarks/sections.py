"""The sections of the benchmark: each function yields the figures of one table."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import trueskill
from openskill.models import PlackettLuce

import prowess as pw
from prowess.model.engine.buffers import Columns, Record, Table
from prowess.model.engine.schedule import schedule
from prowess.model.engine.sweep import sweep_blocks

from .choosing import choosing
from .comparing import comparing
from .figures import Figure
from .hindsight import hindsight_corrections, hindsight_forecasts, hindsight_growth, hindsights
from .native import native
from .pairing import pairing
from .peers import play_openskill, play_trueskill
from .reading import reading
from .systems import systems, tournaments
from .timing import import_clock, interleaved, per_call, per_item
from .workloads import BETA, MU, SIGMA, Workload, frame, history

PLAYERS = 100_000


def histories(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure `fit` of a whole history, including forecasts, against other packages that rate match by match."""
    cases = (
        (Workload("1v1", int(1_000_000 * scale), PLAYERS), 1500, 900.0, 80.0),
        (Workload("4v4", int(200_000 * scale), 20_000, size=4), 400, 1000.0, None),
        (Workload("free-for-all of 8", int(100_000 * scale), 20_000, teams=8), 100, 200.0, None),
    )
    for workload, sample, *targets in cases:
        rosters, past = workload.rosters(), history(workload)
        clocks = {
            "prowess": per_item(lambda past=past: pw.TrueSkill().fit(past), len(past)),
            "trueskill": per_item(lambda rows=rosters[:sample]: play_trueskill(rows), sample),
            "openskill": per_item(lambda rows=rosters[:sample]: play_openskill(rows), sample),
        }
        medians = interleaved(clocks, repeats)
        for peer, target in zip(("trueskill", "openskill"), targets, strict=True):
            name = f"{workload.name}, per match of {len(past):,}"
            yield Figure(name, medians["prowess"], "ns", peer, medians[peer], at_least=target)


def single_call(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure one call of `rate` for two players."""
    model, plackett = pw.TrueSkill(), PlackettLuce()
    ours = [[model.rating()], [model.rating(mu=30, sigma=4)]]
    skills = [[trueskill.Rating()], [trueskill.Rating(30, 4)]]
    open_skills = [[plackett.rating()], [plackett.rating(mu=30, sigma=4)]]
    clocks = {
        "prowess": per_call(lambda: model.rate(ours), max(100, int(20_000 * scale))),
        "trueskill": per_call(lambda: trueskill.rate(skills), max(100, int(1000 * scale))),
        "openskill": per_call(lambda: plackett.rate(open_skills), max(100, int(4000 * scale))),
    }
    medians = interleaved(clocks, 2 * repeats + 1)
    for peer, target in (("openskill", 3.0), ("trueskill", None)):
        yield Figure("one call of rate([[a], [b]])", medians["prowess"], "µs", peer, medians[peer], at_least=target)


def imports(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure `import prowess` against `import numpy`, each in new interpreters."""
    medians = interleaved({name: import_clock(name) for name in ("prowess", "numpy")}, 4 * repeats + 1)
    yield Figure("import", medians["prowess"], "ms", "numpy", medians["numpy"], at_most=1.6)


def growth_in_matches(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure the time per match for histories of increasing length."""
    lengths = [int(count * scale) for count in (100_000, 1_000_000, 4_000_000)]
    pasts = {f"1v1, history of {n:,}: per match": history(Workload("1v1", n, PLAYERS)) for n in lengths}
    clocks = {name: per_item(lambda past=past: pw.TrueSkill().fit(past), len(past)) for name, past in pasts.items()}
    for name, median in interleaved(clocks, repeats).items():
        yield Figure(name, median, "ns")


def growth_in_teams(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure the time per team of one call of `rate` for free-for-alls of increasing size."""
    model, rng, clocks = pw.TrueSkill(), np.random.default_rng(0), {}
    for count in (10, 100, 1000, 10_000):
        skill = rng.normal(MU, SIGMA, count)
        order = np.argsort(-(skill + rng.normal(0, BETA, count)))
        teams = [[model.rating(mu=float(skill[i]), sigma=4.0)] for i in order]
        calls = max(1, int(10_000 * scale) // count)
        run = per_call(lambda teams=teams: model.rate(teams), calls)
        clocks[f"free-for-all of {count:,}: per team"] = lambda run=run, count=count: run() / count
    for name, median in interleaved(clocks, repeats).items():
        yield Figure(name, median, "µs")


def growth_in_players(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure the time per player for teams of increasing size."""
    clocks = {}
    for size in (1, 10, 100, 1000):
        workload = Workload(f"{size}v{size}", max(1, int(500_000 * scale) // size), 20_000, size=size)
        past = history(workload)
        entries = 2 * size * len(past)
        clocks[f"teams of {size:,}: per player"] = per_item(lambda past=past: pw.TrueSkill().fit(past), entries)
    for name, median in interleaved(clocks, repeats).items():
        yield Figure(name, median, "ns")


def where_time_goes(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure each step of rating a frame of 1v1 matches.

    Matches of importance 0 show the time of everything except learning.
    """
    workload = Workload("1v1", int(1_000_000 * scale), PLAYERS)
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
    "Systems": systems,
    "Tournaments": tournaments,
    "Native code": native,
    "Hindsight: speed": hindsights,
    "Hindsight: forecasts": hindsight_forecasts,
    "Hindsight: growth in matches": hindsight_growth,
    "Hindsight: corrections": hindsight_corrections,
    "Compare": comparing,
    "Choose": choosing,
    "Pairing": pairing,
    "Reading": reading,
    "One match": single_call,
    "Import": imports,
    "Growth in matches": growth_in_matches,
    "Growth in teams": growth_in_teams,
    "Growth in players": growth_in_players,
    "Where the time goes": where_time_goes,
}
