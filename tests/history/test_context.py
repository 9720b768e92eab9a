"""The context of matches, teams and players: how histories store, return and select it."""

import pickle
from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest

from prowess.errors import Error
from prowess.history import History
from prowess.history.context.columns import EMPTY, Context, ContextColumn, marked_header, parse_marked_header

DUEL: dict[str, Any] = {"teams": [["ann"], ["bob"]]}
PAIRS: dict[str, Any] = {"teams": [["ann", "bob"], ["cat", "dan"]]}


def test_context_values_of_matches_teams_and_players_are_returned_unchanged() -> None:
    context = {"surface": "clay", "best of": 5, "side": ["blue", "red"], "rest": [[3, 1], [2, 2.5]]}
    history = History.from_matches([{**PAIRS, "context": context}, PAIRS])
    assert [match.get("context") for match in history] == [context, None]
    assert list(history.context) == ["surface", "best of"]
    assert list(history.team_context) == ["side"]
    assert history.entry_context["rest"].to_list() == [3, 1, 2, 2.5, None, None, None, None]
    assert History.from_matches(list(history)) == history


def test_histories_without_context_share_one_empty_context() -> None:
    history = History.from_matches([DUEL, {**DUEL, "context": {}}, {**DUEL, "context": {"x": None, "y": ["", " "]}}])
    for one in (
        history,
        history[:1],
        history.take([0]),
        pickle.loads(pickle.dumps(history)),
        History.from_matches([DUEL]),
    ):
        assert one.context is one.team_context is one.entry_context is EMPTY


def test_context_column_with_few_distinct_values_takes_a_byte_per_row() -> None:
    history = History.from_matches([{**DUEL, "context": {"side": ["blue", "red"]}}] * 1000)
    bare = History.from_matches([DUEL] * 1000)
    assert history.nbytes - bare.nbytes == history.entries
    for values, size in ((128, 1), (129, 2), (32768, 2), (32769, 4)):
        assert ContextColumn.of([str(value) for value in range(values)]).code.itemsize == size
        assert ContextColumn.of(pl.Series(range(values)).cast(pl.String)).code.itemsize == size
        assert ContextColumn.of(pl.Series(range(values))).code.itemsize == size


def test_context_column_has_the_finest_level_that_any_match_uses() -> None:
    matches = [
        {**DUEL, "context": {"seed": 1, "age": 30}},
        {**PAIRS, "context": {"seed": [2, 3], "age": [20, 25]}},
        {**PAIRS, "context": {"age": [[1, 2], [3, None]]}},
    ]
    history = History.from_matches(matches)
    assert not history.context
    assert history.team_context["seed"].to_list() == [1, 1, 2, 3, None, None]
    assert history.entry_context["age"].to_list() == [30, 30, 20, 20, 25, 25, 1, 2, 3, None]


def test_list_of_missing_values_does_not_change_the_level_of_a_context_column() -> None:
    contexts = [{"seed": 1}, {"seed": [None, " "]}, {"seed": [[None, ""], [None, None]]}]
    history = History.from_matches([{**PAIRS, "context": context} for context in contexts])
    assert history.context["seed"].to_list() == [1, None, None]
    with pytest.raises(Error, match="1 value for 2 teams"):
        History.from_matches([{**PAIRS, "context": {"seed": [None]}}])


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([True, False, np.True_, None], "category", ["true", "false", "true", None]),
        ([date(2026, 1, 31), " 2026-01-31 ", ""], "category", ["2026-01-31", "2026-01-31", None]),
        (["Jose\u0301", "José"], "category", ["José", "José"]),
        ([1, 1.0, np.int8(1), np.float32(2.5), -0.0], "number", [1, 1, 1, 2.5, 0]),
        ([2**53, 1e25, float("nan")], "number", [2.0**53, 1e25, None]),
        ([None], "category", [None]),
    ],
)
def test_python_values_are_encoded_as_categories_or_numbers(values: list[Any], kind: str, expected: list[Any]) -> None:
    column = ContextColumn.of(values)
    assert (column.kind, column.to_list()) == (kind, expected)
    assert ContextColumn.of(column.to_series()) == column


@pytest.mark.parametrize(
    ("series", "kind", "expected"),
    [
        (
            pl.Series([" clay", "clay ", "", None, "Jose\u0301", "José"]),
            "category",
            ["clay"] * 2 + [None] * 2 + ["José"] * 2,
        ),
        (pl.Series([True, None]), "category", ["true", None]),
        (pl.Series([date(2026, 1, 31)]), "category", ["2026-01-31"]),
        (pl.Series(["a", None], dtype=pl.Categorical), "category", ["a", None]),
        (pl.Series([3, None, 1], dtype=pl.UInt8), "number", [3, None, 1]),
        (pl.Series([-0.0, float("nan"), float("inf"), 1e31, 0.5]), "number", [0, None, None, None, 0.5]),
        (pl.Series([], dtype=pl.String), "category", []),
        (pl.Series([None, None]), "category", [None, None]),
    ],
)
def test_polars_series_are_encoded_as_categories_or_numbers(series: pl.Series, kind: str, expected: list[Any]) -> None:
    column = ContextColumn.of(series)
    assert (column.kind, column.to_list()) == (kind, expected)


def test_context_column_of_lists_raises_an_error() -> None:
    with pytest.raises(Error, match="text or numbers") as raised:
        ContextColumn.of(pl.Series([[1]]))
    assert raised.value.field == "context"


def test_context_columns_are_read_only_even_after_pickling() -> None:
    history = History.from_matches([{**DUEL, "context": {"surface": "clay", "seed": [1, 2]}}])
    copy = pickle.loads(pickle.dumps(history))
    assert copy == history
    for one in (history, copy):
        seeds = one.team_context["seed"]
        assert isinstance(seeds.values, np.ndarray)
        assert not seeds.code.flags.writeable
        assert not seeds.values.flags.writeable
        with pytest.raises(TypeError):
            one.context["surface"] = seeds


def test_equality_of_context_columns_ignores_the_order_of_distinct_values() -> None:
    assert ContextColumn.of(["a", "b", None])[1:] == ContextColumn.of(["b", None])
    assert ContextColumn.of([2, 1])[1:] == ContextColumn.of([1])
    assert ContextColumn.of(["a", "b"]) != ContextColumn.of(["a", "c"])
    assert ContextColumn.of(["a", "b"]) != ContextColumn.of(["a", None])
    assert ContextColumn.of(["1"]) != ContextColumn.of([1])
    assert ContextColumn.of(["1"]) != "1"
    assert Context({"a": ContextColumn.of([1])}) != Context({"b": ContextColumn.of([1])})
    history = History.from_matches([{**DUEL, "context": {"surface": "clay"}}])
    assert history != History.from_matches([DUEL])
    assert history != History.from_matches([{**DUEL, "context": {"surface": ["clay", "clay"]}}])


def test_context_must_have_as_many_rows_as_the_history() -> None:
    from dataclasses import replace

    with pytest.raises(Error, match="context has 2 rows instead of 1"):
        replace(History.from_matches([DUEL]), context=Context({"a": ContextColumn.of([1, 2])}))
    with pytest.raises(Error, match="same length"):
        Context({"a": ContextColumn.of([1, 2]), "b": ContextColumn.of([1])})


BAD: list[tuple[Any, str, int | None]] = [
    ("clay", "context must be a mapping such as {'surface': 'clay'}, not 'clay'", None),
    ({"x": [1]}, "context 'x' has 1 value for 2 teams: give one value for the match, or one for each team", None),
    ({"x": [[1], 2]}, "context 'x' mixes values and lists: give a value for each team, or a list for each team", None),
    ({"x": [[1, 2], [1]]}, "context 'x' of team 2 has 1 value for 2 players: give one value for each player", 1),
    ({"x": [[1, 2], [3, [4]]]}, "context 'x' must be text, a number, true or false, not [4]", 1),
    ({"x": {}}, "context 'x' must be text, a number, true or false, not {}", None),
    ({"x": float("inf")}, "context 'x' must be a finite number, not inf", None),
    ({"x": [1, 1e31]}, "context 'x' must be within ±1e+30", 1),
    ({"x": [1, 10**400]}, "context 'x' must be a finite number", 1),
    ({"x": "\ud83d"}, "context 'x' must be valid Unicode text", None),
    ({"y": [1, "two"]}, "context 'y' is 'two' here and a number elsewhere: give only numbers, or only text", 1),
    ({"before": 1}, "context 'before' is 1.0 here and text elsewhere: give only numbers, or only text", None),
    ({" ": 1}, "the name of a context must be text, not ' '", None),
    ({7: 1}, "the name of a context must be text, not 7", None),
    ({"x": 1, " x": 2}, "'x' and ' x' name the same context: use one of them", None),
    ({"x" * 101: 1}, "the name of a context has at most 100 characters, not 101", None),
    ({f"x{n}": 1 for n in range(100)}, "matches have at most 100 columns of context; 'x99' is one too many", None),
]


@pytest.mark.parametrize("mapping", [dict, pytest.param(lambda match: {**match, "time": 1.0, "id": 7}, id="slow path")])
@pytest.mark.parametrize(("context", "message", "team"), BAD)
def test_error_for_invalid_context_names_the_match_and_the_team(
    mapping: Any, context: Any, message: str, team: int | None
) -> None:
    matches = [mapping({**PAIRS, "context": {"before": "a"}}), mapping({**PAIRS, "context": context})]
    matches[1].pop("id", None)
    with pytest.raises(Error) as raised:
        History.from_matches(matches)
    assert str(raised.value).startswith(f"match 2: {message}")
    assert (raised.value.field, raised.value.match, raised.value.team) == ("context", 1, team)


@pytest.mark.parametrize(
    ("header", "name", "level", "kind", "number"),
    [
        ("side [team]", "side", "team", None, None),
        ("map [match, text]", "map", "match", "category", None),
        ("kills [player, number]", "kills", "player", "number", None),
        ("side [team 2]", "side", "team", None, 2),
        ("kills [player 1, text]", "kills", "player", "category", 1),
        ("side [team] [match]", "side [team]", "match", None, None),
    ],
)
def test_level_and_kind_in_a_context_header_are_parsed_as_they_were_written(
    header: str, name: str, level: Any, kind: Any, number: int | None
) -> None:
    assert marked_header(name, level, kind, number) == header
    assert parse_marked_header(header) == (name, level, kind, number)


@pytest.mark.parametrize("header", ["side", "[team]", "side [Team]", "side [team,text]", "side [match 1]", "[x] [%]"])
def test_header_without_a_valid_level_in_brackets_is_not_parsed_as_context(header: str) -> None:
    assert parse_marked_header(header) is None


SURFACES = History.from_matches(
    [
        {**PAIRS, "context": {"surface": "clay", "best of": 5, "side": ["blue", "red"], "rest": [[3, 1], [2, None]]}},
        {**DUEL, "context": {"surface": "grass", "best of": 2.5, "side": ["red", None], "rest": [[1], [1]]}},
        {**PAIRS, "context": {"indoor": True}},
    ]
)


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({"surface": "clay"}, [0]),
        ({"surface": " clay"}, [0]),
        ({"surface": ["clay", "grass", "sand"]}, [0, 1]),
        ({"surface": None}, [2]),
        ({"surface": ["clay", None]}, [0, 2]),
        ({"surface": "sand"}, []),
        ({"surface": "Clay"}, []),
        ({"surface": []}, []),
        ({"best of": 5}, [0]),
        ({"best of": "5"}, [0]),
        ({"best of": np.array([5, 2.5])}, [0, 1]),
        ({"side": "red"}, [0, 1]),
        ({"side": "blue"}, [0]),
        ({"side": None}, [1, 2]),
        ({"rest": 1}, [0, 1]),
        ({"rest": 3, "side": "red"}, [0]),
        ({"rest": 3, "surface": "grass"}, []),
        ({"indoor": True}, [2]),
        ({}, [0, 1, 2]),
    ],
)
def test_where_selects_matches_by_their_context(conditions: dict[str, Any], expected: list[int]) -> None:
    assert SURFACES.where(conditions) == SURFACES.take(np.array(expected, int))
    if all(name.isidentifier() for name in conditions):
        assert SURFACES.where(**conditions) == SURFACES.where(conditions)


def test_where_rejects_unknown_columns_and_text_for_numeric_columns() -> None:
    with pytest.raises(Error, match=r"there is no context column 'surfaces'; did you mean 'surface'\?") as raised:
        SURFACES.where(surfaces="clay")
    assert raised.value.field == "surfaces"
    with pytest.raises(Error, match="best of is a number in every match; give a number, not 'five'"):
        SURFACES.where({"best of": "five"})
    with pytest.raises(Error, match="the context is empty"):
        History.from_matches([DUEL]).where(surface="clay")
    assert len(SURFACES[:0]) == 0
