"""Recording matches that come after all others of their players: the usual case, which only touches those players."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np
from sqlalchemy import Connection, Double, bindparam, case, or_, update

from ...errors import Error
from ...history import History
from ...history.ragged import owners
from ...model.fit.trace import Trace, trace
from ...model.ladder.ladder import Ladder
from .. import clock, leagues, ratings
from ..db import schema
from ..db.database import RawStatement, lock_league, lock_players
from ..errors import Conflict, WriteClash
from ..journal import journal
from ..journal.journal import Entry, Position
from ..leagues import League
from . import checkpoints
from .commands import Appended, CommandResult, Listener
from .prepare import ValidatedPost, locate_in_post


class OutOfOrder(Exception):
    """A match comes before another of one of its players, so that what came after must be rated again."""


@dataclass
class _Batch:
    """Posts to a league that share a commit, as far as they are rated; `traced` if a reader wants the traces."""

    league: League
    ladder: Ladder
    last_time: float | None
    recorded: dict[str, Entry]
    find: Callable[[str], Entry | None]
    several: bool
    traced: bool
    new: dict[int, ValidatedPost] = field(default_factory=dict)  # what is to be written, by the number of the post
    traces: dict[int, Trace] = field(default_factory=dict)
    results: dict[int, CommandResult | Exception] = field(default_factory=dict)


def append_posts(
    connection: Connection, name: str, posts: Sequence[ValidatedPost], listener: Listener | None = None
) -> list[CommandResult | Exception]:
    """Record posts to a league, each wholly or not at all; for a post that is late, the result is `OutOfOrder`."""
    players = list(dict.fromkeys(player for post in posts for player in post.players))
    league = _lock(connection, name, players)
    traced = listener is not None and listener.is_followed(league.id)
    batch = _begin(connection, league, posts, players, traced)
    for number, post in enumerate(posts):
        try:
            batch.results[number] = _rate(batch, number, post)
        except Error as error:
            batch.results[number] = locate_in_post(error, post.ids)
        except OutOfOrder as late:
            batch.results[number] = late
    _write(connection, batch)
    return [batch.results[number] for number in range(len(posts))]


def preview_post(connection: Connection, name: str, post: ValidatedPost) -> CommandResult | None:
    """Return what recording a post would come to, without writing; None if the post is out of order."""
    batch = _begin(connection, leagues.find(connection, name), [post], post.players, False)
    try:
        return _rate(batch, 0, post)
    except Error as error:
        raise locate_in_post(error, post.ids) from None
    except OutOfOrder:
        return None


def _begin(
    connection: Connection, league: League, posts: Sequence[ValidatedPost], players: Sequence[str], traced: bool
) -> _Batch:
    asked = [id for post in posts if post.own_ids for id in post.ids]
    return _Batch(
        league,
        ratings.load_players(connection, league, players),
        league.last_time,
        journal.first_posts(connection, league, asked),
        lambda id: journal.find(connection, league, id),
        len(posts) > 1,
        traced,
    )


def _lock(connection: Connection, name: str, players: Sequence[str]) -> League:
    """Return a league as it is while nobody else can change these players."""
    league = leagues.find(connection, name)
    if connection.dialect.name != "postgresql":
        return league
    (lock_league(connection, league.id) if league.serial else lock_players(connection, league.id, players))
    locked = leagues.find(connection, name)
    if locked.serial and not league.serial:  # its model was changed meanwhile
        raise WriteClash(f"the model of {name} was changed at this moment")
    return locked


def _rate(batch: _Batch, number: int, post: ValidatedPost) -> CommandResult:
    """Rate the new matches of a post, and move the ladder of the batch on."""
    recorded = find_repeated(post, batch.recorded, batch.find)
    new = post.without(recorded).at(clock.now())
    before, after = batch.ladder, batch.ladder
    if len(new.history):
        if _is_late(batch, new.history):
            raise OutOfOrder
        after = before.copy()
        if batch.traced:
            with ratings.locating_errors(new.history):
                batch.traces[number] = trace(after, new.history)
        else:
            ratings.learn(after, new.history)
        batch.ladder = after
        batch.new[number] = new
        if post.own_ids and batch.several:
            batch.recorded |= {entry.id: entry for entry in new.entries(0)}
        batch.last_time = max(-inf if batch.last_time is None else batch.last_time, _time(new.history, -1))
    players = [name for name in post.players if name in after.rows]
    times = dict(zip(new.history.ids or (), new.times, strict=True))
    return CommandResult(
        batch.league.name,
        batch.league.revision,
        post.ids,
        [times[id] if id in times else recorded[id].time for id in post.ids],
        [id in recorded for id in post.ids],
        players,
        players,
        before,
        after,
    )


def find_repeated(
    post: ValidatedPost, recorded: Mapping[str, Entry], find: Callable[[str], Entry | None]
) -> dict[str, Entry]:
    """Return the matches of a post that were recorded before; another match of the same id is a conflict.

    `recorded` has them as they were first posted, `find` returns one as corrections have left it: both are the same
    match.
    """
    if not recorded or not post.own_ids:
        return {}
    assert post.history.ids is not None
    repeated = {}
    for row, id in enumerate(post.history.ids):
        entry = recorded.get(id)
        if entry is None:
            continue
        if not _is_same(post, row, entry) and not _is_same(post, row, entry := find(id) or entry):
            index = list(post.ids).index(id)
            text = f"there is another match of the id {id!r}; edit that one instead"
            raise Conflict.in_field("id", text, value=id).within(f"match {index + 1}: ", match=index)
        repeated[id] = entry
    return repeated


def _is_same(post: ValidatedPost, row: int, entry: Entry) -> bool:
    same_time = entry.stamped if post.stamped[row] else _time(post.history, row) == entry.time
    return same_time and entry.body == post.bodies[row]


def _time(history: History, row: int) -> float:
    return 0.0 if history.time is None else float(history.time[row])


def _is_late(batch: _Batch, history: History) -> bool:
    """Tell whether later matches must be rated again: it is enough that one of the players has played later."""
    if history.time is None:
        return False
    league, first = batch.league, float(history.time[0])
    if league.season_start is not None and first < league.season_start:
        return True
    if league.serial:
        return batch.last_time is not None and first < batch.last_time
    rows, column = batch.ladder.rows, batch.ladder.layout.last_seen
    if len(history) == 1:
        return any(first < batch.ladder.state[rows[name], column] for name in history.players if name in rows)
    last = np.array([batch.ladder.state[rows[name], column] if name in rows else np.nan for name in history.players])
    time = history.time[owners(history.match_start)[owners(history.team_start)]]
    return bool((time < last[history.player]).any())


def _write(connection: Connection, batch: _Batch) -> None:
    """Write what is new. The counters of the league come last: the rows of others are locked only from then on."""
    if not batch.new:
        return
    league = batch.league
    matches = sum(len(post.history) for post in batch.new.values())
    revision, seq = advance_counters(connection, league, len(batch.new), matches, batch.last_time)
    touched: dict[str, int] = {}
    since = Position(inf, 0)
    for number, result in batch.results.items():
        revision += number in batch.new
        if not isinstance(result, CommandResult):
            continue
        # A post that only repeats another of the batch has the revision that holds both.
        batch.results[number] = replace(result, revision=revision)
        if number not in batch.new:
            continue
        post = batch.new[number]
        if number in batch.traces and result.after is not None:
            appended = Appended(league, revision, seq + 1, batch.traces[number], result.after)
            batch.results[number] = replace(result, revision=revision, appended=appended)
        entries = post.entries(seq + 1)
        seq += len(entries)
        since = min(since, entries[0].position)
        journal.append(connection, league, entries, revision, post.command.author, post.command.reason)
        touched |= dict.fromkeys((name for name in post.players if name in batch.ladder.rows), revision)
    ratings.save(connection, league, batch.ladder, touched)
    if league.last_time is not None and since.time < league.last_time:
        checkpoints.drop_from(connection, league, since)  # they do not know of this match


_LEAGUE = schema.league.c
_LATEST = bindparam("latest", type_=Double)
_LATER = or_(_LEAGUE.last_time.is_(None), _LEAGUE.last_time < _LATEST)
_ADVANCE = RawStatement(
    update(schema.league)
    .where(_LEAGUE.id == bindparam("league"))
    .values(
        revision=_LEAGUE.revision + bindparam("changes"),
        posted=_LEAGUE.posted + bindparam("matches"),
        last_time=case((_LATER, _LATEST), else_=_LEAGUE.last_time),
    )
    .returning(_LEAGUE.revision, _LEAGUE.posted)
)


def advance_counters(
    connection: Connection, league: League, changes: int, matches: int, latest: float | None
) -> tuple[int, int]:
    """Count changes and matches of a league, the latest of them at a time; return the last numbers before them."""
    [(revision, posted)] = _ADVANCE(connection, league=league.id, changes=changes, matches=matches, latest=latest)
    return revision - changes, posted - matches
