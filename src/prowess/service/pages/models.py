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
from ..api.common import Here, Read, Write, tag_of, tag_with
from ..api.leagues import generation_told
from ..api.models import described, shown_as, summary_of, told_parameters
from ..api.serialize import moment
from ..background.figures import own_name
from ..background.jobs import Found
from ..context import Service
from .charts import room
from .web.csrf import CheckedForm
from .web.page import PageContext, page
from .web.templates import render_page
from .web.urls import page_url

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
AT = "/leagues/{league}/models"
OTHERS = ("TrueSkill", "Elo", "Glicko", "Glicko2")  # to compare with, until it is known what suits the matches

Plain = dict[str, Any]


@page(router, AT, "models.html")
async def models(request: Request, access: Read, service: Here) -> PageContext:
    """The model in words, how well it predicts, and others beside it."""
    return await service.read(lambda connection: _shown(service, connection, access.league))


@router.post(AT)
async def compare(request: Request, form: CheckedForm, access: Write, service: Here) -> Response:
    """Have models compared in the background, or call that off."""
    league = await service.read(lambda connection: leagues.find(connection, access.league))
    if "cancel" in form:
        await run_in_threadpool(service.analyst.cancel, league)
        return RedirectResponse(page_url(access.league, "models"), 303)
    names = [str(one) for one in form.getlist("model")]
    try:
        asked = _asked(league, names)
    except Error as error:
        problem = str(error)
        shown = await service.read(lambda connection: _shown(service, connection, access.league, problem, names))
        return await run_in_threadpool(render_page, request, "models.html", shown)
    await run_in_threadpool(service.analyst.start, league, asked, access.author)
    return RedirectResponse(f"{page_url(access.league, 'models')}#comparison", 303)


def _asked(league: League, names: list[str]) -> dict[str, Plain]:
    """The models that were chosen, each with its usual parameters; that of the league is always there."""
    for name in names:
        if name not in PRESETS:
            raise Error(f"no model is called {name!r}; there are {', '.join(PRESETS)}")
    others = [name for name in dict.fromkeys(names) if name != own_name(league.preset)]
    if not league.posted:
        raise Error("there are no matches yet to compare models on")
    if not others:
        raise Error("choose at least one model to compare with")
    return {name: {"name": name, "parameters": {}} for name in others}


def _shown(
    service: Service, connection: Connection, name: str, problem: str = "", chosen: list[str] | None = None
) -> PageContext:
    """All that the page shows."""
    league = leagues.find(connection, name)
    figures, comparison = service.analyst.figures(connection, league), service.analyst.comparison(connection, league)
    begun = seasons.list_seasons(connection, league)
    told: Plain = {
        "league": league.name,
        "revision": league.revision,
        "generation": league.generation,
        "model": _model(league),
        "generations": [generation_told(one) for one in leagues.list_generations(connection, league)],
        "seasons": len(begun),
        "figures": _answer(league, figures),
        "comparison": _answer(league, comparison),
    }
    drawn = {
        "choices": _choices(league, figures.told, comparison.last, chosen),
        "own": own_name(league.preset),
        "names": list(PRESETS),
        "problem": problem,
        "tables": _tables(league, comparison.told),
        "charts": {"figures": _charts(figures.told), "comparison": _charts(comparison.told)},
    }
    settled = all(one.last is None or one.last.state == "done" for one in (figures, comparison)) and not problem
    tag = _tag(league, figures, comparison) if settled else None
    return PageContext(told, _rows(comparison.told or figures.told), league, tag, 422 if problem else 200, drawn)


def _tag(league: League, *found: Found) -> str:
    """The tag of a page with these answers."""
    ids = (one.last.id if one.last else 0 for one in found)
    return tag_with(tag_of(league, league.generation, league.revision), *ids)


def _model(league: League) -> Plain:
    """The model of a league in words, with its parameters."""
    name, model = league.preset.name, league.model
    usual = described(name)
    return usual | {
        "parameters": told_parameters(name, model, PRESETS[name]()),
        "words": summary_of(name),
        "shown": shown_as(model),
    }


def _answer(league: League, found: Found) -> Plain:
    """An answer with what it is of, and how far the next one is."""
    told, last = found.told, found.last
    behind = None if told is None else league.posted - told["posted"]
    old = told is not None and (told["revision"], told["generation"]) != (league.revision, league.generation)
    return {"answer": told, "why": found.why, "behind": behind, "old": old, "work": _work(last)}


def _work(last: Analysis | None) -> Plain | None:
    """How far an analysis is, that was asked for last; None where all that was asked for is answered."""
    if last is None or last.state == "done":
        return None
    found = {"state": last.state, "open": last.open, "step": last.step, "share": last.share, "why": last.why}
    return found | {"author": last.author, "asked_at": moment(last.asked_at), "models": list(last.asked)}


def _charts(told: Plain | None) -> Plain:
    """What charts of an answer ask for, and how much room they need."""
    return {} if told is None else {"asks": {"of": told["id"]} if "id" in told else {}, "room": room(told)}


def _choices(league: League, figures: Plain | None, last: Analysis | None, chosen: list[str] | None) -> list[Plain]:
    """The models to compare with: which can use the matches, and which are chosen if nobody says otherwise."""
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
        if name != own_name(league.preset)
    ]


def _tables(league: League, told: Plain | None) -> list[Plain]:
    """The rows of the table of models, the best first, with what each is against the model of the league."""
    if told is None:
        return []
    first = told["measures"][0]["name"]
    apart = {row["model"]: row for row in told["differences"] if row["measure"] == first}
    return [
        {"row": row, "own": row["model"] == told["own"], "apart": apart.get(row["model"])}
        | {"switch": _switch(league, told["presets"][row["model"]])}
        for row in told["models"]
    ]


def _switch(league: League, preset: Plain) -> str | None:
    """The address at which to switch to a model; None where the league has it."""
    if (preset["name"], preset["parameters"]) == (league.preset.name, dict(league.preset.parameters)):
        return None
    sets = {f"set.{name}": value for name, value in preset["parameters"].items()}
    return page_url(league.name, "switch", model=preset["name"], **sets)


def _rows(told: Mapping[str, Any] | None) -> list[Plain]:
    """The table of measures, a row for every model."""
    if told is None:
        return []
    names = [measure["name"] for measure in told["measures"]]
    return [
        {"model": row["model"]}
        | {
            f"{name}{end}": row[name][key]
            for name in names
            for end, key in (("", "value"), ("_low", "low"), ("_high", "high"))
        }
        for row in told["models"]
    ]
