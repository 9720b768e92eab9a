"""Many tasks through joblib: in this process, in processes of this machine, or wherever its backend leads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import Error
from ..model.fit.leaderboard import Standings, standings
from ..optional import import_extra
from ..progress import steps

if TYPE_CHECKING:
    from ..history import History
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
    """The results of a function for all tasks, in their order, with a bar for what takes longer than two seconds.

    `jobs`: 1 works in this process, 2 in two processes, −1 in as many as there are processors. None works in this
    process, too, unless `joblib.parallel_config` says otherwise.

    >>> run_tasks(max, [(1, 2), (4, 3)])
    [2, 4]
    """
    if _stays_here(jobs):
        found: Iterator[Result] = (function(*task) for task in tasks)
    else:
        found = _through_joblib(function, tasks, jobs)
    return [next(found) for _ in steps(range(len(tasks)), label, progress)]


def count_processes(jobs: int | None) -> int:
    """How many processes `jobs` stands for; None is one, unless `joblib.parallel_config` says otherwise.

    >>> count_processes(2), count_processes(1)
    (2, 1)
    """
    if _stays_here(jobs):
        return 1
    found: int = import_extra("joblib", "joblib", "lab").effective_n_jobs(jobs)
    return found


def _stays_here(jobs: int | None) -> bool:
    """Whether the work stays in this process, as far as can be told without joblib."""
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs == 0):
        raise Error(
            f"jobs must be a number of processes, or −1 for all processors, not {jobs!r}", field="jobs", value=jobs
        )
    return jobs == 1 or (jobs is None and "joblib" not in sys.modules)


def _through_joblib(
    function: Callable[..., Result], tasks: Sequence[tuple[Any, ...]], jobs: int | None
) -> Iterator[Result]:
    """The results as they come, in the order of the tasks, where the backend can; else all at the end."""
    joblib = import_extra("joblib", "joblib", "lab")
    backend, _ = joblib.parallel.get_active_backend()
    gives = getattr(backend, "supports_return_generator", False)
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator" if gives else "list")
    return iter(parallel(joblib.delayed(function)(*task) for task in tasks))


PAYS = 5_000_000  # entries from which it is worth to start processes


def group_standings(
    model: Model,
    groups: Mapping[str, History],
    *,
    period: str | None = None,
    min_matches: int = 0,
    jobs: int | None = None,
) -> dict[str, Standings]:
    """The standings of each league by its name, as `standings` gives them.

    `jobs` is a number of processes, as for `compare`; None takes all processors where there is much to do.

    >>> import prowess as pw
    >>> league = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
    >>> group_standings(pw.Elo(), {"2025": league, "2026": league})["2026"].frame["player"].to_list()
    ['ann', 'bob']
    """
    if jobs is None:
        much = len(groups) > 1 and sum(history.entries for history in groups.values()) >= PAYS
        jobs = -1 if much and find_spec("joblib") else 1
    tasks = [(model, history, period, min_matches) for history in groups.values()]
    return dict(zip(groups, run_tasks(_one, tasks, jobs=jobs, label="rating"), strict=True))


def _one(model: Model, history: History, period: str | None, min_matches: int) -> Standings:
    return standings(model, history, period=period, min_matches=min_matches)
