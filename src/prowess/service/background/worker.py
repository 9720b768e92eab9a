"""The worker."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen
from threading import Event, Lock, Thread
from time import monotonic
from typing import IO, Any
from uuid import uuid4

from pydantic_core import to_json
from sqlalchemy import Connection, select

from ...errors import Error
from ...history import History
from ...lab.compare.compatibility import check_usable, suitable_models, usable_presets
from ...lab.compare.run import compare_forecasts
from ...lab.compare.serialize import page_payload
from ...lab.forecast_chunks import ForecastChunk
from ...lab.protocols import Prequential
from ...model.model import Model
from ...store import jobs, leagues, seasons
from ...store.db import schema
from ...store.db.database import Database
from ...store.jobs import Analysis
from ...store.journal import journal
from ...store.leagues import League, Preset
from ...store.read.trace import TraceView, iter_forecasts
from ...store.seasons import Season

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


Plain = dict[str, Any]
Report = Callable[[str, float], None]  # is told what is being done, and which share of all is behind
READ, MEASURED = 0.1, 0.9  # shares of the work: matches are read, and all forecasts are made
STEP = 20_000  # matches between two reports


def model_label(preset: Preset) -> str:
    """What the model of a league is called among others: a preset as it is has its own name.

    >>> model_label(Preset("Elo")), model_label(Preset("Elo", {"k": 20}))
    ('Elo', 'Elo (this league)')
    """
    return f"{preset.name} (this league)" if preset.parameters else preset.name


def league_figures(league: League, view: TraceView) -> Plain:
    """How well the model of a league has predicted its matches, from what was forecast before each of them."""
    passed = view.trace
    name = model_label(league.preset)
    return _figures(league, passed.history, {name: passed.model}, {name: [ForecastChunk(0, passed.forecasts, 0)]})


def _figures(
    league: League, history: History, models: Mapping[str, Model], parts: Mapping[str, Iterable[ForecastChunk]]
) -> Plain:
    """The figures of one model, and which others could use the matches."""
    [name] = models
    told = page_payload(compare_forecasts(history, models, parts), name)
    fitting = {"suitable": list(suitable_models(history)), "usable": usable_presets(history)}
    return told | fitting | {"posted": league.posted, "revision": league.revision, "generation": league.generation}


def run_job(connection: Connection, league: League, kind: str, asked: Mapping[str, Any], report: Report) -> str:
    """The answer to what was asked of a league, as JSON; its matches are read from the journal."""
    report("Reading the matches", 0.0)
    begun = seasons.list_seasons(connection, league)
    history = journal.history(connection, league)
    if kind == "figures":
        name, width = model_label(league.preset), MEASURED - READ
        parts = _forecast_parts(name, league.model, history, begun, report, READ, width)
        told = _figures(league, history, {name: league.model}, {name: parts})
    else:
        told = _compare(league, history, begun, asked, report)
    return to_json(told, inf_nan_mode="null").decode()


def _compare(
    league: League, history: History, begun: Sequence[Season], asked: Mapping[str, Any], report: Report
) -> Plain:
    """The model of a league and others on its matches, all through the same seasons."""
    chosen = {model_label(league.preset): league.preset} | {name: Preset(**one) for name, one in asked.items()}
    models = {name: one.model for name, one in chosen.items()}
    check_usable(models, history, Prequential().runs(history))
    width = (MEASURED - READ) / len(models)
    parts = {
        name: _forecast_parts(
            f"{name} ({k + 1} of {len(models)})", model, history, begun, report, READ + k * width, width
        )
        for k, (name, model) in enumerate(models.items())
    }
    found = compare_forecasts(history, models, parts)
    report("Measuring", MEASURED)
    told = page_payload(found, model_label(league.preset))
    presets = {name: {"name": one.name, "parameters": dict(one.parameters)} for name, one in chosen.items()}
    own = {"own": model_label(league.preset), "presets": presets, "seasons": len(begun), "posted": league.posted}
    return told | own | {"revision": league.revision, "generation": league.generation}


def _forecast_parts(
    label: str, model: Model, history: History, begun: Sequence[Season], report: Report, start: float, width: float
) -> Iterator[ForecastChunk]:
    """The forecasts of a model, with a report before each part."""
    report(label, start)
    for first, forecasts in iter_forecasts(model, history, begun, STEP):
        yield ForecastChunk(first, forecasts, 0)
        report(label, start + width * (first + len(forecasts)) / len(history))
