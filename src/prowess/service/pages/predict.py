"""Predict a match: who wins, who finishes where, with which scores, and what it would do to the ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request

from ...errors import Error
from ...model.prediction import Prediction
from ...model.score_distribution import CountScores
from ...store.clock import parse
from ...store.leagues import League
from ...store.read.changes import what_if
from ...store.read.standings import Snapshot
from ..api.dependencies import Read, ServiceDep
from ..api.forecasts import forecast_match
from ..api.schemas.forecasts import PLAYERS, TEAMS, PredictionAsked
from .web.forecasts import Forecast, Plain, forecast_page, headline, newcomer_hints, prediction_request, team_forecasts
from .web.forms import parse_count, parse_names, parse_number
from .web.page import PageContext, page
from .web.urls import page_url

router = APIRouter(include_in_schema=False)
GOALS = 6  # scores up to which all results are shown
FEW = 24  # players for whom the page shows what the match would change
SHADES = 6


@page(router, "/leagues/{league}/predict", "predict.html")
async def predict(
    request: Request,
    access: Read,
    service: ServiceDep,
    team: Annotated[list[str] | None, Query()] = None,
    teams: str = "",
    home: str = "",
    time: str = "",
) -> PageContext:
    """Show what is expected of a match of some teams, each given as a list of names."""
    texts = list(team or [])

    def fields(count: int) -> list[str]:
        return [*texts, *[""] * count][:count]

    def forecast(connection: Connection, league: League, now: Snapshot) -> Forecast:
        count = max(parse_count(teams, 2, 2, TEAMS, "teams"), min(len(texts), TEAMS))
        match, repeated = _parse_match(now, texts, home, time)
        extra: Plain = {"texts": fields(count), "repeated": repeated}
        if len(match.teams) < 2:
            return {}, [], extra | {"best": [row["player"] for row in now.page(0, 2).rows]}
        prediction, data = forecast_match(now, match)
        data["fairness"] = prediction.fairness
        return data, _rows(data), extra | _extra(now, match, prediction, data)

    blank = {"headline": None, "texts": fields(max(2, min(len(texts), TEAMS))), "home": home, "time": time}
    return await forecast_page(request, access, service, service.predicting, forecast, empty={"teams": []}, extra=blank)


def _parse_match(now: Snapshot, texts: Sequence[str], home: str, time: str) -> tuple[PredictionAsked, list[str]]:
    """Return the match, where teams without a name are left out, and the names that a team has more than once."""
    if len(texts) > TEAMS:
        raise Error.in_field("teams", f"at most {TEAMS} teams can be looked at, not {len(texts)}")
    lists = [parse_names(text, now.names, "teams") for text in texts]
    at_home = parse_count(home, -1, 0, TEAMS - 1, "home")
    present = [number for number, names in enumerate(lists) if names.names]
    teams = [lists[number].names for number in present]
    team_of: dict[str, int] = {}
    for number, team in enumerate(teams, 1):
        for name in team:
            if name in team_of:
                message = f"{name!r} stands in team {team_of[name]} and in team {number}: everybody plays once"
                raise Error.in_field("teams", message, value=name)
            team_of[name] = number
    if len(team_of) > PLAYERS:
        raise Error.in_field("teams", f"at most {PLAYERS:,} players can be looked at, not {len(team_of):,}")
    when: str | float | None = time.strip() or None
    if when is not None and now.clock == "number":
        when = parse_number(time)
        if when is None:
            raise Error.in_field("time", f"give a plain number, such as the round, not {time[:20]!r}", value=time)
    match = prediction_request(teams, present.index(at_home) if at_home in present else None, when)
    return match, [name for names in lists for name in names.repeated]


def _rows(data: Plain) -> list[Plain]:
    columns = {name: data[name] for name in ("win", "mean", "sigma", "scores", "score_means") if name in data}
    return [
        {"team": k + 1, "players": players}
        | {name: values[k] for name, values in columns.items()}
        | {f"rank_{rank}": chance for rank, chance in enumerate(data["ranks"][k], 1)}
        for k, players in enumerate(data["teams"])
    ]


def _extra(now: Snapshot, match: PredictionAsked, prediction: Prediction, data: Plain) -> Plain:
    teams, score_digits = team_forecasts(now, match.teams, prediction), 1
    if isinstance(prediction.score_distribution, CountScores) and not _means_are_typical(data):
        score_digits = 0  # a median of counts, as few huge scores rule the means
    elif prediction.score_means is not None:
        teams = [side | {"score": mean} for side, mean in zip(teams, data["score_means"], strict=True)]
    alone = all(len(team) == 1 for team in match.teams)
    return {
        "headline": headline(match.teams, prediction),
        "sides": teams,
        "score_digits": score_digits,
        "alone": [player for side in teams for player in side["players"]] if alone else [],
        "new": newcomer_hints(now, data["newcomers"], lambda name, near: _corrected_url(now.league, match, name, near)),
        "grid": _score_grid(prediction),
        "changes": _rating_changes(now, match),
    }


def _means_are_typical(data: Plain) -> bool:
    """Where skills are uncertain, the means of counts are far above the medians, and say nothing."""
    return all(mean <= 2 * median + 3 for mean, median in zip(data["score_means"], data["scores"], strict=True))


def _corrected_url(league: str, match: PredictionAsked, name: str, near: str) -> str:
    teams = ["\n".join(near if player == name else player for player in team) for team in match.teams]
    home = None if match.home is None else str(match.home)
    return page_url(league, "predict", team=teams, home=home, time=match.time)


def _score_grid(prediction: Prediction) -> Plain | None:
    """The probability of each result with its shade, where scores are counts and not too large."""
    scores = prediction.score_distribution
    if scores is None or not prediction.likeliest(1):
        return None
    most = int(min(GOALS, max(scores.quantile(team, 0.95) for team in (0, 1))))
    cells = scores.grid(most)
    shades = np.ceil(cells / cells.max() * SHADES - 0.5).astype(int)
    rows = [list(zip(*row, strict=True)) for row in zip(cells.tolist(), shades.tolist(), strict=True)]
    return {"rows": rows, "rest": max(0.0, 1.0 - float(cells.sum()))}


def _rating_changes(now: Snapshot, match: PredictionAsked) -> list[Plain] | None:
    """What is at stake, where that is a table of a size that people read."""
    if len(match.teams) != 2 or sum(map(len, match.teams)) > FEW:
        return None
    return what_if(now, match.teams, None if match.time is None else parse(now.clock, match.time), match.home)
