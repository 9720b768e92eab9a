"""The routers of all pages."""

from __future__ import annotations

from fastapi import APIRouter

from . import (
    best,
    charts,
    enter,
    leagues,
    login,
    matches,
    models,
    pairings,
    player,
    predict,
    standings,
    teams,
)
from .admin import aliases, anonymise, keys, settings
from .importing import upload
from .web import static

PAGES = (
    leagues,
    standings,
    best,
    player,
    matches,
    predict,
    teams,
    pairings,
    enter,
    upload,
    models,
    settings,
    keys,
    aliases,
    anonymise,
    charts,
)
ROUTERS: tuple[APIRouter, ...] = tuple(page.router for page in (*PAGES, login, static))
