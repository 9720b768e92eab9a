"""Why a rating is what it is: one player's way through a history, match by match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..history import History, name_of, show_time
from ..history.ragged import owners
from ..history.times import DAY
from .columns import Columns, Record
from .elapsed import since
from .explanation import Explanation
from .ladder import Ladder
from .meeting import expectations, people, results
from .progress import steps
from .rate import look_up
from .rating import Rating, put, taken
from .sweep import sweep

if TYPE_CHECKING:
    import polars as pl

    from .fit import Fit

__all__ = ["explain"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

CHUNK = 200_000  # matches between two looks at the keyboard


def explain(fit: Fit, name: str, before: Ladder, rows: NDArray[np.int32]) -> Explanation:
    """Go through the history once more, and stop at every match of one player.

    `before` is the ladder with which the fit began, `rows` are the rows of the entries in it.
    """
    now = fit[name]  # an unknown name is an error, with a hint
    key, history = name_of(name), fit.history
    entry = _entries(history, key)
    team = np.searchsorted(history.team_start, entry, side="right") - 1
    match = np.searchsorted(history.match_start, team, side="right") - 1
    known = key in before
    start = before[key] if known else now
    beliefs: list[tuple[Rating, Rating]] = []
    if len(entry):
        start, beliefs = _walk(fit, before.copy(), rows, int(rows[entry[0]]), match)
    frame = _frame(fit, entry, team, match, start, beliefs)
    return Explanation(key, fit.model, start, now, not known, frame)


def _entries(history: History, name: str) -> Ints:
    """The entries of a player in matches that count."""
    player = history.players.index(name) if name in history.players else -1
    entry = np.flatnonzero(history.player == player)
    if history.importance is None:
        return entry
    match = owners(history.match_start)[owners(history.team_start)[entry]]
    return entry[history.importance[match] > 0]


def _walk(
    fit: Fit, ladder: Ladder, rows: NDArray[np.int32], row: int, matches: Ints
) -> tuple[Rating, list[tuple[Rating, Rating]]]:
    """What was believed at the start, and before and after each of some matches."""
    history, pipeline = fit.history, fit.model.pipeline
    columns = Columns(history, rows)
    record = Record(columns, pipeline.traits)
    ladder.reserve(int(rows.max()) + 1)
    sizes = np.diff(history.match_start), np.diff(history.team_start[history.match_start])
    board = pipeline.board(int(sizes[0].max()), int(sizes[1].max()))
    table = ladder.table
    stops = np.union1d(np.union1d(matches, matches + 1), np.arange(0, matches[-1] + 1, CHUNK))
    wanted = set(matches.tolist())
    last = _belief(ladder, row)
    start = last
    found: list[tuple[Rating, Rating]] = []
    for index in steps(range(len(stops) - 1), "explaining"):
        first = int(stops[index])
        if first not in wanted:
            sweep(pipeline, board, columns, table, record, first, int(stops[index + 1]))
            continue
        if not found:
            start = last = _belief(ladder, row)  # newcomers may be another level by now
        waited = _waited(ladder, history, row, first)
        sweep(pipeline, board, columns, table, record, first, first + 1)
        drifted = last if waited is None else _drifted(ladder, last, waited)
        last = look_up(pipeline, table, row)
        found.append((drifted, last))
    pipeline.put_back(board)
    return start, found


def _belief(ladder: Ladder, row: int) -> Rating:
    """What is believed of a player, or of a newcomer."""
    unseen = np.isnan(ladder.state[row, 0])
    return ladder.newcomer if unseen else look_up(ladder.model.pipeline, ladder.table, row)


def _waited(ladder: Ladder, history: History, row: int, match: int) -> float | None:
    """The time since the last match, as boards have it; None within a rating period, in which nobody drifts."""
    now = np.nan if history.time is None else float(history.time[match])
    waited = since(ladder, row, 1.0 if history.time_kind == "number" else DAY, now)
    if ladder.model.period is None:
        return waited
    width, then = ladder.model.pipeline.width, ladder.state[row, 2 * ladder.model.pipeline.traits]
    still_open = ladder.state[row, width - 2] > 0.0 and now >= then and waited == 0.0
    return None if still_open else waited


def _drifted(ladder: Ladder, rating: Rating, waited: float) -> Rating:
    """What a drift makes of a rating until the next match: wider, and where seasons end another mean."""
    pipeline = ladder.model.pipeline
    board = pipeline.board(1, 1)
    for index, known in enumerate(ladder.memory.tolist()):
        board.memory[index] = known
    pipeline.absorb.welcome(board, 0)
    put(rating, pipeline.kind, board, 0)
    board.elapsed[0] = waited
    pipeline.drift.widen(board)
    found = taken(pipeline.kind, board, 0)
    pipeline.put_back(board)
    return found


def _frame(
    fit: Fit, entry: Ints, team: Ints, match: Ints, start: Rating, beliefs: list[tuple[Rating, Rating]]
) -> pl.DataFrame:
    """A row for every match: who, how it ended, what was expected, what it moved."""
    import polars as pl

    history = fit.history
    columns: dict[str, Any] = {"match": match}
    if history.ids is not None:
        columns["id"] = [history.ids[index] for index in match]
    if history.time is not None and history.time_kind is not None:
        columns["time"] = [show_time(history.time_kind, history.time_zone, when) for when in history.time[match]]
    columns |= people(history, entry, team, match)
    columns |= results(history, team, match)
    columns |= expectations(fit.forecasts.take(match), team - history.match_start[match])
    columns |= _moves(start, beliefs)
    schema = {"partners": pl.List(pl.String), "opponents": pl.List(pl.String)}
    floats = ["expected", "sigma_before", "sigma_after"]
    return pl.DataFrame(columns, schema_overrides=schema).with_columns(pl.col(floats).cast(pl.Float64).fill_nan(None))


def _moves(start: Rating, beliefs: list[tuple[Rating, Rating]]) -> dict[str, Any]:
    """What was believed before and after each match, what it moved, and what had moved since the match before."""
    before, after = ([pair[k] for pair in beliefs] for k in (0, 1))
    found: dict[str, Any] = {}
    for what in ("mu", "shown"):
        then, now = (np.array([getattr(one, what) for one in some], np.float64) for some in (before, after))
        previous = np.concatenate([[getattr(start, what)], now])[:-1]
        prefix = "" if what == "mu" else "shown_"
        found |= {f"{what}_before": then, f"{what}_after": now}
        found |= {f"{prefix}drifted": then - previous, f"{prefix}moved": now - then}
    for key, some in (("sigma_before", before), ("sigma_after", after)):
        found[key] = np.array([np.nan if one.sigma is None else one.sigma for one in some], np.float64)
    return found
