"""Reading many texts as dates and timestamps: Polars reads all of one form at once, as Python reads the first."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....errors import Error
from ...ragged import Ints
from ...times import DAY, FIRST, LAST, Stamp
from .numeric import NAT, Micros
from .patterns import Order, match_date, moment, possible_orders, template, trait, zone_stamp

if TYPE_CHECKING:
    import re

    import polars as pl

TEMPLATES = 40  # so many forms are looked for in a column; texts of others are read one by one
MANY = 100_000  # of so many texts that fit no form, none is read if none of a sample can be


@dataclass
class Texts:
    """The times of texts: for each order of the numbers of a date a column of microseconds, NAT where there is none.

    Only the orders that make a difference have a column. `stamp` is an index of `stamps`, -1 where nothing was read.
    """

    stamp: Ints
    numbers: dict[Order, Micros]
    stamps: list[Stamp] = field(default_factory=list)
    examples: dict[str, str] = field(default_factory=dict)  # a text for each trait

    def stamp_number(self, stamp: Stamp) -> int:
        """Give the index of a stamp, which may be new."""
        if stamp not in self.stamps:
            self.stamps.append(stamp)
        return self.stamps.index(stamp)

    def put(self, where: NDArray[np.intp], moments: dict[Order, Micros], stamp: Stamp) -> NDArray[np.bool_]:
        """Note the times of texts, and tell which of them there are."""
        for order in moments.keys() - self.numbers.keys():
            self.numbers[order] = self.numbers["dmy"].copy()
        read = np.zeros(len(where), bool)
        for order, column in self.numbers.items():
            values = moments.get(order, moments["dmy"] if len(moments) == 1 else np.full(len(where), NAT))
            column[where if len(where) < len(column) else slice(None)] = values
            read |= values != NAT
        self.stamp[where[read]] = self.stamp_number(stamp)
        return read


def read_texts(text: "pl.Series") -> Texts:
    """Read texts, none of them null."""
    result = Texts(np.full(len(text), -1, np.int32), {"dmy": np.full(len(text), NAT)})
    where = np.arange(len(text))
    for turn in range(TEMPLATES):
        if not len(where):
            return result
        parts = match_date(text[0].strip())
        read = None if parts is None else _alike(result, where, text, parts)
        if read is None or not read[0]:
            _one(result, int(where[0]), parts)
            read = np.zeros(len(where), bool) if read is None else read
            read[0] = True
        where, text = where[~read], text.filter(~read)
        if turn == 0:
            text = text.str.strip_chars()
    if len(where) > MANY and not any(match_date(cell) for cell in text.gather_every(len(text) // 1000)):
        return result
    for row, cell in zip(where.tolist(), text, strict=True):
        _one(result, row, match_date(cell))
    return result


def _alike(
    result: Texts, where: NDArray[np.intp], text: "pl.Series", parts: "re.Match[str]"
) -> NDArray[np.bool_] | None:
    """Read all texts that are written like the first, and tell which; None where Polars cannot read them."""
    zone = parts.groupdict().get("zone")
    try:
        stamp, offset = zone_stamp(zone)
    except ValueError:
        return None
    if not parts.groupdict().get("hour"):
        stamp = Stamp("date", None)
    read: dict[Order, Micros] = {}
    for order in possible_orders(parts):
        like = template(parts, order)
        if like is None:
            return None
        number = _by_template(text, *like, stamp.kind == "timestamp")
        margin = DAY if offset else 0
        outside = (number < FIRST + margin) | (number >= LAST - margin)
        read[order] = np.where(outside, NAT, number - offset)
    if (what := trait(parts)) is not None:
        result.examples.setdefault(what, text[0].strip())
    return result.put(where, read, stamp)


def _by_template(text: "pl.Series", shape: str, form: str, clock: bool) -> Micros:
    import polars as pl

    fits = text.str.contains(shape)
    if clock:
        number = text.str.to_datetime(form, time_unit="us", strict=False, cache=False).to_physical()
    else:
        number = text.str.to_date(form, strict=False, cache=False).to_physical().cast(pl.Int64) * DAY
    if not fits.all():
        number = number.set(~fits, None)
    return (number.fill_null(NAT) if number.has_nulls() else number).to_numpy()


def _one(result: Texts, row: int, parts: "re.Match[str] | None") -> None:
    """Read one text, which may be of a form of its own."""
    if parts is None:
        return
    read: dict[Order, Micros] = {}
    stamp = None
    for order in possible_orders(parts):
        try:
            stamp, number = moment(parts, order)
        except (Error, ValueError):
            number = NAT
        read[order] = np.array([number])
    if stamp is not None:
        if (what := trait(parts)) is not None:
            result.examples.setdefault(what, parts.string)
        result.put(np.array([row]), read, stamp)
