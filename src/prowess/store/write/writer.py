"""Executing commands: those that wait together share a commit, and each fails alone."""

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
from ..db.database import Database, lock_league
from ..errors import Unavailable, WriteClash
from ..journal.journal import Position
from ..leagues import League
from . import checkpoints
from .append import OutOfOrder, append_posts, preview_post
from .checkpoints import Checkpoint
from .commands import Command, CommandResult, Listener, Post
from .corrections import plan, write_plan
from .prepare import ValidatedPost, prepare

COMMANDS, MATCHES = 512, 20_000  # that share a commit at most
TRIES = 5  # where two processes post the same match at once
WORKERS = 4  # threads that write to PostgreSQL
PAUSE = 100  # matches of a league before a checkpoint that failed is tried again

Result = CommandResult | Exception
Waiting = tuple[Command, Future[CommandResult]]


@dataclass(frozen=True)
class Commit:
    """What was written at once, for metrics: how many changes and matches, and whether the past was rated again."""

    changes: int
    matches: int
    replayed: bool


Committed = Callable[[Commit], None]


class Writer:
    """Executes commands in threads of its own, those of a league one after another.

    The future of a command is done when its changes are durable. Of the commands that wait while others are written,
    posts are written first, and together. `committed` is called after every commit, `listener` gets the traces of new
    matches.

    >>> from tempfile import TemporaryDirectory
    >>> from prowess.store.leagues import create
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     with database.writing() as connection:
    ...         _ = create(connection, "darts")
    ...     writer = Writer(database)
    ...     result = writer.submit(Post("darts", [{"teams": [["ann"], ["bob"]]}])).result()
    ...     writer.close()
    ...     database.close()
    >>> result.revision, [change.player for change in result.changed]
    (1, ['ann', 'bob'])
    """

    def __init__(
        self,
        database: Database,
        committed: Committed = lambda commit: None,
        listener: Listener | None = None,
    ) -> None:
        workers = 1 if database.dialect == "sqlite" else WORKERS  # SQLite has one writer at a time
        self._workers = [_Worker(database, committed, listener, number) for number in range(workers)]
        self._open, self._guard = True, Lock()

    def submit(self, command: Command) -> Future[CommandResult]:
        """Queue a command; its result is in the future that is returned."""
        future: Future[CommandResult] = Future()
        with self._guard:  # nothing is put behind the end, where nobody would look at it
            if not self._open:
                raise Unavailable("the service is shutting down", "try again")
            self._workers[crc32(command.league.encode()) % len(self._workers)].queue.put((command, future))
        return future

    def close(self) -> None:
        """Execute what is queued, and stop."""
        with self._guard:
            self._open = False
            for worker in self._workers:
                worker.queue.put(None)
        for worker in self._workers:
            worker.thread.join()


class _Worker:
    """A thread that executes the commands of some leagues, so that those of others need not wait for them."""

    def __init__(self, database: Database, committed: Committed, listener: Listener | None, number: int) -> None:
        self._database, self._committed, self._listener = database, committed, listener
        self._room: dict[str, int] = {}  # how many matches a league may take before its next checkpoint
        self.queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self.thread = Thread(target=self._run, name=f"prowess-writer-{number}", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        for waiting in self._batches():
            live = [(command, future) for command, future in waiting if future.set_running_or_notify_cancel()]
            commands = [command for command, _ in live]
            results = execute(self._database, commands, self._committed, self._listener)
            posts = []
            for (command, future), result in zip(live, results, strict=True):
                if isinstance(result, CommandResult):
                    future.set_result(result)
                    posts += [command] if isinstance(command, Post) else []
                else:
                    future.set_exception(result)
            self._take_checkpoints(posts)

    def _batches(self) -> Iterator[list[Waiting]]:
        """Yield all commands that wait, again and again, until the writer is closed."""
        while (first := self.queue.get()) is not None:
            waiting, matches = [first], _size(first[0])
            while len(waiting) < COMMANDS and matches < MATCHES and not self.queue.empty():
                more = self.queue.get()
                if more is None:
                    yield waiting
                    return
                waiting.append(more)
                matches += _size(more[0])
            yield waiting

    def _take_checkpoints(self, posts: Sequence[Post]) -> None:
        for post in posts:
            self._room[post.league] = self._room.get(post.league, 0) - _size(post)
            if self._room[post.league] <= 0:
                try:
                    self._room[post.league] = take_checkpoint(self._database, post.league)
                except Exception:  # nobody waits for it, and what was asked for is done
                    logging.getLogger(__name__).exception("cannot take a checkpoint of the league %s", post.league)
                    self._room[post.league] = PAUSE


def _size(command: Command) -> int:
    return len(command.matches) if isinstance(command, Post) and hasattr(command.matches, "__len__") else 1


def perform(database: Database, command: Command, listener: Listener | None = None) -> CommandResult:
    """Execute one command."""
    [result] = execute(database, [command], listener=listener)
    if isinstance(result, CommandResult):
        return result
    raise result


def preview(database: Database, command: Command) -> CommandResult:
    """Return what a command would come to, without writing anything."""
    with database.reading() as connection:
        result = None
        if isinstance(command, Post):
            clock = leagues.find(connection, command.league).clock
            result = preview_post(connection, command.league, prepare(command, clock))
        return plan(connection, command).result if result is None else result


def execute(
    database: Database,
    commands: Sequence[Command],
    committed: Committed = lambda commit: None,
    listener: Listener | None = None,
) -> list[Result]:
    """Execute commands: posts that come in the order of time together, all others one by one."""
    results: dict[int, Result] = {}
    posts = {number: command for number, command in enumerate(commands) if isinstance(command, Post)}
    if posts:
        results |= _with_retries(list(posts), partial(_append, database, posts, committed, listener))
        if len(posts) > 1:  # of posts that fail together, only the one that is the cause fails alone
            for number in [number for number in posts if _is_unexpected(results[number])]:
                alone = {number: posts[number]}
                results |= _with_retries([number], partial(_append, database, alone, committed, listener))
    for number, command in enumerate(commands):
        if number not in results or isinstance(results[number], OutOfOrder):
            results |= _with_retries([number], partial(_correct, database, number, command, committed))
    return [results[number] for number in range(len(commands))]


def _is_unexpected(result: Result) -> bool:
    return not isinstance(result, (CommandResult, Error, OutOfOrder))


def _with_retries(numbers: Sequence[int], work: Callable[[], dict[int, Result]]) -> dict[int, Result]:
    """Return the results of some work; an exception that stops all of it is the result of each."""
    for left in reversed(range(TRIES)):
        try:
            return work()
        except WriteClash as error:  # another process has written the same
            if not left:
                return dict.fromkeys(numbers, Unavailable("others change the same at once", f"try again ({error})"))
        except Exception as error:
            return dict.fromkeys(numbers, error)
    raise AssertionError


def _append(
    database: Database, posts: dict[int, Post], committed: Committed, listener: Listener | None
) -> dict[int, Result]:
    """Record posts in one transaction, league by league."""
    results: dict[int, Result] = {}
    by_league: dict[str, dict[int, ValidatedPost]] = {}
    for number, post in posts.items():
        try:
            by_league.setdefault(post.league, {})[number] = prepare(post, leagues.clock_of(database, post.league))
        except Exception as error:
            results[number] = error
    with database.writing() as connection:
        for name in sorted(by_league):  # in one order, so that there is no deadlock
            validated = by_league[name]
            results |= zip(validated, append_posts(connection, name, list(validated.values()), listener), strict=True)
    new = [result for result in results.values() if isinstance(result, CommandResult) and not all(result.repeated)]
    if new:
        committed(Commit(len(new), sum(len(result.ids) for result in new), False))
    for result in new:
        if listener is not None and result.appended is not None:
            listener.add(result.appended)
    return results


def _correct(database: Database, number: int, command: Command, committed: Committed) -> dict[int, Result]:
    """Change the past of a league, which is locked exclusively."""
    with database.writing() as connection:
        lock_league(connection, leagues.find(connection, command.league).id)
        result = write_plan(connection, plan(connection, command))
    committed(Commit(1, len(result.ids), True))
    return {number: result}


def take_checkpoint(database: Database, name: str) -> int:
    """Take a checkpoint of a league if one is due; return how many matches it may take before the next."""
    with database.reading() as connection:
        league, _, room = _room(connection, name)
    if room > 0:
        return room
    with database.writing() as connection:
        lock_league(connection, league.id)
        league, matches, room = _room(connection, name)  # another process may have taken it meanwhile
        if room > 0:
            return room
        time = max(time for time in (league.last_time, league.season_start) if time is not None)
        ladder = ratings.load_all(connection, league)
        checkpoints.save(connection, league, [Checkpoint(Position(time, league.posted), matches, ladder)])
    return checkpoints.spacing(matches)


def _room(connection: Connection, name: str) -> tuple[League, int, int]:
    """Return a league, how many matches it has, and how many it may take before the next checkpoint."""
    league = leagues.find(connection, name)
    seen, after = checkpoints.progress(connection, league)
    matches = seen + after
    return league, matches, checkpoints.spacing(matches) - after
