"""Where the records of a text begin, counted in its bytes: as fast as they can be read."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

_CHUNK = 1 << 16  # what a processor keeps at hand
_NEWLINE, _RETURN, _QUOTE = 10, 13, 34
Bytes = NDArray[np.uint8]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Lines:
    r"""The lines of a text, and the records in it, which may go over several because a quoted cell holds newlines.

    >>> lines = Lines(np.frombuffer(b'a,"b\nc"\nd,e\n', np.uint8), ord(","))
    >>> lines.count, lines.regular, [lines.of(record, records=2) for record in range(2)]
    (3, True, [1, 3])
    """

    data: Bytes
    separator: int

    def of(self, record: int, records: int) -> int:
        """Give the number of the line on which a record begins, in a text of so many records."""
        return record + 1 if records == self.count or self.starts is None else int(self.starts[record])

    @cached_property
    def count(self) -> int:
        """Give the number of lines."""
        chunks = (self.data[begin : begin + _CHUNK] for begin in range(0, len(self.data), _CHUNK))
        newlines = sum(int(np.count_nonzero(chunk == _NEWLINE)) for chunk in chunks)
        return newlines + int(len(self.data) > 0 and self.data[-1] != _NEWLINE)

    @cached_property
    def _seen(self) -> tuple[bool, bool]:
        quoted = False
        for begin in range(0, len(self.data), _CHUNK):
            chunk = self.data[begin : begin + _CHUNK]
            if not chunk.min():
                return quoted, False
            if (chunk == _QUOTE).any():
                quoted = True
                if not self._fits(self.data[max(0, begin - 1) : begin + _CHUNK + 1]):
                    return quoted, False
        return quoted, True

    @property
    def regular(self) -> bool:
        """Say whether all quotation marks stand beside a separator, a newline or another mark, and no byte is zero."""
        return self._seen[1]

    def hold(self, records: int) -> bool:
        """Say whether there are so many records: one on each line, or fewer where quoted cells hold newlines.

        All readers agree about these where every quoted cell begins after a separator and ends before one (RFC 4180).
        """
        quoted, _ = self._seen
        if not quoted or records == self.count:
            return True
        finished = int(self.data[-1] == _NEWLINE)
        return self.starts is not None and records == len(self.starts) - finished

    @cached_property
    def starts(self) -> NDArray[np.int64] | None:
        """Give the line of every record, None where quoted cells do not end as they should."""
        pieces, lines, inside = [np.ones(1, np.int64)], 1, 0
        for begin in range(0, len(self.data), _CHUNK):
            chunk = self.data[begin : begin + _CHUNK]
            quotes, newlines = np.flatnonzero(chunk == _QUOTE), np.flatnonzero(chunk == _NEWLINE)
            if not self._close(quotes + begin, inside):
                return None
            outside = (np.searchsorted(quotes, newlines) + inside) % 2 == 0
            pieces.append(lines + 1 + np.flatnonzero(outside))
            lines += len(newlines)
            inside = (len(quotes) + inside) % 2
        return None if inside else np.concatenate(pieces)

    def _close(self, quotes: NDArray[np.intp], inside: int) -> bool:
        """Say whether marks that open stand after a separator and those that close before one.

        Two marks in a row, which stand for one, close and open again.
        """
        opening, closing = quotes[inside::2], quotes[1 - inside :: 2]
        before = self.data[np.maximum(opening - 1, 0)]
        after = self.data[np.minimum(closing + 1, len(self.data) - 1)]
        begins = self._edge(before) | (opening == 0)
        ends = self._edge(after) | (closing == len(self.data) - 1)
        return bool(begins.all() and ends.all())

    def _edge(self, data: Bytes) -> Bools:
        edge: Bools = (data == self.separator) | (data == _QUOTE) | (data == _NEWLINE) | (data == _RETURN)
        return edge

    def _fits(self, data: Bytes) -> bool:
        quotes = data == _QUOTE
        edge = self._edge(data)
        good = ~quotes
        good[1:] |= edge[:-1]
        good[:-1] |= edge[1:]
        good[0] = good[-1] = True  # of the neighbours, or at the very start or end of the text
        return bool(good.all())
