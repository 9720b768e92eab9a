"""A progress bar for what takes more than two seconds, on a terminal."""

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
    """Go through the work; show a bar after two seconds (None), at once (True) or never (False).

    >>> list(steps(range(3), "counting", progress=False))
    [0, 1, 2]
    """
    if len(work) == 1 and not progress:
        return iter(work)  # which would be shown before it has begun, or never
    done = iter(range(len(work)))
    return following(work, label, lambda: next(done) / len(work), progress)


def following(
    work: Iterable[Item], label: str, share: Callable[[], float], progress: bool | None = None
) -> Iterator[Item]:
    """Go through work of unknown length, with a bar like that of `steps`; `share` says how much is done at each step.

    >>> list(following("ab", "spelling", lambda: 0.5, progress=False))
    ['a', 'b']
    """
    began = monotonic()
    if progress is None and not sys.stderr.isatty():
        progress = False
    shown = None
    try:
        for step in work:
            done = share()
            if shown is None and progress is not False and (progress or monotonic() - began > PATIENCE):
                shown = _bar()
                task = shown.add_task(label, total=1.0)
                shown.start()
            if shown is not None:
                shown.update(task, completed=done)
            yield step
    finally:
        if shown is not None:
            shown.update(task, completed=1.0)
            shown.stop()


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = [TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()]
    return Progress(*columns, console=Console(stderr=True), transient=True)
