"""A tolerant CSV parser, which reads records as a person would, even if quotation marks do not match."""

import re
from collections.abc import Iterator
from typing import NamedTuple

BLANKS = ("  ", " ")  # separators of aligned columns: two or more spaces, or any whitespace


class Record(NamedTuple):
    """A CSV record: its cells, the line on which it begins, and a description of its fault, if any."""

    line: int
    cells: list[str]
    fault: str | None = None
    stray: bool = False  # whether an unquoted cell holds a quotation mark


def records(text: str, separator: str) -> Iterator[Record]:
    r'''Yield the records of a text whose lines end in "\n".

    If the opening quotation mark of a cell is not closed before a separator, the cell is read as written and reported,
    so that it does not swallow the following records. Quotation marks within a cell are part of the cell.

    >>> [record.cells for record in records('a,b\n"x, ""y""",O"Neil\n"c,d\ne,f', ",")]
    [['a', 'b'], ['x, "y"', 'O"Neil'], ['"c', 'd'], ['e', 'f']]
    '''
    tokenizer = _Tokenizer(separator)
    position, line, usual = 0, 1, 0
    while position < len(text):
        end = _line_end(text, position)
        if text.find('"', position, end) < 0:
            record = Record(line, tokenizer.split(text[position:end]))
        else:
            first_end, (record, end) = end, tokenizer.read(text, position, line)
            width = len(record.cells)
            if end > first_end and (width != usual or tokenizer.are_rows(text[first_end + 1 : end], usual)):
                alone, _ = tokenizer.read(text[position:first_end], 0, line)
                # The closing mark belongs to another record, and the records up to that mark would be lost silently.
                if len(alone.cells) == usual or record.stray:
                    record, end = alone, first_end
        # Ignore blank lines and titles, which do not have the width of the table.
        if record.fault is None and len(record.cells) > 1:
            usual = len(record.cells)
        yield record
        line += 1 + text.count("\n", position, end)
        position = end + 1


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


class _Tokenizer:
    def __init__(self, separator: str) -> None:
        self.separator = separator
        self.blanks = separator in BLANKS
        mark = {"  ": r"[ \t]{2,}", " ": r"[ \t]+"}.get(separator) or re.escape(separator)
        end = rf"(?={mark}|[ \t]*(?:\n|\Z))" if self.blanks else r"[ \xa0]*" + rf"(?={mark}|\n|\Z)"
        self.mark = re.compile(mark)
        self.quoted = re.compile(rf'[ \xa0]*"([^"]*+(?:""[^"]*+)*+)"{end}')
        self.unquoted = re.compile(rf"[^\n]*?(?={mark}|\n|\Z)")

    def split(self, line: str) -> list[str]:
        return self.mark.split(line.strip()) if self.blanks else line.split(self.separator)

    def are_rows(self, text: str, width: int) -> bool:
        """Return whether a text between quotation marks is really several rows: most of its lines have the usual width.

        A line counts as a row if at least two of its cells are filled and none begins with a space. Rosters and
        sentences, which belong in a cell, have a space after each comma.
        """
        lines = [self.read(line, 0, 0)[0].cells for line in text.split("\n")]
        rows = sum(
            len(cells) == width
            and sum(cell.strip('" ') != "" for cell in cells) > 1
            and not any(cell.startswith(" ") for cell in cells)
            for cells in lines
        )
        return width > 2 and 2 * rows > len(lines)

    def read(self, text: str, position: int, line: int) -> tuple[Record, int]:
        cells, fault, stray = [], None, False
        while True:
            while self.blanks and text[position : position + 1] in (" ", "\t"):
                position += 1
            if cell := self.quoted.match(text, position):
                cells.append(cell[1].replace('""', '"'))
            else:
                cell = self.unquoted.match(text, position)
                assert cell is not None
                cells.append(cell[0])
                stray = stray or '"' in cell[0]
                if cell[0].lstrip().startswith('"') and cell[0].count('"') % 2:
                    fault = "a quotation mark is not closed"
            position = cell.end()
            gap = self.mark.match(text, position)
            if gap is None or (self.blanks and text[gap.end() : gap.end() + 1] in ("", "\n")):
                return Record(line, cells, fault, stray), _line_end(text, position)
            position = gap.end()
