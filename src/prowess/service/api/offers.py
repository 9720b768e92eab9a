"""The model that the service offers after a search for a better one: show what it would change, and accept it."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from ...store import choices, leagues
from ...store.errors import Conflict
from ...store.leagues import League
from ...store.write.commands import ChangeModel
from ..background.model_choice import is_better, preset_from, reason_of
from ..context import Service
from .dependencies import Admin, DryRun, Read, Reason, ServiceDep
from .matches import run_command
from .responses import json_response
from .schemas import offers as schemas
from .schemas.matches import Posted

router = APIRouter(tags=["models"])
OFFER = "/api/leagues/{league}/model/offer"

Plain = dict[str, Any]
State = Literal["not_searched", "offered", "in_use", "not_better", "outdated"]
# The fields of an offer that are None before the first search.
FOUND = ("model", "parts", "explanation", "steps", "matches", "judged", "unit", "gain")


@router.get(OFFER, summary="Get the offered model", response_model=schemas.ModelOffer)
async def get_model_offer(access: Read, service: ServiceDep) -> Response:
    """The result of the last search for a better model, and how the model would change the standings."""

    def work(connection: Connection) -> Plain:
        return offer_payload(service, connection, leagues.find(connection, access.league))

    return json_response(await service.read(work))


@router.post(OFFER, summary="Accept the offered model", response_model=Posted)
async def accept_model_offer(
    asked: schemas.AcceptedOffer, access: Admin, service: ServiceDep, dry_run: DryRun = False, reason: Reason = ""
) -> Response:
    """Rate all matches of the league again with the offered model.

    The old ratings stay available as an earlier generation.
    """
    command = await find_offer(service, access.league, asked.id, author=access.author, reason=reason)
    return await run_command(service, command, dry_run)


async def find_offer(service: Service, name: str, id: int, *, author: str, reason: str) -> ChangeModel:
    """Return the command that accepts an offer; raises `Conflict` if the offer is no longer open.

    An offer is closed by the next search or by a change of the model. By default, the reason says how the model was
    chosen.
    """

    def work(connection: Connection) -> ChangeModel:
        league = leagues.find(connection, name)
        result = service.analyses.choice(connection, league)
        if result.data is None or result.data["id"] != id or _state(connection, league, result.data) != "offered":
            text = f"model offer {id} of league {name!r} is no longer open; load the current offer"
            raise Conflict(text, field="id", value=id)
        words = reason or reason_of(result.data)
        chosen = preset_from(result.data)
        return ChangeModel(league.name, chosen, replaces=league.generation, author=author, reason=words)

    return await service.read(work)


def offer_payload(service: Service, connection: Connection, league: League) -> Plain:
    """Return the result of the last search for a better model as plain data.

    `changes` contains names of players, so it is never written to the database: it is computed on request, and cached
    in memory until the league changes.
    """
    result = service.analyses.choice(connection, league)
    answer, job = result.data, result.last
    payload: Plain = {"league": league.name, "revision": league.revision, "state": "not_searched", "id": None}
    payload |= dict.fromkeys(FOUND) | {"changes": None}
    if answer is not None:
        changes = None
        state = _state(connection, league, answer)
        if state == "offered" and not league.read_only:
            found = service.analyses.rank_changes(connection, league, preset_from(answer))
            changes = found.data
            # The offered model may be unable to rate a match that was posted after the search.
            state = "outdated" if found.why else state
        payload |= {name: answer[name] for name in FOUND if name in answer}
        payload |= {"model": answer["preset"], "explanation": answer["lines"]}
        payload |= {"state": state, "id": answer["id"], "changes": changes}
    searching = job is not None and job.open
    return payload | {"searching": searching, "next_search": choices.next_search(league)}


def _state(connection: Connection, league: League, answer: Plain) -> State:
    if preset_from(answer).model == league.model:
        return "in_use"
    if answer["generation"] < leagues.first_generation(connection, league):
        return "outdated"
    return "offered" if is_better(answer) else "not_better"
