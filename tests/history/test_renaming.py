"""Renaming players in a history gives the same result as renaming them in its matches; errors name the match."""

from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import openpyxl
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.errors import Error
from prowess.history import History
from prowess.history.names.aliases import resolve_aliases
from prowess.history.names.renaming import read_aliases
from prowess.model.presets import Elo

from .strategies import matches, names


def follow(aliases: dict[str, str], name: str) -> str | None:
    """Return the last name of a chain of aliases, or None if the chain is a circle."""
    for _ in range(len(aliases) + 1):
        if aliases.get(name, name) == name:
            return name
        name = aliases[name]
    return None


@given(st.dictionaries(names, names, max_size=8))
def test_chain_of_aliases_leads_to_its_last_name_and_a_circle_raises_an_error(aliases: dict[str, str]) -> None:
    expected = {alias: follow(aliases, alias) for alias in aliases if aliases[alias] != alias}
    if None in expected.values():
        with pytest.raises(Error, match="circle"):
            resolve_aliases(aliases)
    else:
        assert resolve_aliases(aliases) == expected


@given(matches(), st.data())
def test_renamed_history_equals_the_history_of_renamed_matches(
    plain: list[dict[str, Any]], data: st.DataObject
) -> None:
    history = History.from_matches(plain)
    if not history.players:
        return
    old = st.sampled_from(history.players)
    aliases = data.draw(st.dictionaries(old, st.one_of(names, old), max_size=4))
    try:
        resolved = resolve_aliases(aliases)
    except Error:
        return
    renamed: list[dict[str, Any]] = [
        match | {"teams": [[resolved.get(name, name) for name in team] for team in match["teams"]]} for match in history
    ]
    players = [[name for team in match["teams"] for name in team] for match in renamed]
    clash = next((number for number, listed in enumerate(players) if len(set(listed)) < len(listed)), None)
    if clash is not None:
        with pytest.raises(Error, match=f"^match {clash + 1}\\b") as caught:
            history.rename(aliases)
        assert caught.value.match == clash
        return
    result = history.rename(aliases)
    expected = History.from_matches(renamed)
    assert result == expected
    assert result.players == expected.players  # in order of appearance
    assert not result.player.flags.writeable


GAMES = [
    {"teams": [["Jeevo"], ["ann"]], "time": "2026-01-30", "id": "a"},
    {"teams": [["Deevo"], ["Jeevo"]], "time": "2026-01-31", "id": "b"},
    {"teams": [["ann", "bob"], ["cat"]], "time": "2026-02-01", "id": "c"},
]


@pytest.mark.parametrize(
    ("aliases", "message"),
    [
        ({"Jeevo": "Deevo"}, "match 2 (2026-01-31, id 'b'): 'Deevo' and 'Jeevo' are opponents, so"),
        (
            {"bob": "ann"},
            "match 3 (2026-02-01, id 'c'): 'ann' and 'bob' are teammates, so",
        ),
        ({"jeevo": "Deevo"}, "no player named 'jeevo' to rename; did you mean 'Jeevo'?"),
        ({"xyz": "Deevo"}, "no player named 'xyz' to rename"),
        ({"ann": "bob", "bob": "cat", "cat": "ann"}, "refer to each other in a circle: 'ann' → 'bob' → 'cat' → 'ann'"),
        ({"ann": " "}, "a player's name must not be empty"),
        ({"ann": 2.5}, "must be text or a whole number"),
        ({"ann": "x", " ann": "y"}, "'ann' is an alias of both 'x' and 'y'"),
        ("ann", "rename needs a mapping"),
    ],
)
def test_error_for_an_invalid_rename_explains_the_mistake(aliases: Any, message: str) -> None:
    history = History.from_matches(GAMES)
    with pytest.raises(Error) as caught:
        history.rename(aliases)
    assert message in str(caught.value)
    assert caught.value.field in ("names", "aliases")


def test_players_can_get_new_names_or_swap_names() -> None:
    history = History.from_matches(GAMES)
    assert history.rename({}) is history
    assert history.rename({"ann": "ann"}) is history
    assert history.rename({"cat": "Zoë"}).players == ("Jeevo", "ann", "Deevo", "bob", "Zoë")
    swapped = history.rename({"ann": "x"}).rename({"bob": "ann"}).rename({"x": "bob"})
    assert swapped[2]["teams"] == [["bob", "ann"], ["cat"]]


def test_players_who_do_not_play_in_a_slice_can_be_renamed_in_it() -> None:
    history = History.from_matches(GAMES)
    assert history[:1].rename({"cat": "Jeevo"}).players == ("Jeevo", "ann", "Deevo", "bob")


def test_history_of_a_million_entries_is_renamed_quickly() -> None:
    size, players = 500_000, 100_000
    history = History(
        np.arange(0, 2 * size + 1, 2, dtype=np.int32),
        np.arange(2 * size + 1, dtype=np.int32),
        (np.arange(2 * size) % players).astype(np.int32),
        np.tile(np.array([1, 2], np.int32), size),
        players=tuple(f"player {k}" for k in range(players)),
    )
    start = perf_counter()
    renamed = history.rename({f"player {k}": f"player {k + players // 2}" for k in range(1000)})
    assert len(renamed.players) == players - 1000
    assert perf_counter() - start < 5


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


WIDE = "season,day,winner,loser\n1,1,Deevo,ann\n1,2,Jeevo,ann\n2,3,Jose\u0301,JV\n2,4,bob,ann\n"
LONG = (
    "season,day,match,player,place\n1,1,1,Deevo,1\n1,1,1,ann,2\n1,2,2,Jeevo,1\n1,2,2,ann,2\n"
    "2,3,3,Jose\u0301,1\n2,3,3,JV,2\n2,4,4,bob,1\n2,4,4,ann,2\n"
)
JSON = "".join(
    f'{{"teams": [["{winner}"], ["{loser}"]], "time": {day}}}\n'
    for day, winner, loser in ((1, "Deevo", "ann"), (2, "Jeevo", "ann"), (3, "José", "JV"), (4, "bob", "ann"))
)
ALIASES = {"JV": "Jeevo", "Jeevo": "Deevo", "José": "Pepe", "Zed": "ann", "Bob": "ann"}


@pytest.mark.parametrize(("name", "text"), [("a.csv", WIDE), ("b.csv", LONG), ("c.jsonl", JSON)])
def test_aliases_replace_names_when_a_file_is_read(tmp_path: Path, name: str, text: str) -> None:
    path = write(tmp_path / name, text)
    history = History.read(path, aliases=ALIASES)
    assert history.players == ("Deevo", "ann", "Pepe", "bob")
    assert [match["teams"] for match in history][2] == [["Pepe"], ["Deevo"]]
    remarks = {remark.code: str(remark) for remark in history.remarks}
    assert remarks["aliases"] == "3 aliases applied"
    unused = "2 aliases do not occur in the matches: 'Zed'; 'Bob' (did you mean 'bob'?)"
    assert remarks["unused-aliases"] == unused
    for rows in (1, 2, 100):
        stream = History.stream(path, rows=rows, aliases=ALIASES)
        streamed = Elo().fit_stream(stream)
        assert streamed.ladder.leaderboard().equals(Elo().fit(history).ladder.leaderboard())
        assert unused in streamed.recognised
    if name != "c.jsonl":
        groups = History.read_groups(path, "season", aliases=ALIASES)
        assert {key: group.players for key, group in groups.items()} == {
            "1": ("Deevo", "ann"),
            "2": ("Pepe", "Deevo", "bob", "ann"),
        }
        frame = pl.read_csv(path)
        assert History.from_frame(frame, aliases=ALIASES) == history


@pytest.mark.parametrize(
    ("name", "text", "where"), [("a.csv", WIDE, "line 3"), ("b.csv", LONG, "line 5"), ("c.jsonl", JSON, "match 2")]
)
def test_error_for_an_impossible_merge_names_the_line_of_the_match(
    tmp_path: Path, name: str, text: str, where: str
) -> None:
    path = write(tmp_path / name, text)
    with pytest.raises(Error, match=f"{name}, {where}.*'Jeevo' and 'ann' are opponents") as caught:
        History.read(path, aliases={"Jeevo": "ann"}, skip_problems=True)
    assert caught.value.field == "aliases"
    with pytest.raises(Error, match=f"{name}, {where}.*'Jeevo' and 'ann' are opponents"):
        list(History.stream(path, aliases={"Jeevo": "ann"}))


def test_two_opponents_cannot_be_aliases_of_the_same_player(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "winner,loser\nann,cat\nann,bob\n")
    with pytest.raises(Error, match=r"a.csv, line 3: 'ann' and 'bob' are opponents"):
        History.read(path, aliases={"ann": "x", "bob": "x"})


def test_remark_suggests_a_similar_name_if_an_alias_leads_to_an_unknown_player(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", WIDE)
    history = History.read(path, aliases={"JV": "deevo"})
    assert "no match has a player named 'deevo' (did you mean 'Deevo'?)" in history.recognised


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "alias,name\nJeevo,Deevo\n\nJV,Jeevo\n"),
        ("a.csv", "Jeevo,Deevo\nJV,Jeevo\n"),
        ("a.csv", "name,alias\nDeevo,Jeevo\nJeevo,JV\n"),
        ("a.csv", "Player;Old name\nDeevo;Jeevo\nJeevo;JV\n"),
        ("a.tsv", "Jeevo\tDeevo\nJV\tJeevo\n"),
        ("a.csv", "comment,alias,name\nx,Jeevo,Deevo\ny,JV,Jeevo\n"),
        ("a.json", '[{"alias": "Jeevo", "name": "Deevo"}, {"alias": "JV", "name": "Jeevo"}]'),
        ("a.jsonl", '{"alias": "Jeevo", "name": "Deevo"}\n{"alias": "JV", "name": "Jeevo"}\n'),
    ],
)
def test_alias_file_may_have_any_usual_text_format(tmp_path: Path, name: str, text: str) -> None:
    path = write(tmp_path / name, text)
    assert dict(read_aliases(path)) == {"Jeevo": "Deevo", "JV": "Deevo"}
    games = write(tmp_path / "games.csv", WIDE)
    assert History.read(games, aliases=path).players == ("Deevo", "ann", "José", "bob")


def test_alias_file_may_be_a_workbook_or_a_parquet_file(tmp_path: Path) -> None:
    frame = pl.DataFrame({"alias": ["Jeevo", "JV"], "name": ["Deevo", "Jeevo"]})
    frame.write_parquet(tmp_path / "a.parquet")
    book = openpyxl.Workbook()
    for row in (["alias", "name"], ["Jeevo", "Deevo"], ["JV", "Jeevo"]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    for name in ("a.parquet", "a.xlsx"):
        assert dict(read_aliases(tmp_path / name)) == {"Jeevo": "Deevo", "JV": "Deevo"}


def test_alias_may_be_quoted_and_may_have_decomposed_accents(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", '"Nadal, R.",Rafael Nadal\nJose\u0301,Pepe\n Ann\u00a0 Lee ,Ann Lee\n')
    assert dict(read_aliases(path)) == {"Nadal, R.": "Rafael Nadal", "José": "Pepe"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Jeevo,Deevo\nJV,\n", "a.csv, line 2: the name of the player is missing"),
        ("alias,name\nJeevo,Deevo\n,JV\n", "a.csv, line 3: the alias is missing"),
        ("Jeevo,Deevo\nJeevo,ann\n", "a.csv, line 2: 'Jeevo' is already an alias of 'Deevo'"),
        (
            "Jeevo,Deevo\nDeevo,Jeevo\n",
            "a.csv: these aliases refer to each other in a circle: 'Jeevo' → 'Deevo' → 'Jeevo'",
        ),
        ("Jeevo\nDeevo\n", "a.csv, line 1: give two columns"),
        ("Jeevo,Deevo,x\nJV,Deevo,y\n", "a.csv: a file of aliases has two columns, alias and name, not 3"),
    ],
)
def test_error_in_an_alias_file_names_the_line(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path / "a.csv", text)
    with pytest.raises(Error) as caught:
        read_aliases(path)
    assert message in str(caught.value)
    assert caught.value.field == "aliases"


def test_aliases_option_must_be_a_mapping_or_a_path() -> None:
    frame = pl.DataFrame({"winner": ["ann"], "loser": ["bob"]})
    with pytest.raises(Error, match="aliases must map aliases to names"):
        History.from_frame(frame, aliases=["ann"])  # type: ignore[arg-type]
    assert History.from_frame(frame, aliases={}).players == ("ann", "bob")
