"""Reads the Halo 2 files, which have one row per player and the rows of a game together."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prowess.errors import Error, Remark
from prowess.history import History
from prowess.history.build_history import build
from prowess.history.cells.numbers import numbers
from prowess.history.cells.text import intern, labels
from prowess.history.columns.raw_matches import RawMatches
from prowess.history.ragged import Floats, Ints, starts
from prowess.history.read_context import Table

if TYPE_CHECKING:
    import polars as pl

COLUMNS = ("datetime", "game_id", "variant", "map", "player_id", "team", "score")
LAYOUT = f"it must be CSV without a header, with the columns {', '.join(COLUMNS)}"


def read(path: str | os.PathLike[str]) -> History:
    """Read a file of games in the order of the file and without times, because the published numbers use that order.

    A game is a block of rows with the same game id and the same time; an id may occur again later for another game.
    Players with the same team id in a game form a team, even in a free-for-all. The score of a team is the sum of the
    scores in its rows, and the highest score wins. Player ids stay text, because floats would lose the last of 16
    digits. Games of one team and games with a player in two teams are left out and counted in `recognised`. A player
    who is listed twice in one team counts once.

    >>> from tempfile import TemporaryDirectory
    >>> row = "08 July 2004 15:45:00,215333,2,10,272695638151325{},{},{}\\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "HeadToHead.csv")
    ...     _ = path.write_text(row.format(7, 1, -2) + row.format(8, 2, 15))
    ...     read(path)[0]
    {'teams': [['2726956381513257'], ['2726956381513258']], 'scores': [-2.0, 15.0]}
    """
    table = _table(Path(path))
    rows = _rows(table)
    kept, notes = _select(table, rows)
    return build(_draft(table, rows, kept, notes))


class Rows(NamedTuple):
    """The columns of a file: for every row, its game, the first row of its team, its player and its score."""

    game: NDArray[np.int64]
    team: NDArray[np.int64]
    player: Ints
    score: Floats
    names: list[str]
    again: NDArray[np.bool_]  # true if an earlier row has the same player, team and game


def _table(file: Path) -> Table:
    import polars as pl

    # A spreadsheet may have padded the cells.
    schema = dict.fromkeys(COLUMNS, pl.String)
    try:
        # Quotation marks have no meaning in these files, and a stray mark must not swallow the following rows.
        frame = pl.read_csv(file, has_header=False, schema=schema, quote_char=None)
    except FileNotFoundError:
        raise Error(f"{file} not found") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise Error(f"{file}: {LAYOUT}; it could not be read: {str(error).splitlines()[0]}") from error
    frame = frame.with_columns(pl.all().str.strip_chars(' \t\r"'))
    line = frame.select(pl.any_horizontal(pl.all().fill_null("") != "").arg_true()).to_series()
    kept = frame if len(line) == len(frame) else frame[line]
    return Table(kept, str(file), lambda row: int(line[row]) + 1, unit="line")


def _rows(table: Table) -> Rows:
    time, game = labels(table, "datetime"), labels(table, "game_id")
    fresh = ((time != time.shift(1)) | (game != game.shift(1))).fill_null(True)
    number = np.cumsum(fresh.to_numpy()).astype(np.int64) - 1
    score = numbers(table, "score")
    table.require(_finite(score), "score", "a number is needed")
    team, teams = intern(labels(table, "team"))
    player, players = intern(labels(table, "player_id"))
    for problem in table.problems:  # the first problem is enough, because users cannot correct this file
        raise table.error(problem.row, str(problem))
    return Rows(
        number,
        _first(number * len(teams) + team),
        player,
        score,
        players.to_list(),
        _repeated((number * len(teams) + team) * len(players) + player),
    )


def _finite(score: Floats) -> pl.Series:
    import polars as pl

    return pl.Series(np.isfinite(score))


def _first(key: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for every row, the first row with the same key."""
    _, index, inverse = np.unique(key, return_index=True, return_inverse=True)
    first: NDArray[np.int64] = index[inverse]
    return first


def _repeated(key: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return, for every row, whether an earlier row has the same key."""
    return _first(key) < np.arange(len(key))


def _select(table: Table, rows: Rows) -> tuple[NDArray[np.bool_], list[str]]:
    """Return which games can be rated, and remarks on the games that cannot."""
    if not len(rows.game):
        raise Error(f"{table.title}: the file has no games; {LAYOUT}")
    start = np.flatnonzero(np.diff(rows.game, prepend=-1))
    heads = np.bincount(rows.game[rows.team == np.arange(len(rows.team))])
    elsewhere = _repeated(rows.game * len(rows.names) + rows.player) & ~rows.again
    alone, torn = heads < 2, np.bincount(rows.game, elsewhere) > 0
    notes = []
    for what, games in (("games of one team", alone), ("games with a player in two teams", torn & ~alone)):
        if games.any():
            where = table.where(int(start[np.argmax(games)]))
            notes.append(f"{what} are left out: {int(games.sum()):,}, the first is {where}")
    if rows.again.any():
        where = table.where(int(np.argmax(rows.again)))
        notes.append(f"rows of a player listed twice in a team: {int(rows.again.sum()):,}, the first is {where}")
    if (alone | torn).all():
        raise Error(f"{table.title}: no game in this file can be rated: {'; '.join(notes)}")
    return ~(alone | torn), notes


def _draft(table: Table, rows: Rows, kept: NDArray[np.bool_], notes: list[str]) -> RawMatches:
    order = np.flatnonzero(kept[rows.game])
    order = order[np.argsort(rows.team[order], kind="stable")]  # stable, so that the rows of a team stay in order
    game, team = rows.game[order], rows.team[order]
    head = np.flatnonzero(np.diff(team, prepend=-1))
    score = np.add.reduceat(rows.score[order], head)
    once = ~rows.again[order]
    size = np.add.reduceat(once.astype(np.int64), head)
    teams = np.bincount(game[head], minlength=len(kept))[kept]
    entry = order[once]
    first = order[head[starts(teams)[:-1]]]
    return RawMatches(
        match_start=starts(teams),
        team_start=starts(size),
        player=rows.player[entry],
        names=rows.names,
        where=lambda match, at: table.where(int(first[match] if at is None else entry[at])),
        score=score,
        remarks=tuple(Remark("left-out", (note,)) for note in notes),
    )
