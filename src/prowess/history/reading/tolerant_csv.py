"""The records of a text, read as a person would: also where quotation marks do not fit together."""

import re
from collections.abc import Iterator
from typing import NamedTuple

BLANKS = ("  ", " ")  # separators that are not one character: columns aligned by two or more blanks, or by any
_OPEN = "a quotation mark is opened and not closed"


class Record(NamedTuple):
    """The cells of a record, the number of the line on which it begins, and what is wrong with it."""

    line: int
    cells: list[str]
    fault: str | None = None
    stray: bool = False


def records(text: str, separator: str) -> Iterator[Record]:
    r'''Give the records of a text whose lines end in "\n".

    A mark that opens a cell and is not closed before a separator is taken as it stands, and is a fault: so it does not
    swallow what follows. Marks within a cell are part of it.

    >>> [record.cells for record in records('a,b\n"x, ""y""",O"Neil\n"c,d\ne,f', ",")]
    [['a', 'b'], ['x, "y"', 'O"Neil'], ['"c', 'd'], ['e', 'f']]
    '''
    cells = _Cells(separator)
    position, line, usual = 0, 1, 0
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        if text.find('"', position, end) < 0:
            record = Record(line, cells.plain(text[position:end]))
        else:
            first, (record, end) = end, cells.quoted(text, position, line)
            if end > first and (len(record.cells) != usual or cells.are_rows(text[first + 1 : end], usual)):
                alone, _ = cells.quoted(text[position:first], 0, line)
                # The mark that ends the cell belongs to another line, which would be lost without a word.
                if len(alone.cells) == usual or record.stray:
                    record, end = alone, first
        if record.fault is None and len(record.cells) > 1:  # blank lines and titles say nothing of it
            usual = len(record.cells)
        yield record
        line += 1 + text.count("\n", position, end)
        position = end + 1


class _Cells:
    """How records fall into cells at a separator."""

    def __init__(self, separator: str) -> None:
        self.separator = separator
        self.blanks = separator in BLANKS
        mark = {"  ": r"[ \t]{2,}", " ": r"[ \t]+"}.get(separator) or re.escape(separator)
        end = rf"(?={mark}|[ \t]*(?:\n|\Z))" if self.blanks else r"[ \xa0]*" + rf"(?={mark}|\n|\Z)"
        self.mark = re.compile(mark)
        self.cell = re.compile(rf'[ \xa0]*"([^"]*+(?:""[^"]*+)*+)"{end}')
        self.rest = re.compile(rf"[^\n]*?(?={mark}|\n|\Z)")

    def plain(self, line: str) -> list[str]:
        """Give the cells of a line without quotation marks."""
        return self.mark.split(line.strip()) if self.blanks else line.split(self.separator)

    def are_rows(self, text: str, width: int) -> bool:
        """Say whether most lines of a text are rows of the usual width, and so no part of a cell in quotation marks.

        In rosters and sentences, which do belong in a cell, a blank follows the comma.
        """
        lines = [self.quoted(line, 0, 0)[0].cells for line in text.split("\n")]
        rows = sum(len(cells) == width and not any(cell.startswith(" ") for cell in cells) for cells in lines)
        return width > 2 and 2 * rows > len(lines)

    def quoted(self, text: str, position: int, line: int) -> tuple[Record, int]:
        """Give the record that begins at a position, and where it ends."""
        cells, fault, stray = [], None, False
        while True:
            if self.blanks:
                while position < len(text) and text[position] in " \t":
                    position += 1
            cell = self.cell.match(text, position)
            if cell is not None:
                cells.append(cell[1].replace('""', '"'))
            else:
                cell = self.rest.match(text, position)
                assert cell is not None
                cells.append(cell[0])
                stray = stray or '"' in cell[0]
                if cell[0].lstrip().startswith('"') and cell[0].count('"') % 2:
                    fault = _OPEN
            position = cell.end()
            gap = self.mark.match(text, position)
            if gap is None or (self.blanks and text[gap.end() : gap.end() + 1] in ("", "\n")):
                end = text.find("\n", position)
                return Record(line, cells, fault, stray), len(text) if end < 0 else end
            position = gap.end()
