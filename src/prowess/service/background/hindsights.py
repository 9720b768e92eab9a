"""Leagues in hindsight: fitted in the background, kept in memory, and brought up to date after posts and corrections.

A thread of the service does the work, and another one waits for child processes, which fit large leagues for the first
time; after that, only what new and corrected matches change is computed again. Requests wait a moment, so a small
league is always up to date; for a large league, they show the last result and how far the next one is.
"""

from __future__ import annotations

import logging
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import partial
from threading import Condition, Event, Thread
from time import monotonic
from typing import Any

from sqlalchemy import Connection

from ...errors import Error
from ...model.hindsight.support import can_look_back
from ...store import leagues
from ...store.cache import LruCache
from ...store.db.database import Database
from ...store.errors import NotFound, Unavailable
from ...store.journal import journal
from ...store.leagues import League
from ...store.read import hindsight as reading
from ...store.read.hindsight import FittedJournal, LeagueHindsight
from ...store.read.trace import TraceView
from ...store.read.trace_cache import TraceCache
from .child_process import ChildProcess, ProcessFailed, ProcessLimits, report

WHY_NOT = "{} updates ratings match by match and cannot use a whole history; TrueSkill, TS2 and the score models can"
MEMORY = 500_000_000  # bytes
LARGE = 50_000  # entries; a league with more is fitted in a child process, which takes a second to start
MANY = 20_000  # after this many new matches, as in an import, a league is fitted from scratch
PATIENCE = 1.0  # seconds that a request waits for a result
# Seconds of rest after each second of work for a league, so that a stream of posts does not keep a core busy.
REST = 3.0
POLL = 0.2  # seconds between checks for shutdown, while a child process works
LEAST_REST, LONG_REST = 0.03, 60.0  # seconds of rest after any update, and after one that failed unexpectedly
ATTEMPTS = 3  # of reading a league and its trace at the same revision


@dataclass(frozen=True)
class HindsightState:
    """What is known of a league in hindsight.

    `hindsight` is None if the first fit is not finished. `share` is how much of a fit or update is done, and None if
    the hindsight is up to date. `why` says why there is no hindsight; it is empty if there is one, or will be.

    >>> HindsightState(None, share=0.5).hindsight is None
    True
    """

    hindsight: LeagueHindsight | None
    share: float | None = None
    why: str = ""


@dataclass(eq=False)
class Task:
    """The next update of a league. `answered` is set when it has ended, or when it turns out to be slow.

    It starts when it is `due`, and will probably have ended when it is `expected`; a slow one takes much longer.
    """

    league: int
    due: float
    expected: float
    share: float = 0.0
    is_slow: bool = False  # whether a child process fits the league
    is_running: bool = False
    key: Hashable = None  # the cache key of the league, and its generation and revision, as read for this update
    version: tuple[int, int] = (0, 0)
    rest: float = LEAST_REST  # seconds before the next update
    is_new_fit: bool = False  # new fits are rare, so a league needs no rest after one
    answered: Event = field(default_factory=Event)


class Hindsights:
    """The hindsights of the leagues that a process has shown; `close` stops the work.

    >>> from tempfile import TemporaryDirectory
    >>> from prowess.store.write.commands import Post
    >>> from prowess.store.write.writer import perform
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     with database.writing() as connection:
    ...         _ = leagues.create(connection, "darts")
    ...     _ = perform(database, Post("darts", [{"id": "first", "teams": [["ann"], ["bob"]]}]))
    ...     hindsights = Hindsights(database, TraceCache())
    ...     with database.reading() as connection:
    ...         state = hindsights.of(leagues.find(connection, "darts"))
    ...     hindsights.close()
    ...     database.close()
    >>> [row["player"] for row in state.hindsight.best()]
    ['ann', 'bob']
    """

    def __init__(self, database: Database, traces: TraceCache, memory: float = MEMORY) -> None:
        self._database, self._traces = database, traces
        self._cache: LruCache[LeagueHindsight] = LruCache(memory)
        self._failures: LruCache[tuple[int, int, str]] = LruCache(1_000_000)  # generation, revision and message
        self._tasks: dict[int, Task] = {}  # by league: waiting, or the one being done
        self._last: dict[int, tuple[float, float]] = {}  # by league: when it has rested, and how long its update took
        self._changed, self._closing = Condition(), Event()
        names = {"prowess-hindsight": False, "prowess-hindsight-large": True}
        self._threads = [Thread(target=self._run, args=[slow], name=name, daemon=True) for name, slow in names.items()]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop the running fits and the threads."""
        with self._changed:
            self._closing.set()
            self._changed.notify_all()
            for task in self._tasks.values():
                task.answered.set()
        for thread in self._threads:
            thread.join()

    def kept(self, league: League) -> LeagueHindsight | None:
        """Return the last hindsight by the league's model, without waiting; None if there is none."""
        kept = self._cache.get(league.cache_key)
        return kept if kept is not None and kept.generation == league.generation else None

    def of(self, league: League, patience: float | None = None) -> HindsightState:
        """Return the hindsight of a league; if it is outdated, wait for the next one for at most `patience` seconds."""
        if not can_look_back(league.model):
            return HindsightState(None, why=WHY_NOT.format(league.preset.name))
        deadline = monotonic() + (PATIENCE if patience is None else patience)
        while True:
            kept, failure = self.kept(league), self._failures.get(league.cache_key)
            if kept is not None and kept.revision >= league.revision:
                return HindsightState(kept)
            if failure is not None and failure[:2] == (league.generation, league.revision):
                return HindsightState(kept, why="" if kept is not None else failure[2])
            task = self._request(league)
            left = deadline - monotonic()
            is_late = task.is_slow or task.expected > deadline or self._closing.is_set()
            if left <= 0.0 or is_late or not task.answered.wait(left):
                return HindsightState(kept, task.share)

    def ready(self, league: League) -> LeagueHindsight:
        """Return the hindsight of a league, which may be that of an earlier revision.

        Raises an `Error` if the model has none, and `Unavailable` if the first one is not finished.
        """
        state = self.of(league)
        if state.hindsight is not None:
            return state.hindsight
        if state.share is None:
            raise Error(state.why, field="hindsight")
        raise Unavailable(f"the hindsight of {league.name} is being computed; {100 * state.share:.0f} % is done")

    def _request(self, league: League) -> Task:
        """Return the task that brings a league up to date; it is queued unless it is already waiting or being done."""
        with self._changed:
            if league.id not in self._tasks:
                rested, duration = self._last.get(league.id, (0.0, 0.0))
                due = max(rested, monotonic())
                self._tasks[league.id] = Task(league.id, due, due + duration)
                self._changed.notify_all()
            return self._tasks[league.id]

    # --- the threads ------------------------------------------------------------------------------------------------

    def _run(self, slow: bool) -> None:
        while (task := self._next(slow)) is not None:
            started = monotonic()
            try:
                self._update(task)
            except _TakesLong:
                self._hand_over(task)
                continue
            except (_Closing, NotFound, Unavailable):
                pass  # the next request tries again
            except ProcessFailed:
                task.rest = LONG_REST  # the machine may have been out of memory
                logging.getLogger(__name__).exception("the process that fitted a league in hindsight failed")
            except Error as error:
                # Nothing but another revision or model can help.
                self._failures.put(task.key, (*task.version, str(error)), 1_000)
            except Exception:
                task.rest = LONG_REST
                logging.getLogger(__name__).exception("a league could not be fitted in hindsight")
            with self._changed:
                ended = monotonic()
                duration = 0.0 if task.is_new_fit else ended - started
                self._last[task.league] = ended + max(REST * duration, task.rest), duration
                del self._tasks[task.league]
            task.answered.set()

    def _next(self, slow: bool) -> Task | None:
        """Wait for the slow or quick task that is due first; None at shutdown."""
        with self._changed:
            while not self._closing.is_set():
                waiting = [task for task in self._tasks.values() if task.is_slow == slow and not task.is_running]
                task = min(waiting, key=lambda task: task.due, default=None)
                delay = None if task is None else task.due - monotonic()
                if task is not None and delay is not None and delay <= 0.0:
                    task.is_running = True
                    return task
                self._changed.wait(delay)
        return None

    def _hand_over(self, task: Task) -> None:
        """Let the thread that waits for child processes do a task."""
        with self._changed:
            task.is_slow, task.is_running = True, False
            self._changed.notify_all()
        task.answered.set()

    def _update(self, task: Task) -> None:
        fitted = self._fit_in_child(task) if task.is_slow else None
        for _ in range(ATTEMPTS):
            with self._database.reading() as connection:
                league = leagues.get(connection, task.league)
                task.key, task.version = league.cache_key, (league.generation, league.revision)
                view = self._traces.of(connection, league).view
                if view.revision != league.revision:
                    continue  # a match was posted in between, and its changes cannot be read on this connection
                found = self._up_to_date(connection, league, view, fitted)
            if found is None:
                if view.trace.history.entries > LARGE:
                    raise _TakesLong
                found = reading.fit(league, view, partial(self._report, task))
                task.is_new_fit = True
            task.is_new_fit |= fitted is not None
            self._keep(league, found)
            return

    def _up_to_date(
        self, connection: Connection, league: League, view: TraceView, fitted: FittedJournal | None
    ) -> LeagueHindsight | None:
        """Return the hindsight of a view, if the kept one or a new fit of the journal leads to it."""
        kept = self.kept(league)
        for base in (None if kept is None else kept.fitted, fitted):
            if base is not None and base.leads_to(league, view) and len(view) - len(base.seq) <= MANY:
                changes = journal.changes_since(connection, league, base.revision)
                return base.updated(view, [entry.seq for entry in changes])
        return None

    def _fit_in_child(self, task: Task) -> FittedJournal:
        child = ChildProcess()
        try:
            url = self._database.url.render_as_string(hide_password=False)
            child.start(ProcessLimits(), fit_league, url, task.league)
            while True:
                message: tuple[str, Any] = child.receive(POLL) or ("report", task.share)
                kind, value = message
                if kind == "result":
                    fitted: FittedJournal = value
                    return fitted
                self._report(task, value)
        finally:
            child.close()

    def _report(self, task: Task, share: float) -> None:
        if self._closing.is_set():
            raise _Closing
        task.share = share

    def _keep(self, league: League, found: LeagueHindsight) -> None:
        if league.erased:  # free older hindsights, which show the name of an anonymised player
            self._cache.drop_if(lambda key: key[0] == league.id and key[1] < league.erased)
        self._cache.put(league.cache_key, found, found.nbytes)


class _TakesLong(Exception):
    """The league is large and has to be fitted from scratch."""


class _Closing(Exception):
    """The service shuts down."""


def fit_league(url: str, league_id: int) -> FittedJournal:
    """Fit a league in a child process, and report how much of the work is done."""
    database = Database(url)
    try:
        with database.reading() as connection:
            return reading.fit_journal(connection, leagues.get(connection, league_id), report)
    finally:
        database.close()
