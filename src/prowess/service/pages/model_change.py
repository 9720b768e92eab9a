"""Another model for a league: what would change, and then the change."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...errors import Error
from ...model.presets import PRESETS
from ...store import leagues
from ...store.errors import Unavailable
from ...store.leagues import League, Preset, storable
from ...store.read.changes import rank_changes
from ...store.write.commands import ChangeModel, CommandResult
from ...store.write.writer import preview
from ...text import capitalise
from ..api.dependencies import Admin, ServiceDep
from ..api.models import explain_shown_rating, parameter_payloads, summary_of
from ..api.schemas.common import LONGEST
from ..background.analyses import SMALL
from .web.csrf import CheckedForm
from .web.filters import digits
from .web.forms import parse_number
from .web.page import PageContext, page, wants_data
from .web.templates import render_page
from .web.urls import page_url

router = APIRouter(include_in_schema=False)
AT = "/leagues/{league}/switch"
SET = "set."  # with which the names of parameters begin in queries and forms

Plain = dict[str, Any]


@page(router, AT, "model_change.html")
async def preview_model(request: Request, access: Admin, service: ServiceDep) -> PageContext:
    """Show what another model would change; of a large league only when that is asked for, as it takes a while."""
    league = await service.read(lambda connection: leagues.find(connection, access.league))
    fields = dict(request.query_params.multi_items())
    try:
        preset = _parse_preset(league, fields)
        wanted = league.posted <= SMALL or "preview" in fields
        done = await run_in_threadpool(preview, service.database, ChangeModel(league.name, preset)) if wanted else None
    except Unavailable:
        raise
    except Error as error:
        if wants_data(request):
            raise
        return _context(league, fields, error=error)
    return await run_in_threadpool(_context, league, fields, preset, done)


@router.post(AT)
async def change_model(request: Request, form: CheckedForm, access: Admin, service: ServiceDep) -> Response:
    """Rate all matches anew by another model; the old ratings stay, as an earlier generation."""
    league = await service.read(lambda connection: leagues.find(connection, access.league))
    fields = {name: str(value) for name, value in form.multi_items()}
    reason = fields.get("reason", "").strip()
    try:
        if not storable(reason, LONGEST):
            raise Error.in_field("reason", f"it must be text of at most {LONGEST} letters")
        command = ChangeModel(league.name, _parse_preset(league, fields), author=access.author, reason=reason)
        await asyncio.wrap_future(service.writer.submit(command))
    except Unavailable:
        raise
    except Error as error:
        context = _context(league, fields, error=error)
        return await run_in_threadpool(render_page, request, "model_change.html", context)
    return RedirectResponse(page_url(league.name, "standings"), 303)


def _parse_preset(league: League, fields: Mapping[str, str]) -> Preset:
    """The model that is asked for; parameters with their default values are left out."""
    name = fields.get("model") or league.preset.name
    if name not in PRESETS:
        raise Error(f"no model is called {name!r}; there are {', '.join(PRESETS)}", field="model", value=name)
    defaults = PRESETS[name]().params
    texts = {key.removeprefix(SET): text for key, text in fields.items() if key.startswith(SET)}
    numbers = {parameter: _number(parameter, text) for parameter, text in texts.items() if text.strip()}
    changed = {parameter: value for parameter, value in numbers.items() if value != defaults.get(parameter)}
    preset = Preset(name, changed if texts or name != league.preset.name else league.preset.parameters)
    _ = preset.model  # which says what is wrong with it
    return preset


def _number(name: str, text: str) -> float:
    value = parse_number(text)
    if value is None:
        raise Error.in_field(name, f"it must be a number, not {text!r}", value=text)
    return value


def _context(
    league: League,
    fields: Mapping[str, str],
    preset: Preset | None = None,
    done: CommandResult | None = None,
    error: Error | None = None,
) -> PageContext:
    name = preset.name if preset else fields.get("model", league.preset.name)
    name = name if name in PRESETS else league.preset.name
    default = PRESETS[name]()
    model = preset.model if preset else default
    parameters = [
        parameter | {"text": fields.get(SET + parameter["name"], f"{parameter['value']:g}")}
        for parameter in parameter_payloads(name, model, default)
        if _is_settable(parameter)
    ]
    data: Plain = {
        "league": league.name,
        "model": {"name": name, "parameters": dict(preset.parameters) if preset else {}},
        "same": preset is not None and preset.model == league.model,
        "moves": None,
    }
    rows: list[Plain] = []
    if done is not None and done.before is not None and done.after is not None:
        changes = rank_changes(done.before, done.after)
        data["moves"] = vars(changes)
        rows = [_row(player) for player in [*changes.best, *(one for one in changes.most if one not in changes.best)]]
    extra = {
        "words": summary_of(name),
        "shown": explain_shown_rating(model),
        "parameters": parameters,
        "reason": fields.get("reason", ""),
        "large": league.posted > SMALL,
        "looked": done is not None,
        "problem": "" if error is None else _problem(error, [parameter["name"] for parameter in parameters]),
        "invalid": error.field if error else None,
        "places": (digits(league.model), digits(model)),
    }
    return PageContext(data, rows, league, status=422 if error else 200, extra=extra)


def _problem(error: Error, parameters: Sequence[str]) -> str:
    """The message, which may begin with the name of a parameter, and those are in small letters."""
    return str(error) if error.field in parameters else capitalise(str(error))


def _is_settable(parameter: Plain) -> bool:
    value = parameter["value"]
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not parameter["technical"]


def _row(player: Plain) -> Plain:
    before, after = player["before"], player["after"]
    ranks = {"player": player["player"], "rank_before": before["rank"], "rank": after["rank"]}
    return ranks | {"shown_before": before["shown"], "shown": after["shown"]}
