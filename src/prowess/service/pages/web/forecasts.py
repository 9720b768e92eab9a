"""Helpers for the pages about future matches: page context, forecasts in words, and hints for unknown names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import Query
from sqlalchemy import Connection
from starlette.requests import Request

from ....errors import Error
from ....model.prediction import Prediction
from ....store import leagues
from ....store.leagues import League
from ....store.read.snapshot import Snapshot
from ....text import capitalise, join_words
from ...api.responses import etag_of, rating_payload, rating_payloads
from ...api.schemas.forecasts import PredictionRequest
from ...auth import Access
from ...concurrency import ConcurrencyLimiter
from ...context import Service
from .filters import percent
from .page import PageContext, Plain, wants_data

Keep = Annotated[list[str] | None, Query()]  # new players whom the user has confirmed
CorrectedUrl = Callable[[str, str, Sequence[str]], str]
Forecast = tuple[Plain, list[Plain], Plain]  # data of a page, its rows, and extra template values

NAMED = 3  # a team with more players is referred to by its number
LABELS = {"together": "In one team", "apart": "In different teams", "never": "Never paired"}
HINTS = 3  # new players for whom similar names are searched; few, because a search is slow


async def forecast_page(
    request: Request,
    access: Access,
    service: Service,
    limiter: ConcurrencyLimiter,
    forecast: Callable[[Connection, League, Snapshot], Forecast],
    *,
    empty: Mapping[str, Any],
    extra: Mapping[str, Any],
) -> PageContext:
    """Build the context of a page about future matches from the current ratings.

    While the form is empty or invalid, the page has the data `empty` and the template values `extra`. The HTML page
    shows the error of an invalid form; for `.json` and `.csv`, the response is problem+json.
    """

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        now = service.standings.of(connection, league)
        data: Plain = {"league": league.name, "revision": now.revision, **empty}
        values: Plain = {"problem": None, "repeated": [], "keep": [], "in_points": now.points is not None, **extra}
        rows: list[Plain] = []
        status = 200
        try:
            result, rows, more = forecast(connection, league, now)
            data, values = result or data, values | more
        except Error as error:
            if wants_data(request):
                raise
            values["problem"], status = error_sentence(error), 422
        return PageContext(data, rows, league, etag_of(league, now.generation, now.revision), status, values)

    return await service.read(work, limiter)


def error_sentence(error: Error) -> str:
    """Return an error as a sentence for a page, with the label of the field instead of its name.

    >>> error_sentence(Error.in_field("teams", "at most 64 teams"))
    'At most 64 teams'
    >>> error_sentence(Error.in_field("apart", "zoe is not among the players"))
    'In different teams: zoe is not among the players'
    """
    label = LABELS.get(error.field or "")
    return f"{label}: {error.detail()}" if label else capitalise(error.detail())


def prediction_request(
    teams: Sequence[Sequence[str]],
    home: int | None = None,
    time: str | float | None = None,
    context: Mapping[str, Any] | None = None,
) -> PredictionRequest:
    """Return a prediction request that allows newcomers.

    The API's validation is skipped, because pages have their own error messages.

    >>> prediction_request([["ann"], ["bob"]]).newcomers
    True
    """
    names = [list(team) for team in teams]
    about: Plain = {"weights": None, "home": home, "newcomers": True, "time": time, "context": context}
    return PredictionRequest.model_construct(teams=names, **about)


def _team_name(names: Sequence[str], number: int) -> str:
    return f"Team {number}" if len(names) > NAMED else join_words(names)


def headline(teams: Sequence[Sequence[str]], prediction: Prediction) -> dict[str, str]:
    """Return a headline: the favourite of a match (empty if there is none), and the most likely result in words.

    >>> import prowess as pw
    >>> headline([["ann"], ["bob"]], pw.Elo().predict([[pw.Rating(1700)], [pw.Rating(1600)]]))
    {'who': 'ann', 'what': '64\\xa0% to win'}
    """
    best = int(prediction.win.argmax())
    chance, goal = float(prediction.win[best]), "win" if len(teams) == 2 else "finish first"
    if prediction.draw > chance:
        result = "A draw" if len(teams) == 2 else "A tie for first"
        return {"who": "", "what": f"{result} is most likely: {percent(prediction.draw)}"}
    if percent(chance) == percent(float(prediction.win.min())):
        return {"who": "", "what": f"Equal chances: {percent(chance)} each to {goal}"}
    return {"who": _team_name(teams[best], best + 1), "what": f"{percent(chance)} to {goal}"}


def team_forecasts(now: Snapshot, teams: Sequence[Sequence[str]], prediction: Prediction) -> list[Plain]:
    """Return the teams of a match, each with its chances, its players and their ratings."""
    names = [name for team in teams for name in team]
    newcomer, scores = rating_payload(now.ladder.newcomer, now.points) or {}, prediction.scores
    players = (
        {"player": name, "new": rating is None} | (rating or newcomer)
        for name, rating in zip(names, rating_payloads(now.ladder, names, now.points), strict=True)
    )
    return [
        {
            "number": k + 1,
            "called": _team_name(team, k + 1),
            "players": [next(players) for _ in team],
            "win": float(prediction.win[k]),
            "mean": float(prediction.mean[k]),
            "score": None if scores is None else float(scores[k]),
        }
        for k, team in enumerate(teams)
    ]


def newcomer_hints(now: Snapshot, newcomers: Sequence[str], keep: Sequence[str], corrected_url: CorrectedUrl) -> Plain:
    """Return the unknown names; the first few have similar known names, with URLs of the corrected page.

    Names in `keep` get no hints, because the user has confirmed that they are new players. `corrected_url` gets a name,
    the name to use instead, and the names to keep.
    """
    kept = [name for name in keep if name in newcomers]
    hints: list[Plain] = []
    for name in newcomers:
        near = now.names.similar(name) if name not in kept and len(hints) < HINTS else []
        choices = [{"name": other, "url": corrected_url(name, other, kept)} for other in near]
        hints.append({"name": name, "near": choices, "keep": corrected_url(name, name, [*kept, name])})
    return {"new": hints, "keep": kept}
