"""Histories of a file larger than memory: one after another, in the order of time."""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error, Option, Piece
from ..validate import whole
from .cells.dates.columns import read_times
from .columns.infer_columns import infer_roles
from .columns.layout import Layout, recognise
from .history import History
from .read_context import Findings, Table, history_or_error
from .read_options import Choices
from .readers import from_table
from .reading.chunks import RowQueue, read_chunks
from .times import Stamp, agree, show_time

if TYPE_CHECKING:
    import polars as pl

SAMPLE = 10_000  # rows by which decisions are taken, at the least


class Stream(Iterator[History]):
    """The histories of a file, each of about so many rows; `share` says how much of the file has been read.

    What holds for all rows (the layout, the separator, whether the day or the month stands first) is decided by the
    first rows in which it shows, and then kept. A match is never cut, and a history never begins before the end of the
    one before: otherwise it is an Error that says where.
    """

    def __init__(self, path: str | os.PathLike[str], choices: Choices, rows: int) -> None:
        """Open nothing yet; the file is read as the histories are asked for."""
        self.rows = whole("rows", rows, least=1)
        self.choices = choices
        self.share = 0.0
        self.layout: Layout | None = None
        self.decided: dict[str, Any] = {}
        self._last = _Last()
        self._found = self._histories(path)

    def __next__(self) -> History:
        """Read the next history."""
        return next(self._found)

    def _histories(self, path: str | os.PathLike[str]) -> Iterator[History]:
        queue, empty = RowQueue(), True
        for chunk in read_chunks(path, self.choices, max(self.rows, SAMPLE)):
            if isinstance(chunk.content, Findings):
                self.share, empty = chunk.share, False
                yield self._next(chunk.content, None)
                continue
            queue.add(chunk.content)
            if self.layout is None:
                self._look(queue.head(SAMPLE))
            while end := self._end(queue, more=True):
                yield self._read(queue.take(end))
                empty = False
            self.share = chunk.share
        while len(queue) or empty:
            yield self._read(queue.take(self._end(queue, more=False)))
            empty = False

    def _look(self, sample: Table) -> None:
        """Recognise the layout of the file, and take the decisions that its first rows lead to."""
        columns = sample.frame.columns
        try:
            recognise(columns, self.choices.columns)
        except Error:
            inferred = infer_roles(sample) if not self.choices.columns and len(sample.frame) else None
            if inferred is not None and inferred[0].frame.columns == columns:
                self.choices = replace(self.choices, columns=inferred[1])
        findings = from_table(replace(sample, choices=self.choices))
        self.layout = findings.layout
        if self.rows < SAMPLE:
            self.decided = dict(findings.decisions)

    def _end(self, queue: RowQueue, more: bool) -> int:
        """Give where the next history ends: after so many rows at the most, but not within a match, nor within a day.

        A match of more rows is taken whole; a day is not. 0 asks for more rows.
        """
        if len(queue) < self.rows:
            return 0 if more else len(queue)
        column, is_match = self._key()
        if column is None:
            return self.rows
        before = _changes(queue.column(column, self.rows + 1))
        if len(queue) <= self.rows and not more:
            return len(queue)
        if len(before):
            return int(before[-1])
        if not is_match:
            return self.rows
        after = _changes(queue.column(column, len(queue)))
        return int(after[0]) if len(after) else 0 if more else len(queue)

    def _key(self) -> tuple[str | None, bool]:
        """Give the column of the matches where a row is a player, else that of the times."""
        if self.layout is None:
            return None, False
        if self.layout.sides:
            return self.layout.roles.get("time"), False
        return self.layout.roles.get("match"), True

    def _read(self, table: Table) -> History:
        table = replace(table, choices=self.choices, decided=self.decided)
        column, is_match = self._key()
        if column is not None and is_match and len(table.frame):
            self._last.check_matches(table, column, self.layout.roles.get("time") if self.layout else None)
        findings = from_table(table)
        self.decided |= findings.decisions
        if self.layout is not None and findings.layout is not None and findings.layout.shape != self.layout.shape:
            roles = Option("columns", dict(self.layout.roles))
            raise table.error(0, f"from here on the file looks different ({findings.layout.shape}): say ", roles)
        return self._next(findings, table)

    def _next(self, findings: Findings, table: Table | None) -> History:
        history = history_or_error(findings, self.choices.skip_problems)
        if history.time_zone is not None and history.time_zone[0] in "+-":
            history = replace(history, time_zone="UTC")  # later ones may have another offset, as in summer and winter
        column = self.layout.roles.get("time") if self.layout is not None else None
        self._last.check_time(history, findings.title, table, column)
        return history


def _changes(key: "pl.Series") -> NDArray[np.intp]:
    """Give the rows that differ from the row before."""
    return np.flatnonzero(key.ne_missing(key.shift(1)).to_numpy()[1:]) + 1


class _Last:
    """What is known of the end of the history before."""

    def __init__(self) -> None:
        """Begin before all histories."""
        self.stamp: Stamp | None = None
        self.time: float | None = None
        self.there = False
        self.when: object = None
        self.matches: list[NDArray[np.uint64]] = []

    def check_time(self, history: History, title: str, table: Table | None, column: str | None) -> None:
        """Raise an Error if a history begins before the end of the one before."""
        if not len(history):
            return
        if self.there and (history.time is None) != (self.time is None):
            raise _error(title, table, 0, "give a time to every match, or to none")
        self.there = True
        if history.time is None or history.time_kind is None:
            return
        stamp = Stamp(history.time_kind, history.time_zone)
        try:
            self.stamp = agree(self.stamp or stamp, stamp, utc="UTC" in (stamp.zone, self.stamp and self.stamp.zone))
        except Error as error:
            raise _error(title, table, 0, *error.pieces) from None
        if self.time is not None and history.time[0] < self.time:
            row = 0
            if table is not None and column is not None and (times := read_times(table, column)) is not None:
                row = int(times.number.argmin())
            now, before = (show_time(*self.stamp, when) for when in (history.time[0], self.time))
            text = f"a match of {now} stands after one of {before}: sort the file by time, or read it as a whole"
            late = _error(title, table, row, text)
            late.hint = Option("stream", False)
            raise late
        self.time = history.time[-1]

    def check_matches(self, table: Table, column: str, time: str | None) -> None:
        """Raise an Error if a match comes again, after others; where there are times, those of the last are known."""
        frame = table.frame
        names = [column] if time is None else [column, time]
        key = frame.select(names).hash_rows(seed=1).to_numpy()
        for earlier in self.matches:
            repeated = np.flatnonzero(np.isin(key, earlier))
            if len(repeated):
                row = int(repeated[0])
                held = f"column {column!r} holds {frame[column][row]!r}, a match that began before other matches"
                text = f"{held}: the rows of a match must stand together: sort the file"
                raise table.error(row, text, column=column, value=frame[column][row])
        if time is not None:
            last = frame[time].eq_missing(frame[time][-1]).to_numpy()
            if self.when != frame[time][-1]:
                self.matches = []
            self.when, key = frame[time][-1], key[last]
        self.matches.append(np.unique(key))
        while len(self.matches) > 1 and len(self.matches[-2]) <= 2 * len(self.matches[-1]):
            self.matches.append(np.union1d(self.matches.pop(), self.matches.pop()))  # so that there are few to look in


def _error(title: str, table: Table | None, row: int, *pieces: Piece) -> Error:
    if table is None or not len(table.frame):
        return Error(f"{title}: ", *pieces, field="time")
    return table.error(row, *pieces, column="time")
