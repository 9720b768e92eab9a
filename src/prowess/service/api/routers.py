"""All routes, a router a noun."""

from __future__ import annotations

from fastapi import APIRouter

from . import (
    audit,
    events,
    exports,
    forecasts,
    health,
    imports,
    leaderboard,
    leagues,
    matches,
    matchmaking,
    models,
    players,
)

ROUTERS: tuple[APIRouter, ...] = (
    leagues.router,
    matches.router,
    leaderboard.router,
    players.router,
    forecasts.router,
    matchmaking.router,
    exports.router,
    imports.router,
    models.router,
    events.router,
    audit.router,
    health.router,
)
