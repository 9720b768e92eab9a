from datetime import date, datetime
from typing import Any

import numpy as np
import pytest

from prowess.errors import Error
from prowess.history import History
from prowess.history.times import DAY

LEAGUE: list[dict[str, Any]] = [
    {"teams": [["ann"], ["bob"]], "scores": [2, 1], "time": "2026-01-01", "id": "a"},
    {"teams": [["cat", "dan"], ["ann", "bob"]], "scores": [0, 0], "time": "2026-01-02", "home": 0},
    {"teams": [["bob"], ["eve"], ["cat"]], "ranks": [2, 1, 2], "time": "2026-01-03", "importance": 2},
    {"teams": [["ann"], ["eve"]], "time": "2026-01-03", "weights": [[0.5], [1]], "id": "d"},
]


@pytest.fixture
def league() -> History:
    return History.from_matches(LEAGUE)


def everything(matches: int) -> History:
    return History.from_matches(
        {
            "teams": [[f"p{i}"], [f"q{i}"]],
            "scores": [i, 2 * i + 1],
            "time": i,
            "weights": [[0.5], [1]],
            "importance": 0.5,
            "home": i % 2,
        }
        for i in range(matches)
    )


def test_columns_of_a_history_have_the_documented_types_and_values(league: History) -> None:
    assert league.match_start.tolist() == [0, 2, 4, 7, 9]
    assert league.team_start.tolist() == [0, 1, 2, 4, 6, 7, 8, 9, 10, 11]
    assert league.players == ("ann", "bob", "cat", "dan", "eve")
    assert league.player.tolist() == [0, 1, 2, 3, 0, 1, 1, 4, 2, 0, 4]
    assert league.place.tolist() == [1, 2, 1, 1, 2, 1, 2, 1, 2]
    assert league.home is not None
    assert league.home.tolist() == [-1, 0, -1, -1]
    assert league.importance is not None
    assert league.importance.tolist() == [1, 1, 2, 1]
    assert league.weight is not None
    assert league.weight.tolist() == [1] * 9 + [0.5, 1]
    assert league.ids == ("a", "", "", "d")
    assert league.time is not None
    assert (league.time.dtype, league.time_kind, league.time_zone) == (np.int64, "date", None)
    ints = (league.match_start, league.team_start, league.player, league.place)
    assert {column.dtype for column in ints} == {np.dtype(np.int32)}
    assert (len(league), league.teams, league.entries) == (4, 9, 11)


def test_columns_of_a_history_are_read_only(league: History) -> None:
    columns = [column for column in vars(league).values() if isinstance(column, np.ndarray)]
    columns += [column for column in vars(league[1:3]).values() if isinstance(column, np.ndarray)]
    assert len(columns) >= 15
    for column in columns:
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0
    with pytest.raises(AttributeError):
        league.players = ()  # type: ignore[misc]
    with pytest.raises(TypeError, match="unhashable"):
        hash(league)


def test_history_of_duels_with_all_columns_takes_at_most_40_bytes_per_entry() -> None:
    history = everything(1000)
    assert all(value is not None for name, value in vars(history).items() if name not in ("time_zone", "ids", "lines"))
    assert history.nbytes <= 40 * history.entries


def test_indexing_a_history_returns_matches_as_plain_dicts(league: History) -> None:
    assert league[0] == {"teams": [["ann"], ["bob"]], "scores": [2, 1], "time": date(2026, 1, 1), "id": "a"}
    assert league[-1] == league[3]
    assert league[3]["weights"] == [[0.5], [1]]
    assert "weights" not in league[2]
    for index in (4, -5):
        with pytest.raises(IndexError, match="for a history of 4 matches"):
            league[index]


def test_slice_shares_players_and_memory_and_drops_empty_columns(league: History) -> None:
    part = league[1:2]
    assert part.players is league.players
    assert np.shares_memory(part.player, league.player)
    assert part.match_start.tolist() == [0, 2]
    assert part.team_start.tolist() == [0, 2, 4]
    assert (part.weight, part.importance, part.ids) == (None, None, None)
    assert part == History.from_matches(LEAGUE[1:2])
    assert len(league[3:1]) == 0
    assert len(league[::-1]) == 4


def test_take_sorts_matches_by_time_or_keeps_the_given_order_if_they_have_no_times(league: History) -> None:
    assert [match["teams"][0] for match in league.take([3, 2, 0])] == [["ann"], ["ann"], ["bob"]]
    untimed = History.from_matches([{"teams": match["teams"]} for match in LEAGUE])
    assert [match["teams"][0] for match in untimed.take([-1, 1])] == [["ann"], ["cat", "dan"]]
    assert league.take([]) == league[:0]


def test_match_that_is_selected_twice_loses_its_id(league: History) -> None:
    twice = league.take(np.array([0, 0]))
    assert len(twice) == 2
    assert twice.ids is None
    assert league.take([0]).ids == ("a",)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ([4], "match 4 not found; there are 4 matches"),
        ([0, -5], "match -5 not found"),
        ([True], "a mask of 4 booleans, not bool of shape"),
        ([0.0], "not float64"),
        ([[0]], "of shape"),
        ("ann", "take needs indices"),
    ],
)
def test_selecting_matches_by_invalid_indices_raises_an_error(league: History, chosen: Any, message: str) -> None:
    with pytest.raises(Error, match=message):
        league.take(chosen)


@pytest.mark.parametrize(
    ("start", "end", "length"),
    [
        ("2026-01-02", "2026-01-03", 1),
        (date(2026, 1, 2), None, 3),
        (None, datetime(2026, 1, 3), 2),
        (None, "2026-01-03T00:00:01", 4),
        ("2026-01-03", "2026-01-01", 0),
        (None, None, 4),
    ],
)
def test_between_includes_its_start_but_not_its_end(league: History, start: Any, end: Any, length: int) -> None:
    assert len(league.between(start, end)) == length


def test_between_accepts_plain_numbers_as_bounds() -> None:
    assert len(everything(9).between(2, "5")) == 3


def test_between_reads_a_bound_without_a_time_zone_in_the_zone_of_the_history() -> None:
    times = ["2026-01-01T00:30:00+02:00", "2026-01-01T01:30:00+02:00"]
    history = History.from_matches([{"teams": [["ann"], ["bob"]], "time": time} for time in times])
    assert len(history.between("2026-01-01")) == 2
    assert len(history.between("2026-01-01T01:00:00")) == 1
    assert len(history.between("2026-01-01T00:00:00Z")) == 0
    assert len(history.between("2025-12-31T23:00:00Z")) == 1


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        (5, "5 cannot be compared with the times of this history: plain numbers and dates are mixed"),
        ("2026-01-01T00:00:00Z", "mixed time zones"),
        ("soon", "'soon' isn't a date I understand"),
    ],
)
def test_between_raises_an_error_for_a_bound_of_another_time_type(league: History, bound: Any, message: str) -> None:
    with pytest.raises(Error, match=message):
        league.between(bound)


def test_between_raises_an_error_for_a_history_without_times() -> None:
    with pytest.raises(Error, match="these matches have no times"):
        History.from_matches([{"teams": [["ann"], ["bob"]]}]).between(1)


def test_equal_histories_may_number_their_players_differently(league: History) -> None:
    whole = History.from_matches([{"teams": [["zoe"], ["ann"]], "time": "2025-01-01"}, *LEAGUE])
    assert whole.players != league.players
    assert whole[1:] == league
    assert league == whole[1:]
    assert league != "league"


@pytest.mark.parametrize(
    "change",
    [
        {"teams": [["ann"], ["zoe"]]}, {"teams": [["ann"], ["bob"], ["zoe"]], "scores": [2, 1, 0]},
        {"teams": [["ann"], ["bob", "zoe"]]}, {"scores": [3, 1]}, {"ranks": [1, 1]}, {"time": "2025-12-31"},
        {"weights": [[1], [0.5]]}, {"importance": 2}, {"home": 0}, {"id": "z"}, {"id": None},
    ],
)  # fmt: skip
def test_histories_that_differ_in_any_column_are_not_equal(league: History, change: dict[str, Any]) -> None:
    assert History.from_matches([{**LEAGUE[0], **change}, *LEAGUE[1:]]) != league


def test_histories_with_different_types_of_times_are_not_equal() -> None:
    duel = {"teams": [["ann"], ["bob"]]}
    times = ["1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00:00Z", "1970-01-01T01:00:00+01:00", 0]
    histories = [History.from_matches([{**duel, "time": time}]) for time in times] + [History.from_matches([duel])]
    assert [[one == other for other in histories] for one in histories] == np.eye(6, dtype=bool).tolist()


def test_repr_of_a_history_shows_its_numbers_of_matches_and_players_and_its_time_span(league: History) -> None:
    assert repr(league) == "History(4 matches, 5 players, 2026-01-01 … 2026-01-03, scores)"
    assert repr(league[2:]) == "History(2 matches, 4 players, 2026-01-03, places)"
    assert repr(everything(2)) == "History(2 matches, 4 players, 0.0 … 1.0, scores)"


def test_times_are_stored_as_microseconds_or_plain_numbers(league: History) -> None:
    assert league.time is not None
    assert ((league.time - league.time[0]) / DAY).tolist() == [0, 1, 2, 2]
    numbers = everything(3).time
    assert numbers is not None
    assert numbers.tolist() == [0, 1, 2]
    assert History.from_matches([{"teams": [["ann"], ["bob"]]}]).time is None
