"""Reading a wide file takes work in proportion to its cells, whatever the columns hold.

The tests count calls of functions instead of seconds, so they give the same result on any machine.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import FrameType

import pytest

from prowess import Error
from prowess.history import History

ROWS = 12
COLUMNS = 60
MOST = 10  # the largest ratio of calls for four times as many columns; quadratic work gives 16, cubic work 64


def _names(random: Random, column: int) -> str:
    return random.choice(("Ann", "Bob", "Cid", "Dan", "Eva")) + " " + random.choice("KLMNOPQR")


def _other_names(random: Random, column: int) -> str:
    return f"{_names(random, column)} {'xyz'[column % 3]}"


def _whole_numbers(random: Random, column: int) -> str:
    return str(random.randrange(100))


def _decimals(random: Random, column: int) -> str:
    return f"{random.random() * 100:.2f}"


def _ones(random: Random, column: int) -> str:
    return str(random.randrange(2))


def _results(random: Random, column: int) -> str:
    return f"{random.randrange(9)}-{random.randrange(9)}"


def _dates(random: Random, column: int) -> str:
    return f"2024-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}"


def _words_and_numbers(random: Random, column: int) -> str:
    return _whole_numbers(random, column) if column % 3 else f"word {random.randrange(30)}"


CELLS = (_names, _other_names, _whole_numbers, _decimals, _ones, _results, _dates, _words_and_numbers)


def wide_file(cell: Callable[[Random, int], str], columns: int, heading: str, names: int) -> str:
    """Return a file whose first columns are names, and whose other columns hold the given kind of cell."""
    random = Random(f"{cell.__name__} {heading} {names}")
    lines = [",".join(f"{heading}{column}" for column in range(columns))]
    for _ in range(ROWS):
        players = [_names(random, column) for column in range(names)]
        lines.append(",".join([*players, *(cell(random, column) for column in range(names, columns))]))
    return "\n".join(lines) + "\n"


def calls(path: Path) -> int:
    """Return the number of calls of Python functions while a file is read."""
    counter = [0]

    def count(frame: FrameType, event: str, argument: object) -> None:
        counter[0] += event == "call"

    sys.setprofile(count)
    try:
        History.read(path)
    except Error:
        pass
    finally:
        sys.setprofile(None)
    return counter[0]


@pytest.mark.parametrize(
    ("cell", "names"),
    [*((cell, 3) for cell in CELLS), (_whole_numbers, 1), (_other_names, 1)],
    ids=lambda value: value.__name__.strip("_") if callable(value) else value,
)
def test_work_of_a_wide_file_grows_in_proportion_to_its_columns(
    cell: Callable[[Random, int], str], names: int, tmp_path: Path
) -> None:
    path = tmp_path / "wide.csv"
    counts = []
    for columns in (COLUMNS, 4 * COLUMNS):
        path.write_text(wide_file(cell, columns, "c", names), encoding="utf-8")
        counts.append(calls(path))
    assert counts[1] < MOST * counts[0]


def test_work_of_a_square_of_results_grows_in_proportion_to_its_cells(tmp_path: Path) -> None:
    path = tmp_path / "square.csv"
    counts = []
    for players in (50, 100):
        random = Random(players)
        names = [f"P {number // 26:c}{chr(97 + number % 26)}" for number in range(97 * 26, 97 * 26 + players)]
        rows = [",".join([name, *(random.choice("01") for _ in names)]) for name in names]
        path.write_text("\n".join([",".join(["name", *names]), *rows]) + "\n", encoding="utf-8")
        counts.append(calls(path))
    assert counts[1] < 1.5 * 4 * counts[0]
