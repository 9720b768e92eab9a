"""Predict a match: who wins, who finishes where, with which scores, and what it would do to the ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request

from ...errors import Error
from ...model.prediction import Prediction
from ...model.score_distribution import CountScores
from ...store import leagues
from ...store.clock import read
from ...store.read.standings import Snapshot
from ...store.read.what_if import stakes
from ..api.common import Here, Read, tag_of
from ..api.forecasts import predicted
from ..api.schemas.forecasts import PLAYERS, TEAMS, PredictionAsked
from .results.form import number_in
from .web.filters import digits
from .web.forecast_text import asked_of, headline, new_ones, number_of, sides, worded
from .web.name_list import pasted
from .web.page import Shown, page, wants_data
from .web.urls import address

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
GOALS = 6  # scores up to which all results are shown
FEW = 24  # players of whom it is told what a match would do to them
SHADES = 6
NOTHING: dict[str, Any] = {"problem": None, "headline": None, "repeated": [], "changes": None, "grid": None}


@page(router, "/leagues/{league}/predict", "predict.html")
async def predict(
    request: Request,
    access: Read,
    here: Here,
    team: Annotated[list[str] | None, Query()] = None,
    teams: str = "",
    home: str = "",
    time: str = "",
) -> Shown:
    """What is expected of a match of some teams, of which each is a list of names."""

    def work(connection: Connection) -> Shown:
        league = leagues.find(connection, access.league)
        now = here.standings.of(connection, league)
        texts, drawn, status = list(team or []), dict(NOTHING), 200
        told: dict[str, Any] = {"league": league.name, "revision": now.revision, "teams": []}
        rows: list[dict[str, Any]] = []
        try:
            boxes = max(number_of(teams, 2, 2, TEAMS, "teams"), min(len(texts), TEAMS))
            asked, drawn["repeated"] = _asked(now, texts, home, time)
            if len(asked.teams) > 1:
                found, told = predicted(now, asked)
                told["fairness"] = found.fairness
                rows = _rows(told)
                drawn |= _drawn(now, asked, found, told)
        except Error as error:
            if wants_data(request):
                raise
            drawn["problem"], status, boxes = worded(error), 422, max(2, min(len(texts), TEAMS))
        drawn |= {"texts": [*texts, *[""] * boxes][:boxes], "home": home, "time": time, "clock": league.clock}
        drawn |= {"at_home": now.model.home is not None, "places": digits(now.model)}
        drawn["best"] = [row["player"] for row in now.page(0, 2).rows]
        return Shown(told, rows, league, tag_of(league, now.generation, now.revision), status, drawn)

    return await here.read(work, here.predicting)


def _asked(now: Snapshot, texts: Sequence[str], home: str, time: str) -> tuple[PredictionAsked, list[str]]:
    """The match that is asked for, and who was named twice in a team; teams without a name are none."""
    if len(texts) > TEAMS:
        raise Error(f"teams: at most {TEAMS} teams can be looked at, not {len(texts)}")
    lists = [pasted(text, now.roll, "teams") for text in texts]
    chosen = number_of(home, -1, 0, TEAMS - 1, "home")
    there = [number for number, one in enumerate(lists) if one.names]
    names = [lists[number].names for number in there]
    seen: dict[str, int] = {}
    for number, team in enumerate(names, 1):
        for name in team:
            if name in seen:
                raise Error(f"teams: {name!r} stands in team {seen[name]} and in team {number}: everybody plays once")
            seen[name] = number
    if len(seen) > PLAYERS:
        raise Error(f"teams: at most {PLAYERS:,} players can be looked at, not {len(seen):,}")
    when: str | float | None = time.strip() or None
    if when is not None and now.clock == "number":
        when = number_in(time)
        if when is None:
            raise Error(f"time: give a plain number, such as the round, not {time[:20]!r}")
    asked = asked_of(names, there.index(chosen) if chosen in there else None, when)
    return asked, [name for one in lists for name in one.repeated]


def _rows(told: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each team."""
    columns = {name: told[name] for name in ("win", "mean", "sigma", "scores", "score_means") if name in told}
    found = []
    for at, players in enumerate(told["teams"]):
        ranks = {f"rank_{rank}": chance for rank, chance in enumerate(told["ranks"][at], 1)}
        row = {name: values[at] for name, values in columns.items()}
        found.append({"team": at + 1, "players": players} | row | ranks)
    return found


def _drawn(now: Snapshot, asked: PredictionAsked, found: Prediction, told: dict[str, Any]) -> dict[str, Any]:
    """What the page shows beside the prediction itself."""
    teams, scored = sides(now, asked.teams, found), 1
    if isinstance(found.score_distribution, CountScores) and not _usable(told):
        scored = 0  # a median of counts, as few huge scores rule the means
    elif found.score_means is not None:
        teams = [side | {"score": mean} for side, mean in zip(teams, told["score_means"], strict=True)]
    alone = all(len(team) == 1 for team in asked.teams)
    return {
        "headline": headline(asked.teams, found),
        "sides": teams,
        "scored": scored,
        "alone": [one for side in teams for one in side["players"]] if alone else [],
        "new": new_ones(now, told["newcomers"], lambda name, near: _instead(now.league, asked, name, near)),
        "grid": _grid(found),
        "changes": _changes(now, asked),
    }


def _usable(told: dict[str, Any]) -> bool:
    """Whether the means of counts say what is to be expected: where skills are uncertain, they do not."""
    return all(mean <= 2 * median + 3 for mean, median in zip(told["score_means"], told["scores"], strict=True))


def _instead(league: str, asked: PredictionAsked, name: str, near: str) -> str:
    """The address of the same match with somebody else in the place of a player."""
    teams = ["\n".join(near if one == name else one for one in team) for team in asked.teams]
    home = None if asked.home is None else str(asked.home)
    return address(league, "predict", team=teams, home=home, time=asked.time)


def _grid(found: Prediction) -> dict[str, Any] | None:
    """How probable each result is, where scores are counts and not too large; each with its shade."""
    scores = found.score_distribution
    if scores is None or not found.likeliest(1):
        return None
    most = int(min(GOALS, max(scores.quantile(team, 0.95) for team in (0, 1))))
    cells = scores.grid(most)
    shades = np.ceil(cells / cells.max() * SHADES - 0.5).astype(int)
    rows = [list(zip(*row, strict=True)) for row in zip(cells.tolist(), shades.tolist(), strict=True)]
    return {"rows": rows, "rest": max(0.0, 1.0 - float(cells.sum()))}


def _changes(now: Snapshot, asked: PredictionAsked) -> list[dict[str, Any]] | None:
    """What is at stake, where that is a table of a size that people read."""
    if len(asked.teams) != 2 or sum(map(len, asked.teams)) > FEW:
        return None
    return stakes(now, asked.teams, None if asked.time is None else read(now.clock, asked.time), asked.home)
