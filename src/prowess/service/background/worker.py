"""What works in the background: one analysis after another, each in a process of its own that others need not wait for.

A thread of the service takes what waits, starts a process for it, and writes down how far that is, so that all
processes of the service can tell. It is called off by whoever notes that in the database, and ends with the service.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import warnings
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen
from threading import Event, Lock, Thread
from time import monotonic
from typing import IO, Any
from uuid import uuid4

from sqlalchemy import select

from ...errors import Error
from ...store import jobs, leagues
from ...store.db import schema
from ...store.db.database import Database
from ...store.jobs import Analysis
from .figures import run_job

BEAT = 1.0  # seconds between two signs of life
LOOK = 5.0  # seconds after which it is looked whether others have left something to do
DIED = "the process that worked on it ended before it was done: is there enough memory?"
# Not by `multiprocessing`, which would run the program that the service is a part of once more.
START = (
    "import json, sys; task = json.loads(sys.stdin.readline()); sys.path[:] = task['path']; "
    "from prowess.service.background.worker import work; work(task)"
)


class Worker:
    """The analyses of a process, one at a time; `close` ends the one that is worked on."""

    def __init__(self, database: Database) -> None:
        self._database, self._name = database, uuid4().hex
        self._wanted: set[str] = set()
        self._guard, self._bell, self._closing = Lock(), Event(), Event()
        self._thread = Thread(target=self._run, name="prowess-background", daemon=True)
        self._thread.start()

    def request_figures(self, league: str) -> None:
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
            try:
                self._ask_for_wanted()
                if (job := self._next()) is not None:
                    self._work(job)
                    continue
            except Error:
                pass  # the database cannot be used now: it is tried again
            except Exception:
                logging.getLogger(__name__).exception("an analysis failed")
            self._bell.wait(LOOK)

    def _ask_for_wanted(self) -> None:
        with self._guard:
            wanted, self._wanted = self._wanted, set()
        for name in wanted:
            with suppress(Error), self._database.writing() as connection:
                jobs.request(connection, leagues.find(connection, name), "figures", {})

    def _next(self) -> Analysis | None:
        with self._database.reading() as connection:
            if not jobs.has_queued(connection):
                return None
        with self._database.writing() as connection:
            return jobs.claim(connection, self._name)

    def _work(self, job: Analysis) -> None:
        """Have an analysis worked out, and see that it ends."""
        url = self._database.url.render_as_string(hide_password=False)
        task = {"url": url, "league": job.league_id, "kind": job.kind, "asked": dict(job.asked), "path": sys.path}
        process = Popen([sys.executable, "-c", START], stdin=PIPE, stdout=PIPE, text=True, encoding="utf-8")
        assert process.stdin is not None
        assert process.stdout is not None
        said: SimpleQueue[str] = SimpleQueue()
        listener = Thread(target=_listen, args=(process.stdout, said), daemon=True)
        listener.start()
        try:
            with suppress(OSError):  # it ended at once, of which it is heard
                process.stdin.write(json.dumps(task) + "\n")
                process.stdin.flush()  # and it stays open: when it is closed, the process ends
            self._follow(job, said)
        finally:
            process.kill()
            process.wait()
            listener.join()
            with suppress(OSError):
                process.stdin.close()
            process.stdout.close()

    def _follow(self, job: Analysis, said: SimpleQueue[str]) -> None:
        """Write down how far a process is, until it has an answer or is wanted no more."""
        step, share, last = "", 0.0, monotonic()
        while not self._closing.is_set():
            with suppress(Empty):
                heard: list[Any] = json.loads(said.get(timeout=BEAT / 4) or json.dumps(["failed", DIED]))
                if heard[0] != "at":
                    self._end(job, *heard)
                    return
                _, step, share = heard
            if monotonic() - last >= BEAT:
                last = monotonic()
                with suppress(Error), self._database.writing() as connection:
                    if not jobs.heartbeat(connection, job.id, self._name, step, share):
                        return
        self._end(job, "interrupted")

    def _end(self, job: Analysis, state: str, *said: Any) -> None:
        note: Any = jobs.finish if state == "done" else partial(jobs.abort, state=state)
        with self._database.writing() as connection:
            note(connection, job.id, self._name, *said)


def _listen(stream: IO[str], said: SimpleQueue[str]) -> None:
    """Pass on what a process says, line by line; an empty line is its end."""
    for line in stream:
        said.put(line)
    said.put("")


def work(task: dict[str, Any]) -> None:
    """What the process does: it says how far it is, and at last the answer, or why there is none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the service, which ends this
    with suppress(AttributeError, OSError):
        os.nice(10)
    Thread(target=_end_with_parent, daemon=True).start()
    warnings.simplefilter("ignore")

    def say(*what: Any) -> None:
        print(json.dumps(what), flush=True)

    database = Database(task["url"])
    query = select(schema.league.c.name).where(schema.league.c.id == task["league"])
    try:
        with database.reading() as connection:
            league = leagues.find(connection, connection.execute(query).scalar_one())
            report = partial(say, "at")
            answer = run_job(connection, league, task["kind"], task["asked"], report)
        say("done", league.generation, league.revision, answer)
    except Error as error:
        say("failed", str(error))
    finally:
        database.close()


def _end_with_parent() -> None:
    """Nobody waits for the answer when the service is gone."""
    sys.stdin.read()
    os._exit(1)
