"""Histories with context are read back unchanged from every kind of file, with plain headers if possible."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prowess.errors import Error
from prowess.history import History
from prowess.history.writers import write_table

from .strategies import contexts, matches

NAMES = st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=6, unique=True)


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw matches that every layout can represent, apart from their context."""
    make_context = draw(contexts())
    rosters, home, scores, timed = (draw(st.booleans()) for _ in range(4))
    found = []
    for index in range(draw(st.integers(1, 7))):
        names = draw(NAMES)[: 2 if home else None]
        cut = draw(st.integers(1, len(names) - 1))
        teams = [names[:cut], names[cut:]] if rosters and not home else [[name] for name in names]
        match: dict[str, Any] = {"teams": teams, "id": f"m{index}", "context": make_context(teams)}
        results = st.lists(st.integers(0, 4), min_size=len(teams), max_size=len(teams))
        match |= {"scores": draw(results)} if scores else {"ranks": draw(results)}
        match |= {"time": f"2026-01-{index + 1:02}"} if timed else {}
        found.append(match | ({"home": 0} if home else {}))
    return found


@given(matches(context=True))
def test_history_with_context_converted_to_a_frame_and_back_is_unchanged(found: list[dict[str, Any]]) -> None:
    history = History.from_matches(found)
    assert History.from_frame(history.to_frame()) == history


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    histories(),
    st.sampled_from([".csv", ".tsv", ".parquet", ".jsonl"]),
    st.sampled_from(["wide", "long", None]),
    st.booleans(),
)
def test_history_with_context_written_to_a_file_is_read_back_unchanged(
    tmp_path: Path, found: list[dict[str, Any]], ending: str, layout: Any, raw_names: bool
) -> None:
    history, path = History.from_matches(found), tmp_path / f"games{ending}"
    if layout == "wide" and ending != ".jsonl" and history.entry_context and history.entries > history.teams:
        with pytest.raises(Error, match="because the players of a team have context of their own"):
            history.write(path, layout)
        return
    history.write(path, layout, raw_names=raw_names)
    assert History.read(path) == history


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(histories(), st.sampled_from([".csv", ".parquet"]), st.integers(1, 3))
def test_context_written_in_chunks_is_read_back_unchanged(
    tmp_path: Path, found: list[dict[str, Any]], ending: str, size: int
) -> None:
    history, path = History.from_matches(found), tmp_path / f"games{ending}"
    write_table(lambda: [history[first : first + size] for first in range(0, len(history), size)], path, ending)
    assert History.read(path) == history


def duels(*contexts: dict[str, Any]) -> History:
    return History.from_matches([{"teams": [["ann"], ["bob"]], "context": context} for context in contexts])


def header(history: History, tmp_path: Path, layout: Any = None) -> str:
    path = tmp_path / "games.csv"
    history.write(path, layout)
    assert History.read(path) == history
    return path.read_text().partition("\n")[0]


WIDE, LONG = "player1,rank1,player2,rank2,", "match,team,player,place,"


@pytest.mark.parametrize(
    ("values", "wide", "long"),
    [
        (["clay", "grass", "clay"], "x", "x"),
        (["clay", None, "clay"], "x [match]", "x [match]"),  # without the level, a constant column is left out
        (["a", "b", "c"], "x [match]", "x [match]"),  # and so is a column in which no value repeats
        ([1, 2, 3], "x [match]", "x [match]"),
        ([1.5, 2, 3], "x", "x"),  # decimal numbers are kept even if none repeats
        ([1, 2, 2], "x", "x"),
        (["1", "2", "2"], '"x [match, text]"', '"x [match, text]"'),
        (["1,5", "a", "a"], '"x [match, text]"', '"x [match, text]"'),
        (["6-4 6-3", "6-4", "6-4"], "x [match]", "x [match]"),  # it may look like a time, and no column has times
        ([["blue", "red"], ["red", "blue"]], "x1,x2", "x"),
        ([["blue", "blue"], ["red", "red"]], "x1,x2", "x [team]"),  # its long rows look like match context
        ([["7", None], ["8", "8"]], '"x [team 1, text]","x [team 2, text]"', '"x [team, text]"'),
        ([[["blue"], ["red"]], [["red"], ["red"]]], "x [player 1],x [player 2]", "x [player]"),
    ],
)
def test_context_header_does_not_state_level_and_kind_if_the_reader_can_infer_them(
    values: list[Any], wide: str, long: str, tmp_path: Path
) -> None:
    history = duels(*({"x": value} for value in values))
    assert header(history, tmp_path, "wide") == WIDE + wide
    assert header(history, tmp_path, "long") == LONG + long


@pytest.mark.parametrize("name", ["round", "date", "score", "id", "3", "x [team]"])
def test_context_column_named_like_a_role_gets_a_header_that_states_its_level(name: str, tmp_path: Path) -> None:
    history = duels({name: "a"}, {name: "b"}, {name: "a"})
    assert header(history, tmp_path, "wide") == f"{WIDE}{name} [match]"
    assert header(history, tmp_path, "long") == f"{LONG}{name} [match]"


@pytest.mark.parametrize(
    "name", ["home", "winner", "loser", "season", "player1", "team", "home_team", "set1", "result"]
)
def test_context_column_named_like_a_role_of_other_layouts_is_read_back_unchanged(name: str, tmp_path: Path) -> None:
    history = duels({name: "a", "opponent": "x"}, {name: "b"}, {name: "a", "opponent": "y"})
    header(history, tmp_path, "wide")
    header(history, tmp_path, "long")


def test_context_columns_that_look_like_the_sides_of_another_column_get_headers_with_levels(tmp_path: Path) -> None:
    sides = [{"seed": [1, 2], "seed1": "a", "home_age": 3, "away_age": 4}, {"seed": [2, 1], "seed1": "b"}]
    history = duels(*sides, *sides)
    assert (
        header(history, tmp_path)
        == f"{WIDE}seed1 [match],home_age [match],away_age [match],seed [team 1],seed [team 2]"
    )


def test_team_context_of_home_and_away_teams_is_written_to_home_and_away_columns(tmp_path: Path) -> None:
    matches = [
        {"teams": [["ann"], ["bob"]], "scores": [2, 1], "home": 0, "context": {"red cards": cards, "venue": "x"}}
        for cards in ([0, 1], [1, 2], [0, 0])
    ]
    path = tmp_path / "games.csv"
    history = History.from_matches(matches)
    history.write(path)
    columns = "home_team,home_score,away_team,away_score,neutral,venue [match],home red cards,away red cards"
    assert path.read_text().partition("\n")[0] == columns
    assert History.read(path) == history


def test_context_names_that_a_spreadsheet_would_run_as_formulas_get_an_apostrophe(tmp_path: Path) -> None:
    history = duels({"=1+1": "@a"}, {"=1+1": "b"})
    assert header(history, tmp_path) == f"{WIDE}'=1+1 [match]"


def test_kind_and_level_of_a_context_column_may_differ_between_written_chunks(tmp_path: Path) -> None:
    chunks = [duels({"seed": 1, "age": 30}), duels({"seed": "WC", "age": [20, 30]}), duels({"seed": 2.5})]
    write_table(lambda: chunks, tmp_path / "games.csv", ".csv")
    assert History.read(tmp_path / "games.csv") == History.join(chunks)


def test_error_for_invalid_context_in_a_json_lines_file_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    lines = ['{"teams": [["a"], ["b"]], "context": {"x": %s}}' % value for value in ("1", "[1, 2, 3]", "2")]  # noqa: UP031
    path.write_text("\n".join(lines))
    with pytest.raises(Error, match="line 2: context 'x' has 3 values for 2 teams") as raised:
        History.read(path)
    assert raised.value.line == 2
    assert len(History.read(path, skip_problems=True)) == 2
    path.write_text("\n".join([lines[0], "", lines[2].replace("2", '"two"')]))
    with pytest.raises(Error, match="line 3: context 'x' is 'two' here and a number elsewhere") as raised:
        History.read(path)
    assert raised.value.line == 3


def test_context_column_with_few_distinct_values_takes_at_most_five_bytes_per_entry(tmp_path: Path) -> None:
    """The limit holds on every level, for histories built from matches and for histories read from files."""
    context = {"surface": "clay", "side": ["blue", "red"], "kills": [[1], [2]]}
    other = {"surface": "grass", "side": ["red", "red"], "kills": [[2], [2]]}
    history = duels(*[context, other] * 500)
    history.write(tmp_path / "games.csv", "long")
    for one in (history, History.read(tmp_path / "games.csv")):
        bare = History.from_matches([{"teams": match["teams"], "ranks": match["ranks"]} for match in one])
        assert one.nbytes - bare.nbytes <= 5 * one.entries


def test_context_column_and_role_with_the_same_name_are_both_read_back_unchanged() -> None:
    match = {"teams": [["ann"], ["bob"]]}
    scored = {**match, "scores": [0, 0], "context": {"score": [[None], ["won"]]}}
    history = History.from_matches([match, scored])
    assert History.from_frame(history.to_frame()) == history


def test_line_breaks_in_the_name_of_a_context_column_become_spaces() -> None:
    rows = {
        "winner": ["ann", "ann", "bob"],
        "loser": ["bob", "bob", "ann"],
        "best\n of": [3, 5, 3],
        "best of": [1, 1, 2],
    }
    assert list(History.from_frame(pl.DataFrame(rows)).context) == ["best of (2)", "best of"]
