"""Kinds of damage that editors, mail programs, disks and people do to files."""

import gzip
from collections.abc import Callable
from random import Random

from .bases import NAMES, Base

_LETTERS = "aZ0,;\t|\"' .-/:é\x00\ufeff½€\r"

Operation = Callable[[list[str], Base, Random], None]


def _line(lines: list[str], random: Random) -> int:
    """Choose a line, rarely the header."""
    first = 0 if len(lines) < 2 or random.random() < 0.05 else 1
    return random.randrange(first, len(lines)) if lines else -1


def _cell(lines: list[str], base: Base, random: Random, new: Callable[[str], str]) -> None:
    at = _line(lines, random)
    cells = lines[at].split(base.separator)
    column = random.randrange(len(cells))
    cells[column] = new(cells[column])
    lines[at] = base.separator.join(cells)


def _delete_letter(lines: list[str], base: Base, random: Random) -> None:
    at = _line(lines, random)
    where = random.randrange(len(lines[at]) or 1)
    lines[at] = lines[at][:where] + lines[at][where + 1 :]


def _insert_letter(lines: list[str], base: Base, random: Random) -> None:
    at = _line(lines, random)
    where = random.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:where] + random.choice(_LETTERS) + lines[at][where:]


def _replace_letter(lines: list[str], base: Base, random: Random) -> None:
    at = _line(lines, random)
    where = random.randrange(len(lines[at]) or 1)
    lines[at] = lines[at][:where] + random.choice(_LETTERS) + lines[at][where + 1 :]


def _empty_cell(lines: list[str], base: Base, random: Random) -> None:
    _cell(lines, base, random, lambda cell: "")


def _delete_cell(lines: list[str], base: Base, random: Random) -> None:
    at = _line(lines, random)
    cells = lines[at].split(base.separator)
    del cells[random.randrange(len(cells))]
    lines[at] = base.separator.join(cells)


def _swap_cells(lines: list[str], base: Base, random: Random) -> None:
    at = _line(lines, random)
    if lines[at] == base.header:  # a header with swapped names would make another valid file
        return
    cells = lines[at].split(base.separator)
    one, other = random.choices(range(len(cells)), k=2)
    cells[one], cells[other] = cells[other], cells[one]
    lines[at] = base.separator.join(cells)


def _text_for_number(lines: list[str], base: Base, random: Random) -> None:
    new = random.choice(("three", "n/a", "?", "3x", "-", "1,5", "9" * 30, "1e400", "nan", "0x1F", "#REF!"))
    _cell(lines, base, random, lambda cell: new if cell.strip().isdigit() else cell)


def _impossible_date(lines: list[str], base: Base, random: Random) -> None:
    new = random.choice(
        ("2024-02-30", "31.11.2024", "2024-13-01", "00.00.0000", "9999-99-99", "yesterday", "20240-1-1")
    )
    _cell(lines, base, random, lambda cell: new if cell[:2].isdigit() and len(cell) == 10 else cell)


def _other_name(lines: list[str], base: Base, random: Random) -> None:
    _cell(lines, base, random, lambda cell: random.choice(NAMES) if cell in NAMES else cell)


def _delete_line(lines: list[str], base: Base, random: Random) -> None:
    if lines:
        del lines[_line(lines, random)]


def _duplicate_line(lines: list[str], base: Base, random: Random) -> None:
    lines.insert(random.randrange(1, len(lines) + 1), lines[_line(lines, random)])


def _swap_lines(lines: list[str], base: Base, random: Random) -> None:
    one, other = _line(lines, random), _line(lines, random)
    lines[one], lines[other] = lines[other], lines[one]


def _join_lines(lines: list[str], base: Base, random: Random) -> None:
    at = _line(lines, random)
    if 0 < at < len(lines) - 1:
        lines[at : at + 2] = [lines[at] + lines[at + 1]]


def _break_line(lines: list[str], base: Base, random: Random) -> None:
    at = _line(lines, random)
    where = random.randrange(len(lines[at]) + 1)
    lines[at : at + 1] = [lines[at][:where], lines[at][where:]]


def _blank_lines(lines: list[str], base: Base, random: Random) -> None:
    blank = random.choice(("", "  ", base.separator * 3, "\t", base.separator * base.header.count(base.separator)))
    at = random.randrange(len(lines) + 1)
    lines[at:at] = [blank] * random.randrange(1, 4)


def _other_separator(lines: list[str], base: Base, random: Random) -> None:
    at = _line(lines, random)
    lines[at] = lines[at].replace(base.separator, random.choice([mark for mark in ",;\t|" if mark != base.separator]))


def _add_quote(lines: list[str], base: Base, random: Random) -> None:
    _cell(
        lines, base, random, lambda cell: random.choice((f'"{cell}', f'{cell}"', f'"{cell}"', f'{cell[:1]}"{cell[1:]}'))
    )


def _drop_quote(lines: list[str], base: Base, random: Random) -> None:
    at = _line(lines, random)
    lines[at] = lines[at].replace('"', "", 1)


def _trailing(lines: list[str], base: Base, random: Random) -> None:
    more = base.separator * random.randrange(1, 5)
    if random.random() < 0.5:
        lines[:] = [line + more for line in lines]
    else:
        lines[_line(lines, random)] += more


def _long_line(lines: list[str], base: Base, random: Random) -> None:
    text = random.choice(("x", "x,", '"', "9")) * random.choice((1000, 50_000))
    if random.random() < 0.5:
        _cell(lines, base, random, lambda cell: text)
    else:
        lines.insert(random.randrange(1, len(lines) + 1), text)


def _remove_header(lines: list[str], base: Base, random: Random) -> None:
    if lines and lines[0] == base.header:
        del lines[0]


def _repeat_header(lines: list[str], base: Base, random: Random) -> None:
    lines.insert(random.randrange(len(lines) + 1), base.header)


def _title(lines: list[str], base: Base, random: Random) -> None:
    lines.insert(0, random.choice(("League of the winter", "# exported", "Results: 2024", "sep=" + base.separator)))


def _foot(lines: list[str], base: Base, random: Random) -> None:
    lines.append(random.choice(("", "Total", "Source: the club", "Total" + base.separator + "18", "(18 rows)")))


_GENTLE: tuple[Operation, ...] = (_blank_lines, _trailing, _swap_lines, _repeat_header, _title, _foot, _duplicate_line)
_ROUGH: tuple[Operation, ...] = (
    _delete_letter, _insert_letter, _replace_letter, _empty_cell, _delete_cell, _swap_cells, _text_for_number,
    _impossible_date, _other_name, _delete_line, _join_lines, _break_line, _other_separator, _add_quote, _drop_quote,
    _long_line, _remove_header,
)  # fmt: skip
_OPERATIONS = _GENTLE + _ROUGH


def damaged(base: Base, random: Random) -> tuple[bytes, list[str]]:
    """Return a damaged file and a description of the damage."""
    lines = [base.header, *base.lines]
    chosen = random.choices(_OPERATIONS, k=random.randrange(1, 4))
    for operation in chosen:
        if lines:
            operation(lines, base, random)
    end = random.choice(("\n", "\n", "\r\n", "\r"))
    text = end.join(lines) + random.choice((end, ""))
    data = text.encode()
    done = [operation.__name__ for operation in chosen]
    if random.random() < 0.25:
        name, data = _bytes(data, end.encode(), random)
        done.append(name)
    return data, done


def _bytes(data: bytes, end: bytes, random: Random) -> tuple[str, bytes]:
    """Damage the bytes of a file."""
    at = random.randrange(len(data) + 1)
    kind = random.choice(("truncate", "zeros", "byte", "mark", "mixed ends", "line in Latin", "empty", "tail of zeros"))
    if kind == "truncate":
        return kind, data[:at]
    if kind == "zeros":
        return kind, data[:at] + b"\0\0" + data[at:]
    if kind == "byte":
        return kind, data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
    if kind == "mark":
        return kind, data[:at] + b"\xef\xbb\xbf" + data[at:]
    if kind == "mixed ends":
        return kind, b"".join(line + random.choice((b"\n", b"\r\n")) for line in data.split(end))
    if kind == "line in Latin":
        lines = data.split(end)
        one = random.randrange(len(lines))
        lines[one] = lines[one].decode().encode("latin-1", "replace")
        return kind, end.join(lines)
    return kind, b"" if kind == "empty" else data + b"\0" * 100


def truncated_archive(base: Base, random: Random) -> bytes:
    """Return a truncated compressed file."""
    whole = gzip.compress(base.text().encode())
    return whole[: random.randrange(1, len(whole))]
