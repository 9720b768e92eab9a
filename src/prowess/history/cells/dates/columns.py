"""Reading a column of times, with the time of day in a column of its own: what `times.parse_time` reads, and more."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....errors import Error, Option, Piece
from ....text import count
from ...ragged import Floats
from ...read_context import Message, Table
from ...times import (
    DAY,
    FIRST,
    LAST,
    NUMBER_FORMATS,
    OR_SAY,
    RIGHT,
    Kind,
    Stamp,
    Times,
    agree,
    does_not_fit,
    has_clock,
    parse_time,
    show_time,
)
from ..text import DistinctValues
from .numeric import NAT, Meaning, Micros, in_range, meaning_of, times_of_numbers
from .parser import MANY, Texts, read_texts
from .patterns import MISSING, ORDERS, WEEKDAYS, Order, clock_of

if TYPE_CHECKING:
    import polars as pl

Mask = NDArray[np.bool_]
EMPTY = "give a time to every match, or to none"
HOW: tuple[Piece, ...] = (RIGHT, *OR_SAY)
NO_TIME: tuple[Piece, ...] = ("it is no time: ", *HOW)
FEW = 10  # where no cell at all can be read, it is a problem of so many rows at the most, else of the column
_MEANT = {
    "compact": "read as dates",
    "unix": "read as Unix times, in UTC",
    "excel": "read as days of a spreadsheet",
}
_EXAMPLES = {
    "months": "months such as {} are read as their first day",
    "short-years": "years of two digits, as in {}, are read as 1970 to 2069",
}


def read_times(table: Table, column: str, clock_column: str | None = None) -> Times | None:
    """Read the time of each row, with the time of day in a column of its own where there is one.

    None stands for a column that holds no times, and for one with problems, which are noted at their rows.
    """
    before = len(table.problems)
    times = _read(table, column)
    if times is not None and clock_column is not None:
        times = _add_clock(table, times, clock_column)
    return times if len(table.problems) == before else None


def _read(table: Table, column: str) -> Times | None:
    import polars as pl

    series, time_format = table.frame[column], table.choices.time_format
    by_format = time_format is not None and time_format not in NUMBER_FORMATS
    if series.dtype in (pl.Categorical, pl.Enum) or (by_format and series.dtype.is_integer()):
        series = series.cast(pl.String)
    if series.null_count() == len(series):
        return None
    if series.dtype == pl.String:
        return _text_times(DistinctValues.of(table, column, series.fill_null("") if series.has_nulls() else series))
    if series.dtype == pl.Time:
        _note_unused(table, column, "times of day without a date")
        return None
    if not (series.dtype == pl.Date or isinstance(series.dtype, pl.Datetime) or series.dtype.is_numeric()):
        raise table.kind_error(column, "times must be dates, timestamps, numbers or text")
    table.require(series.is_not_null(), column, EMPTY)
    if not series.dtype.is_numeric():
        return _calendar_times(table, column, series)
    value = series.cast(pl.Float64)
    table.require(value.is_finite() | value.is_null(), column, "a time must be a finite number")
    # A frame that a history was written to has plain numbers under this name.
    plain = series.dtype.is_float() and column == "time" and time_format is None
    cells = DistinctValues(table, column, value, None)
    return _number_times(cells, value.fill_null(np.nan).to_numpy(), "number" if plain else time_format)


def _note_unused(table: Table, column: str, what: str) -> None:
    table.note("unused-time-column", f"column {column!r} is not used: it holds {what}", column=column)


def _calendar_times(table: Table, column: str, series: "pl.Series") -> Times:
    import polars as pl

    kind: Kind = "date" if series.dtype == pl.Date else "timestamp"
    zone = getattr(series.dtype, "time_zone", None)
    number = series.cast(pl.Datetime("us", zone)).to_physical()
    margin = DAY if zone else 0
    outside = (number < FIRST + margin) | (number >= LAST - margin)
    if outside.any():
        rows = outside.arg_true().to_numpy()
        values = [f"{day} days from 1970" for day in number.gather(rows) // DAY]  # Python has no such dates
        table.problems.add(rows, column, values, "a time must lie in the years 1 to 9999")
    return Times(number.fill_null(0).to_numpy(), kind, "UTC" if table.choices.utc and zone else zone)


def _text_times(cells: DistinctValues) -> Times | None:
    time_format = cells.table.choices.time_format
    if time_format is not None and time_format not in NUMBER_FORMATS:
        return _settled(cells, _by_format(cells.values, time_format), does_not_fit(time_format))
    value = _values(cells)
    numeric = np.isfinite(value)
    if numeric.any() and (time_format is not None or numeric.all() or _mostly(cells, numeric)):
        return _number_times(cells, np.where(numeric, value, np.nan), time_format, numeric)
    return _calendar_texts(cells) if time_format is None else _nothing(cells, does_not_fit(time_format))


def _values(cells: DistinctValues) -> Floats:
    """Give the numbers that texts are, NaN where one is none; blanks around them are taken away where there are any."""
    import polars as pl

    value = cells.values.cast(pl.Float64, strict=False)
    if value.has_nulls() and (value.null_count() < len(value) or cells.values[0] != cells.values[0].strip()):
        cells.values = cells.values.str.strip_chars()
        value = cells.values.cast(pl.Float64, strict=False)
    return value.to_numpy()  # null is NaN there


def _mostly(cells: DistinctValues, numeric: Mask) -> bool:
    """Tell whether more rows hold numbers than dates."""
    texts = read_texts(cells.values.filter(~numeric))
    return cells.count(numeric) > int(cells.weight[~numeric][texts.stamp >= 0].sum())


def _number_times(cells: DistinctValues, value: Floats, time_format: str | None, numeric: Mask | None = None) -> Times:
    """Read numbers, by what the user says that they mean, or by what they look like; NaN is no number."""
    finite = np.isfinite(value)
    if numeric is not None:
        _reject_unread(cells, ~numeric, "most times of this column are numbers: write all of them so")
    meaning: Meaning = time_format or cells.table.decide(  # type: ignore[assignment]
        f"meaning of the numbers in {cells.column}",
        lambda: meaning_of(value[finite], cells.weight[finite], cells.column),
    )
    if meaning == "number":
        return Times(cells.spread(np.where(finite, value, 0.0)), "number", None)
    stamp, number = times_of_numbers(value, meaning)
    good = (number != NAT) & (number >= FIRST) & (number < LAST)
    if time_format is None:
        good &= in_range(value, meaning)
        numbers = f"numbers such as {value[good if good.any() else finite][0]:.15g}"
        other = (Option("time_format", "number"), " reads them as plain numbers")
        cells.table.note("numbers-as-dates", f"{numbers} are {_MEANT[meaning]}; ", *other, column=cells.column)
        cells.reject(finite & ~good, (f"most {numbers} which are {_MEANT[meaning]}: ", *other))
    else:
        cells.reject(finite & ~good, does_not_fit(time_format))
    return Times(cells.spread(np.where(good, number, 0)), stamp.kind, stamp.zone)


def _by_format(text: "pl.Series", time_format: str) -> Texts:
    """Read texts by a format: by Polars where it means the same as in Python, and what is left one by one."""
    import polars as pl

    clock = has_clock(time_format)
    number = np.full(len(text), NAT)
    texts = Texts(np.full(len(text), -1, np.int32), {"dmy": number}, [Stamp("timestamp" if clock else "date", None)])
    # Only these directives mean the same in Polars as in Python (the two disagree about the century of "69").
    if not set(re.findall("%(.)", time_format)) - set("dmYHMSBb"):
        try:
            day = text.str.strptime(pl.Datetime("us") if clock else pl.Date, time_format, strict=False)
            number[:] = day.cast(pl.Datetime("us")).to_physical().fill_null(NAT).to_numpy()
        except pl.exceptions.PolarsError:
            pass
    number[(number < FIRST) | (number >= LAST)] = NAT
    texts.stamp[number != NAT] = 0
    left = np.flatnonzero(number == NAT)
    for turn, row in enumerate(left.tolist()):
        if turn == MANY // 100 and (number[left] == NAT).all():
            break  # the format fits none of so many
        try:
            kind, zone, moment = parse_time(text[row], time_format)
        except Error:
            continue
        number[row], texts.stamp[row] = moment, texts.stamp_number(Stamp(kind, zone))
    return texts


def _calendar_texts(cells: DistinctValues) -> Times | None:
    texts = read_texts(cells.values)
    if (texts.stamp < 0).all():
        return _nothing(cells, NO_TIME)
    order = _choose_order(cells, texts)
    number = texts.numbers.get(order, texts.numbers["dmy"])
    other = (number == NAT) & (texts.stamp >= 0)
    cells.reject(other, ("there is no such date where ", *_order_message(order)))
    texts.stamp[other] = -2
    for what, example in texts.examples.items():
        cells.table.note(what, _EXAMPLES[what].format(example), column=cells.column)
    return _settled(cells, Texts(texts.stamp, {"dmy": number}, texts.stamps), NO_TIME)


def _settled(cells: DistinctValues, texts: Texts, right: tuple[Piece, ...]) -> Times | None:
    """Give times of the one kind that most rows have; what was not read, and what is of another kind, is a problem."""
    read = texts.stamp >= 0
    if not read.any():
        return _nothing(cells, right)
    _reject_unread(cells, texts.stamp == -1, right)
    rows = np.bincount(texts.stamp[read], cells.weight[read], minlength=len(texts.stamps))
    aware = np.array([stamp.zone is not None for stamp in texts.stamps])
    zoned = bool(rows[aware].sum() + aware[0] / 2 > rows[~aware].sum())  # the first decides where they are as many
    zones = sorted({str(stamp.zone) for stamp, is_aware in zip(texts.stamps, aware, strict=True) if is_aware})
    if zoned and len(zones) > 1 and not cells.table.choices.utc:
        text = f"times of several zones ({', '.join(zones)}) are read as instants, in UTC"
        cells.table.note("several-zones", text, column=cells.column)
    common = None
    for index in np.argsort(-rows, kind="stable").tolist():
        stamp = texts.stamps[index]
        if aware[index] == zoned:
            common = agree(common or stamp, stamp, utc=cells.table.choices.utc or len(zones) > 1)
    assert common is not None
    for index in np.flatnonzero(aware != zoned).tolist():
        cells.reject(texts.stamp == index, _disagree(common, texts.stamps[index]))
    return Times.of(cells.spread(np.where(read, texts.numbers["dmy"], 0)), common)


def _disagree(first: Stamp, second: Stamp) -> Message:
    try:
        agree(first, second)
    except Error as error:
        return error.pieces
    raise AssertionError(f"{first} and {second} agree")


def _reject_unread(cells: DistinctValues, unread: Mask, right: Message) -> None:
    """Note what could not be read: as missing, as a number among dates, or by what would be right."""
    import polars as pl

    if not unread.any():
        return
    missing, number = np.zeros(len(unread), bool), np.zeros(len(unread), bool)
    text = cells.values.filter(unread).str.strip_chars()
    missing[unread] = text.str.to_lowercase().is_in(list(MISSING)).to_numpy()
    number[unread] = text.cast(pl.Float64, strict=False).is_finite().fill_null(False).to_numpy()
    number &= right == NO_TIME
    cells.reject(missing, EMPTY)
    cells.reject(number, _disagree(Stamp("date", None), Stamp("number", None)))
    cells.reject(unread & ~missing & ~number, right)


def _nothing(cells: DistinctValues, right: tuple[Piece, ...]) -> Times | None:
    """Deal with a column that holds no time at all: it is empty, of another kind, or a problem as a whole."""
    text = cells.values.str.strip_chars().str.to_lowercase()
    filled = ~text.is_in(list(MISSING))
    if not filled.any():
        return None
    some = text.filter(filled).head(1000).to_list()
    for what, held in (("days of the week", WEEKDAYS.__contains__), ("times of day", clock_of)):
        if all(held(cell) for cell in some):
            _note_unused(cells.table, cells.column, f"{what} without a date")
            return None
    if len(cells.table.frame) <= FEW:
        _reject_unread(cells, np.ones(len(text), bool), right)
        return None
    row = cells.first_row(filled.to_numpy())
    value = str(cells.table.frame[cells.column][row])
    raise cells.table.error(
        row,
        f"column {cells.column!r} holds {value!r}, and no row holds a time: ",
        *(HOW if right == NO_TIME else right),
        "; ",
        Option("columns", {"time": None}),
        " reads the file without times, in the order of its rows",
        column=cells.column,
        value=value,
    )


_FIRST = {"dmy": "the day", "mdy": "the month", "ymd": "the year"}
_OTHER: dict[str, tuple[Piece, ...]] = {
    "dmy": (Option("day_first", False), " reads the month first"),
    "mdy": (Option("day_first", True), " reads the day first"),
}
_OTHER["ymd"] = _OTHER["mdy"]


def _order_message(order: Order) -> tuple[Piece, ...]:
    """Say which part of a date stands first, and how to have it otherwise."""
    return (f"{_FIRST[order]} stands first in the dates of this column; ", *_OTHER[order])


def _choose_order(cells: DistinctValues, texts: Texts) -> Order:
    """Choose the order in which the most rows hold a date; where that proves nothing, say what was taken.

    Then dots speak for the day, and else the order in which the file is in the order of time, as most files are.
    """
    day_first = cells.table.choices.day_first
    if len(texts.numbers) == 1 or day_first is not None:
        return "mdy" if day_first is False else "dmy"
    return cells.table.decide(f"order of the dates in {cells.column}", lambda: _found_order(cells, texts))


def _found_order(cells: DistinctValues, texts: Texts) -> Order:
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
    first = texts.numbers[open_to[0]]
    unlike = np.zeros(len(first), bool)
    for order in open_to[1:]:
        other = texts.numbers[order]
        unlike |= (first != other) & (first != NAT) & (other != NAT)
    return unlike


def _by_time(cells: DistinctValues, texts: Texts, open_to: list[Order]) -> tuple[Order, str]:
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


_BAD = "it is no time of day such as 15:00 or 3pm"


def _add_clock(table: Table, times: Times, column: str) -> Times:
    """Add the time of day in a column to dates; a row without one stands at midnight."""
    text = _as_text(table.frame[column])
    if times.kind != "date" or text is None:
        what = "the times of the matches have their time of day" if times.kind != "date" else "it holds no times of day"
        table.note("unused-clock-column", f"column {column!r} is not used: {what}", column=column)
        return times
    cells = DistinctValues.of(table, column, text)
    clocks = [clock_of(clock) for clock in cells.values]
    missing = np.array([clock.casefold() in MISSING for clock in cells.values])
    good = np.array([clock is not None for clock in clocks])
    if 2 * cells.count(good) <= cells.count(~missing):
        table.note("unused-clock-column", f"column {column!r} is not used: it holds no times of day", column=column)
        return times
    stamps = [Stamp("timestamp", None) if clock is None else clock[0] for clock in clocks]
    common = max(set(stamps), key=lambda stamp: cells.count(good & np.array([clock == stamp for clock in stamps])))
    alike = np.array([clock == common for clock in stamps])
    cells.reject(~good & ~missing, _BAD)
    cells.reject(good & ~alike, f"most times of day of this column are {_zone(common)}: write all of them so")
    if (empty := cells.count(missing)) > 0:
        rows = f"{count(empty, 'row', 'rows')}: {'it stands' if empty == 1 else 'they stand'} at the start of the day"
        table.note("empty-clock", f"column {column!r} is empty in {rows}", column=column, number=empty)
    micros = np.array([0 if clock is None else clock[1] for clock in clocks], np.int64)
    return replace(times, number=times.number + cells.spread(micros), kind="timestamp", zone=common.zone)


def _zone(stamp: Stamp) -> str:
    return "without a zone" if stamp.zone is None else f"in the zone {stamp.zone}"


def _as_text(series: "pl.Series") -> "pl.Series | None":
    """Give times of day as text: what is text, or a whole number such as 1500, or a part of a day."""
    import polars as pl

    if series.dtype.is_float():
        part = series.fill_null(0.0).fill_nan(0.0)
        if not ((part >= 0) & (part < 1)).all():
            return None
        micros = (part * DAY / 1e6).round().cast(pl.Int64) * 1_000_000
        series = series.is_null().replace_strict({True: None, False: 0}, return_dtype=pl.Int64) + micros
        series = (series * 1000).cast(pl.Time)
    if series.dtype in (pl.String, pl.Time, pl.Categorical, pl.Enum) or series.dtype.is_integer():
        return series.cast(pl.String).str.strip_chars().fill_null("")
    return None
