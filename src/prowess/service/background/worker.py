"""The worker: executes queued jobs (figures, comparisons, choices of models), one at a time, each in its own process.

A thread of the service claims a job, starts a process for the job and records the progress in the database, so that all
processes of the service can show the progress. A job is cancelled by a mark in the database, and it also ends when the
service ends. The thread also queues the search for a better model in leagues that have grown.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any
from uuid import uuid4

from pydantic_core import to_json
from sqlalchemy import Connection

from ...errors import Error
from ...history import History
from ...lab.compare.report import page_payload
from ...lab.compare.run import check_usable, compare_forecasts, suitable_models, usable_presets
from ...lab.forecast_chunks import ForecastChunk
from ...lab.protocols import Prequential
from ...model.model import Model
from ...store import choices, jobs, leagues, seasons
from ...store.db.database import Database
from ...store.errors import Unavailable
from ...store.facets import with_own_levels
from ...store.jobs import Analysis
from ...store.journal import journal
from ...store.leagues import League, Preset
from ...store.read.trace import TraceView, iter_forecasts
from ...store.write.commands import ChangeModel, Command, CommandResult
from . import model_choice
from .child_process import ChildProcess, ProcessLimits, report

HEARTBEAT = 1.0  # seconds
POLL = 5.0  # seconds between checks for jobs that other processes have queued, and for leagues that have grown
READ, FORECAST = 0.1, 0.9  # progress once the matches are read, and once all forecasts are made
CHUNK = 20_000  # matches between two progress reports
AUTHOR = "auto_switch"  # the author of automatic changes of the model

Plain = dict[str, Any]
Report = Callable[[str, float], None]  # called with the current step and the share of work done
Submit = Callable[[Command], Future[CommandResult]]


class Worker:
    """Runs jobs from a thread of the service; `close` stops the current job.

    If a search finds a better model for a league with `auto_switch`, the worker changes the model through `submit`.
    With `searching`, the worker also queues the search for a better model in leagues that have grown.
    """

    def __init__(self, database: Database, submit: Submit, searching: bool = False) -> None:
        self._database, self._submit, self._searching, self._name = database, submit, searching, uuid4().hex
        self._outdated: set[str] = set()  # leagues whose figures must be recomputed
        self._lock, self._wake, self._closing = Lock(), Event(), Event()
        self._thread = Thread(target=self._run, name="prowess-background", daemon=True)
        self._thread.start()

    def request_figures(self, league: str) -> None:
        """Queue the computation of a league's figures, without waiting for the database."""
        with self._lock:
            self._outdated.add(league)
        self.wake()

    def wake(self) -> None:
        """Wake the worker to check for queued jobs now."""
        self._wake.set()

    def close(self) -> None:
        """Stop the running job and the worker."""
        self._closing.set()
        self.wake()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._wake.clear()
            try:
                self._queue_figures()
                self._queue_searches()
                if (job := self._claim()) is not None:
                    self._execute(job)
                    continue
            except Error:
                pass  # the database is unavailable: try again later
            except Exception:
                logging.getLogger(__name__).exception("a background job failed")
            self._wake.wait(POLL)

    def _queue_figures(self) -> None:
        with self._lock:
            outdated, self._outdated = self._outdated, set()
        for name in outdated:
            with suppress(Error), self._database.writing() as connection:
                jobs.request(connection, leagues.find(connection, name), "figures", {})

    def _queue_searches(self) -> None:
        if not self._searching:
            return
        with self._database.reading() as connection:
            due = choices.due(connection)
        for id in due:
            with suppress(Error), self._database.writing() as connection:
                choices.request(connection, id)

    def _claim(self) -> Analysis | None:
        with self._database.reading() as connection:
            if not jobs.has_queued(connection):
                return None
        with self._database.writing() as connection:
            return jobs.claim(connection, self._name)

    def _execute(self, job: Analysis) -> None:
        child = ChildProcess()
        try:
            url = self._database.url.render_as_string(hide_password=False)
            child.start(ProcessLimits(), work, url, job.league_id, job.kind, dict(job.asked))
            self._follow(job, child)
        finally:
            child.close()

    def _follow(self, job: Analysis, child: ChildProcess) -> None:
        step, share, last = "", 0.0, monotonic()
        while not self._closing.is_set():
            try:
                message = child.receive(HEARTBEAT / 4)
            except Error as error:
                self._end(job, "failed", str(error))
                return
            except Exception:
                self._end(job, "failed", "internal error; the log has details")
                raise
            if message is not None:
                kind, value = message
                if kind == "result":
                    self._finish(job, *value)
                    return
                step, share = value
            if monotonic() - last >= HEARTBEAT:
                last = monotonic()
                if not self._heartbeat(job, step, share):
                    return  # the job was cancelled
        self._end(job, "interrupted")

    def _heartbeat(self, job: Analysis, step: str, share: float) -> bool:
        with suppress(Error), self._database.writing() as connection:
            return jobs.heartbeat(connection, job.id, self._name, step, share)
        return True  # the database is busy: the next heartbeat tries again

    def _finish(self, job: Analysis, generation: int, revision: int, answer: str) -> None:
        # Switch the model before the job is marked as done. If the service ends in between, the search is repeated and
        # finds nothing better.
        if job.kind == "choice" and not self._switch(job, generation, json.loads(answer)):
            self._end(job, "interrupted")
        else:
            self._end(job, "done", generation, revision, answer)

    def _switch(self, job: Analysis, generation: int, answer: Plain) -> bool:
        """Switch to the chosen model if it is better and the league has `auto_switch`; return False if interrupted."""
        with self._database.reading() as connection:
            league = leagues.get(connection, job.league_id)
        if not league.settings.auto_switch or not model_choice.is_better(answer):
            return True
        chosen, reason = model_choice.preset_from(answer), model_choice.reason_of(answer)
        try:
            future = self._submit(ChangeModel(league.name, chosen, replaces=generation, author=AUTHOR, reason=reason))
            while not self._closing.is_set() and self._heartbeat(job, "Rating all matches again", 1.0):
                with suppress(TimeoutError):
                    future.result(HEARTBEAT)
                    return True
        except Unavailable:
            return False
        except Error:
            return True  # the league was archived, or its model was changed: the choice is shown, but not applied
        return False

    def _end(self, job: Analysis, state: str, *values: Any) -> None:
        end: Any = jobs.finish if state == "done" else partial(jobs.abort, state=state)
        with self._database.writing() as connection:
            end(connection, job.id, self._name, *values)


def work(url: str, league_id: int, kind: str, asked: Plain) -> tuple[int, int, str]:
    """Run a job in a child process; return the generation and revision of the league, and the result as JSON."""
    database = Database(url)
    try:
        with database.reading() as connection:
            league = leagues.get(connection, league_id)
            answer = run_job(connection, league, kind, asked, lambda step, share: report((step, share)))
        return league.generation, league.revision, answer
    finally:
        database.close()


def run_job(connection: Connection, league: League, kind: str, asked: Mapping[str, Any], report: Report) -> str:
    """Return the result of a job as JSON.

    Depending on `kind`, the result has the figures of the league's model, a comparison with the models in `asked`, or
    the choice of a model.
    """
    report("Reading the matches", 0.0)
    starts = seasons.list_seasons(connection, league)
    if kind == "choice":
        history = journal.history(connection, league)  # the choice uses a column with the season of each match
        return json.dumps(model_choice.search(league, history, starts, report) | jobs.version_of(league))
    history = journal.current_rows(connection, league).history(league)  # with the context if ratings depend on it
    history = with_own_levels(league.model, history)
    own = model_label(league.preset)
    presets = {own: league.preset} | {name: Preset(**preset) for name, preset in asked.items()}
    models = {name: preset.model for name, preset in presets.items()}
    if kind == "comparison":
        check_usable(models, history, Prequential().runs(history))
    width = (FORECAST - READ) / len(models)

    def chunks(position: int, name: str, model: Model) -> Iterator[ForecastChunk]:
        label = f"{name} ({position + 1} of {len(models)})" if len(models) > 1 else name
        begin = READ + position * width
        report(label, begin)
        for first, forecasts in iter_forecasts(model, history, starts, CHUNK):
            yield ForecastChunk(first, forecasts, 0)
            report(label, begin + width * (first + len(forecasts)) / len(history))

    forecasts = {name: chunks(position, name, model) for position, (name, model) in enumerate(models.items())}
    if kind == "figures":
        answer = _figures(league, history, models, forecasts)
    else:
        comparison = compare_forecasts(history, models, forecasts)
        report("Measuring", FORECAST)
        chosen = {name: {"name": one.name, "parameters": dict(one.parameters)} for name, one in presets.items()}
        answer = page_payload(comparison, own) | {"own": own, "presets": chosen, "seasons": len(starts)}
    return to_json(answer | jobs.version_of(league), inf_nan_mode="null").decode()


def league_figures(league: League, view: TraceView) -> Plain:
    """Return figures on how well a league's model predicted its matches, using the forecasts in memory."""
    trace, name = view.trace, model_label(league.preset)
    chunks = {name: [ForecastChunk(0, trace.forecasts, 0)]}
    return _figures(league, trace.history, {name: trace.model}, chunks) | jobs.version_of(league)


def _figures(
    league: League, history: History, models: Mapping[str, Model], forecasts: Mapping[str, Iterable[ForecastChunk]]
) -> Plain:
    figures = page_payload(compare_forecasts(history, models, forecasts), model_label(league.preset))
    return figures | {"suitable": list(suitable_models(history)), "usable": usable_presets(history)}


def model_label(preset: Preset) -> str:
    """Return the label of a league's model in a comparison; a model with changed parameters is marked.

    >>> model_label(Preset("Elo")), model_label(Preset("Elo", {"k": 20}))
    ('Elo', 'Elo (this league)')
    """
    return f"{preset.name} (this league)" if preset.parameters else preset.name
