"""How well models predict a league: the figures of its own, and others beside it on the same matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import to_json
from sqlalchemy import Connection

from ...history import History
from ...lab.compare.compatibility import check_usable, suitable_models, usable_presets
from ...lab.compare.run import compare_forecasts
from ...lab.compare.serialize import page_payload
from ...lab.forecast_chunks import ForecastChunk
from ...lab.protocols import Prequential
from ...model.model import Model
from ...store import seasons
from ...store.journal import journal
from ...store.leagues import League, Preset
from ...store.read.trace import TraceView, iter_forecasts
from ...store.seasons import Season

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
