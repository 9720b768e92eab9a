"""Benchmark `compare` for ten models on one history, with one and two processes, against plain fits of the models."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np

import prowess as pw
from prowess.lab.compare import compare
from prowess.lab.compare.scoring import score_run
from prowess.lab.measures.registry import Measure, choose_measures
from prowess.lab.parallel import SharedHistory, run_tasks
from prowess.lab.protocols import Run
from prowess.model.presets import PRESETS

from .figures import Figure
from .timing import interleaved, per_item
from .workloads import Workload, history, scaled

MATCHES = 1_000_000
STATUS = Path("/proc/self/status")
TEN = ("Harkness", "Elo", "GaussianElo", "Glicko", "Glicko2", "TrueSkill", "TSb", "TS2a", "TS2c", "TS3")


def comparing(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure the comparison of ten models on 1v1 matches, its table with all intervals, and the memory of a worker."""
    models = {name: PRESETS[name]() for name in TEN}
    past = either_side(history(Workload("1v1", scaled(MATCHES, scale), 100_000).rosters()))
    found = compare(past, models)
    joblib.Parallel(n_jobs=2)(joblib.delayed(abs)(k) for k in range(4))  # start the worker processes before timing
    items = len(past) * len(TEN)
    fits, one, two, table = "for their fits", "for one process", "for two processes", "table"
    clocks = {
        fits: per_item(lambda: [model.fit(past) for model in models.values()], items),
        one: per_item(lambda: compare(past, models), items),
        two: per_item(lambda: compare(past, models, jobs=2), items),
        table: per_item(lambda: replace(found).table(), items),  # the copy has not computed any figures yet
    }
    medians = interleaved(clocks, repeats)
    for name, other, limit in ((one, fits, 1.3), (two, one, 0.65)):
        label = f"compare, {name.removeprefix('for ')}: per match and model"
        yield Figure(label, medians[name], "ns", other, medians[other], at_most=limit)
    yield Figure("all measures and intervals: per match and model", medians[table], "ns")
    if STATUS.exists():
        memory = worker_memory(past, models)
        yield Figure("memory of a worker", memory, "MB", "for the history", past.nbytes, at_most=2.0)


def either_side(past: pw.History) -> pw.History:
    """Return the same matches with the winner listed first or second at random."""
    turned = np.random.default_rng(0).random(len(past)) < 0.5
    columns = {}
    for name in ("place", "player"):
        pairs = getattr(past, name).reshape(-1, 2)
        columns[name] = np.where(turned[:, None], pairs[:, ::-1], pairs).ravel()
    return replace(past, **columns)


def worker_memory(past: pw.History, models: dict[str, pw.Model]) -> float:
    """Return the peak private memory of a worker minus the memory of an idle worker, in bytes (Linux only)."""
    shared, wanted, run = SharedHistory.of(past), choose_measures(None, past, models), Run(slice(0, len(past)))
    idle = min(run_tasks(own_memory, [()] * 4, jobs=2))
    tasks = [(name, model, shared, run, wanted) for name, model in models.items()]
    return max(run_tasks(peak_memory, tasks, jobs=2)) - idle


def peak_memory(name: str, model: pw.Model, shared: SharedHistory, run: Run, measures: tuple[Measure, ...]) -> float:
    """Score a model in this process, and return the peak private memory of the process in bytes."""
    most, done = [0.0], threading.Event()

    def watch() -> None:
        while not done.is_set():
            most[0] = max(most[0], own_memory())
            time.sleep(0.002)

    watcher = threading.Thread(target=watch)
    watcher.start()
    score_run(name, model, shared, run, measures)
    done.set()
    watcher.join()
    return max(most[0], own_memory())


def own_memory() -> float:
    """Return the private memory of this process in bytes."""
    [line] = [line for line in STATUS.read_text().splitlines() if line.startswith("RssAnon")]
    return 1024.0 * float(line.split()[1])
