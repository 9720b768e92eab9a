"""A progress bar on a terminal, for work that takes more than two seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 2.0  # seconds before a bar is shown
Item = TypeVar("Item")


def steps(work: range, label: str, progress: bool | None = None) -> Iterator[int]:
    """Iterate over a range of work, with a progress bar.

    If `progress` is None, the bar appears after two seconds; if it is True, at once; if it is False, never.

    >>> list(steps(range(3), "counting", progress=False))
    [0, 1, 2]
    """
    if len(work) == 1 and not progress:
        return iter(work)  # a bar for a single step would only show 0 %
    done = iter(range(len(work)))
    return track(work, label, lambda: next(done) / len(work), progress)


def track(work: Iterable[Item], label: str, share: Callable[[], float], progress: bool | None = None) -> Iterator[Item]:
    """Iterate over work of unknown length, with a progress bar as in `steps`.

    `share` is a function that returns the fraction done so far.

    >>> list(track("ab", "spelling", lambda: 0.5, progress=False))
    ['a', 'b']
    """
    began = monotonic()
    if progress is None and not sys.stderr.isatty():
        progress = False
    bar = None
    try:
        for step in work:
            done = share()
            if bar is None and progress is not False and (progress or monotonic() - began > PATIENCE):
                bar = _bar()
                task = bar.add_task(label, total=1.0)
                bar.start()
            if bar is not None:
                bar.update(task, completed=done)
            yield step
    finally:
        if bar is not None:
            bar.update(task, completed=1.0)
            bar.stop()


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = [TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()]
    return Progress(*columns, console=Console(stderr=True), transient=True)
