"""Exporting leagues to files.

Requests for the same file share one job. Only a few jobs run at once, and a job stops when its last caller disconnects.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from time import thread_time
from typing import NamedTuple

from ..errors import Error
from ..store import leagues
from ..store.db.database import Database
from ..store.errors import Unavailable
from ..store.exports import ExportFolder, ExportSpec, write_matches
from .concurrency import ConcurrencyLimiter, run_in_threadpool

SWEEP = 60.0  # seconds between two searches for outdated files
AT_ONCE, WAITING = 1, 20  # exports of this process that may run at once, and that may wait


class ExportedFile(NamedTuple):
    """A file with the matches of a league at a revision; the caller must delete it."""

    path: Path
    revision: int


class _Key(NamedTuple):
    league: str
    id: int
    revision: int
    spec: ExportSpec


@dataclass
class _Job:
    """An export that is running or queued, and the number of callers waiting for it."""

    task: asyncio.Task[int]  # returns the revision that was exported
    stop: Event
    callers: int = 0


class Exports:
    """Creates the exports of all leagues. All processes of the service share the folder of finished files."""

    def __init__(self, database: Database, folder: ExportFolder) -> None:
        self.folder, self._database = folder, database
        self._limiter = ConcurrencyLimiter("exports", AT_ONCE, WAITING)
        self._jobs: dict[_Key, _Job] = {}
        self._closing = False

    async def get(self, league: str, spec: ExportSpec) -> ExportedFile:
        """Return the current matches of a league as a file.

        Callers who ask for the same file share one job; the job is stopped when the last caller is cancelled.
        """
        key = await run_in_threadpool(self._key, league, spec)
        revision = key.revision
        for _ in range(3):
            if (path := await run_in_threadpool(self.folder.link, key.id, revision, spec)) is not None:
                return ExportedFile(path, revision)
            revision = await self._wait(key)
        raise Unavailable("the export was deleted to make room for other exports")

    def _key(self, name: str, spec: ExportSpec) -> _Key:
        with self._database.reading() as connection:
            league = leagues.find(connection, name)
        return _Key(name, league.id, league.revision, spec)

    async def _wait(self, key: _Key) -> int:
        job = self._jobs.get(key)
        if job is None:
            if self._closing:
                raise Unavailable("the service is shutting down")
            stop = Event()
            job = self._jobs[key] = _Job(asyncio.create_task(self._limiter.run(partial(self._write, key, stop))), stop)
            # Read the exception, because asyncio would log it otherwise.
            job.task.add_done_callback(lambda task: task.cancelled() or task.exception())
        job.callers += 1
        try:
            return await asyncio.shield(job.task)
        finally:
            job.callers -= 1
            if not job.callers:
                job.stop.set()
                job.task.cancel()
                if self._jobs.get(key) is job:
                    del self._jobs[key]

    def _write(self, key: _Key, stop: Event) -> int:
        # The thread pauses half of the time, so that requests can use the interpreter, too.
        last = thread_time()

        def pause() -> None:
            nonlocal last
            if stop.wait(thread_time() - last):
                raise Unavailable("the export was stopped")
            last = thread_time()

        scratch = None
        try:
            scratch = self.folder.scratch(key.id)
            with self._database.reading() as connection:
                league = leagues.find(connection, key.league)
                write_matches(connection, league, scratch, key.spec, pause)
            self.folder.keep(scratch, league.id, league.revision, key.spec)
            return league.revision
        except OSError as error:
            raise Unavailable("the export cannot be written now", str(error)) from error
        finally:
            if scratch is not None:
                self.folder.discard(scratch)

    @asynccontextmanager
    async def running(self, closing: asyncio.Event) -> AsyncIterator[None]:
        """Delete outdated files regularly during a `with` block; stop all exports when it ends or `closing` is set."""
        await run_in_threadpool(self.folder.clear)
        tasks = [asyncio.create_task(self._sweep()), asyncio.create_task(self._stop_when(closing))]
        try:
            yield
        finally:
            closing.set()
            tasks[0].cancel()
            jobs = [job.task for job in self._jobs.values()]
            await asyncio.gather(*tasks, *jobs, return_exceptions=True)

    async def _stop_when(self, closing: asyncio.Event) -> None:
        await closing.wait()
        self._closing = True
        for job in self._jobs.values():
            job.stop.set()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP)
            with suppress(Error, OSError):  # the database or the disk is unavailable: try again later
                await run_in_threadpool(self._sweep_once)

    def _sweep_once(self) -> None:
        with self._database.reading() as connection:
            revisions = {league.id: league.revision for league in leagues.list_leagues(connection)}
        self.folder.sweep(revisions)
