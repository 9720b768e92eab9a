"""Runs tasks in this process, or in other processes through joblib."""

from __future__ import annotations

import mmap
import os
import pickle
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from itertools import accumulate
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import uuid4

from ..errors import Error
from ..history import History
from ..history.context.columns import EMPTY, FIELDS, Context
from ..model.ladder.leaderboard import Standings, standings
from ..optional import import_extra
from ..progress import steps

if TYPE_CHECKING:
    from ..model.model import Model

Result = TypeVar("Result")


def run_tasks(
    function: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    *,
    jobs: int | None = None,
    label: str = "working",
    progress: bool | None = None,
) -> list[Result]:
    """Call a function with the arguments of each task, and return the results in the order of the tasks.

    `jobs` is the number of processes: with 1, tasks run in this process; with −1, there are as many processes as
    processors. With None, tasks also run in this process, unless `joblib.parallel_config` says otherwise. A progress
    bar with the given label appears after two seconds (`progress=None`), at once (True) or never (False).

    >>> run_tasks(max, [(1, 2), (4, 3)])
    [2, 4]
    """
    bar = steps(range(len(tasks)), label, progress)
    if _in_process(jobs):
        return [function(*tasks[number]) for number in bar]
    joblib = import_extra("joblib", "joblib", "lab")
    backend, _ = joblib.parallel.get_active_backend()
    local = type(backend).__name__ in LOCAL
    streams = getattr(backend, "supports_return_generator", False)  # otherwise all results arrive at the end
    # Files of joblib's own would stay open in the workers, and it would wait a second for them to close.
    files = {"max_nbytes": None} if local else {}
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator" if streams else "list", **files)
    with TemporaryDirectory(dir=_fast_folder(), ignore_cleanup_errors=True) as folder:
        # Processes on other machines could not read the files.
        call: Callable[..., Any] = partial(_call_with_files, function, folder) if local else function
        if local:
            tasks = _share_histories(tasks, folder)
        results = map(_take_file, parallel(joblib.delayed(call)(*task) for task in tasks))
        return [next(results) for _ in bar]


LOCAL = ("LokyBackend", "MultiprocessingBackend")  # backends of joblib with processes on this machine
LARGE = 1 << 20  # results with more bytes are left in a file, because a pipe between processes is slow
SHARED_MEMORY = "/dev/shm"
ROOM = 2 << 30  # with less space, files in shared memory could fill it up; joblib has the same limit


def _fast_folder() -> str | None:
    """Return a folder in memory if there is one with enough room; None is the usual folder for temporary files."""
    try:
        space = os.statvfs(SHARED_MEMORY)
    except (AttributeError, OSError):  # Windows has no such function, other systems have no such folder
        return None
    return SHARED_MEMORY if space.f_bavail * space.f_frsize >= ROOM and os.access(SHARED_MEMORY, os.W_OK) else None


class _Stored(NamedTuple):
    """A pickled object whose large columns are in a file, one after the other."""

    path: str
    data: bytes
    sizes: list[int]


def _call_with_files(function: Callable[..., Any], folder: str, *task: Any) -> Any:
    """Call a function in a worker process."""
    return _store(function(*map(_read_file, task)), folder)


def _share_histories(tasks: Sequence[tuple[Any, ...]], folder: str) -> list[tuple[Any, ...]]:
    """Leave each history in a file, which all tasks share."""
    histories = {id(one): one for task in tasks for one in task if isinstance(one, (History, SharedHistory))}
    stored = {key: _store(one, folder) for key, one in histories.items()}
    return [tuple(stored.get(id(one), one) for one in task) for task in tasks]


def _store(value: Any, folder: str) -> Any:
    """Return a value, or what `_read_file` needs to read it if it is large."""
    columns: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, protocol=5, buffer_callback=columns.append)
    views = [column.raw() for column in columns]
    if sum(view.nbytes for view in views) < LARGE:
        return value
    with NamedTemporaryFile(dir=folder, delete=False) as file:
        for view in views:
            file.write(view)
            file.write(bytes(-view.nbytes % 8))  # columns must begin at multiples of eight bytes
    return _Stored(file.name, data, [view.nbytes for view in views])


def _read_file(value: Any) -> Any:
    """Return a value that `_store` left in a file; its columns stay in the file's memory, whose changes are private."""
    if not isinstance(value, _Stored):
        return value
    with open(value.path, "rb") as file:
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    starts = accumulate((size + -size % 8 for size in value.sizes), initial=0)
    columns = [content[start : start + size] for start, size in zip(starts, value.sizes, strict=False)]
    return pickle.loads(value.data, buffers=columns)


def _take_file(result: Any) -> Any:
    """Return a result of `_call_with_files`, and remove its file."""
    value = _read_file(result)
    if isinstance(result, _Stored):
        os.unlink(result.path)
    return value


def count_processes(jobs: int | None) -> int:
    """Return the number of processes for `jobs`; None means one, unless `joblib.parallel_config` says otherwise.

    >>> count_processes(2), count_processes(1)
    (2, 1)
    """
    return 1 if _in_process(jobs) else int(import_extra("joblib", "joblib", "lab").effective_n_jobs(jobs))


def _in_process(jobs: int | None) -> bool:
    # Importing joblib takes time, so it is not imported to decide this.
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs == 0):
        message = f"jobs must be a number of processes, or −1 for all processors, not {jobs!r}"
        raise Error(message, field="jobs", value=jobs)
    # If joblib is not loaded, nobody can have called `parallel_config`.
    return jobs == 1 or (jobs is None and "joblib" not in sys.modules)


@dataclass(frozen=True, eq=False)
class SharedHistory:
    """A history to send to worker processes, without names.

    `__sizeof__` reports the real size, so that Dask sends the history once instead of with every task. A worker keeps
    the last history that it received: all tasks with this history get the same object, which keeps its schedule.

    >>> import sys
    >>> shared = SharedHistory.of(History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    >>> shared.history.players, sys.getsizeof(shared) > 36
    ((), True)
    """

    history: History
    key: str = field(default_factory=lambda: uuid4().hex)

    @classmethod
    def of(cls, history: History, columns: Collection[str] = ()) -> SharedHistory:
        """Return the history without what rating does not need; of the context, only the given columns remain."""
        contexts: dict[str, Any] = {}
        for field_name in FIELDS.values():
            context = getattr(history, field_name)
            kept = {name: column for name, column in context.items() if name in columns}
            contexts[field_name] = Context(kept) if kept else EMPTY
        return cls(replace(history, players=(), ids=None, remarks=(), **contexts))

    def __sizeof__(self) -> int:
        """Count the bytes of the columns."""
        return self.history.nbytes

    def __reduce__(self) -> tuple[Any, ...]:
        return _receive, (self.key, self.history)


_received: dict[str, SharedHistory] = {}


def _receive(key: str, history: History) -> SharedHistory:
    if key not in _received:
        _received.clear()
        _received[key] = SharedHistory(history, key)
    return _received[key]


PARALLEL_ENTRIES = 5_000_000  # with fewer entries, starting processes costs more time than it saves


def group_standings(
    model: Model,
    groups: Mapping[str, History],
    *,
    period: str | None = None,
    min_matches: int = 0,
    scale: tuple[float, float] | None = None,
    ranking: str | None = None,
    jobs: int | None = None,
) -> dict[str, Standings]:
    """Return the standings of several leagues, by name, each computed by `pw.standings` with the same options.

    `jobs` is a number of processes, as for `compare`; None uses all processors for large histories.

    >>> import prowess as pw
    >>> league = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
    >>> group_standings(pw.Elo(), {"2025": league, "2026": league})["2026"].frame["player"].to_list()
    ['ann', 'bob']
    """
    if jobs is None:
        large = len(groups) > 1 and sum(history.entries for history in groups.values()) >= PARALLEL_ENTRIES
        jobs = -1 if large and find_spec("joblib") else 1
    task = partial(standings, period=period, min_matches=min_matches, scale=scale, ranking=ranking)
    tables = run_tasks(task, [(model, history) for history in groups.values()], jobs=jobs, label="rating")
    return dict(zip(groups, tables, strict=True))
