"""Many leagues rated apart: one after another, or in parallel where that is faster."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..model.change import Standings, standings
from .parallel import each

if TYPE_CHECKING:
    from ..history import History
    from ..model.model import Model

__all__ = ["group_standings"]

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
    return dict(zip(groups, each(_one, tasks, jobs=jobs, label="rating"), strict=True))


def _one(model: Model, history: History, period: str | None, min_matches: int) -> Standings:
    return standings(model, history, period=period, min_matches=min_matches)
