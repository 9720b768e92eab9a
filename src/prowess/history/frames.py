"""Histories from frames, and back."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ..errors import Error
from .build import build
from .cells import Table, identifiers, intern, numbers
from .draft import Draft, Times
from .history import History
from .layout import Layout, recognise
from .long import long_draft
from .ragged import owners
from .time_columns import read_times
from .wide import wide_draft

if TYPE_CHECKING:
    import polars as pl

__all__ = ["from_frame", "from_table", "to_frame"]

_One = Callable[[NDArray[Any], str], NDArray[Any]]  # the values of the matches, from those of the rows of a column


def from_frame(
    frame: object, *, columns: Mapping[str, str | None] | None = None, time_format: str | None = None, utc: bool = False
) -> History:
    """Make a history of a Polars frame, or of anything that Polars can take over (pandas, Arrow)."""
    table = Table(_to_polars(frame), "the frame", lambda row: f"row {row + 1}")
    return from_table(table, columns, time_format, utc)


def check_options(columns: object, time_format: object) -> None:
    """Raise an Error for options that are of no use."""
    if columns is not None and not isinstance(columns, Mapping):
        raise Error(f"columns must map roles to columns, such as {{'winner': 'won', 'loser': 'lost'}}, not {columns!r}")
    if time_format is not None and not isinstance(time_format, str):
        raise Error(f"time_format must be text, such as '%d.%m.%Y', not {time_format!r}")


def from_table(table: Table, columns: Mapping[str, str | None] | None, time_format: str | None, utc: bool) -> History:
    """Recognise the layout of a table and make a history of it."""
    check_options(columns, time_format)
    try:
        layout = recognise(table.frame.columns, columns)
    except Error as error:
        raise Error(f"{table.title}: {error}") from None
    if layout.sides:
        draft = wide_draft(table, layout)
        one: _One = _of_row
    else:
        draft, rows = long_draft(table, layout)
        one = partial(rows.one, of="match")
    return build(_with_matches(draft, table, layout, one, time_format, utc))


def _of_row(values: NDArray[Any], column: str) -> NDArray[Any]:
    """Give the value of each match where a row is one; a copy, because a frame may change and a history may not."""
    return values.copy()


def _with_matches(
    draft: Draft,
    table: Table,
    layout: Layout,
    one: _One,
    time_format: str | None,
    utc: bool,
) -> Draft:
    """Add what belongs to a match as a whole; `one` gives the value of each match from those of the rows."""
    roles = layout.roles
    if "time" in roles:
        times = read_times(table, roles["time"], time_format, utc)
        if times is not None:
            draft.times = Times(one(times.number, roles["time"]), times.kind, times.zone)
    if "importance" in roles:
        draft.importance = one(numbers(table, roles["importance"]), roles["importance"])
    if "id" in roles:
        draft.ids = _ids(table, layout, one)
        if draft.ids is None:
            layout = replace(layout, roles={role: column for role, column in roles.items() if role != "id"})
    draft.recognised = "\n".join(filter(None, (layout.describe(table.frame.columns), draft.recognised)))
    return draft


def _ids(table: Table, layout: Layout, one: _One) -> list[str] | None:
    """Give the ids of the matches; a column that is only called `id`, but names no matches, is not used."""
    column = layout.roles["id"]
    code, different = intern(identifiers(table, column))
    try:
        ids: list[str] = different.gather(one(code, column)).to_list()
    except Error:
        if "id" in layout.mapped:
            raise
        return None
    given = [name for name in ids if name]
    return ids if "id" in layout.mapped or len(set(given)) == len(given) else None


def _to_polars(frame: Any) -> "pl.DataFrame":
    import polars as pl

    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pl.DataFrame):
        return frame
    if not hasattr(frame, "__arrow_c_stream__"):
        kind = type(frame).__name__
        raise Error(f"from_frame needs a Polars, pandas or Arrow frame, not {kind}; from_matches takes plain Python")
    try:
        return pl.DataFrame(frame)
    except Exception as error:  # whatever another library's frame may raise
        raise Error(f"the frame could not be taken over by Polars: {error}") from error


def to_frame(history: History) -> "pl.DataFrame":
    """Give a frame with a row per entry."""
    import polars as pl

    team = owners(history.team_start)
    match = owners(history.match_start)[team]
    found: dict[str, Any] = {"match": match}
    if history.ids is not None:
        found["id"] = pl.Series(history.ids, dtype=pl.String).gather(match)
    if history.time is not None:
        found["time"] = _time_column(history).gather(match)
    found["team"] = team - history.match_start[match]
    found["player"] = pl.Series(history.players, dtype=pl.String).gather(history.player)
    found["place"] = history.place[team]
    if history.score is not None:
        found["score"] = pl.Series(history.score[team]).fill_nan(None)
    if history.weight is not None:
        found["weight"] = history.weight
    if history.importance is not None:
        found["importance"] = history.importance[match]
    if history.home is not None:
        found["home"] = history.home[match] == found["team"]
    return pl.DataFrame(found)


def _time_column(history: History) -> "pl.Series":
    import polars as pl

    series = pl.Series(history.time)
    if history.time_kind == "number":
        return series
    zone = history.time_zone
    if zone is None or zone[0] not in "+-":
        moments = series.cast(pl.Datetime("us", zone))
        return moments.cast(pl.Date) if history.time_kind == "date" else moments
    # Polars has no zones that are offsets: text keeps them.
    local = series.cast(pl.Datetime("us")).dt.offset_by(f"{'-' * (zone[0] == '-')}{zone[1:3]}h{zone[4:]}m")
    return local.dt.strftime(f"%Y-%m-%dT%H:%M:%S%.6f{zone}")
