"""All pages."""

from __future__ import annotations

from fastapi import APIRouter

from . import (
    charts,
    leagues,
    login,
    matches,
    model_change,
    models,
    name_suggestions,
    pairings,
    player,
    predict,
    settings,
    standings,
    teams,
)
from .importing import upload
from .results import enter
from .web import static

ROUTERS: tuple[APIRouter, ...] = (
    leagues.router,
    standings.router,
    player.router,
    name_suggestions.router,
    matches.router,
    predict.router,
    teams.router,
    pairings.router,
    enter.router,
    upload.router,
    models.router,
    settings.router,
    model_change.router,
    charts.router,
    login.router,
    static.router,
)
