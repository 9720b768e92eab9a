from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from prowess.errors import Error
from prowess.history import History
from prowess.history.read_options import Choices
from prowess.history.readers import from_frame

DUELS = {
    "home": ["ann", "bob"],
    "away": ["cat", "ann"],
    "hg": [1, 0],
    "ag": [0, 2],
    "date": [date(2026, 1, 31), date(2026, 2, 1)],
}
EXPECTED = History.from_matches(
    {"teams": [[home], [away]], "scores": [hg, ag], "time": day, "home": 0}
    for home, away, hg, ag, day in zip(*DUELS.values(), strict=True)
)


class Stream:
    """A frame of a library that supports only the Arrow C interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return pa.table(DUELS).__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame(DUELS),
        pl.LazyFrame(DUELS),
        pl.DataFrame(DUELS).with_columns(
            pl.col("home", "away").cast(pl.Categorical), pl.col("hg").cast(pl.Decimal(9, 2))
        ),
        pl.DataFrame(DUELS).with_columns(pl.col("hg", "ag", "date").cast(pl.String)),
        pd.DataFrame(DUELS),
        pd.DataFrame(DUELS).astype({"home": "category", "hg": float}),
        pa.table(DUELS),
        Stream(),
    ],
    ids=["polars", "lazy", "categorical", "text", "pandas", "pandas-category", "arrow", "stream"],
)
def test_frames_of_every_library_give_the_same_history(frame: object) -> None:
    assert History.from_frame(frame) == EXPECTED


@pytest.mark.parametrize("frame", [None, 3, [{"teams": [["ann"], ["bob"]]}], {"winner": ["ann"]}, np.zeros(3)])
def test_reading_an_object_that_is_not_a_frame_raises_an_error(frame: object) -> None:
    with pytest.raises(
        Error, match=r"needs a Polars, pandas or Arrow frame, not .*; for plain Python values, use from_matches"
    ):
        History.from_frame(frame)


@pytest.mark.parametrize(
    "layout", [{"winner": ["a", "b"], "loser": ["b", "a"]}, {"match": [1, 1], "player": ["a", "b"]}]
)
@pytest.mark.parametrize("make", [pl.DataFrame, pa.table, lambda columns: pd.DataFrame(columns, copy=False)])
def test_history_is_independent_of_later_changes_to_the_frame(layout: dict[str, Any], make: Any) -> None:
    numbers = {name: np.array([2.0, 2.0]) for name in ("time", "importance", "rank", "score", "weight")}
    history = History.from_frame(make(layout | numbers))
    before = list(history)
    for column in numbers.values():
        column[:] = 7
    assert list(history) == before


def test_missing_values_in_pandas_frames_are_read_as_missing() -> None:
    frame = pd.DataFrame({"home": ["ann", None], "away": ["cat", "ann"], "hg": [1, 2], "ag": [0, 2]})
    with pytest.raises(Error, match="row 2: column 'home' is empty"):
        History.from_frame(frame)
    frame = pd.DataFrame({"home": ["ann", "bob"], "away": ["cat", "ann"], "hg": [1, np.nan], "ag": [0, 2]})
    with pytest.raises(Error, match="row 2: column 'hg' is empty: another side has a score"):
        History.from_frame(frame)


@pytest.mark.parametrize(
    ("times", "kind", "zone", "first"),
    [
        (pl.Series([date(2026, 1, 31)]), "date", None, date(2026, 1, 31)),
        (pl.Series([datetime(2026, 1, 31, 10)], dtype=pl.Datetime("ms")), "timestamp", None, datetime(2026, 1, 31, 10)),
        (pl.Series([datetime(2026, 1, 31, 10)], dtype=pl.Datetime("ns")), "timestamp", None, datetime(2026, 1, 31, 10)),
        (pl.Series([datetime(2026, 1, 31, 10, tzinfo=UTC)]), "timestamp", "UTC", datetime(2026, 1, 31, 10, tzinfo=UTC)),
        (pl.Series([3], dtype=pl.Int8), "number", None, 3.0),
        (pl.Series(["3.5"]), "number", None, 3.5),
    ],
)
def test_times_of_every_type_are_read_from_a_frame(times: pl.Series, kind: str, zone: str | None, first: Any) -> None:
    history = History.from_frame(pl.DataFrame({"winner": ["a"], "loser": ["b"], "time": times}))
    assert (history.time_kind, history.time_zone, history[0]["time"]) == (kind, zone, first)
    assert History.from_frame(history.to_frame()) == history


def test_named_time_zone_is_kept_unless_utc_is_set() -> None:
    times = pl.Series([datetime(2026, 1, 31, 9), datetime(2026, 7, 31, 8)]).dt.replace_time_zone("UTC")
    frame = pl.DataFrame(
        {"winner": ["a", "b"], "loser": ["b", "a"], "time": times.dt.convert_time_zone("Europe/Berlin")}
    )
    history = History.from_frame(frame)
    assert (history.time_zone, [match["time"].hour for match in history]) == ("Europe/Berlin", [10, 10])
    assert History.from_frame(frame, utc=True).time_zone == "UTC"


@pytest.mark.parametrize(
    ("text", "time_format"),
    [("31.01.2026", "%d.%m.%Y"), ("31 January 2026", "%d %B %Y"), ("31.01.26", "%d.%m.%y"), ("01/31/2026", "%m/%d/%Y")],
)
def test_dates_are_parsed_with_the_time_format_option(text: str, time_format: str) -> None:
    frame = pl.DataFrame({"winner": ["a"], "loser": ["b"], "date": [text]})
    history = History.from_frame(frame, time_format=time_format)
    assert history[0]["time"] == date(2026, 1, 31)
    assert History.from_frame(frame) == history


def test_error_names_a_date_that_does_not_fit_the_format() -> None:
    frame = pl.DataFrame({"winner": ["a"] * 2, "loser": ["b"] * 2, "date": ["31.01.2026", "30.02.2026"]})
    with pytest.raises(
        Error, match=r"row 2: column 'date' holds '30.02.2026': this does not fit `time_format='%d.%m.%Y'`"
    ):
        History.from_frame(frame, time_format="%d.%m.%Y")


def test_date_after_the_year_9999_raises_an_error() -> None:
    times = pl.Series([0, 10**8], dtype=pl.Int32).cast(pl.Date)
    with pytest.raises(
        Error, match="row 2: column 'date' holds '100000000 days since 1970': a time must be in the years 1 to 9999"
    ):
        History.from_frame(pl.DataFrame({"winner": ["a"] * 2, "loser": ["b"] * 2, "date": times}))


def test_empty_time_column_gives_a_history_without_times() -> None:
    for times in ([None, None], ["", " "]):
        frame = pl.DataFrame({"winner": ["a"] * 2, "loser": ["b"] * 2, "date": times})
        assert History.from_frame(frame).time is None


def test_to_frame_has_every_column_of_a_history() -> None:
    rich = {"teams": [["a", "b"], ["c"]], "scores": [1, 2], "time": "2026-01-31", "weights": [[1, 0.5], [1]],
            "importance": 2, "home": 1, "id": "x"}  # fmt: skip
    frame = History.from_matches([rich]).to_frame()
    assert frame.to_dict(as_series=False) == {
        "match": [0, 0, 0],
        "id": ["x"] * 3,
        "time": [date(2026, 1, 31)] * 3,
        "team": [0, 0, 1],
        "player": ["a", "b", "c"],
        "place": [2, 2, 1],
        "score": [1, 1, 2],
        "weight": [1, 0.5, 1],
        "importance": [2, 2, 2],
        "home": [False, False, True],
    }


def test_importing_prowess_history_does_not_import_polars() -> None:
    import subprocess
    import sys

    code = "import sys, prowess.history as h; h.History.from_matches([{'teams': [['a'], ['b']]}]); " + (
        "assert not {'polars', 'pandas', 'pyarrow'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("column", ["match", "player", "time"])
@pytest.mark.parametrize("cell", [timedelta(hours=1), ["a", "b"], {"a": 1}, b"a"])
def test_error_for_cells_of_an_unsupported_type_names_the_column(column: str, cell: object) -> None:
    races = {"match": [1, 1], "player": ["a", "b"], "time": ["1:02", "1:05"], column: [cell, cell]}
    with pytest.raises(Error, match=f"column '{column}' holds|can't tell what these columns mean"):
        History.from_frame(pl.DataFrame(races))


def test_player_listed_several_times_in_a_match_is_reported_once() -> None:
    frame = pl.DataFrame({"team1": ["a,a,a", "b,c"], "team2": ["d", "b,c"]})
    problems = from_frame(frame.with_columns(winner=pl.lit("1")), Choices()).problems
    assert [str(one) for one in problems] == [
        "row 1: a is listed twice in team 1; a player can only appear once per match",
        "row 2: b is listed in team 1 and in team 2; a player can only play for one team",
        "row 2: c is listed in team 1 and in team 2; a player can only play for one team",
    ]


def test_list_column_without_a_role_is_ignored() -> None:
    frame = pl.DataFrame({"match": [1, 1], "team": ["Otters", "Newts"], "rank": [1, 2], "laps": [[1.0, 2.0], [3.0]]})
    assert len(History.from_frame(frame)) == 1


def test_error_for_nested_cells_does_not_show_the_types_of_their_fields() -> None:
    nested = [{"first": {"name": "ann"}, "list": [{"age": 1}]}] * 2
    for cells in (nested, [nested, nested]):
        with pytest.raises(Error) as caught:
            from_frame(pl.DataFrame({"winner": cells, "loser": ["bob", "cat"]}), Choices())
        assert "Struct" not in str(caught.value)
