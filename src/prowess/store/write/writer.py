"""Execute commands in batches: waiting commands share a commit, and a failed command does not affect the others."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Event, Lock, Thread
from zlib import crc32

from ...errors import Error
from .. import leagues
from ..db.database import Database, lock_league
from ..errors import NotFound, Unavailable, WriteClash
from .commands import ChangeModel, Command, CommandResult, Post, Rederive
from .corrections import plan, write_plan
from .erasure import UnhashedNames
from .long_corrections import LongCorrection, abandoned, delete_unused_sets, takes_long
from .posts import OutOfOrder, PendingTraces, ValidatedPost, append_posts, preview_post, validate
from .replay import MIN_SPACING, take_checkpoint

MAX_COMMANDS, MAX_MATCHES = 512, 20_000  # per shared commit
TRIES = 5  # attempts in case two processes write the same rows at once
POLL = 0.1  # seconds between checks whether another process has finished correcting a league
WORKERS = 4  # threads that write to PostgreSQL
PAUSE = 100  # matches posted to a league before a failed checkpoint is retried

Result = CommandResult | Exception
Waiting = tuple[Command, Future[CommandResult]]


@dataclass(frozen=True)
class Commit:
    """Data about a commit for metrics: its number of changes and matches, and whether past matches were rated again."""

    changes: int
    matches: int
    replayed: bool


Committed = Callable[[Commit], None]


class Writer:
    """Executes commands in its own threads; commands of one league run one after another.

    The future of a command is done when its changes are durable. Posts that wait together are written first, in one
    commit. Long corrections run in a separate thread, so that posts need not wait for a long correction. `committed` is
    called after every commit. Traces of new matches are put into `pending`, from which readers take them.

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
        self, database: Database, committed: Committed = lambda commit: None, pending: PendingTraces | None = None
    ) -> None:
        workers = 1 if database.dialect == "sqlite" else WORKERS  # SQLite has one writer at a time
        self._replayer = _Replayer(database, committed)
        self._workers = [_Worker(database, committed, pending, self._replayer, number) for number in range(workers)]
        self._open, self._guard = True, Lock()

    def submit(self, command: Command) -> Future[CommandResult]:
        """Queue a command; the future has its result."""
        future: Future[CommandResult] = Future()
        with self._guard:  # nothing may be queued after the sentinel of `close`
            if not self._open:
                raise Unavailable("the service is shutting down", "try again")
            self._workers[crc32(command.league.encode()) % len(self._workers)].queue.put((command, future))
        return future

    def close(self) -> None:
        """Execute all queued commands except long corrections, which are abandoned, and stop."""
        with self._guard:
            self._open = False
            for worker in self._workers:
                worker.queue.put(None)
        self._replayer.stopping.set()
        for worker in self._workers:
            worker.thread.join()
        self._replayer.close()


class _Worker:
    """A thread that executes the commands of some leagues, so that other leagues need not wait for them."""

    def __init__(
        self,
        database: Database,
        committed: Committed,
        pending: PendingTraces | None,
        replayer: _Replayer,
        number: int,
    ) -> None:
        self._database, self._committed, self._pending, self._replayer = database, committed, pending, replayer
        self._room: dict[str, int] = {}  # number of matches that each league may still add before its next checkpoint
        self.queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self.thread = Thread(target=self._run, name=f"prowess-writer-{number}", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        for waiting in self._batches():
            live = [(command, future) for command, future in waiting if future.set_running_or_notify_cancel()]
            commands = [command for command, _ in live]
            results = execute(self._database, commands, self._committed, self._pending, partial(self._correct, live))
            posts = []
            for (command, future), result in zip(live, results, strict=True):
                _settle(future, result)
                posts += [command] if isinstance(command, Post) and isinstance(result, CommandResult) else []
            self._take_checkpoints(posts)

    def _correct(self, live: Sequence[Waiting], number: int) -> Result:
        # A correction that takes long, or must wait for another correction, is left to the replayer.
        command, future = live[number]
        if not self._replayer.has(command.league):
            result = _correct(self._database, command, self._committed)
            if not isinstance(result, TakesLong):
                return result
        self._replayer.put(command, future)
        return TakesLong()

    def _batches(self) -> Iterator[list[Waiting]]:
        while (first := self.queue.get()) is not None:
            waiting, matches = [first], _size(first[0])
            while len(waiting) < MAX_COMMANDS and matches < MAX_MATCHES and not self.queue.empty():
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
                    # Another league may take the name, so the number of matches is counted again from time to time.
                    self._room[post.league] = min(take_checkpoint(self._database, post.league), MIN_SPACING)
                except Exception:  # no caller waits for a checkpoint, and the posts are already recorded
                    logging.getLogger(__name__).exception("cannot take a checkpoint of the league %s", post.league)
                    self._room[post.league] = PAUSE


class TakesLong(Exception):
    """Raised for a correction that takes long, or must wait for a long one: it would delay other commands."""


class _Replayer:
    """A thread that executes long corrections, and corrections that must wait for a long one in the same league."""

    def __init__(self, database: Database, committed: Committed) -> None:
        self._database, self._committed = database, committed
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._leagues: Counter[str] = Counter()  # how many corrections of each league are queued or under way
        self._guard = Lock()
        self.stopping = Event()
        self._thread = Thread(target=self._run, name="prowess-replayer", daemon=True)
        self._thread.start()

    def has(self, league: str) -> bool:
        with self._guard:
            return self._leagues[league] > 0

    def put(self, command: Command, future: Future[CommandResult]) -> None:
        with self._guard:
            self._leagues[command.league] += 1
        self._queue.put((command, future))

    def close(self) -> None:
        self.stopping.set()
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (waiting := self._queue.get()) is not None:
            command, future = waiting
            result = _correct(self._database, command, self._committed, self.stopping)
            with self._guard:
                self._leagues[command.league] -= 1
            _settle(future, result)
            _clean_up(self._database, command, self.stopping)


def _settle(future: Future[CommandResult], result: Result) -> None:
    if isinstance(result, CommandResult):
        future.set_result(result)
    elif not isinstance(result, TakesLong):
        future.set_exception(result)


def _clean_up(database: Database, command: Command, stopping: Event) -> None:
    # A long correction writes new ratings next to the old ones, which are unused afterwards.
    try:
        delete_unused_sets(database, command.league, stopping)
    except NotFound:
        pass  # the league does not exist; the command itself reports that
    except Exception:  # the correction is recorded; the next correction tries to delete them again
        logging.getLogger(__name__).exception("cannot delete old ratings of the league %s", command.league)


def _size(command: Command) -> int:
    return len(command.matches) if isinstance(command, Post) and hasattr(command.matches, "__len__") else 1


def perform(database: Database, command: Command, pending: PendingTraces | None = None) -> CommandResult:
    """Execute one command, however long it takes; traces of new matches are put into `pending`."""
    [result] = execute(database, [command], pending=pending)
    if isinstance(result, CommandResult):
        return result
    raise result


def preview(database: Database, command: Command) -> CommandResult:
    """Return the result of a command without writing anything."""
    with database.reading() as connection:
        result = None
        if isinstance(command, Post):
            clock = leagues.find(connection, command.league).clock
            result = preview_post(connection, command.league, validate(command, clock))
        return plan(connection, command).result if result is None else result


def execute(
    database: Database,
    commands: Sequence[Command],
    committed: Committed = lambda commit: None,
    pending: PendingTraces | None = None,
    correct: Callable[[int], Result] | None = None,
) -> list[Result]:
    """Execute commands: posts that change no past match as one batch, and all other commands one by one.

    For each command that corrects past matches, `correct` is called with the index of the command, and returns its
    result. By default, the correction is carried out at once, however long it takes. `committed` and
    `pending` have the same meaning as in `Writer`.
    """

    def correct_now(number: int) -> Result:
        result = _correct(database, commands[number], committed, never)
        _clean_up(database, commands[number], never)
        return result

    never = Event()
    results: dict[int, Result] = {}
    posts = {number: command for number, command in enumerate(commands) if isinstance(command, Post)}
    if posts:
        results |= _with_retries(list(posts), partial(_append, database, posts, committed, pending))
        if len(posts) > 1:  # if a batch fails as a whole, some of its posts may still succeed alone
            for number in posts:
                if not isinstance(results[number], (CommandResult, Error, OutOfOrder)):
                    alone = {number: posts[number]}
                    results |= _with_retries([number], partial(_append, database, alone, committed, pending))
    for number in range(len(commands)):
        if number not in results or isinstance(results[number], OutOfOrder):
            results[number] = (correct or correct_now)(number)
    return [results[number] for number in range(len(commands))]


def _with_retries(numbers: Sequence[int], work: Callable[[], dict[int, Result]]) -> dict[int, Result]:
    # An exception that stops the whole batch is the result of every command.
    for left in reversed(range(TRIES)):
        try:
            return work()
        except UnhashedNames as error:
            error.hash_all()
        except WriteClash as error:  # another process wrote the same rows
            if not left:
                return dict.fromkeys(numbers, Unavailable("too many concurrent changes", f"try again ({error})"))
        except Exception as error:
            return dict.fromkeys(numbers, error)
    raise AssertionError


def _append(
    database: Database, posts: dict[int, Post], committed: Committed, pending: PendingTraces | None
) -> dict[int, Result]:
    results: dict[int, Result] = {}
    by_league: dict[str, dict[int, ValidatedPost]] = {}
    for number, post in posts.items():
        try:
            by_league.setdefault(post.league, {})[number] = _validate(database, post)
        except Exception as error:
            results[number] = error
    try:
        with database.writing() as connection:
            for name in sorted(by_league):  # always in the same order, to avoid deadlocks
                posted = by_league[name]
                results |= zip(posted, append_posts(connection, name, list(posted.values()), pending), strict=True)
    except WriteClash:
        database.clocks.clear()  # another league may have taken a name, as in `_validate`
        raise
    new = [result for result in results.values() if isinstance(result, CommandResult) and not all(result.repeated)]
    if new:
        committed(Commit(len(new), sum(len(result.ids) for result in new), False))
    for result in new:
        if pending is not None and result.appended is not None:
            pending.add(result.appended)
    return results


def _validate(database: Database, post: Post) -> ValidatedPost:
    clock = leagues.clock_of(database, post.league)
    try:
        return validate(post, clock)
    except Error:
        database.clocks.pop(post.league, None)  # another league, with another clock, may have taken the name
        if leagues.clock_of(database, post.league) == clock:
            raise
    return validate(post, leagues.clock_of(database, post.league))


def _correct(database: Database, command: Command, committed: Committed, stopping: Event | None = None) -> Result:
    # Without `stopping`, a correction that would take long returns `TakesLong` instead.
    [result] = _with_retries([0], lambda: {0: _try_to_correct(database, command, stopping)}).values()
    if isinstance(result, CommandResult):
        committed(Commit(1, len(result.ids), True))
    return result


def _try_to_correct(database: Database, command: Command, stopping: Event | None) -> CommandResult:
    if not isinstance(command, ChangeModel | Rederive):  # these rate all matches again anyway
        with database.reading() as connection:
            outdated = leagues.find(connection, command.league).outdated
        if outdated:
            _carry_out(database, Rederive(command.league), stopping)
    return _carry_out(database, command, stopping)


def _carry_out(database: Database, command: Command, stopping: Event | None) -> CommandResult:
    result = None
    while result is None:
        with database.reading() as connection:
            is_long = takes_long(connection, command)
        if not is_long:
            result = _correct_at_once(database, command)
        elif stopping is not None:
            result = LongCorrection(database, command, stopping).run()
        if result is None and stopping is None:
            raise TakesLong
        if result is None and stopping is not None and stopping.wait(POLL):  # another process is correcting the league
            raise abandoned()
    return result


def _correct_at_once(database: Database, command: Command) -> CommandResult | None:
    # None means that a long correction of the league is already under way.
    with database.writing() as connection:
        lock_league(connection, leagues.find(connection, command.league).id)
        if leagues.find(connection, command.league).replaying:
            return None
        return write_plan(connection, plan(connection, command))
