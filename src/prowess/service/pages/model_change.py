"""Another model for a league: what would change, and then the change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...errors import Error
from ...model.presets import PRESETS
from ...store import leagues
from ...store.errors import Unavailable
from ...store.leagues import League, Preset
from ...store.read.rank_changes import moves
from ...store.slugs import storable
from ...store.write.commands import Done, Remodel
from ...store.write.writer import preview
from ...text import capital
from ..api.common import Admin, Here
from ..api.models import shown_as, summary_of, told_parameters
from ..api.schemas.common import LONGEST
from ..background.jobs import SMALL
from .web.csrf import CheckedForm
from .web.filters import digits
from .web.forms import parse_number
from .web.page import PageContext, page, wants_data
from .web.templates import render_page
from .web.urls import page_url

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
AT = "/leagues/{league}/switch"
SET = "set."  # with which the names of parameters begin in queries and forms

Plain = dict[str, Any]


@page(router, AT, "model_change.html")
async def look(request: Request, access: Admin, service: Here) -> PageContext:
    """What would change with another model; of a large league only when that is asked for, as it takes a while."""
    league = await service.read(lambda connection: leagues.find(connection, access.league))
    asked = list(request.query_params.multi_items())
    wanted = league.posted <= SMALL or "preview" in request.query_params
    try:
        preset = _preset(league, asked)
        done = await run_in_threadpool(preview, service.database, Remodel(league.name, preset)) if wanted else None
    except Unavailable:
        raise
    except Error as error:
        if wants_data(request):
            raise
        return _shown(league, asked, problem=str(error))
    return await run_in_threadpool(_shown, league, asked, preset, done)


@router.post(AT)
async def switch(request: Request, form: CheckedForm, access: Admin, service: Here) -> Response:
    """Rate all matches anew by another model; the old ratings stay, as an earlier generation."""
    league = await service.read(lambda connection: leagues.find(connection, access.league))
    asked = [(name, str(value)) for name, value in form.multi_items()]
    reason = dict(asked).get("reason", "").strip()
    try:
        if not storable(reason, LONGEST):
            raise Error.in_field("reason", f"it must be text of at most {LONGEST} letters")
        act = Remodel(league.name, _preset(league, asked), author=access.author, reason=reason)
        await asyncio.wrap_future(service.writer.submit(act))
    except Unavailable:
        raise
    except Error as error:
        return await run_in_threadpool(
            render_page, request, "model_change.html", _shown(league, asked, problem=str(error))
        )
    return RedirectResponse(page_url(league.name, "standings"), 303)


def _preset(league: League, asked: Iterable[tuple[str, str]]) -> Preset:
    """The model that is asked for; parameters that are as usual are not kept."""
    said = dict(asked)
    name = said.get("model") or league.preset.name
    if name not in PRESETS:
        raise Error(f"no model is called {name!r}; there are {', '.join(PRESETS)}")
    usual, found = PRESETS[name]().params, {}
    for key, text in said.items():
        if key.startswith(SET) and text.strip():
            parameter = key.removeprefix(SET)
            value = _number(parameter, text)
            if value != usual.get(parameter):
                found[parameter] = value
    preset = Preset(
        name, found if len(found) or _sets(said) or name != league.preset.name else league.preset.parameters
    )
    _ = preset.model  # which says what is wrong with it
    return preset


def _sets(said: Mapping[str, str]) -> bool:
    """Whether parameters were filled in at all."""
    return any(key.startswith(SET) for key in said)


def _number(name: str, text: str) -> float:
    value = parse_number(text)
    if value is None:
        raise Error.in_field(name, f"it must be a number, not {text!r}")
    return value


def _shown(
    league: League,
    asked: list[tuple[str, str]],
    preset: Preset | None = None,
    done: Done | None = None,
    problem: str = "",
) -> PageContext:
    """The form, and what would change."""
    said = dict(asked)
    name = preset.name if preset else said.get("model", league.preset.name)
    name = name if name in PRESETS else league.preset.name
    usual = PRESETS[name]()
    model = preset.model if preset else usual
    parameters = [one for one in told_parameters(name, model, usual) if _settable(one)]
    found: Plain = {
        "league": league.name,
        "model": {"name": name, "parameters": dict(preset.parameters) if preset else {}},
        "same": preset is not None and preset.model == league.model,
        "moves": None,
    }
    rows: list[Plain] = []
    if done is not None and done.before is not None and done.after is not None:
        moved = moves(done.before, done.after)
        found["moves"] = vars(moved)
        rows = [_row(one) for one in [*moved.best, *(one for one in moved.most if one not in moved.best)]]
    drawn = {
        "words": summary_of(name),
        "shown": shown_as(model),
        "parameters": [one | {"text": said.get(SET + one["name"], f"{one['value']:g}")} for one in parameters],
        "names": list(PRESETS),
        "reason": said.get("reason", ""),
        "large": league.posted > SMALL,
        "looked": done is not None,
        "problem": capital(problem, [one["name"] for one in parameters]),
        "places": (digits(league.model), digits(model)),
    }
    return PageContext(found, rows, league, status=422 if problem else 200, extra=drawn)


def _settable(parameter: Plain) -> bool:
    """Whether a parameter is a number that somebody may want to change."""
    value = parameter["value"]
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not parameter["technical"]


def _row(one: Plain) -> Plain:
    before, after = one["before"], one["after"]
    return {"player": one["player"], "rank_before": before["rank"], "rank": after["rank"]} | {
        "shown_before": before["shown"],
        "shown": after["shown"],
    }
