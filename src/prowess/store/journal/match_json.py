"""Matches as the journal keeps them: a text of JSON for each, and one text for what means the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, repeat
from json.encoder import encode_basestring as quoted
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...history.builders import from_matches
from ...history.history import History
from ...history.ragged import Ints, places

EXACT = 2.0**53  # below it a float that is whole is an integer


def body(match: Mapping[str, Any]) -> str:
    """Write a match in the one way in which the journal has it: what means the same has the same text.

    Blanks around names go, 3.0 is 3, ranks become places, and what follows from the rest is left out: ranks that are
    those of the scores, weights and importance of 1. The time and the id are not part of it.

    >>> body({"teams": [["ann", "bob"], [" cat "]], "scores": [3.0, 1.5], "ranks": [1, 5], "importance": 1})
    '{"teams":[["ann","bob"],["cat"]],"scores":[3,1.5]}'
    >>> body({"teams": [["ann"], ["bob"]]})
    '{"teams":[["ann"],["bob"]],"ranks":[1,2]}'
    """
    return bodies(from_matches([match], where=lambda _: "the match"))[0]


def bodies(history: History) -> list[str]:
    """Write all matches of a history, each as `body` does.

    >>> bodies(History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [4, 4], "home": 1}]))
    ['{"teams":[["ann"],["bob"]],"ranks":[1,1],"home":1}']
    """
    match_start, team_start = history.match_start.tolist(), history.team_start.tolist()
    players = history.player.tolist()
    name = {player: quoted(history.players[player]) for player in set(players)}
    names = [name[player] for player in players]
    ranked, scored = _results(history)
    parts: list[Iterable[str]] = [repeat('{"teams":'), _lists(_lists(names, team_start), match_start)]
    if ranked.any():
        parts += _where(ranked, "ranks", _lists(list(map(str, history.place.tolist())), match_start))
    if history.score is not None:
        parts += _where(scored, "scores", _lists(_numbers(history.score), match_start))
    if history.weight is not None:
        weights = _lists(_lists(_numbers(history.weight), team_start), match_start)
        parts += _where(_any(history.weight != 1, history.team_start[history.match_start]), "weights", weights)
    if history.importance is not None:
        parts += _where(history.importance != 1, "importance", _numbers(history.importance))
    if history.home is not None:
        parts += _where(history.home >= 0, "home", list(map(str, history.home.tolist())))
    return list(map("".join, zip(*parts, repeat("}", len(history)), strict=False)))


def _results(history: History) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which matches have ranks to be written, and which scores: ranks only where they do not follow from scores."""
    if history.score is None:
        return np.ones(len(history), np.bool_), np.zeros(len(history), np.bool_)
    scored = ~np.isnan(history.score[history.match_start[:-1]])
    differs = places(history.match_start, -history.score) != history.place
    return ~scored | _any(differs, history.match_start) if differs.any() else ~scored, scored


def _any(found: NDArray[np.bool_], start: Ints) -> NDArray[np.bool_]:
    """Tell of each list whether anything was found in it; none is empty."""
    return np.logical_or.reduceat(found, start[:-1])


def _where(given: NDArray[np.bool_], key: str, texts: Iterable[str]) -> list[Iterable[str]]:
    """Two parts of every text, key and value; both are empty where nothing is given."""
    head = f',"{key}":'
    if given.all():
        return [repeat(head), texts]
    there = given.tolist()
    return [
        [head if one else "" for one in there],
        [text if one else "" for one, text in zip(there, texts, strict=True)],
    ]


def _lists(texts: Sequence[str], start: list[int]) -> list[str]:
    """Lists of texts that stand one after another."""
    return [f"[{','.join(texts[first:last])}]" for first, last in pairwise(start)]


def _numbers(column: NDArray[np.float64]) -> list[str]:
    """Write numbers so that they are read back to the last bit; those that are whole without a point, and -0 as 0."""
    column = np.where(column == column, column, 0.0) + 0.0  # where there is no score, none is written
    if ((column == np.floor(column)) & (np.abs(column) < EXACT)).all():
        return list(map(str, column.astype(np.int64).tolist()))
    return [repr(value).removesuffix(".0") for value in column.tolist()]
