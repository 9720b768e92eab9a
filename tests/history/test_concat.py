"""Joined histories equal the history of all their matches, listed in chronological order."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.errors import Error
from prowess.history import History

from .test_history import LEAGUE


def history(matches: list[dict[str, Any]]) -> History:
    return History.from_matches(matches)


DAYS = st.integers(1, 9).map(lambda day: f"2026-01-0{day}")
NAMES = st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=4, unique=True)


@st.composite
def matches(draw: st.DrawFn, timed: bool) -> dict[str, Any]:
    names = draw(NAMES)
    found: dict[str, Any] = {"teams": [[name] for name in names]}
    if timed:
        found["time"] = draw(DAYS)
    if draw(st.booleans()):
        found["scores"] = draw(st.lists(st.integers(0, 3), min_size=len(names), max_size=len(names)))
    if draw(st.booleans()):
        found["weights"] = [[draw(st.sampled_from([0.5, 1.0]))] for _ in names]
    if draw(st.booleans()):
        found["importance"] = draw(st.sampled_from([0.0, 1.0, 2.0]))
    if draw(st.booleans()):
        found["home"] = draw(st.integers(0, len(names) - 1))
    return found


@given(st.booleans().flatmap(lambda timed: st.lists(st.lists(matches(timed), max_size=5), min_size=1, max_size=4)))
def test_joined_histories_equal_the_history_of_all_matches(parts: list[list[dict[str, Any]]]) -> None:
    everything = [match for part in parts for match in part]
    joined = History.join([history(part) for part in parts], once=False)
    assert joined == history(everything)
    assert set(joined.players) == set(history(everything).players)
    assert joined.players == history(everything).players


def test_match_in_two_histories_counts_once_unless_its_details_differ() -> None:
    first, again = history(LEAGUE[:3]), history(LEAGUE[1:])
    joined = History.join([first, again])
    assert joined == history(LEAGUE)
    assert "2 matches are in more than one file and counted once (first: 2026-01-02)" in joined.recognised
    assert len(History.join([first, again], once=False)) == 6
    other = history([LEAGUE[0] | {"scores": [2, 0]}, LEAGUE[0] | {"teams": [["bob"], ["ann"]], "id": "b"}])
    assert len(History.join([history(LEAGUE[:1]), other])) == 3


def test_matches_repeated_within_one_history_all_count() -> None:
    twice = history([LEAGUE[1], LEAGUE[1]])
    assert len(History.join([twice, history(LEAGUE[:1])])) == 3
    assert len(History.join([twice, history(LEAGUE[1:2])])) == 2


@pytest.mark.parametrize("time", [{}, {"time": 3}])
def test_matches_without_dates_are_never_treated_as_duplicates(time: dict[str, Any]) -> None:
    one = history([{"teams": [["ann"], ["bob"]]} | time])
    assert len(History.join([one, one])) == 2


def test_joining_keeps_match_ids_if_they_stay_unique() -> None:
    day = [{"teams": [["ann"], ["bob"]], "time": f"2026-01-0{n}", "id": str(n)} for n in range(1, 5)]
    assert History.join([history(day[2:]), history(day[:2])]).ids == ("1", "2", "3", "4")
    assert History.join([history(day[:2]), history([day[2] | {"id": "1"}])]).ids is None
    assert History.join([history(day[:3]), history(day[2:])]).ids == ("1", "2", "3", "4")
    assert History.join([history(day[:1]), history([{"teams": [["ann"], ["bob"]], "time": "2026-02-01"}])]).ids == (
        "1",
        "",
    )


def test_joining_histories_with_incompatible_times_raises_an_error() -> None:
    game = {"teams": [["ann"], ["bob"]]}
    date, number, none = (history([game | more]) for more in ({"time": "2026-01-01"}, {"time": 3}, {}))
    with pytest.raises(Error, match=r"history 2 of 2 has no times, but others have"):
        History.join([date, none])
    with pytest.raises(
        Error, match=r"history 2 of 2: its times cannot be compared with the times of earlier files: plain"
    ):
        History.join([date, number])
    with pytest.raises(Error, match="every item given to join must be a history, but item 2 is of type str"):
        History.join([date, "games.csv"])  # type: ignore[list-item]


def test_joining_a_history_of_dates_with_one_of_timestamps_gives_timestamps() -> None:
    game = {"teams": [["ann"], ["bob"]]}
    joined = History.join([history([game | {"time": t}]) for t in ("2026-01-02", "2026-01-01T18:00:00")])
    assert joined.time_kind == "timestamp"
    assert joined[1]["time"] - joined[0]["time"] == timedelta(hours=6)


def test_joining_an_empty_list_gives_an_empty_history() -> None:
    assert len(History.join([])) == 0
    assert len(History.join([history([]), history([])])) == 0
    assert History.join([history([]), history(LEAGUE)]) == history(LEAGUE)


CONTEXTS = st.fixed_dictionaries(
    {},
    optional={
        "surface": st.sampled_from(["clay", "grass", None]),
        "best of": st.sampled_from([3, 5, None]),
        "seed": st.one_of(st.integers(1, 3), st.lists(st.sampled_from([1, 2, 2.5, None]), min_size=2, max_size=2)),
        "kills": st.one_of(
            st.integers(1, 3),
            st.lists(st.integers(1, 3), min_size=2, max_size=2),
            st.tuples(
                st.lists(st.integers(1, 3), min_size=2, max_size=2), st.lists(st.just(1), min_size=1, max_size=1)
            ),
        ),
    },
)


@given(st.lists(st.lists(CONTEXTS, max_size=4), max_size=4))
def test_joined_context_equals_the_context_of_all_matches(parts: list[list[dict[str, Any]]]) -> None:
    """A context column with different levels in two histories gets the finer level in the joined history."""
    listed = [[{"teams": [["ann", "bob"], ["cat"]], "context": context} for context in part] for part in parts]
    joined = History.join([history(part) for part in listed])
    assert joined == history([match for part in listed for match in part])


def test_joined_context_column_of_numbers_and_text_becomes_text_with_a_remark() -> None:
    duel = {"teams": [["ann"], ["bob"]]}
    seeds = [history([{**duel, "context": {"seed": [seed, None]}}]) for seed in (1, "WC", 2.5)]
    joined = History.join(seeds)
    assert joined.team_context["seed"].to_list() == ["1", None, "WC", None, "2.5", None]
    remark = next(remark for remark in joined.remarks if remark.code == "mixed-context")
    assert (str(remark), remark.column) == (
        "'seed' holds numbers in one file and text in another; all its values are read as text",
        "seed",
    )


def test_joined_matches_are_sorted_with_their_context() -> None:
    days = [
        {"teams": [["ann"], ["bob"]], "time": f"2026-01-0{day}", "context": {"day": f"day {day}", "x": [day, 0]}}
        for day in (1, 2, 3, 4)
    ]
    assert History.join([history(days[1::2]), history(days[::2]), history(days[:2])]) == history(days)
