"""All pages."""

from __future__ import annotations

from fastapi import APIRouter

from . import (
    charts,
    deleting,
    enter,
    founding,
    importing,
    leagues,
    match,
    matches,
    models,
    names,
    pairings,
    player,
    predict,
    setup,
    signin,
    standings,
    static,
    switch,
    teams,
)

__all__ = ["ROUTERS"]

ROUTERS: tuple[APIRouter, ...] = (
    leagues.router,
    founding.router,
    standings.router,
    player.router,
    matches.router,
    match.router,
    predict.router,
    teams.router,
    pairings.router,
    enter.router,
    deleting.router,
    names.router,
    importing.router,
    models.router,
    setup.router,
    switch.router,
    charts.router,
    signin.router,
    static.router,
)
