"""Timing: tasks run in turn, so that a busy machine slows all of them equally; the result of a task is its median.

A clock is a function that runs a task and returns the time in seconds.
"""

import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Hashable, Mapping

ENOUGH = 15.0  # seconds of repetition: measurements that take longer are repeated less often


def seconds(task: Callable[[], object]) -> float:
    """Return how many seconds one run takes; garbage is collected before the run but not during it, as in `timeit`."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        task()
        return time.perf_counter() - start
    finally:
        gc.enable()


def interleaved(clocks: Mapping[Hashable, Callable[[], float]], repeats: int) -> dict[Hashable, float]:
    """Call every clock in turn, up to `repeats` times, and return the median reading of each."""
    readings: dict[Hashable, list[float]] = {name: [] for name in clocks}
    start = time.monotonic()
    for _ in range(repeats):
        for name, clock in clocks.items():
            readings[name].append(clock())
        if time.monotonic() - start > ENOUGH:
            break
    return {name: statistics.median(values) for name, values in readings.items()}


def per_item(task: Callable[[], object], items: int) -> Callable[[], float]:
    """Return a clock for the seconds per item of a task that handles `items` items at once."""
    return lambda: seconds(task) / items


def per_call(task: Callable[[], object], calls: int) -> Callable[[], float]:
    """Return a clock for the seconds per call of a task that is too short to be timed alone."""

    def loop() -> None:
        for _ in range(calls):
            task()

    return per_item(loop, calls)


def statement_clock(statement: str) -> Callable[[], float]:
    """Return a clock for a statement in a new interpreter, without the interpreter's start-up time."""
    code = f"import time\nstart = time.perf_counter()\n{statement}\nprint(time.perf_counter() - start)"
    command = [sys.executable, "-c", code]
    return lambda: float(subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()[-1])
