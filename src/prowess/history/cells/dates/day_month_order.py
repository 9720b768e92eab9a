"""Whether the day or the month stands first in dates such as 03/04/2026: one decision for a column."""

import numpy as np
from numpy.typing import NDArray

from ....errors import Option, Piece
from ...times import show_time
from ..unique_values import Distinct
from .numeric import NAT, Micros
from .parser import Texts
from .patterns import ORDERS, Order

__all__ = ["chosen_order", "said_first"]

_FIRST = {"dmy": "the day", "mdy": "the month", "ymd": "the year"}
_OTHER: dict[str, tuple[Piece, ...]] = {
    "dmy": (Option("day_first", False), " reads the month first"),
    "mdy": (Option("day_first", True), " reads the day first"),
}
_OTHER["ymd"] = _OTHER["mdy"]


def said_first(order: Order) -> tuple[Piece, ...]:
    """Say which part of a date stands first, and how to have it otherwise."""
    return (f"{_FIRST[order]} stands first in the dates of this column; ", *_OTHER[order])


def chosen_order(cells: Distinct, texts: Texts) -> Order:
    """Choose the order in which the most rows hold a date; where that proves nothing, say what was taken.

    Then dots speak for the day, and else the order in which the file is in the order of time, as most files are.
    """
    given = cells.table.choices.day_first
    if len(texts.numbers) == 1 or given is not None:
        return "mdy" if given is False else "dmy"
    return cells.table.decide(f"order of the dates in {cells.column}", lambda: _found_order(cells, texts))


def _found_order(cells: Distinct, texts: Texts) -> Order:
    rows = {order: cells.count(texts.numbers[order] != NAT) for order in ORDERS if order in texts.numbers}
    open_to = [order for order in rows if rows[order] == max(rows.values())]
    unlike = _unlike(texts, open_to)
    if not unlike.any():
        return open_to[0]
    example = str(cells.values[int(np.argmax(unlike))]).strip()
    mark = next(letter for letter in example if not letter.isalnum())
    if mark != "-":  # only with hyphens a year of two digits stands first
        open_to = [order for order in open_to if order != "ymd"] or open_to
    order, why = (open_to[0], "") if mark == "." else _by_time(cells, texts, open_to)
    day = show_time("date", None, int(texts.numbers[order][int(np.argmax(unlike))]))
    text = f"dates such as {example} are read with {_FIRST[order]} first{why}, as {day}; "
    cells.table.note("day-month-order", text, *_OTHER[order], column=cells.column)
    return order


def _unlike(texts: Texts, open_to: list[Order]) -> NDArray[np.bool_]:
    """Tell which texts are dates in two orders, and not the same."""
    one = texts.numbers[open_to[0]]
    found = np.zeros(len(one), bool)
    for order in open_to[1:]:
        other = texts.numbers[order]
        found |= (one != other) & (one != NAT) & (other != NAT)
    return found


def _by_time(cells: Distinct, texts: Texts, open_to: list[Order]) -> tuple[Order, str]:
    """Choose the order in which the fewest rows leave the order of time, which is rarely that of the newest first."""
    turns = {order: _turns(cells.spread(texts.numbers[order])) for order in open_to}
    if "ymd" in turns and (turns["ymd"] != (0, 0) or len(cells.values) < 3):  # it is rare: only this speaks for it
        del turns["ymd"]
    best = min(turns, key=lambda order: turns[order])
    return best, ", because the file is then in the order of time" if len({*turns.values()}) > 1 else ""


def _turns(number: Micros) -> tuple[int, int]:
    """Count the steps that are not in the order of time, whichever way it runs, and those back."""
    step = np.diff(number[number != NAT])
    back, forth = int(np.count_nonzero(step < 0)), int(np.count_nonzero(step > 0))
    return min(back, forth), back
