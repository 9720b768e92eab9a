"""Renaming and merging players equals renaming them in the matches, and impossible merges name the match."""

from time import perf_counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.errors import Error
from prowess.history import History
from prowess.history.renaming import resolve_aliases

from .strategies import matches, names


def follow(aliases: dict[str, str], name: str) -> str | None:
    """Follow aliases step by step; None in a circle."""
    for _ in range(len(aliases) + 1):
        if aliases.get(name, name) == name:
            return name
        name = aliases[name]
    return None


@given(st.dictionaries(names, names, max_size=8))
def test_chains_are_followed_to_their_end(aliases: dict[str, str]) -> None:
    expected = {alias: follow(aliases, alias) for alias in aliases if aliases[alias] != alias}
    if None in expected.values():
        with pytest.raises(Error, match="circle"):
            resolve_aliases(aliases)
    else:
        assert resolve_aliases(aliases) == expected


@given(matches(), st.data())
def test_renaming_equals_renaming_in_the_matches(plain: list[dict[str, Any]], data: st.DataObject) -> None:
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
        ({"ann": "bob", "bob": "cat", "cat": "ann"}, "must not go in a circle: 'ann' → 'bob' → 'cat' → 'ann'"),
        ({"ann": " "}, "a player's name must not be empty"),
        ({"ann": 2.5}, "must be text or a whole number"),
        ({"ann": "x", " ann": "y"}, "'ann' is an alias of both 'x' and 'y'"),
        ("ann", "rename needs a mapping"),
    ],
)
def test_mistakes_are_named(aliases: Any, message: str) -> None:
    history = History.from_matches(GAMES)
    with pytest.raises(Error) as caught:
        history.rename(aliases)
    assert message in str(caught.value)
    assert caught.value.field in ("names", "aliases")


def test_swapping_in_two_steps_and_new_names() -> None:
    history = History.from_matches(GAMES)
    assert history.rename({}) is history
    assert history.rename({"ann": "ann"}) is history
    assert history.rename({"cat": "Zoë"}).players == ("Jeevo", "ann", "Deevo", "bob", "Zoë")
    swapped = history.rename({"ann": "x"}).rename({"bob": "ann"}).rename({"x": "bob"})
    assert swapped[2]["teams"] == [["bob", "ann"], ["cat"]]


def test_a_slice_may_rename_players_who_do_not_play_in_it() -> None:
    history = History.from_matches(GAMES)
    assert history[:1].rename({"cat": "Jeevo"}).players == ("Jeevo", "ann", "Deevo", "bob")


def test_renaming_a_million_entries_is_quick() -> None:
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
