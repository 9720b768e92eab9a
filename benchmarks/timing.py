"""Timing: tasks run in turn, so that a busy machine slows all of them equally; the result of a task is its median.

A clock is a function that runs a task and returns the time in seconds.
"""

import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping


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


def interleaved(clocks: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Call every clock in turn, `repeats` times, and return the median reading of each."""
    readings: dict[str, list[float]] = {name: [] for name in clocks}
    for _ in range(repeats):
        for name, clock in clocks.items():
            readings[name].append(clock())
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


def import_clock(module: str) -> Callable[[], float]:
    """Return a clock for the import of a module in a new interpreter, without the interpreter's start-up time."""
    code = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    command = [sys.executable, "-c", code]
    return lambda: float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
