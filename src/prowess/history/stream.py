"""Read a file larger than memory as a sequence of histories in chronological order."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error, Option, Piece, Remark
from ..validate import whole
from .cells.dates.columns import read_times
from .columns.context_columns import CONTEXT, PARTIAL, without_context
from .columns.duplicates import BOTH_VIEWS
from .columns.roles.infer_columns import infer_roles
from .columns.roles.layout import Layout, recognise
from .data_checks import spelling_remarks
from .history import History
from .names.aliases import Aliases
from .names.renaming import rename_findings
from .names.spelling import spelt_alike
from .read_context import FEW_ROWS, Findings, Table, history_or_error
from .read_options import Choices
from .readers import choose_context, from_table, with_matches
from .reading.chunks import RowQueue, read_chunks
from .slicing import stamp_of
from .times import Stamp, agree, show_time

if TYPE_CHECKING:
    import polars as pl

SAMPLE = 10_000  # minimum number of rows for decisions about the whole file


class Stream(Iterator[History]):
    """The histories of a file, each of about `rows` rows; `share` is the fraction of the file read so far.

    Decisions for all rows (the layout, the separator, whether the day or the month is first) are made from the first
    rows that allow them, and then kept. A match is never split. A history that begins before the previous one ends
    raises an `Error` that names the line.
    """

    def __init__(self, path: str | os.PathLike[str], choices: Choices, rows: int) -> None:
        """Prepare to read; the file is opened when the first history is requested."""
        self.rows = whole("rows", rows, least=1)
        self.choices = choices
        self.share = 0.0
        self.layout: Layout | None = None
        self.decided: dict[str, Any] = {}
        self.unusable = 0  # rows left out so far
        self._previous = _PreviousHistory()
        self._histories: Iterator[History] = self._read_all(path)

    def __next__(self) -> History:
        """Read the next history."""
        return next(self._histories)

    def peek(self) -> History:
        """Return the next history without consuming it."""
        history = next(self._histories)
        self._histories = chain([history], self._histories)
        return history

    def closing_remarks(self, players: Iterable[str]) -> tuple[Remark, ...]:
        """Return the remarks on names and aliases (see `Aliases.remarks`), which are made at the end of the file.

        `players` are all players of the file.
        """
        aliases, names = self.choices.aliases, list(players)
        groups = spelt_alike(names)
        sentences = [f"{' and '.join(repr(names[at]) for at in group)} are spelt almost alike" for group in groups]
        return (*spelling_remarks(sentences), *(aliases.remarks(names) if isinstance(aliases, Aliases) else ()))

    def _read_all(self, path: str | os.PathLike[str]) -> Iterator[History]:
        queue, empty = RowQueue(), True
        for chunk in read_chunks(path, self.choices, max(self.rows, SAMPLE)):
            if isinstance(chunk.content, Findings):
                self.share, empty = chunk.share, False
                yield self._check(rename_findings(choose_context(chunk.content, self.choices), self.choices), None)
                continue
            queue.add(with_matches(chunk.content))
            if self.layout is None and len(queue) >= SAMPLE:
                self._decide(queue.head(SAMPLE), partial=True)
            while self.layout is not None and (end := self._end(queue, more=True)):
                yield self._read(queue.take(end))
                empty = False
            self.share = chunk.share
        if self.layout is None and queue.tables:
            self._decide(queue.head(SAMPLE), partial=False)
        while len(queue) or empty:
            yield self._read(queue.take(self._end(queue, more=False)))
            empty = False

    def _decide(self, sample: Table, *, partial: bool) -> None:
        """Recognise the layout of the file, and make all decisions that its first rows allow.

        `partial` means that the sample is not the whole file.
        """
        columns, plain = sample.frame.columns, without_context(sample)
        try:
            recognise(plain.frame.columns, self.choices.columns)
        except Error:
            inferred = infer_roles(plain) if not self.choices.columns and len(sample.frame) else None
            if inferred is not None and inferred[0].frame.columns == plain.frame.columns:
                self.choices = replace(self.choices, columns=inferred[1])
        decided = {PARTIAL: True} if partial else {}
        findings = from_table(replace(sample, choices=self.choices, decided=decided))
        self.layout = findings.layout
        if (column := self._key()[0]) is not None and column not in columns:
            # The whole table is needed to decide whether its cells are scores or places.
            error = sample.error(
                0, "a table with a column per player cannot be read in chunks: read the whole file at once"
            )
            error.hint = Option("stream", False)
            raise error
        by_number = any(remark.code == "order-of-numbers" for remark in findings.history.remarks)
        if by_number and findings.history.time is None:
            error = sample.error(0, "the matches are not in the order of their numbers: read the whole file at once")
            error.hint = Option("stream", False)
            raise error
        # A large chunk makes its own decisions, with two exceptions. If matches are listed from both sides, a day must
        # not be split between chunks. The context must have the same columns in all histories.
        always = {BOTH_VIEWS, CONTEXT, PARTIAL} & findings.decisions.keys()
        lasting = findings.decisions.keys() if self.rows < SAMPLE else always
        self.decided = {name: findings.decisions[name] for name in lasting}

    def _end(self, queue: RowQueue, more: bool) -> int:
        """Return the number of rows of the next history: usually at most `rows`, and never ending within a match.

        `more` is true if the file has further rows. If possible, the history does not end within a day either.

        A match with more than `rows` rows is kept whole; a day with more rows is split. The return value 0 means that
        more rows must be read first.
        """
        if len(queue) < self.rows:
            return 0 if more else len(queue)
        column, is_match = self._key()
        if column is None:  # if a file with a row per player has no match column, all rows are one match
            return self.rows if not is_match else 0 if more else len(queue)
        before = _changes(queue.column(column, self.rows + 1))
        if len(queue) <= self.rows and not more:
            return len(queue)
        if len(before):
            return int(before[-1])
        if not is_match and not self.decided.get(BOTH_VIEWS):
            return self.rows
        after = _changes(queue.column(column, len(queue)))
        return int(after[0]) if len(after) else 0 if more else len(queue)

    def _key(self) -> tuple[str | None, bool]:
        """Return the match column and True in a file with a row per player, otherwise the time column and False."""
        is_match = self.layout is not None and not self.layout.sides
        return self._column("match" if is_match else "time"), is_match

    def _column(self, role: str) -> str | None:
        return None if self.layout is None else self.layout.roles.get(role)

    def _read(self, table: Table) -> History:
        table = replace(table, choices=self.choices, decided=self.decided)
        column, is_match = self._key()
        if column is not None and is_match and len(table.frame):
            self._previous.check_matches(table, column, self._column("time"))
        findings = from_table(table)
        self.decided |= findings.decisions
        if self.layout is not None and findings.layout is not None and findings.layout.shape != self.layout.shape:
            roles = Option("columns", dict(self.layout.roles))
            raise table.error(
                0, f"from here on, the columns seem to mean something else ({findings.layout.shape}); try ", roles
            )
        return self._check(findings, table)

    def _check(self, findings: Findings, table: Table | None) -> History:
        self.unusable += findings.unusable_rows()
        skip = self.choices.skip_problems
        if skip is None and self.unusable > FEW_ROWS:
            skip = False  # each chunk has few unusable rows, but all chunks together have too many
        history = history_or_error(findings, skip, part=True)
        if history.time_zone is not None and history.time_zone[0] in "+-":
            # Later times may have another offset, such as daylight saving time.
            history = replace(history, time_zone="UTC")
        self._previous.check_time(history, findings.title, table, self._column("time"))
        return history


def _changes(key: "pl.Series") -> NDArray[np.intp]:
    return np.flatnonzero(key.ne_missing(key.shift(1)).to_numpy()[1:]) + 1


class _PreviousHistory:
    """The end of the previous history: its last time, and the matches that must not continue in the next history."""

    def __init__(self) -> None:
        self.stamp: Stamp | None = None
        self.time: float | None = None
        self.empty = True
        self.last_cell: object = None
        self.matches: list[NDArray[np.uint64]] = []

    def check_time(self, history: History, title: str, table: Table | None, column: str | None) -> None:
        if not len(history):
            return
        if not self.empty and (history.time is None) != (self.time is None):
            raise _error(title, table, 0, "give a time to every match, or to none")
        self.empty = False
        if history.time is None:
            return
        stamp = stamp_of(history)
        try:
            self.stamp = agree(self.stamp or stamp, stamp, utc="UTC" in (stamp.zone, self.stamp and self.stamp.zone))
        except Error as error:
            raise _error(title, table, 0, *error.pieces) from None
        if self.time is not None and history.time[0] < self.time:
            row = 0
            if table is not None and column is not None and (times := read_times(table, column)) is not None:
                row = int(times.number.argmin())
            now, before = (show_time(*self.stamp, when) for when in (history.time[0], self.time))
            text = f"a match at {now} comes after one at {before}"
            late = _error(title, table, row, f"{text}: sort the file by time, or read the whole file at once")
            late.hint = Option("stream", False)
            raise late
        self.time = history.time[-1]

    def check_matches(self, table: Table, column: str, time: str | None) -> None:
        # If matches have times, only matches at the last time can continue in the next chunk.
        frame = table.frame
        columns = {column, time or column}  # the match column may also be the time column
        key = frame.select(sorted(columns)).hash_rows(seed=1).to_numpy()
        for earlier in self.matches:
            repeated = np.flatnonzero(np.isin(key, earlier))
            if len(repeated):
                row = int(repeated[0])
                value = frame[column][row]
                held = f"column {column!r} holds {value!r}"
                text = f"{held}, but rows of other matches lie between the rows of this match: sort the file"
                raise table.error(row, f"{text}, so that the rows of a match are together", column=column, value=value)
        if time is not None:
            last = frame[time][-1]
            key = key[frame[time].eq_missing(last).to_numpy()]
            self.matches = self.matches if self.last_cell == last else []
            self.last_cell = last
        self.matches.append(np.unique(key))
        while len(self.matches) > 1 and len(self.matches[-2]) <= 2 * len(self.matches[-1]):
            # Arrays of similar sizes are merged, to keep the list short.
            self.matches.append(np.union1d(self.matches.pop(), self.matches.pop()))


def _error(title: str, table: Table | None, row: int, *pieces: Piece) -> Error:
    if table is None or not len(table.frame):
        return Error(f"{title}: ", *pieces, field="time")
    return table.error(row, *pieces, column="time")
