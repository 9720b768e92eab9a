"""The rows of a model's facets and statistics in the database: packed behind the ratings and the memory of the league.

The packed rows of a player follow the player's packed rating. The rows that all players share follow the packed memory
of the league; these include the rows of statistics, which have the mean and the spread of the values of each kind of
match. Packed rows begin with the length of a header, in four bytes. The header is a JSON list that has the index of the
facet (statistics are counted after the facets) and the value for each row, in ascending order. The numbers of all rows
follow, eight bytes each. Equal rows have equal bytes, however they were computed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..history import History
from ..history.context.columns import Context, ContextColumn, column_at
from ..model.ladder.facet_rows import FacetRows, team_values
from ..model.ladder.ladder import Ladder
from ..model.model import Model

SHARED = -1  # stands for the player of rows that all players share
LENGTH = 4  # bytes of the length of a header

Keys = tuple[tuple[int, str], ...]  # the facet and the value of each row


# Packing


def pack_players(ladder: Ladder, players: Sequence[int] | None = None) -> dict[int, bytes]:
    """Return the packed rows of players, given by their rows in the ladder; by default, of all players.

    Players without rows are left out.
    """
    return _pack(ladder, players, personal=True) if ladder.facets else {}


def pack_memory(ladder: Ladder) -> bytes:
    """Return what the model has learnt about the league as a whole: its memory, and the rows that all players share."""
    shared = _pack(ladder, None, personal=False) if ladder.facets else {}
    return ladder.memory.tobytes() + shared.get(SHARED, b"")


def _pack(ladder: Ladder, players: Sequence[int] | None, personal: bool) -> dict[int, bytes]:
    found: dict[int, list[tuple[int, str, int]]] = {}
    for index, rows in enumerate(ladder.facets):
        if rows.facet.personal != personal or not len(rows):
            continue
        chosen = ~np.isnan(rows.state[: len(rows), 0])
        if players is not None:
            chosen &= np.isin(rows.owners, players)
        for row in np.flatnonzero(chosen).tolist():
            found.setdefault(rows.owners[row], []).append((index, rows.values[rows.codes[row]], row))
    return {player: _pack_rows(ladder.facets, sorted(keys)) for player, keys in found.items()}


def _pack_rows(facets: Sequence[FacetRows], rows: Sequence[tuple[int, str, int]]) -> bytes:
    keys = [(index, value) for index, value, _ in rows]
    header = json.dumps(keys, ensure_ascii=False, separators=(",", ":")).encode()
    cells = [facets[index].state[row].tobytes() for index, _, row in rows]
    return b"".join([len(header).to_bytes(LENGTH, "little"), header, *cells])


# Unpacking


def unpack_players(ladder: Ladder, packed: Iterable[tuple[int, bytes]]) -> None:
    """Set rows in a ladder from pairs of a player, given by the row in the ladder, and the player's packed rows."""
    owners_of: list[list[int]] = [[] for _ in ladder.facets]
    values_of: list[list[str]] = [[] for _ in ladder.facets]
    numbers_of: list[list[int]] = [[] for _ in ladder.facets]
    blocks, number = [], 0
    for player, rows in packed:
        if not rows:
            continue
        rows = bytes(rows)
        end = LENGTH + int.from_bytes(rows[:LENGTH], "little")
        for index, value in _read_header(rows[LENGTH:end]):
            owners_of[index].append(player)
            values_of[index].append(value)
            numbers_of[index].append(number)
            number += 1
        blocks.append(rows[end:])
    if not number:
        return
    cells = np.frombuffer(b"".join(blocks), np.float64).reshape(number, -1)
    for facet, players, values, numbers in zip(ladder.facets, owners_of, values_of, numbers_of, strict=True):
        if numbers:
            _set_rows(facet, players, values, cells[numbers])


@lru_cache(4096)  # few combinations of values occur in a league
def _read_header(header: bytes) -> Keys:
    return tuple((index, value) for index, value in json.loads(header))


def _set_rows(rows: FacetRows, players: Sequence[int], values: Sequence[str], cells: NDArray[np.float64]) -> None:
    known = rows.code_of
    rows.values.extend(value for value in dict.fromkeys(values) if value not in known)
    codes = rows.code_of
    keys = [(player, codes[value]) for player, value in zip(players, values, strict=True)]
    found = rows.row_of
    new = [key for key in keys if key not in found]
    first = len(rows)
    rows.add([player for player, _ in new], [code for _, code in new])
    rows.state[first : len(rows)] = np.nan
    found = rows.row_of
    rows.state[[found[key] for key in keys]] = cells


def unpack_memory(ladder: Ladder, memory: bytes) -> None:
    """Set what the model has learnt about the league as a whole, as `pack_memory` returns it."""
    size = 8 * ladder.model.pipeline.memories if ladder.facets else len(memory)
    ladder.memory = np.frombuffer(memory[:size], np.float64).copy()
    unpack_players(ladder, [(SHARED, memory[size:])])


def join(rows: Mapping[int, bytes]) -> bytes:
    """Join the packed rows of many players, given by their rows in a ladder; the inverse of `split`."""
    return b"".join([b"%b%b%b" % (_number(player), _number(len(some)), some) for player, some in rows.items()])


def split(joined: bytes) -> list[tuple[int, bytes]]:
    """Split packed rows of many players; the inverse of `join`.

    >>> split(join({3: b"ab", 1: b"c"}))
    [(3, b'ab'), (1, b'c')]
    """
    found, at = [], 0
    while at < len(joined):
        player, size = (int.from_bytes(joined[start : start + LENGTH], "little") for start in (at, at + LENGTH))
        at += 2 * LENGTH + size
        found.append((player, joined[at - size : at]))
    return found


def _number(number: int) -> bytes:
    return number.to_bytes(LENGTH, "little")


def copy_rows(ladder: Ladder, other: Ladder, players: Mapping[int, int]) -> None:
    """Copy the rows of some players, and all shared rows, from another ladder.

    `players` maps the players' rows in the other ladder to those in the ladder.
    """
    if not ladder.facets:
        return
    rows = [(players[player], some) for player, some in pack_players(other, list(players)).items()]
    unpack_players(ladder, [*rows, *_pack(other, None, personal=False).items()])


def known_values(model: Model, packed: Iterable[bytes]) -> dict[str, list[str]]:
    """Return the values of each context column that packed rows have; columns of numbers are left out.

    The values of a column are sorted. A column without values has an empty list.
    """
    headers = {some[LENGTH : LENGTH + int.from_bytes(some[:LENGTH], "little")] for some in packed if some}
    keys = {key for header in headers for key in _read_header(bytes(header))}
    columns = {
        index: facet.column
        for index, facet in enumerate(model.facets)
        if not facet.weighted and not facet.counts_matches
    }
    found: dict[str, set[str]] = {column: set() for column in columns.values()}
    for index, value in keys:
        if index in columns:
            found[columns[index]].add(value)
    return {column: sorted(values) for column, values in found.items()}


# Levels


def with_own_levels(model: Model, history: History) -> History:
    """Return a history in which shared effects have a value for each team, and statistics one for each player.

    A value of a shared effect that is given once for the match belongs to all teams, and a value that is given for each
    player of a team belongs to the team, unless the effect is per player. A value of a statistic that is given once
    belongs to all players. Ratings thus do not depend on how the value was given, nor on the other matches of the
    history. (The columns of a history have the finest level of all its matches.)

    Raises `Error` if the players of a team have different values of a shared effect.
    """
    for facet in model.facets:
        name = facet.column
        if facet.personal or facet.per == "player" or facet.counts_matches:
            continue
        if name in history.context:
            column = column_at(history, name, "team")
            assert column is not None
            history = _moved(history, "context", name, "team_context", column)
        elif name in history.entry_context:
            history = _moved(history, "entry_context", name, "team_context", team_values(history, name))
    for statistic in model.statistics:
        name = statistic.column
        if name in history.context:
            column = column_at(history, name, "player")
            assert column is not None
            history = _moved(history, "context", name, "entry_context", column)
    return history


def with_player_values(model: Model, history: History) -> Model:
    """Return a model whose effects are per player if the column has values for players, as in a fit of the history.

    In a league, the values of other effects belong to teams, and players of a team with different values are refused.

    >>> import prowess as pw
    >>> match = {"teams": [["ann", "bob"], ["cat"]], "context": {"role": [["tank", "mage"], ["tank"]]}}
    >>> model = pw.TrueSkill().replace(facets=(pw.facet.Shared("role"),))
    >>> with_player_values(model, pw.History.from_matches([match])).facets[0].per
    'player'
    """
    facets = tuple(
        replace(facet, per="player")  # type: ignore[type-var]
        if not (facet.personal or facet.counts_matches) and facet.per is None and facet.column in history.entry_context
        else facet
        for facet in model.facets
    )
    return model.replace(facets=facets) if facets != model.facets else model


def _moved(history: History, old: str, name: str, new: str, column: ContextColumn) -> History:
    others = {other: kept for other, kept in getattr(history, old).items() if other != name}
    changes: dict[str, Any] = {old: Context(others), new: Context({**getattr(history, new), name: column})}
    return replace(history, **changes)
