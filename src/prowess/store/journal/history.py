"""Rows of the journal as a history, by columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import Error, Remark
from ...history.build_history import build
from ...history.builders import from_matches
from ...history.columns.raw_matches import RawMatches
from ...history.history import History
from ...history.ragged import starts
from ...history.times import Times, show_time
from ..clock import STAMPS, Clock
from .scanner import Scanned, scan

BLOCK = 1 << 18  # texts that are read at a time
REMARKS = (Remark("journal", ("the journal of a league",)),)


def history_of(seq: ArrayLike, time: ArrayLike, ids: Sequence[str], texts: Sequence[str], clock: Clock) -> History:
    """Make a history of rows of the journal, in any order: its matches stand in the order of (time, seq).

    >>> from prowess.store.journal.match_json import body
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
            return _one_by_one(times, ids, texts)
        blocks.append(block)
    return build(_draft(blocks, times, ids)) if blocks else from_matches([], remarks=REMARKS)


def _draft(blocks: list[Scanned], times: Times | None, ids: Sequence[str]) -> RawMatches:
    """The columns of all blocks, with one numbering of the players."""
    number: dict[str, int] = {}
    player = []
    for block in blocks:
        translate = np.array([number.setdefault(name, len(number)) for name in block.names], np.int32)
        player.append(translate[block.player])

    def joined(column: str) -> NDArray[Any]:
        return np.concatenate([getattr(block, column) for block in blocks])

    return RawMatches(
        match_start=starts(joined("teams")),
        team_start=starts(joined("sizes")),
        player=np.concatenate(player),
        names=list(number),
        where=lambda match, entry: f"match {ids[match]!r}",
        rank=joined("rank"),
        score=joined("score"),
        times=times,
        weight=joined("weight"),
        importance=joined("importance"),
        home=joined("home"),
        ids=ids,
        listed=True,
        remarks=REMARKS,
        as_they_appear=True,
    )


def _one_by_one(times: Times | None, ids: Sequence[str], texts: Sequence[str]) -> History:
    """The same of texts that are JSON, but not as `bodies` writes it."""
    matches = []
    for row, text in enumerate(texts):
        try:
            match = {**json.loads(text), "id": ids[row]}
        except (ValueError, TypeError) as error:
            raise Error(f"the journal is damaged: the text of match {ids[row]!r} is no mapping: {error}") from None
        if times is not None:
            match["time"] = show_time(times.kind, times.zone, times.number[row])
        matches.append(match)
    return from_matches(matches, where=lambda row: f"the journal is damaged: match {ids[row]!r}", remarks=REMARKS)
