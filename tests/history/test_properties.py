"""Properties of every history, tested with Hypothesis."""

import pickle
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from prowess.history import History, parse_time

from .strategies import letters, matches


@given(matches(context=True))
def test_plain_matches_converted_to_a_history_and_back_are_unchanged(found: list[dict[str, Any]]) -> None:
    history = History.from_matches(found)
    assert len(history) == len(found)
    assert History.from_matches(list(history)) == history


@given(matches())
def test_history_converted_to_a_frame_and_back_is_unchanged(found: list[dict[str, Any]]) -> None:
    history = History.from_matches(found)
    assert History.from_frame(history.to_frame()) == history


@given(matches())
def test_interleaving_the_rows_of_matches_in_a_frame_does_not_change_the_history(found: list[dict[str, Any]]) -> None:
    untimed = [{key: match[key] for key in match if key != "time"} for match in found]
    history = History.from_matches(untimed)
    interleaved = history.to_frame().with_columns(row=pl.int_range(pl.len()).over("match")).sort("row", "match")
    assert History.from_frame(interleaved.drop("row")) == history


@given(matches(context=True))
def test_unpickled_history_is_unchanged_and_read_only(found: list[dict[str, Any]]) -> None:
    history = History.from_matches(found)
    copy = pickle.loads(pickle.dumps(history))
    assert copy == history
    assert not copy.player.flags.writeable


@given(matches(context=True), st.slices(7))
def test_slice_equals_the_history_of_the_sliced_matches(found: list[dict[str, Any]], chosen: slice) -> None:
    history = History.from_matches(found)
    assert history[chosen] == History.from_matches(list(history)[chosen])


@given(matches(context=True), st.data())
def test_history_selected_by_a_mask_equals_the_history_of_the_selected_matches(
    found: list[dict[str, Any]], data: st.DataObject
) -> None:
    history = History.from_matches(found)
    mask = data.draw(st.lists(st.booleans(), min_size=len(history), max_size=len(history)))
    chosen = [match for match, yes in zip(history, mask, strict=True) if yes]
    assert history.take(mask) == History.from_matches(chosen)


@given(matches(context=True), st.data())
def test_between_includes_its_start_but_not_its_end(found: list[dict[str, Any]], data: st.DataObject) -> None:
    history = History.from_matches(found)
    if history.time is None:
        return
    start, end = sorted(data.draw(st.lists(st.sampled_from([m["time"] for m in history]), min_size=2, max_size=2)))
    inside = [match for match in history if start <= match["time"] < end]
    assert history.between(start, end) == History.from_matches(inside)


@given(matches())
def test_place_is_one_more_than_the_number_of_better_teams(found: list[dict[str, Any]]) -> None:
    for match in found:
        teams = range(len(match["teams"]))
        key = match.get("ranks") or [-score for score in match.get("scores", [])] or list(teams)
        expected = [1 + sum(key[other] < key[team] for other in teams) for team in teams]
        assert History.from_matches([match]).place.tolist() == expected


def _moment(match: dict[str, Any]) -> Any:
    """Return a match's time in UTC, because local clocks go back in autumn."""
    when = match["time"]
    return when.astimezone(UTC) if isinstance(when, datetime) and when.tzinfo is not None else when


@given(matches())
def test_matches_are_sorted_by_time_or_keep_their_order_if_they_have_no_times(found: list[dict[str, Any]]) -> None:
    history = History.from_matches(found)
    ordered = sorted(found, key=_moment) if history.time is not None else found
    assert [match["teams"] for match in history] == [match["teams"] for match in ordered]


@given(matches())
def test_players_are_numbered_in_order_of_first_appearance(found: list[dict[str, Any]]) -> None:
    history = History.from_matches(found)
    appearing = [name for match in history for team in match["teams"] for name in team]
    assert list(history.players) == list(dict.fromkeys(appearing))


digits = st.integers(0, 99).map("{:02d}".format)
written = st.one_of(
    st.dates().map(str),
    st.dates().map(lambda day: str(day).replace("-", "/")),
    st.datetimes().map(str),
    st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
    st.tuples(st.datetimes(), st.sampled_from("+-"), digits, digits).map(lambda t: f"{t[0]}{t[1]}{t[2]}:{t[3]}"),
    st.tuples(digits, digits, digits, digits).map(lambda t: f"20{t[0]}-{t[1]}-{t[2]}T{t[3]}:00"),
    st.floats().filter(lambda number: not abs(number) >= 1e7).map(str),  # larger numbers may be read as dates
    st.integers(-10_000_000, 10_000_000).map(str),
    st.text(letters, max_size=5),
)


@given(st.lists(written, min_size=1, max_size=4), st.booleans())
def test_time_column_of_a_frame_gives_the_same_times_as_from_matches(texts: list[str], utc: bool) -> None:
    frame = pl.DataFrame({"winner": ["a"] * len(texts), "loser": ["b"] * len(texts), "time": texts})
    plain = [{"teams": [["a"], ["b"]], "time": text} for text in texts]
    if any(text.strip() in ("", "nan") for text in texts):
        return  # an empty cell is a missing time in a frame, but an invalid time in a match
    try:
        expected = History.from_matches(plain, utc=True)
    except ValueError:
        expected = None
    try:
        found = History.from_frame(frame, utc=utc)
    except ValueError:
        found = None
    if found is not None and expected is not None and not utc:  # a column with a single zone keeps that zone
        found = replace(found, time_zone=expected.time_zone)
    assert found == expected


@given(matches())
def test_time_column_of_a_history_equals_the_times_of_its_matches(found: list[dict[str, Any]]) -> None:
    history = History.from_matches(found)
    if history.time is None:
        assert all("time" not in match for match in history)
        return
    number = np.array([parse_time(match["time"])[2] for match in history], history.time.dtype)
    np.testing.assert_array_equal(history.time, number)
