"""The model of a league, how well it predicts, and whether another would do better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...errors import Error
from ...model.presets import PRESETS
from ...store import leagues, seasons
from ...store.jobs import Analysis
from ...store.leagues import League
from ..api.dependencies import Read, ServiceDep, Write
from ..api.leagues import generation_payload
from ..api.models import describe_preset, explain_shown_rating, parameter_payloads, summary_of
from ..api.responses import etag_of, extend_etag, rfc3339
from ..background.analyses import AnalysisResult
from ..background.worker import model_label
from ..context import Service
from .charts import room
from .web.csrf import CheckedForm
from .web.page import PageContext, page
from .web.templates import render_page
from .web.urls import page_url

router = APIRouter(include_in_schema=False)
AT = "/leagues/{league}/models"
OTHERS = ("TrueSkill", "Elo", "Glicko", "Glicko2")  # to compare with, until it is known what suits the matches

Plain = dict[str, Any]


@page(router, AT, "models.html")
async def models(request: Request, access: Read, service: ServiceDep) -> PageContext:
    """Show the model in words, how well it predicts, and its comparison with others."""
    return await service.read(lambda connection: _context(service, connection, access.league))


@router.post(AT)
async def compare(request: Request, form: CheckedForm, access: Write, service: ServiceDep) -> Response:
    """Start a comparison of models in the background, or cancel it."""
    league = await service.read(lambda connection: leagues.find(connection, access.league))
    if "cancel" in form:
        await run_in_threadpool(service.analyses.cancel, league)
        return RedirectResponse(page_url(access.league, "models"), 303)
    names = [str(name) for name in form.getlist("model")]
    try:
        chosen = _check_choice(league, names)
    except Error as error:
        problem = str(error)
        context = await service.read(lambda connection: _context(service, connection, access.league, problem, names))
        return await run_in_threadpool(render_page, request, "models.html", context)
    await run_in_threadpool(service.analyses.start, league, chosen, access.author)
    return RedirectResponse(f"{page_url(access.league, 'models')}#comparison", 303)


def _check_choice(league: League, names: list[str]) -> dict[str, Plain]:
    """Return the models to compare with that of the league, which is always there."""
    for name in names:
        if name not in PRESETS:
            raise Error(f"no model is called {name!r}; there are {', '.join(PRESETS)}", field="model", value=name)
    others = [name for name in dict.fromkeys(names) if name != model_label(league.preset)]
    if not league.posted:
        raise Error("there are no matches yet to compare models on")
    if not others:
        raise Error("choose at least one model to compare with")
    return {name: {"name": name, "parameters": {}} for name in others}


def _context(
    service: Service, connection: Connection, name: str, problem: str = "", chosen: list[str] | None = None
) -> PageContext:
    league = leagues.find(connection, name)
    figures, comparison = service.analyses.figures(connection, league), service.analyses.comparison(connection, league)
    data: Plain = {
        "league": league.name,
        "revision": league.revision,
        "generation": league.generation,
        "model": _model(league),
        "generations": [generation_payload(generation) for generation in leagues.list_generations(connection, league)],
        "seasons": len(seasons.list_seasons(connection, league)),
        "figures": _answer(league, figures),
        "comparison": _answer(league, comparison),
    }
    extra = {
        "choices": _choices(league, figures.data, comparison.last, chosen),
        "own": model_label(league.preset),
        "names": list(PRESETS),
        "problem": problem,
        "tables": _tables(league, comparison.data),
        "charts": {"figures": _charts(figures.data), "comparison": _charts(comparison.data)},
    }
    jobs = [figures.last, comparison.last]
    etag = None
    if not problem and all(job is None or job.state == "done" for job in jobs):
        etag = extend_etag(etag_of(league, league.generation, league.revision), *(job.id if job else 0 for job in jobs))
    rows = _rows(comparison.data or figures.data)
    return PageContext(data, rows, league, etag, 422 if problem else 200, extra)


def _model(league: League) -> Plain:
    name, model = league.preset.name, league.model
    return describe_preset(name) | {
        "parameters": parameter_payloads(name, model, PRESETS[name]()),
        "words": summary_of(name),
        "shown": explain_shown_rating(model),
    }


def _answer(league: League, found: AnalysisResult) -> Plain:
    """The last answer, how old it is, and how far the next one is."""
    answer = found.data
    behind = None if answer is None else league.posted - answer["posted"]
    old = answer is not None and (answer["revision"], answer["generation"]) != (league.revision, league.generation)
    return {"answer": answer, "why": found.why, "behind": behind, "old": old, "work": _progress(found.last)}


def _progress(job: Analysis | None) -> Plain | None:
    if job is None or job.state == "done":
        return None
    attributes = {name: getattr(job, name) for name in ("state", "open", "step", "share", "why", "author")}
    return attributes | {"asked_at": rfc3339(job.asked_at), "models": list(job.asked)}


def _charts(answer: Plain | None) -> Plain:
    """The query of the charts of an answer, and how much room they need."""
    return {} if answer is None else {"asks": {"of": answer["id"]} if "id" in answer else {}, "room": room(answer)}


def _choices(league: League, figures: Plain | None, last: Analysis | None, chosen: list[str] | None) -> list[Plain]:
    """The models to compare with: which of them can use the matches, and which are selected at first."""
    fitting = (figures or {}).get("usable", list(PRESETS))
    if chosen is None:
        chosen = list(last.asked) if last is not None and last.asked else (figures or {}).get("suitable", list(OTHERS))
    return [
        {
            "name": name,
            "words": summary_of(name),
            "usable": name in fitting,
            "chosen": name in chosen and name in fitting,
        }
        for name in PRESETS
        if name != model_label(league.preset)
    ]


def _tables(league: League, answer: Plain | None) -> list[Plain]:
    """The models, the best first, each with its difference from that of the league."""
    if answer is None:
        return []
    first = answer["measures"][0]["name"]
    differences = {row["model"]: row for row in answer["differences"] if row["measure"] == first}
    return [
        {"row": row, "own": row["model"] == answer["own"], "apart": differences.get(row["model"])}
        | {"switch": _change_url(league, answer["presets"][row["model"]])}
        for row in answer["models"]
    ]


def _change_url(league: League, preset: Plain) -> str | None:
    """The URL at which to change to a model; None where the league has it."""
    if (preset["name"], preset["parameters"]) == (league.preset.name, dict(league.preset.parameters)):
        return None
    sets = {f"set.{name}": value for name, value in preset["parameters"].items()}
    return page_url(league.name, "switch", model=preset["name"], **sets)


def _rows(answer: Mapping[str, Any] | None) -> list[Plain]:
    """The table of measures, a row for every model."""
    if answer is None:
        return []
    names = [measure["name"] for measure in answer["measures"]]
    return [
        {"model": row["model"]}
        | {
            f"{name}{end}": row[name][key]
            for name in names
            for end, key in (("", "value"), ("_low", "low"), ("_high", "high"))
        }
        for row in answer["models"]
    ]
