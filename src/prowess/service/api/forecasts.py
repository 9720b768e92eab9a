"""What to expect of a match."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.responses import Response

from ...errors import Error
from ...model.prediction import Prediction
from ...model.rating import Rating
from ...store.clock import read
from ...store.standings import Snapshot
from .common import Here, Read, answer
from .current import current, newcomers_of, stamped
from .schemas import forecasts as forms

__all__ = ["predicted", "router"]

router = APIRouter(tags=["forecasts"])


@router.post("/api/leagues/{league}/predict", summary="Predict a match", response_model=forms.Prediction)
async def predict(asked: forms.PredictionAsked, access: Read, here: Here) -> Response:
    """Who wins, who finishes where, with which scores, and how fair it is."""

    def work(connection: Connection) -> dict[str, Any]:
        return predicted(current(here, connection, access.league), asked)[1]

    return answer(await here.read(work, here.predicting))


@router.post("/api/leagues/{league}/quality", summary="How fair a match would be", response_model=forms.Quality)
async def quality(asked: forms.QualityAsked, access: Read, here: Here) -> Response:
    """How fair a match would be: its draw probability relative to that of equal and certain teams, 0 to 1."""

    def work(connection: Connection) -> dict[str, Any]:
        now = current(here, connection, access.league)
        teams, newcomers = _rated(now, asked)
        found = now.ladder.quality(teams, weights=asked.weights, home=asked.home)
        return stamped(now, {"quality": found, "newcomers": newcomers})

    return answer(await here.read(work, here.predicting))


def predicted(now: Snapshot, asked: forms.PredictionAsked) -> tuple[Prediction, dict[str, Any]]:
    """What is expected of a match, and the same as plain data, with its quality and who is new to the league."""
    teams, newcomers = _rated(now, asked)
    time = None if asked.time is None else now.moment(read(now.clock, asked.time))
    found = now.ladder.predict(teams, time=time, weights=asked.weights, home=asked.home)
    quality = now.ladder.quality(teams, weights=asked.weights, home=asked.home)
    told = {"teams": asked.teams} | found.to_dict() | {"quality": quality, "newcomers": newcomers}
    return found, stamped(now, told)


def _rated(now: Snapshot, asked: forms.QualityAsked) -> tuple[list[list[str | Rating]], list[str]]:
    """The teams, with ratings in the place of newcomers' names."""
    names = [name for team in asked.teams for name in team]
    if len(names) > forms.PLAYERS:
        raise Error(f"teams: at most {forms.PLAYERS:,} players can be looked at in a match, not {len(names):,}")
    unknown = newcomers_of(now.roll, names, asked.newcomers, "teams")
    new, newcomer = set(unknown), now.ladder.newcomer
    return [[newcomer if name.strip() in new else name for name in team] for team in asked.teams], unknown
