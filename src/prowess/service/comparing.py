"""What works in the background: one analysis after another, each in a process of its own that others need not wait for.

A thread of the service takes what waits, starts a process for it, and writes down how far that is, so that all
processes of the service can tell. It is called off by whoever notes that in the database, and ends with the service.
"""

from __future__ import annotations

import os
import signal
import warnings
from contextlib import suppress
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection as Pipe
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any
from uuid import uuid4

from sqlalchemy import select

from ..errors import Error
from ..store import analyses, leagues, schema
from ..store.analyses import Analysis
from ..store.database import Database
from .figures import worked_out

__all__ = ["Background"]

BEAT = 1.0  # seconds between two signs of life
LOOK = 5.0  # seconds after which it is looked whether others have left something to do
GRACE = 5.0  # seconds that a process has to end


class Background:
    """The analyses of a process, one at a time; `close` ends the one that is worked on."""

    def __init__(self, database: Database) -> None:
        self._database, self._name = database, uuid4().hex
        self._wanted: set[str] = set()
        self._guard, self._bell, self._closing = Lock(), Event(), Event()
        self._thread = Thread(target=self._run, name="prowess-background", daemon=True)
        self._thread.start()

    def want_figures(self, league: str) -> None:
        """Have the figures of a league made anew, without waiting for anything."""
        with self._guard:
            self._wanted.add(league)
        self._bell.set()

    def look(self) -> None:
        """There is something to do."""
        self._bell.set()

    def close(self) -> None:
        """End what is worked on, and stop."""
        self._closing.set()
        self._bell.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._bell.clear()
            with suppress(Error):  # the database cannot be used now: it is tried again
                self._ask_for_wanted()
                if (job := self._next()) is not None:
                    self._work(job)
                    continue
            self._bell.wait(LOOK)

    def _ask_for_wanted(self) -> None:
        with self._guard:
            wanted, self._wanted = self._wanted, set()
        for name in wanted:
            with suppress(Error), self._database.writing() as connection:
                analyses.ask(connection, leagues.find(connection, name), "figures", {})

    def _next(self) -> Analysis | None:
        with self._database.reading() as connection:
            if not analyses.waits(connection):
                return None
        with self._database.writing() as connection:
            return analyses.claim(connection, self._name)

    def _work(self, job: Analysis) -> None:
        """Have an analysis worked out, and see that it ends."""
        ours, theirs = get_context("spawn").Pipe(duplex=False)
        url = self._database.url.render_as_string(hide_password=False)
        process = get_context("spawn").Process(
            target=work, args=(url, job.league_id, job.kind, dict(job.asked), theirs), name="prowess-analysis"
        )
        process.start()
        theirs.close()
        try:
            self._follow(job, ours)
        finally:
            process.terminate()
            process.join(GRACE)
            if process.is_alive():
                process.kill()
                process.join()
            process.close()
            ours.close()

    def _follow(self, job: Analysis, pipe: Pipe) -> None:
        """Write down how far a process is, until it has an answer or is wanted no more."""
        step, share, last = "", 0.0, monotonic()
        while not self._closing.is_set():
            try:
                said = pipe.recv() if pipe.poll(BEAT / 4) else None
            except (EOFError, OSError):
                said = ("failed", "the process that worked on it ended before it was done: is there enough memory?")
            if said is not None and said[0] != "at":
                self._end(job, *said)
                return
            if said is not None:
                _, step, share = said
            if monotonic() - last >= BEAT:
                last = monotonic()
                with suppress(Error), self._database.writing() as connection:
                    if not analyses.beat(connection, job.id, self._name, step, share):
                        return
        self._end(job, "interrupted")

    def _end(self, job: Analysis, state: Any, *said: Any) -> None:
        note = analyses.finish if state == "done" else partial(analyses.end, state=state)
        with self._database.writing() as connection:
            note(connection, job.id, self._name, *said)


def work(url: str, league: int, kind: str, asked: dict[str, Any], pipe: Pipe) -> None:
    """What the process does: it says how far it is, and at last the answer, or why there is none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the service, which ends this
    with suppress(AttributeError, OSError):
        os.nice(10)
    Thread(target=_end_with_parent, daemon=True).start()
    warnings.simplefilter("ignore")
    database = Database(url)
    try:
        with database.reading() as connection:
            name = connection.execute(select(schema.league.c.name).where(schema.league.c.id == league)).scalar_one()
            found = leagues.find(connection, name)
            answer = worked_out(connection, found, kind, asked, lambda step, share: pipe.send(("at", step, share)))
        pipe.send(("done", found.generation, found.revision, answer))
    except Error as error:
        pipe.send(("failed", str(error)))
    finally:
        database.close()


def _end_with_parent() -> None:
    """Nobody waits for the answer when the service is gone."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
