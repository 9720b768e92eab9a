"""Read a column of times, and the time of day from a separate column."""

import re
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....errors import Error, Option, Piece
from ....text import count
from ...ragged import Floats
from ...read_context import Message, Table
from ...times import DAY, FIRST, LAST, Kind, Stamp, Times, agree, show_time
from ..text import DistinctValues
from ..words import WEEKDAYS
from .moments import NUMBER_FORMATS, OR_SAY, RIGHT, does_not_fit, has_clock, parse_time
from .numeric import NAT, Meaning, Micros, in_range, meaning_of, times_of_numbers
from .parser import MANY, MISSING, ORDERS, Order, Texts, clock_of, read_texts

if TYPE_CHECKING:
    import polars as pl

Mask = NDArray[np.bool_]
EMPTY = "give a time to every match, or to none"
HOW: tuple[Piece, ...] = (RIGHT, *OR_SAY)
NO_TIME: tuple[Piece, ...] = ("this is not a valid date or time; ", *HOW)
DISTANT = round(50 * 365.2425) * DAY  # a time this far from all others may be a typo
# If no cell of a column is a time, up to this many rows are reported one by one; in longer files, one error covers all.
FEW = 10
_MEANT = {
    "compact": "read as dates",
    "unix": "read as Unix times, in UTC",
    "excel": "read as spreadsheet day numbers",
}
_EXAMPLES = {
    "months": "dates without a day, such as {}, are read as the first day of the month",
    "short-years": "two-digit years, as in {}, are read as years from 1970 to 2069",
}


def read_times(table: Table, column: str, clock_column: str | None = None) -> Times | None:
    """Read the time of each row, with the time of day from a separate column if there is one.

    Return None if the column has no times, or if it has problems; each problem is recorded for its row.
    """
    before = len(table.problems)
    times = _read(table, column)
    if times is not None and clock_column is not None:
        times = _add_clock(table, times, clock_column)
    if len(table.problems) > before:
        return None
    if times is not None and times.kind != "number":
        _note_distant(table, column, times.number)
    return times


def _note_distant(table: Table, column: str, number: Micros | Floats) -> None:
    # A few times decades away from all others may be typos, such as 2204 for 2024.
    if not len(number) or int(number.max()) - int(number.min()) < DISTANT:
        return
    ordered = np.sort(number)
    gaps = np.diff(ordered)
    at = int(gaps.argmax()) + 1
    few = min(at, len(number) - at)
    if gaps[at - 1] < max(DISTANT, 3 * (np.ptp(ordered[at:]) if few == at else np.ptp(ordered[:at]))):
        return
    if few > max(1, 0.01 * len(number)):
        return
    row = int(np.argmax(number <= ordered[at - 1] if few == at else number >= ordered[at]))
    years, side = int(gaps[at - 1] / (365.2425 * DAY)), "before" if few == at else "after"
    held = f"{table.row_name(row)}: column {column!r} holds {str(table.frame[column][row])!r}"
    text = f"{held}, which is {years:,} years {side} all other times"
    table.note("distant-times", text, column=column, number=few, row=row)


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
        _note_unused(table, "unused-time-column", column, "it holds times of day without a date")
        return None
    is_calendar = series.dtype == pl.Date or isinstance(series.dtype, pl.Datetime)
    if not (is_calendar or series.dtype.is_numeric()):
        raise table.kind_error(column, "times must be dates, timestamps, numbers or text")
    table.require(series.is_not_null(), column, EMPTY)
    if is_calendar:
        return _calendar_times(table, column, series)
    value = series.cast(pl.Float64)
    table.require(value.is_finite() | value.is_null(), column, "a time must be a finite number")
    # `History.to_frame` uses this name for plain numbers.
    plain = series.dtype.is_float() and column == "time" and time_format is None
    cells = DistinctValues(table, column, value, None)
    return _number_times(cells, value.fill_null(np.nan).to_numpy(), "number" if plain else time_format)


def _note_unused(table: Table, code: str, column: str, why: str) -> None:
    table.note(code, f"column {column!r} is not used: {why}", column=column)


def _calendar_times(table: Table, column: str, series: "pl.Series") -> Times:
    import polars as pl

    kind: Kind = "date" if series.dtype == pl.Date else "timestamp"
    zone = getattr(series.dtype, "time_zone", None)
    number = series.cast(pl.Datetime("us", zone)).to_physical()
    margin = DAY if zone else 0
    rows = ((number < FIRST + margin) | (number >= LAST - margin)).arg_true().to_numpy()
    values = [f"{day} days since 1970" for day in number.gather(rows) // DAY]  # Python's dates do not reach that far
    table.problems.add(rows, column, values, "a time must be in the years 1 to 9999")
    return Times(number.fill_null(0).to_numpy(), kind, "UTC" if table.choices.utc and zone else zone)


def _text_times(cells: DistinctValues) -> Times | None:
    import polars as pl

    time_format = cells.table.choices.time_format
    if time_format is not None and time_format not in NUMBER_FORMATS:
        return _settle(cells, _read_by_format(cells.values, time_format), does_not_fit(time_format))
    series = cells.values.cast(pl.Float64, strict=False)
    if series.has_nulls() and (series.null_count() < len(series) or cells.values[0] != cells.values[0].strip()):
        cells.values = cells.values.str.strip_chars()
        series = cells.values.cast(pl.Float64, strict=False)
    value = series.to_numpy()  # NumPy represents null as NaN
    numeric = np.isfinite(value)
    if numeric.any() and (time_format is not None or numeric.all() or _are_mostly_numbers(cells, numeric)):
        return _number_times(cells, np.where(numeric, value, np.nan), time_format, numeric)
    return _calendar_texts(cells) if time_format is None else _no_times(cells, does_not_fit(time_format))


def _are_mostly_numbers(cells: DistinctValues, numeric: Mask) -> bool:
    texts = read_texts(cells.values.filter(~numeric))
    return cells.count(numeric) > int(cells.weight[~numeric][texts.stamp >= 0].sum())


def _number_times(cells: DistinctValues, value: Floats, time_format: str | None, numeric: Mask | None = None) -> Times:
    # The user's format comes first, then the format that the numbers resemble. NaN marks cells that are not numbers.
    finite = np.isfinite(value)
    if numeric is not None:
        _reject_unread(cells, ~numeric, "most times in this column are numbers, so write this one as a number, too")
    meaning: Meaning = time_format or cells.table.decide(  # type: ignore[assignment]
        f"meaning of the numbers in {cells.column}",
        lambda: meaning_of(value[finite], cells.weight[finite], cells.column),
    )
    if meaning == "number":
        return Times(cells.spread(np.where(finite, value, 0.0)), "number", None)
    stamp, number = times_of_numbers(value, meaning)
    good = (number != NAT) & (number >= FIRST) & (number < LAST)
    right = does_not_fit(time_format) if time_format is not None else ()
    if time_format is None:
        good &= in_range(value, meaning)
        numbers = f"numbers such as {value[good if good.any() else finite][0]:.15g}"
        other = ("use ", Option("time_format", "number"), " to read them as plain numbers")
        cells.table.note("numbers-as-dates", f"{numbers} are {_MEANT[meaning]}; ", *other, column=cells.column)
        right = (f"{numbers} are {_MEANT[meaning]}, and this one does not fit; ", *other)
    cells.reject(finite & ~good, right)
    return Times(cells.spread(np.where(good, number, 0)), stamp.kind, stamp.zone)


def _read_by_format(text: "pl.Series", time_format: str) -> Texts:
    import polars as pl

    # Polars parses the whole column if it interprets the format as Python does; else Python parses text by text.
    clock = has_clock(time_format)
    number = np.full(len(text), NAT)
    texts = Texts(np.full(len(text), -1, np.int32), {"dmy": number}, [Stamp("timestamp" if clock else "date", None)])
    # Only these directives mean the same in Polars as in Python (the two disagree about the century of "69").
    if not set(re.findall("%(.)", time_format)) - set("dmYHMSBb"):
        with suppress(pl.exceptions.PolarsError):
            day = text.str.strptime(pl.Datetime("us") if clock else pl.Date, time_format, strict=False)
            number[:] = day.cast(pl.Datetime("us")).to_physical().fill_null(NAT).to_numpy()
    number[(number < FIRST) | (number >= LAST)] = NAT
    texts.stamp[number != NAT] = 0
    left = np.flatnonzero(number == NAT)
    for turn, row in enumerate(left.tolist()):
        if turn == MANY // 100 and (number[left] == NAT).all():
            break  # the format does not fit any of the texts tried so far
        with suppress(Error):
            kind, zone, moment = parse_time(text[row], time_format)
            number[row], texts.stamp[row] = moment, texts.stamp_index(Stamp(kind, zone))
    return texts


def _calendar_texts(cells: DistinctValues) -> Times | None:
    texts = read_texts(cells.values)
    if (texts.stamp < 0).all():
        return _no_times(cells, NO_TIME)
    day_first = cells.table.choices.day_first
    order: Order = "mdy" if day_first is False else "dmy"
    if len(texts.numbers) > 1 and day_first is None:
        order = cells.table.decide(f"order of the dates in {cells.column}", lambda: _choose_order(cells, texts))
    number = texts.numbers.get(order, texts.numbers["dmy"])
    other = (number == NAT) & (texts.stamp >= 0)
    message = f"this date does not exist: in this column, {_FIRST[order]} is first; "
    cells.reject(other, (message, *_OTHER[order]))
    texts.stamp[other] = -2
    for code, example in texts.examples.items():
        cells.table.note(code, _EXAMPLES[code].format(example), column=cells.column)
    return _settle(cells, Texts(texts.stamp, {"dmy": number}, texts.stamps), NO_TIME)


def _settle(cells: DistinctValues, texts: Texts, right: tuple[Piece, ...]) -> Times | None:
    """Return the time of each row, in the kind and zone that most rows have; None if no row has a time.

    Texts that are not times are reported as problems. Times with a zone and times without one cannot be mixed, so the
    rarer of the two are reported as well.
    """
    read = texts.stamp >= 0
    if not read.any():
        return _no_times(cells, right)
    _reject_unread(cells, texts.stamp == -1, right)
    rows = np.bincount(texts.stamp[read], cells.weight[read], minlength=len(texts.stamps))
    aware = np.array([stamp.zone is not None for stamp in texts.stamps])
    zoned = bool(rows[aware].sum() + aware[0] / 2 > rows[~aware].sum())  # in a tie, the first kind is used
    zones = sorted({str(stamp.zone) for stamp in texts.stamps if stamp.zone is not None})
    if zoned and len(zones) > 1 and not cells.table.choices.utc:
        text = f"times in several zones ({', '.join(zones)}) are converted to UTC"
        cells.table.note("several-zones", text, column=cells.column)
    common = None
    for index in np.argsort(-rows, kind="stable").tolist():
        stamp = texts.stamps[index]
        if aware[index] == zoned:
            common = agree(common or stamp, stamp, utc=cells.table.choices.utc or len(zones) > 1)
    assert common is not None
    for index in np.flatnonzero(aware != zoned).tolist():
        cells.reject(texts.stamp == index, _disagreement(common, texts.stamps[index]))
    return Times.of(cells.spread(np.where(read, texts.numbers["dmy"], 0)), common)


def _disagreement(first: Stamp, second: Stamp) -> Message:
    try:
        agree(first, second)
    except Error as error:
        return error.pieces
    raise AssertionError(f"{first} and {second} should disagree, but they agree")


def _reject_unread(cells: DistinctValues, unread: Mask, right: Message) -> None:
    import polars as pl

    if not unread.any():
        return
    missing, number = np.zeros(len(unread), bool), np.zeros(len(unread), bool)
    text = cells.values.filter(unread).str.strip_chars()
    missing[unread] = text.str.to_lowercase().is_in(list(MISSING)).to_numpy()
    number[unread] = text.cast(pl.Float64, strict=False).is_finite().fill_null(False).to_numpy()
    number &= right == NO_TIME
    cells.reject(missing, EMPTY)
    cells.reject(number, _disagreement(Stamp("date", None), Stamp("number", None)))
    cells.reject(unread & ~missing & ~number, right)


def _no_times(cells: DistinctValues, right: tuple[Piece, ...]) -> Times | None:
    """Handle a column without any date; return None, because there are no times.

    Ignore the column if it is empty or holds weekdays or times of day. Otherwise report its cells as problems or, in a
    long table, raise `Error`.
    """
    text = cells.values.str.strip_chars().str.to_lowercase()
    filled = ~text.is_in(list(MISSING))
    if not filled.any():
        return None
    some = text.filter(filled).head(1000).to_list()
    for what, is_one in (("days of the week", WEEKDAYS.__contains__), ("times of day", clock_of)):
        if all(map(is_one, some)):
            _note_unused(cells.table, "unused-time-column", cells.column, f"it holds {what} without a date")
            return None
    if len(cells.table.frame) <= FEW:
        _reject_unread(cells, np.ones(len(text), bool), right)
        return None
    row = cells.first_row(filled.to_numpy())
    value = str(cells.table.frame[cells.column][row])
    raise cells.table.error(
        row,
        f"column {cells.column!r} holds {value!r}, which is not a date or time, and neither is any other cell; ",
        *(HOW if right == NO_TIME else right),
        "; use ",
        Option("columns", {"time": None}),
        " to ignore the column and rate matches in the order of the rows",
        column=cells.column,
        value=value,
    )


_FIRST = {"dmy": "the day", "mdy": "the month", "ymd": "the year"}
_DAY_FIRST: tuple[Piece, ...] = ("use ", Option("day_first", True), " to read the day first")
_OTHER = {"dmy": ("use ", Option("day_first", False), " to read the month first"), "mdy": _DAY_FIRST, "ymd": _DAY_FIRST}


def _choose_order(cells: DistinctValues, texts: Texts) -> Order:
    """Choose the order of day, month and year in which most rows are valid dates.

    Add a remark if the order is ambiguous.

    If several orders are possible, a date with dots begins with the day. For dates without dots, the chosen order is
    the one in which the file is chronological.
    """
    rows = {order: cells.count(texts.numbers[order] != NAT) for order in ORDERS if order in texts.numbers}
    possible = [order for order in rows if rows[order] == max(rows.values())]
    first = texts.numbers[possible[0]]
    others = [texts.numbers[order] for order in possible[1:]]
    unlike = np.logical_or.reduce([(first != other) & (first != NAT) & (other != NAT) for other in others])
    if not np.any(unlike):
        if len(possible) == 1:
            _note_minority(cells, texts, possible[0], rows)
        return possible[0]
    example = str(cells.values[int(np.argmax(unlike))]).strip()
    mark = next(letter for letter in example if not letter.isalnum())
    if mark != "-":  # a two-digit year can come first only if hyphens follow
        possible = [order for order in possible if order != "ymd"] or possible
    order, why = possible[0], ""
    if mark != ".":
        turns = {order: _turns(cells.spread(texts.numbers[order])) for order in possible}
        # Dates that begin with the year are rare here, so this order is used only if the file is then sorted by time.
        if "ymd" in turns and (turns["ymd"] != (0, 0) or len(cells.values) < 3):
            del turns["ymd"]
        order = min(turns, key=lambda order: turns[order])
        why = ", because the file is then in chronological order" if len({*turns.values()}) > 1 else ""
    day, shown = "", unlike & (texts.numbers[order] != NAT)
    if shown.any():
        index = int(np.argmax(shown))
        example = str(cells.values[index]).strip()
        day = f", as {show_time('date', None, int(texts.numbers[order][index]))}"
    text = f"dates such as {example} are read with {_FIRST[order]} first{why}{day}; "
    cells.table.note("day-month-order", text, *_OTHER[order], column=cells.column)
    return order


def _note_minority(cells: DistinctValues, texts: Texts, order: Order, rows: dict[Order, int]) -> None:
    """Add a remark if a single row decides the order of day and month.

    The remark is added only if the file would be chronological in the other order.
    """
    for other in ("dmy", "mdy"):
        if other == order or other not in rows or rows[order] - rows[other] > max(1, 0.01 * rows[order]):
            continue
        if _turns(cells.spread(texts.numbers[other])) < _turns(cells.spread(texts.numbers[order])):
            alone = (texts.numbers[order] != NAT) & (texts.numbers[other] == NAT)
            example, row = str(cells.values[int(np.argmax(alone))]).strip(), cells.first_row(alone)
            text = f"{cells.table.row_name(row)}: because of {example}, dates are read with {_FIRST[order]} first; use "
            why = f" to read {_FIRST[other]} first, which puts the other rows in chronological order"
            option = Option("day_first", other == "dmy")
            cells.table.note("day-month-order", text, option, why, column=cells.column, row=row)


def _turns(number: Micros) -> tuple[int, int]:
    """Return how unsorted times are, as a sort key.

    The key has the number of steps against the file's main direction, and the number of steps back in time.
    """
    step = np.diff(number[number != NAT])
    back, forth = int(np.count_nonzero(step < 0)), int(np.count_nonzero(step > 0))
    return min(back, forth), back


def _add_clock(table: Table, times: Times, column: str) -> Times:
    # A row without a time of day is at midnight.
    text = _clock_texts(table.frame[column])
    if times.kind != "date" or text is None:
        why = "it holds no times of day" if times.kind == "date" else "the match times already include a time of day"
        _note_unused(table, "unused-clock-column", column, why)
        return times
    cells = DistinctValues.of(table, column, text)
    clocks = [clock_of(clock) for clock in cells.values]
    missing = np.array([clock.casefold() in MISSING for clock in cells.values])
    good = np.array([clock is not None for clock in clocks])
    if 2 * cells.count(good) <= cells.count(~missing):
        _note_unused(table, "unused-clock-column", column, "it holds no times of day")
        return times
    stamps = [Stamp("timestamp", None) if clock is None else clock[0] for clock in clocks]
    common = max(set(stamps), key=lambda stamp: cells.count(good & np.array([clock == stamp for clock in stamps])))
    cells.reject(~good & ~missing, "a time of day such as 15:00 or 3pm is needed")
    zone = "without a zone" if common.zone is None else f"in the zone {common.zone}"
    other = good & np.array([clock != common for clock in stamps])
    cells.reject(other, f"most times of day in this column are {zone}, so write this one that way, too")
    if (empty := cells.count(missing)) > 0:
        sentence = f"column {column!r} is empty in {count(empty, 'row', 'rows')}, so the time there is midnight"
        table.note("empty-clock", sentence, column=column, number=empty)
    micros = np.array([0 if clock is None else clock[1] for clock in clocks], np.int64)
    return replace(times, number=times.number + cells.spread(micros), kind="timestamp", zone=common.zone)


def _clock_texts(series: "pl.Series") -> "pl.Series | None":
    import polars as pl

    # Cells may be text, whole numbers such as 1500, or fractions of a day.
    if series.dtype.is_float():
        part = series.fill_null(0.0).fill_nan(0.0)
        if not ((part >= 0) & (part < 1)).all():
            return None
        micros = (part * DAY / 1e6).round().cast(pl.Int64) * 1_000_000
        series = (micros * 1000).set(series.is_null(), None).cast(pl.Time)
    if series.dtype in (pl.String, pl.Time, pl.Categorical, pl.Enum) or series.dtype.is_integer():
        return series.cast(pl.String).str.strip_chars().fill_null("")
    return None
