"""Matches as JSON: written for the journal in one canonical form, and read back as a history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, repeat
from json.encoder import encode_basestring as quoted
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import Error, Remark
from ...history.build_history import build
from ...history.builders import from_matches
from ...history.columns.raw_matches import RawMatches
from ...history.history import History
from ...history.ragged import Ints, places, starts
from ...history.times import Times, show_time
from ..clock import STAMPS, Clock
from .scanner import ScannedMatches, scan

EXACT = 2.0**53  # below it, every whole float is that integer
BLOCK = 1 << 18  # texts that are scanned at a time
REMARKS = (Remark("journal", ("the journal of a league",)),)


def body(match: Mapping[str, Any]) -> str:
    """Write a match in the canonical form of the journal, in which equivalent matches have the same text.

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
    ranked, scored = _has_ranks_and_scores(history)
    parts: list[Iterable[str]] = [repeat('{"teams":'), _lists(_lists(names, team_start), match_start)]
    if ranked.any():
        parts.append(_optional("ranks", ranked, _lists(list(map(str, history.place.tolist())), match_start)))
    if history.score is not None:
        parts.append(_optional("scores", scored, _lists(_numbers(history.score), match_start)))
    if history.weight is not None:
        weights = _lists(_lists(_numbers(history.weight), team_start), match_start)
        weighted = _any_in_each(history.weight != 1, history.team_start[history.match_start])
        parts.append(_optional("weights", weighted, weights))
    if history.importance is not None:
        parts.append(_optional("importance", history.importance != 1, _numbers(history.importance)))
    if history.home is not None:
        parts.append(_optional("home", history.home >= 0, map(str, history.home.tolist())))
    return list(map("".join, zip(*parts, repeat("}", len(history)), strict=False)))


def _has_ranks_and_scores(history: History) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for which matches to write ranks, and for which scores: ranks only if they do not follow from scores."""
    if history.score is None:
        return np.ones(len(history), np.bool_), np.zeros(len(history), np.bool_)
    scored = ~np.isnan(history.score[history.match_start[:-1]])
    differs = places(history.match_start, -history.score) != history.place
    return ~scored | _any_in_each(differs, history.match_start) if differs.any() else ~scored, scored


def _any_in_each(flags: NDArray[np.bool_], start: Ints) -> NDArray[np.bool_]:
    return np.logical_or.reduceat(flags, start[:-1])  # which is right because no match is empty


def _optional(key: str, present: NDArray[np.bool_], values: Iterable[str]) -> list[str]:
    return [f',"{key}":{value}' if has else "" for has, value in zip(present.tolist(), values, strict=True)]


def _lists(texts: Sequence[str], start: list[int]) -> list[str]:
    return [f"[{','.join(texts[first:last])}]" for first, last in pairwise(start)]


def _numbers(column: NDArray[np.float64]) -> list[str]:
    """Write numbers so that they are read back to the last bit: whole ones without a point, and -0 as 0."""
    column = np.where(column == column, column, 0.0) + 0.0  # matches without scores have NaN, which is not written
    if ((column == np.floor(column)) & (np.abs(column) < EXACT)).all():
        return list(map(str, column.astype(np.int64).tolist()))
    return [repr(value).removesuffix(".0") for value in column.tolist()]


def history_of(seq: ArrayLike, time: ArrayLike, ids: Sequence[str], texts: Sequence[str], clock: Clock) -> History:
    """Return a history of rows of the journal, which may be in any order, in the order of (time, seq).

    >>> texts = [body({"teams": [["bob"], ["ann"]]}), body({"teams": [["ann"], ["bob"]], "scores": [2, 2]})]
    >>> history_of([1, 2], [7.0, 5.0], ["x", "y"], texts, "number")[0]
    {'teams': [['ann'], ['bob']], 'scores': [2.0, 2.0], 'time': 5.0, 'id': 'y'}
    """
    moment, number = np.asarray(time, np.float64), np.asarray(seq, np.int64)
    later = moment[1:] > moment[:-1]
    if not (later | ((moment[1:] == moment[:-1]) & (number[1:] > number[:-1]))).all():
        order = np.lexsort((number, moment))
        moment, rows = moment[order], order.tolist()
        ids, texts = [ids[row] for row in rows], [texts[row] for row in rows]
    stamp = STAMPS[clock]
    times = None if stamp is None else Times.of(moment, stamp)
    blocks = []
    for first in range(0, len(texts), BLOCK):
        block = scan(list(texts[first : first + BLOCK]))
        if block is None:
            return _parse_one_by_one(times, ids, texts)
        blocks.append(block)
    return build(_raw_matches(blocks, times, ids)) if blocks else from_matches([], remarks=REMARKS)


def _raw_matches(blocks: list[ScannedMatches], times: Times | None, ids: Sequence[str]) -> RawMatches:
    """Join blocks, each of which numbers its players separately."""
    numbers: dict[str, int] = {}
    player = []
    for block in blocks:
        renumbered = np.array([numbers.setdefault(name, len(numbers)) for name in block.names], np.int32)
        player.append(renumbered[block.player])

    def joined(column: str) -> NDArray[Any]:
        return np.concatenate([getattr(block, column) for block in blocks])

    optional: dict[str, Any] = {key: joined(key) for key in ("rank", "score", "weight", "importance", "home")}
    return RawMatches(
        match_start=starts(joined("teams")),
        team_start=starts(joined("sizes")),
        player=np.concatenate(player),
        names=list(numbers),
        where=lambda match, entry: f"match {ids[match]!r}",
        times=times,
        ids=ids,
        listed=True,
        remarks=REMARKS,
        as_they_appear=True,
        **optional,
    )


def _parse_one_by_one(times: Times | None, ids: Sequence[str], texts: Sequence[str]) -> History:
    """Return the history of JSON texts that are not in the canonical form."""
    matches = []
    for row, text in enumerate(texts):
        try:
            match = {**json.loads(text), "id": ids[row]}
        except (ValueError, TypeError) as error:
            raise Error(f"the journal is damaged: match {ids[row]!r} is not JSON: {error}", value=text) from None
        if times is not None:
            match["time"] = show_time(times.kind, times.zone, times.number[row])
        matches.append(match)
    return from_matches(matches, where=lambda row: f"the journal is damaged: match {ids[row]!r}", remarks=REMARKS)
