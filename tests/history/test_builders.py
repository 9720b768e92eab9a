import datetime
from dataclasses import fields
from fractions import Fraction
from math import nan
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prowess.errors import Error
from prowess.history import History

DUEL: dict[str, Any] = {"teams": [["ann"], ["bob"]]}


def test_match_read_back_from_a_history_is_unchanged_and_has_no_empty_keys() -> None:
    rich = {
        "teams": [["ann", "bob"], ["cat"]],
        "scores": [1.0, 3.0],
        "time": 2.0,
        "weights": [[1.0, 0.5], [1.0]],
        "importance": 0.5,
        "home": 1,
        "id": "final",
    }
    plain = {"teams": [["cat"], ["ann"]], "ranks": [1, 2], "time": 1.0}
    assert list(History.from_matches([rich, plain])) == [plain, rich]


def test_only_the_order_of_ranks_matters() -> None:
    history = History.from_matches([{"teams": [["a"], ["b"], ["c"], ["d"]], "ranks": [9, 2.5, 2.5, -1]}])
    assert history.place.tolist() == [4, 2, 2, 1]
    assert history[0]["ranks"] == [4, 2, 2, 1]


def test_ranks_override_scores() -> None:
    history = History.from_matches(
        [{"teams": [["a"], ["b"], ["c"], ["d"]], "ranks": [9, 2.5, 2.5, -1], "scores": [9, 1, 1, 0]}]
    )
    assert history.place.tolist() == [4, 2, 2, 1]
    assert history[0]["ranks"] == [4, 2, 2, 1]
    assert history[0]["scores"] == [9, 1, 1, 0]


def test_places_follow_from_scores_or_else_from_the_order_of_the_teams() -> None:
    history = History.from_matches([{**DUEL, "scores": [1, 2]}, {**DUEL, "scores": [2, 2]}, DUEL])
    assert history.place.tolist() == [2, 1, 1, 1, 1, 2]
    assert history.score is not None
    np.testing.assert_array_equal(history.score, [1, 2, 2, 2, np.nan, np.nan])


def test_history_column_with_only_default_values_is_none() -> None:
    history = History.from_matches([{**DUEL, "weights": [[1], [1]], "importance": 1, "home": None, "id": None}])
    assert (history.weight, history.importance, history.home, history.ids, history.score, history.time) == (None,) * 6


def test_names_of_players_may_be_whole_numbers() -> None:
    assert History.from_matches([{"teams": [[2726956381513258], [7]]}]).players == ("2726956381513258", "7")


def test_arrays_and_tuples_are_accepted_as_lists() -> None:
    history = History.from_matches([{"teams": [np.array([2726956381513258]), (7,)], "scores": np.array([1, 2])}])
    assert history.players == ("2726956381513258", "7")


DATES = ["2026-01-31", " 2026-01-31T10:00:00Z", "2026-01-31T10:00:00.5+02:00", "2026-02-30T10:00:00Z"]
DATES += ["2026-01-31T24:00:00Z", "0001-01-01T00:00:00+02:00"]
ODD: dict[str, list[Any]] = {
    "teams": [[["ann "], ("bob",)], [["ann"], [7, "cat"]], [["ann"], [" "]], [["ann"], [None]], [[], ["bob"]], None],
    "ranks": [[1, 2.5], (2, 1), np.array([1, 2]), [np.int64(1), Fraction(1, 3)], [1], [True, 2], [1, nan], "12"],
    "scores": [[3, 1], [-0.0, 10**25], [1e31, 0], [10**400, 1], [None, 1], None, 3],
    "weights": [[[1], [0.5]], ([1e-40, 1], [1]), [[1]], [[1], ["2"]], [[0], [1]], None],
    "importance": [1, 0.5, None, -1, nan, "1", 1e31, np.float32(2)],
    "home": [0, 1, None, 2, -1, True, np.int64(1), 0.0],
    "id": ["x", " y ", None, 7, "", " ", 1.5],
    "time": [1, 2.5, True, nan, 1e31, "7", "soon", None, datetime.date(2026, 1, 31), *DATES],
    "winner": ["ann"],
}
usual_or_odd = {key: st.one_of(st.sampled_from(values[:2]), st.sampled_from(values)) for key, values in ODD.items()}
odd = st.fixed_dictionaries({"teams": usual_or_odd.pop("teams")}, optional=usual_or_odd)


@settings(max_examples=300)
@given(st.lists(odd, max_size=3), st.booleans())
def test_matches_read_together_equal_matches_read_one_by_one(found: list[dict[str, Any]], utc: bool) -> None:
    """Mappings other than dicts are read by the slow path, one match at a time."""
    results: list[Any] = []
    for given_as in (dict, MappingProxyType):
        try:
            history = History.from_matches([given_as(match) for match in found], utc=utc)
            results.append([getattr(history, field.name) for field in fields(history)])
        except Error as error:
            results.append(str(error))
    np.testing.assert_equal(*results)


def test_empty_list_of_matches_gives_an_empty_history() -> None:
    empty = History.from_matches([])
    assert len(empty) == empty.teams == empty.entries == 0
    assert repr(empty) == "History(0 matches, 0 players, places)"
    assert empty == empty[:] == History.from_matches(iter(()))


BAD: list[tuple[Any, str]] = [
    (["ann"], r"a match must be a mapping such as .*, not \['ann'\]"),
    ({**DUEL, "winner": "ann"}, "unknown key 'winner'; the keys of a match are teams, ranks, scores"),
    ({}, "teams must be a list of lists of names, not None"),
    ({"teams": "ab"}, "teams must be a list of lists of names, not 'ab'"),
    ({"teams": ["ann", "bob"]}, "team 1 must be a list of names, not 'ann'"),
    ({"teams": [["ann"]]}, r"a match needs at least two teams, not 1 \(ann\); add the other team"),
    ({"teams": []}, "a match needs at least two teams, not 0"),
    ({"teams": [["ann"], []]}, "team 2 has no players"),
    ({"teams": [["ann"], ["bob", "bob"]]}, "bob is listed twice in team 2"),
    ({"teams": [["ann"], ["bob"], ["cat", "ann"]]}, "ann is listed in team 1 and in team 3"),
    ({"teams": [[1], ["1"]]}, "1 is listed in team 1 and in team 2"),
    ({"teams": [["ann"], [" "]]}, "team 2: a player's name must not be empty: ' '"),
    ({"teams": [["ann"], [2.0]]}, "team 2: a player's name must be text or a whole number, not 2.0"),
    ({**DUEL, "ranks": [1]}, "1 ranks for 2 teams"),
    ({**DUEL, "scores": [1, 2, 3]}, "3 scores for 2 teams"),
    ({**DUEL, "ranks": [1, float("nan")]}, "each of the ranks must be a finite number, not nan"),
    ({**DUEL, "scores": [1, float("inf")]}, "each of the scores must be a finite number, not inf"),
    ({**DUEL, "scores": [1, None]}, "each of the scores must be a finite number, not None"),
    ({**DUEL, "ranks": [True, False]}, "each of the ranks must be a finite number, not True"),
    ({**DUEL, "ranks": "12"}, "ranks must be a list of numbers, not '12'"),
    ({**DUEL, "weights": [[1]]}, "1 lists of weights for 2 teams"),
    ({**DUEL, "weights": [[1], [1, 1]]}, "2 weights of team 2 for 1 players"),
    ({**DUEL, "weights": [[1], [-0.5]]}, r"bob has the weight -0.5: a weight must be a number from 0 to 1e\+30"),
    ({**DUEL, "weights": [[1], [None]]}, "weights of team 2 must be a finite number, not None"),
    ({**DUEL, "weights": [[1], [0]]}, "team 2 has only weights of 0"),
    ({**DUEL, "importance": -1}, r"importance must be a number from 0 to 1e\+30, not -1.0"),
    ({**DUEL, "importance": "high"}, "importance must be a finite number, not 'high'"),
    ({**DUEL, "home": 2}, "home must be the index of a team, 0 to 1, not 2"),
    ({**DUEL, "home": -1}, "home must be the index of a team, 0 to 1, not -1"),
    ({**DUEL, "home": "ann"}, "home must be the index of a team, 0 to 1, not 'ann'"),
    ({**DUEL, "time": "2026-02-31"}, "'2026-02-31' isn't a date I understand: write a date such as 2026-01-31"),
    ({**DUEL, "id": 1.5}, "the id of a match must be text or a whole number, not 1.5"),
]


@pytest.mark.parametrize(("bad", "message"), BAD)
def test_invalid_match_raises_an_error_that_names_it(bad: Any, message: str) -> None:
    before = [DUEL, {"teams": [["bob"], ["cat"]]}]
    if isinstance(bad, dict) and "time" in bad:
        before = [{**match, "time": "2026-01-01"} for match in before]
    with pytest.raises(Error, match=rf"^match 3: .*{message}"):
        History.from_matches([*before, bad])


def test_duplicate_match_ids_raise_an_error() -> None:
    found = [{**DUEL, "id": "a"}, DUEL, DUEL, {**DUEL, "id": "a"}]
    with pytest.raises(Error, match=r"^match 4: the id 'a' is also used by match 1; every match needs its own"):
        History.from_matches(found)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([1, None], "match 2: it has no time, but the earlier matches do"),
        ([None, 1], "match 2: it has the time 1, but the earlier matches have none"),
        ([1, "2026-01-31"], "match 2: time '2026-01-31': plain numbers and dates are mixed"),
        (["2026-01-31", "2026-01-31T10:00:00Z"], "match 2: time '2026-01-31T10:00:00Z': mixed time zones"),
        (
            ["2026-01-31T10:00:00+01:00", "2026-07-31T10:00:00+02:00"],
            "mixed time zones: .01:00 and .02:00; use `utc=True`",
        ),
    ],
)
def test_times_that_cannot_be_compared_raise_an_error(times: list[Any], message: str) -> None:
    with pytest.raises(Error, match=message):
        History.from_matches([{**DUEL, "time": time} for time in times])


def test_utc_option_reads_mixed_time_zones_as_instants() -> None:
    times = ["2026-01-31T10:00:00+02:00", "2026-01-31T09:30:00+01:00", "2026-01-31T07:00:00Z"]
    history = History.from_matches(({**DUEL, "time": time} for time in times), utc=True)
    assert history.time_zone == "UTC"
    assert [match["time"].hour for match in history] == [7, 8, 8]


def test_dates_and_naive_timestamps_can_be_mixed() -> None:
    history = History.from_matches([{**DUEL, "time": "2026-01-31T10:00:00"}, {**DUEL, "time": "2026-01-31"}])
    assert history.time_kind == "timestamp"
    assert [match["time"].hour for match in history] == [0, 10]


def test_time_format_option_parses_unusual_dates() -> None:
    history = History.from_matches([{**DUEL, "time": "31.01.2026"}], time_format="%d.%m.%Y")
    assert str(history[0]["time"]) == "2026-01-31"


NAMES = st.sampled_from(["ann", "bob", " cat ", "dan", "é", "", 7])
RANKS = st.sampled_from([1, 2, 2.5, -3, True, nan, 1e40, "1"])
SCORES = st.sampled_from([0, 3, 1.5, -0.0, -2, None, float("inf")])


def made(matches: list[Any]) -> tuple[History | None, str]:
    try:
        return History.from_matches(matches), ""
    except Error as error:
        return None, str(error)


@given(
    st.fixed_dictionaries(
        {"teams": st.lists(st.lists(NAMES, max_size=3), max_size=3)},
        optional={
            "ranks": st.lists(RANKS, max_size=3) | st.none(),
            "scores": st.lists(SCORES, max_size=3) | st.none(),
            "importance": st.sampled_from([1, 0.5]),
        },
    )
)
def test_match_read_alone_equals_the_match_read_in_a_list(match):
    """The fast path for a single match gives the same history as the path for several matches."""
    both, wrong = made([match, {"teams": [["someone"], ["else"]], "ranks": [1, 2]}])
    assert made([match]) == (None if both is None else both[:1], wrong)
