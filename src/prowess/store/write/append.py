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
from ...model.ladder.ladder import Ladder
from .. import clock, leagues, ratings
from ..db import locks, schema
from ..db.raw_sql import Quick
from ..errors import Clash, Conflict
from ..journal import journal
from ..journal.journal import Entry, Position
from ..leagues import League
from . import checkpoints
from .commands import Done
from .prepare import Prepared, in_post
from .replay import learn

__all__ = ["Late", "advance", "entries", "record", "rehearse", "repeated"]


class Late(Exception):
    """A match comes before another of one of its players, so that what came after must be rated anew."""


@dataclass
class _Group:
    """What some posts to a league have come to so far."""

    league: League
    ladder: Ladder
    last_time: float | None
    known: dict[str, Entry]
    now: Callable[[str], Entry | None]
    several: bool
    new: dict[int, Prepared] = field(default_factory=dict)  # what is to be written, by the number of the post
    done: dict[int, Done | Exception] = field(default_factory=dict)


def record(connection: Connection, name: str, posts: Sequence[Prepared]) -> list[Done | Exception]:
    """Record posts to a league, each wholly or not at all; those that come too late are told by `Late`."""
    players = list(dict.fromkeys(one for post in posts for one in post.players))
    group = _group(connection, _locked(connection, name, players), posts, players)
    for number, post in enumerate(posts):
        try:
            group.done[number] = _learn(group, number, post)
        except Error as error:
            group.done[number] = in_post(error, post.ids)
        except Late as late:
            group.done[number] = late
    _write(connection, group)
    return [group.done[number] for number in range(len(posts))]


def rehearse(connection: Connection, name: str, post: Prepared) -> Done | None:
    """What recording a post would come to, and nothing is written; None if it comes too late to be recorded so."""
    group = _group(connection, leagues.find(connection, name), [post], post.players)
    try:
        return _learn(group, 0, post)
    except Error as error:
        raise in_post(error, post.ids) from None
    except Late:
        return None


def _group(connection: Connection, league: League, posts: Sequence[Prepared], players: Sequence[str]) -> _Group:
    """What some posts begin with."""
    asked = [one for post in posts if post.given for one in post.ids]
    return _Group(
        league,
        ratings.of_players(connection, league, players),
        league.last_time,
        journal.first_posts(connection, league, asked),
        lambda id: journal.found(connection, league, id),
        len(posts) > 1,
    )


def _locked(connection: Connection, name: str, players: Sequence[str]) -> League:
    """A league as it is while nobody else changes these players."""
    league = leagues.find(connection, name)
    if connection.dialect.name != "postgresql":
        return league
    (locks.alone(connection, league.id) if league.serial else locks.together(connection, league.id, players))
    now = leagues.find(connection, name)
    if now.serial and not league.serial:  # its model was changed meanwhile
        raise Clash(f"the model of {name} was changed at this moment")
    return now


def _learn(group: _Group, number: int, post: Prepared) -> Done:
    """Take the ladder of a group through a post."""
    known = repeated(post, group.known, group.now)
    new = post.without(known).at(clock.now())
    before, after = group.ladder, group.ladder
    if len(new.history):
        if _is_late(group, new.history):
            raise Late
        after = before.copy()
        learn(after, new.history)
        group.ladder = after
        group.new[number] = new
        if post.given and group.several:
            group.known |= {one.id: one for one in entries(new, 0)}
        group.last_time = max(-inf if group.last_time is None else group.last_time, _time(new.history, -1))
    players = [name for name in post.players if name in after.rows]
    again = [one in known for one in post.ids]
    return Done(
        group.league.name, group.league.revision, post.ids, _times(new, known), again, players, players, before, after
    )


def repeated(post: Prepared, known: Mapping[str, Entry], now: Callable[[str], Entry | None]) -> dict[str, Entry]:
    """Those matches of a post that were recorded before; another match of the same id is a conflict.

    `known` has them as they were first posted, `now` finds what corrections have made of one: either is the same match.
    """
    if not known or not post.given:
        return {}
    assert post.history.ids is not None
    found = {}
    for row, one in enumerate(post.history.ids):
        entry = known.get(one)
        if entry is None:
            continue
        if not _same(post, row, entry) and not _same(post, row, entry := now(one) or entry):
            number = list(post.ids).index(one) + 1
            raise Conflict(f"match {number}: id: there is another match of the id {one!r}; edit that one instead")
        found[one] = entry
    return found


def _same(post: Prepared, row: int, entry: Entry) -> bool:
    """Whether a match of a post is what the journal has."""
    same_time = entry.stamped if post.stamped[row] else _time(post.history, row) == entry.time
    return same_time and entry.body == post.bodies[row]


def _time(history: History, row: int) -> float:
    return 0.0 if history.time is None else float(history.time[row])


def _times(post: Prepared, known: Mapping[str, Entry]) -> list[float]:
    """When the matches of a post were, in the order in which they were posted."""
    history = post.history
    numbers = [0.0] * len(history) if history.time is None else history.time.astype(np.float64).tolist()
    times = dict(zip(history.ids or (), numbers, strict=True))
    return [times[one] if one in times else known[one].time for one in post.ids]


def _is_late(group: _Group, history: History) -> bool:
    """Whether what follows must be rated anew: it is enough that one of the players has played later."""
    if history.time is None:
        return False
    league, first = group.league, float(history.time[0])
    if league.season_start is not None and first < league.season_start:
        return True
    if league.serial:
        return group.last_time is not None and first < group.last_time
    rows, column = group.ladder.rows, group.ladder.layout.last_seen
    if len(history) == 1:
        return any(first < group.ladder.state[rows[one], column] for one in history.players if one in rows)
    last = np.array([group.ladder.state[rows[one], column] if one in rows else np.nan for one in history.players])
    time = history.time[owners(history.match_start)[owners(history.team_start)]]
    return bool((time < last[history.player]).any())


def entries(post: Prepared, first: int) -> list[Entry]:
    """The rows of a post for the journal, numbered from the first on."""
    history = post.history
    times = [0.0] * len(history) if history.time is None else history.time.astype(np.float64).tolist()
    columns = zip(times, history.ids or (), post.stamped.tolist(), post.bodies, strict=True)
    return [
        Entry(first + row, time, id, "post", stamped, body) for row, (time, id, stamped, body) in enumerate(columns)
    ]


def _write(connection: Connection, group: _Group) -> None:
    """Write what is new, under the next numbers of the league, which are taken last: then others wait but shortly."""
    if not group.new:
        return
    matches = sum(len(post.history) for post in group.new.values())
    revision, seq = advance(connection, group.league, len(group.new), matches, group.last_time)
    touched: dict[str, int] = {}
    since = Position(inf, 0)
    for number, done in group.done.items():
        revision += number in group.new
        if isinstance(done, Done):  # one that only repeats another of these is of the revision that has both
            group.done[number] = replace(done, revision=revision)
        if number not in group.new:
            continue
        post = group.new[number]
        written = entries(post, seq + 1)
        seq += len(written)
        since = min(since, Position(written[0].time, written[0].seq))
        journal.append(connection, group.league, written, revision, post.act)
        touched |= dict.fromkeys((name for name in post.players if name in group.ladder.rows), revision)
    ratings.keep(connection, group.league, group.ladder, touched)
    ratings.remember(connection, group.league, group.ladder)
    if group.league.last_time is not None and since.time < group.league.last_time:
        checkpoints.drop(connection, group.league, since)  # they do not know of this match


_LEAGUE = schema.league.c
_LATEST = bindparam("latest", type_=Double)
_LATER = or_(_LEAGUE.last_time.is_(None), _LEAGUE.last_time < _LATEST)
_ADVANCE = Quick(
    update(schema.league)
    .where(_LEAGUE.id == bindparam("league"))
    .values(
        revision=_LEAGUE.revision + bindparam("changes"),
        posted=_LEAGUE.posted + bindparam("matches"),
        last_time=case((_LATER, _LATEST), else_=_LEAGUE.last_time),
    )
    .returning(_LEAGUE.revision, _LEAGUE.posted)
)


def advance(
    connection: Connection, league: League, changes: int, matches: int, latest: float | None
) -> tuple[int, int]:
    """Count changes and matches of a league, the latest of them at a time; returns the last numbers before them."""
    [(revision, posted)] = _ADVANCE(connection, league=league.id, changes=changes, matches=matches, latest=latest)
    return revision - changes, posted - matches
