"""The page that predicts a match: win probabilities, places, scores, and the rating changes after each result."""

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
from ...store.read.snapshot import Snapshot
from ..api.dependencies import Read, ServiceDep
from ..api.forecasts import forecast_match
from ..api.schemas.forecasts import PLAYERS, TEAMS, PredictionRequest
from .web.context_fields import context_fields, context_params, parse_context
from .web.forecasts import Forecast, Keep, forecast_page, headline, newcomer_hints, prediction_request, team_forecasts
from .web.forms import parse_count, parse_names, parse_number
from .web.page import PageContext, Plain, page
from .web.templates import page_url

router = APIRouter(include_in_schema=False)
GOALS = 6  # up to this score, the probabilities of all results are shown
FEW = 24  # in matches with at most this many players, possible rating changes are shown
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
    keep: Keep = None,
) -> PageContext:
    """Show the forecast of a match; each team is given as a list of names."""
    texts = list(team or [])
    columns: list[Plain] = []  # filled when the league is known, so that an invalid form keeps its fields, too

    def fields(count: int) -> list[str]:
        return [*texts, *[""] * count][:count]

    def forecast(connection: Connection, league: League, now: Snapshot) -> Forecast:
        count = max(parse_count(teams, 2, 2, TEAMS, "teams"), min(len(texts), TEAMS))
        columns.extend(context_fields(now, request.query_params, count))
        match, repeated = _parse_match(now, texts, home, time, columns)
        extra: Plain = {"texts": fields(count), "repeated": repeated}
        if len(match.teams) < 2:
            return {}, [], extra | {"best": [row["player"] for row in now.page(0, 2, active=True).rows]}
        prediction, data = forecast_match(now, match)
        data["fairness"] = prediction.fairness
        return data, _rows(data), extra | _extra(now, match, prediction, data, keep or [], columns)

    blank: Plain = {"headline": None, "texts": fields(max(2, min(len(texts), TEAMS))), "home": home, "time": time}
    blank |= {"columns": columns}
    return await forecast_page(request, access, service, service.predicting, forecast, empty={"teams": []}, extra=blank)


def _parse_match(
    now: Snapshot, texts: Sequence[str], home: str, time: str, columns: Sequence[Plain]
) -> tuple[PredictionRequest, list[str]]:
    if len(texts) > TEAMS:
        raise Error.in_field("teams", f"at most {TEAMS} teams can be predicted, not {len(texts)}")
    lists = [parse_names(text, now.names, "teams") for text in texts]
    at_home = parse_count(home, -1, 0, TEAMS - 1, "home")
    present = [number for number, names in enumerate(lists) if names.names]
    teams = [lists[number].names for number in present]
    team_of: dict[str, int] = {}
    for number, team in enumerate(teams, 1):
        for name in team:
            if name in team_of:
                message = f"{name!r} is in teams {team_of[name]} and {number}; a player can only be in one team"
                raise Error.in_field("teams", message, value=name)
            team_of[name] = number
    if len(team_of) > PLAYERS:
        raise Error.in_field("teams", f"at most {PLAYERS:,} players can be predicted, not {len(team_of):,}")
    when: str | float | None = time.strip() or None
    if when is not None and now.clock == "number":
        when = parse_number(time)
        if when is None:
            raise Error.in_field("time", f"the time must be a number, such as a round, not {time[:20]!r}", value=time)
    context = parse_context(columns, present)
    match = prediction_request(teams, present.index(at_home) if at_home in present else None, when, context)
    return match, [name for names in lists for name in names.repeated]


def _rows(data: Plain) -> list[Plain]:
    columns = {name: data[name] for name in ("win", "mean", "sigma", "scores", "score_means") if name in data}
    return [
        {"team": k + 1, "players": players}
        | {name: values[k] for name, values in columns.items()}
        | {f"rank_{rank}": chance for rank, chance in enumerate(data["ranks"][k], 1)}
        for k, players in enumerate(data["teams"])
    ]


def _extra(
    now: Snapshot,
    match: PredictionRequest,
    prediction: Prediction,
    data: Plain,
    keep: Sequence[str],
    columns: Sequence[Plain],
) -> Plain:
    teams, score_digits = team_forecasts(now, match.teams, prediction), 1
    if isinstance(prediction.score_distribution, CountScores) and not _means_are_typical(data):
        score_digits = 0  # medians are counts; means would be dominated by a few huge scores
    elif prediction.score_means is not None:
        teams = [side | {"score": mean} for side, mean in zip(teams, data["score_means"], strict=True)]
    alone = all(len(team) == 1 for team in match.teams)

    def corrected_url(name: str, near: str, keep: Sequence[str]) -> str:
        corrected = ["\n".join(near if player == name else player for player in team) for team in match.teams]
        home = None if match.home is None else str(match.home)
        query = context_params(columns)
        return page_url(now.league, "predict", team=corrected, home=home, time=match.time, keep=keep, **query)

    changes = None
    if len(match.teams) == 2 and sum(map(len, match.teams)) <= FEW:
        time = None if match.time is None else parse(now.clock, match.time)
        changes = what_if(now, match.teams, time, match.home, match.context)
    return {
        "headline": headline(match.teams, prediction),
        "sides": teams,
        "score_digits": score_digits,
        "alone": [player for side in teams for player in side["players"]] if alone else [],
        "grid": _score_grid(prediction),
        "changes": changes,
        **newcomer_hints(now, data["newcomers"], keep, corrected_url),
    }


def _means_are_typical(data: Plain) -> bool:
    # With uncertain skills, the mean scores are far higher than the medians.
    return all(mean <= 2 * median + 3 for mean, median in zip(data["score_means"], data["scores"], strict=True))


def _score_grid(prediction: Prediction) -> Plain | None:
    # The result is None if scores are not counts or are too large.
    scores = prediction.score_distribution
    if scores is None or not prediction.likeliest(1):
        return None
    most = int(min(GOALS, max(scores.quantile(team, 0.95) for team in (0, 1))))
    cells = scores.grid(most)
    shades = np.ceil(cells / cells.max() * SHADES - 0.5).astype(int)
    rows = [list(zip(*row, strict=True)) for row in zip(cells.tolist(), shades.tolist(), strict=True)]
    return {"rows": rows, "rest": max(0.0, 1.0 - float(cells.sum()))}
