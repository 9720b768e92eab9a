"""Matches are written to the journal as JSON and read back unchanged."""

import json
from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prowess.errors import Error
from prowess.history import History
from prowess.history.times import show_time
from prowess.store.journal.journal import bodies, body, history_of
from prowess.store.journal.scanner import _numbered_by_text
from tests.history.strategies import matches

HARD = (0.1 + 0.2, 5e-324, 1e22, 123456789.123456789, 2.0**53 - 1, 2.0**53, 1e16, 1e-7, 1e30, -0.0, 2.225e-308, 1e23)
ODD = (
    '"',
    "\\",
    '\\"',
    "a\\",
    "\x00",
    "x\x1f\x7f",
    "x\u2028y",
    "😀",
    "é" * 10_000,
    "[",
    '"],["',
    "x\n\t\nx",
    "a\rb",
    "null",
)


def same(one: History, other: History) -> None:
    """Check that two histories are equal, with the same types and bytes in all columns."""
    assert one == other
    for field in fields(History):
        mine, yours = getattr(one, field.name), getattr(other, field.name)
        if isinstance(mine, np.ndarray):
            assert (mine.dtype, mine.tobytes()) == (yours.dtype, yours.tobytes()), field.name
        elif field.name != "remarks":
            assert mine == yours, field.name


def without(match: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in match.items() if key not in keys}


def at(clock: str, time: float) -> Any:
    """Return a time in the format that a league with this clock accepts."""
    if clock == "utc":
        return show_time("timestamp", "UTC", time)
    return time if clock == "number" else None


@settings(max_examples=50)
@given(matches(), st.sampled_from(["utc", "number", "none"]), st.randoms())
def test_journal_rows_are_converted_to_the_posted_history(found: Any, clock: Any, random: Any) -> None:
    rows = []
    for seq, match in enumerate(found):
        if "scores" in match:
            match = {**match, "scores": [score + 0.0 for score in match["scores"]]}  # changes -0 to 0
        time = 0.0 if clock == "none" else float(random.randrange(-3, 3))
        rows.append((seq, time, f"m{seq}", {**match, "id": f"m{seq}", "time": at(clock, time)}))
    expected = History.from_matches([match for *_, match in rows])
    random.shuffle(rows)
    seq, time, ids = ([row[column] for row in rows] for column in range(3))
    same(history_of(seq, time, ids, [body(row[3]) for row in rows], clock), expected)


@settings(max_examples=50)
@given(matches())
def test_match_from_a_history_and_match_from_a_dict_are_stored_as_the_same_json(found: Any) -> None:
    history = History.from_matches(found)
    texts = bodies(history)
    assert texts == [body(match) for match in history]
    assert sorted(texts) == sorted(body(match) for match in found)
    for text, match in zip(texts, history, strict=True):
        read = json.loads(text)
        assert read == without(match, "time", "id")
        assert text == json.dumps(read, ensure_ascii=False, separators=(",", ":"))


def test_names_and_numbers_are_read_back_from_the_journal_unchanged() -> None:
    names = [[[one], [other]] for one, other in pairwise(ODD)]
    given = [{"teams": teams, "scores": [one, -one]} for teams, one in zip(names, HARD * 2, strict=False)]
    given += [
        {"teams": [["a"], ["b"]], "scores": [1, 2], "weights": [[one or 1], [0.1]]} for one in HARD if one > 1e-30
    ]
    given += [{"teams": [["a"], ["b"]], "importance": 1 / 3}]
    history = History.from_matches([{**match, "id": str(row)} for row, match in enumerate(given)])
    rows = range(len(history))
    found = history_of(rows, [0.0] * len(rows), list(map(str, rows)), bodies(history), "none")
    assert found == history
    assert found.players == history.players
    assert found.score is not None
    assert history.score is not None
    assert (found.score + 0.0).tobytes() == (history.score + 0.0).tobytes()


@given(st.lists(st.floats(-1e30, 1e30), min_size=2, max_size=30))
def test_scores_are_read_back_from_the_journal_unchanged_to_the_last_bit(scores: list[float]) -> None:
    match = {"teams": [[str(player)] for player in range(len(scores))], "scores": scores, "ranks": [1] * len(scores)}
    found = history_of([1], [0.0], ["x"], [body(match)], "none")
    assert found.score is not None
    assert found.score.tobytes() == (np.array(scores) + 0.0).tobytes()


def test_equal_matches_in_different_notations_are_stored_as_the_same_json() -> None:
    text = '{"teams":[["ann"],["bob","7"]],"scores":[3,0],"weights":[[1],[1,0.5]],"home":1}'
    one = {"home": 1, "teams": (["ann "], ["bob", 7]), "scores": np.array([3, -0.0]), "weights": [[1], [1.0, 0.5]]}
    other = {**one, "ranks": [0.5, 7], "importance": None, "id": "x", "time": "2026-01-31", "scores": [3.0, 0]}
    assert body(one) == body(other) == text
    assert body({"teams": [["a"], ["b"]], "ranks": [2.5, 1]}) == '{"teams":[["a"],["b"]],"ranks":[2,1]}'


def test_journal_json_in_a_non_canonical_notation_is_read_correctly() -> None:
    texts = ['{"teams": [["\\u0061"], ["b"]], "ranks": [1.5, 0.5]}', '{"scores":[1e0,2],"teams":[["b"],["a"]]}']
    expected = [{"teams": [["a"], ["b"]], "ranks": [1.5, 0.5]}, {"teams": [["b"], ["a"]], "scores": [1, 2]}]
    expected = [{**match, "id": name} for match, name in zip(expected, "xy", strict=True)]
    for count in (1, 2):
        found = history_of([1, 2][:count], [0.0] * count, ["x", "y"][:count], texts[:count], "none")
        same(found, History.from_matches(expected[:count]))
    escaped = [body({"teams": [["a"], ["b"]]}), '{"teams":[["\\u0061"],["b"]],"ranks":[1,2]}']
    assert history_of([1, 2], [0.0, 0.0], ["x", "y"], escaped, "none").players == ("a", "b")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "7",
        '{"teams":[["a',
        '{"teams":[["a\\',
        '{"teams":[["a"],["b"]],"scores":[1]}',
        '{"teams":[["a"],["b"]],"scores":[1,-]}',
        '{"teams":[["a"],["b"]],"scores":[1,2e]}',
        '{"teams":[["a"],["b"]],"home":2}',
        '{"teams":[["a"],["b"]],"home":0.5}',
        '{"teams":[["a\\2"],["b"]]}',
        '{"teams":[["a\ud800"],["b"]]}',
        '{"teams":[["a"],["b"]]}\n{}',
    ],
)
def test_damaged_journal_json_raises_an_error_that_names_the_match(text: str) -> None:
    with pytest.raises(Error, match=r"^the journal is damaged: .*match 'x'"):
        history_of([1, 2], [0.0, 0.0], ["x", "y"], [text, body({"teams": [["a"], ["b"]]})], "none")


def test_player_names_with_equal_hashes_stay_distinct() -> None:
    player, first = _numbered_by_text(b"abcabca", [0, 1, 3, 4, 5], [1, 3, 4, 5, 7])
    assert (player.tolist(), first.tolist()) == ([0, 1, 0, 2, 3], [0, 1, 3, 4])
