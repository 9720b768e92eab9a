"""Carrying out changes: those that wait together share a commit, and each fails alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread
from zlib import crc32

from sqlalchemy import Connection

from ...errors import Error
from .. import leagues, ratings
from ..db import locks
from ..db.database import Database
from ..errors import Clash, Unavailable
from ..journal.journal import Position
from ..leagues import League
from . import checkpoints
from .append import Late, record, rehearse
from .checkpoints import Checkpoint
from .commands import Act, Done, Post
from .corrections import plan, written
from .prepare import Prepared, prepare

__all__ = ["Commit", "Writer", "perform", "preview"]

ACTS, MATCHES = 512, 20_000  # that share a commit at most
TRIES = 5  # where two processes post the same match at once
LANES = 4  # threads that write to PostgreSQL
PAUSE = 100  # matches of a league before a checkpoint that failed is tried again

Result = Done | Exception
Waiting = tuple[Act, Future[Done]]


@dataclass(frozen=True)
class Commit:
    """What was written at once, for who watches: how many changes and matches, and whether the past was rated anew."""

    changes: int
    matches: int
    replayed: bool


class Writer:
    """Carries out changes of leagues in threads of its own, those of a league one after another.

    A change is answered when it is durable. Of those that wait while others are written, posts are written first, and
    together.

    >>> from tempfile import TemporaryDirectory
    >>> from prowess.store.leagues import create
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     with database.writing() as connection:
    ...         _ = create(connection, "darts")
    ...     writer = Writer(database)
    ...     done = writer.submit(Post("darts", [{"teams": [["ann"], ["bob"]]}])).result()
    ...     writer.close()
    ...     database.close()
    >>> done.revision, [change.player for change in done.changed]
    (1, ['ann', 'bob'])
    """

    def __init__(self, database: Database, watch: Callable[[Commit], None] | None = None) -> None:
        lanes = 1 if database.dialect == "sqlite" else LANES  # SQLite has one writer at a time
        self._lanes = [_Lane(database, watch or (lambda commit: None), number) for number in range(lanes)]
        self._open, self._guard = True, Lock()

    def submit(self, act: Act) -> Future[Done]:
        """Have a change carried out; what comes of it is in the future that is returned."""
        future: Future[Done] = Future()
        with self._guard:  # nothing is put behind the end, where nobody would look at it
            if not self._open:
                raise Unavailable("the service is shutting down", "try again")
            self._lanes[crc32(act.league.encode()) % len(self._lanes)].queue.put((act, future))
        return future

    def close(self) -> None:
        """Carry out what waits, and stop."""
        with self._guard:
            self._open = False
            for lane in self._lanes:
                lane.queue.put(None)
        for lane in self._lanes:
            lane.thread.join()


class _Lane:
    """A thread that carries out the changes of some leagues, so that those of others need not wait for them."""

    def __init__(self, database: Database, watch: Callable[[Commit], None], number: int) -> None:
        self._database, self._watch = database, watch
        self._room: dict[str, int] = {}  # how many matches a league may take before its next checkpoint
        self.queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self.thread = Thread(target=self._run, name=f"prowess-writer-{number}", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        for waiting in self._waiting():
            live = [(act, future) for act, future in waiting if future.set_running_or_notify_cancel()]
            results = carry_out(self._database, [act for act, _ in live], self._watch)
            for (_, future), result in zip(live, results, strict=True):
                if isinstance(result, Done):
                    future.set_result(result)
                else:
                    future.set_exception(result)
            done = [act for (act, _), result in zip(live, results, strict=True) if isinstance(result, Done)]
            self._look_after([act for act in done if isinstance(act, Post)])

    def _waiting(self) -> Iterator[list[Waiting]]:
        """All that waits, again and again, until the end is asked for."""
        while (first := self.queue.get()) is not None:
            waiting, matches = [first], _size(first[0])
            while len(waiting) < ACTS and matches < MATCHES and not self.queue.empty():
                more = self.queue.get()
                if more is None:
                    yield waiting
                    return
                waiting.append(more)
                matches += _size(more[0])
            yield waiting

    def _look_after(self, posts: Sequence[Post]) -> None:
        """Take checkpoints where they are due; if that fails, it is done another time."""
        for post in posts:
            self._room[post.league] = self._room.get(post.league, 0) - _size(post)
            if self._room[post.league] <= 0:
                try:
                    self._room[post.league] = take_checkpoint(self._database, post.league)
                except Exception:  # nobody waits for it, and what was asked for is done
                    logging.getLogger(__name__).exception("cannot take a checkpoint of the league %s", post.league)
                    self._room[post.league] = PAUSE


def _size(act: Act) -> int:
    return len(act.matches) if isinstance(act, Post) and hasattr(act.matches, "__len__") else 1


def perform(database: Database, act: Act) -> Done:
    """Carry out one change."""
    [result] = carry_out(database, [act])
    if isinstance(result, Done):
        return result
    raise result


def preview(database: Database, act: Act) -> Done:
    """What a change would come to: nothing is written."""
    with database.reading() as connection:
        done = None
        if isinstance(act, Post):
            done = rehearse(connection, act.league, prepare(act, leagues.find(connection, act.league).clock))
        return plan(connection, act).done if done is None else done


def carry_out(
    database: Database, acts: Sequence[Act], watch: Callable[[Commit], None] = lambda commit: None
) -> list[Result]:
    """Carry out changes: posts together, where they come in the order of time, all others one by one."""
    results: dict[int, Result] = {}
    posts = {number: act for number, act in enumerate(acts) if isinstance(act, Post)}
    if posts:
        results |= _guarded(list(posts), partial(_posted, database, posts, watch))
        for number in [one for one in posts if len(posts) > 1 and _unheard_of(results[one])]:
            alone = {number: posts[number]}  # of posts that fail together, only that which is the cause fails alone
            results |= _guarded([number], partial(_posted, database, alone, watch))
    for number, act in enumerate(acts):
        if number not in results or isinstance(results[number], Late):
            results |= _guarded([number], partial(_corrected, database, number, act, watch))
    return [results[number] for number in range(len(acts))]


def _unheard_of(result: Result) -> bool:
    """Whether something failed for no reason that is known to us: nothing of its transaction was written."""
    return not isinstance(result, (Done, Error, Late))


def _guarded(numbers: Sequence[int], work: Callable[[], dict[int, Result]]) -> dict[int, Result]:
    """The results of some work; what stops all of it is the result of each."""
    for left in reversed(range(TRIES)):
        try:
            return work()
        except Clash as error:  # another process has written the same
            if not left:
                return dict.fromkeys(numbers, Unavailable("others change the same at once", f"try again ({error})"))
        except Exception as error:
            return dict.fromkeys(numbers, error)
    raise AssertionError


def _posted(database: Database, posts: dict[int, Post], watch: Callable[[Commit], None]) -> dict[int, Result]:
    """Record posts in one transaction, league by league."""
    results: dict[int, Result] = {}
    by_league: dict[str, dict[int, Prepared]] = {}
    for number, act in posts.items():
        try:
            by_league.setdefault(act.league, {})[number] = prepare(act, database.clock_of(act.league))
        except Exception as error:
            results[number] = error
    with database.writing() as connection:
        for name in sorted(by_league):  # in one order, so that nobody waits in a circle
            results |= dict(zip(by_league[name], record(connection, name, list(by_league[name].values())), strict=True))
    fresh = [result for result in results.values() if isinstance(result, Done) and not all(result.repeated)]
    if fresh:
        watch(Commit(len(fresh), sum(len(one.ids) for one in fresh), False))
    return results


def _corrected(database: Database, number: int, act: Act, watch: Callable[[Commit], None]) -> dict[int, Result]:
    """Carry out a change of the past, with the league for oneself."""
    with database.writing() as connection:
        locks.alone(connection, leagues.find(connection, act.league).id)
        done = written(connection, plan(connection, act))
    watch(Commit(1, len(done.ids), True))
    return {number: done}


def take_checkpoint(database: Database, name: str) -> int:
    """Take a checkpoint of a league if one is due; returns how many matches it may take before the next."""
    with database.reading() as connection:
        league, _, room = _room(connection, name)
    if room > 0:
        return room
    with database.writing() as connection:
        locks.alone(connection, league.id)
        league, matches, room = _room(connection, name)  # another process may have taken it meanwhile
        if room > 0:
            return room
        time = max(one for one in (league.last_time, league.season_start) if one is not None)
        ladder = ratings.of_all(connection, league)
        checkpoints.take(connection, league, [Checkpoint(Position(time, league.posted), matches, ladder)])
    return checkpoints.spacing(matches)


def _room(connection: Connection, name: str) -> tuple[League, int, int]:
    """Return a league, how many matches it has, and how many it may take before the next checkpoint."""
    league = leagues.find(connection, name)
    seen, after = checkpoints.progress(connection, league)
    matches = seen + after
    return league, matches, checkpoints.spacing(matches) - after
