"""The search for a better model of a league: when it is due, and what it found.

A search is a background job of the kind "choice". It is due when a league has `FIRST` matches, and whenever the league
has grown by half since the last search. Its result holds models and figures, but no names of players.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from . import jobs, leagues
from .db import schema
from .leagues import STARTING, League, Preset

FIRST = 30  # matches
_LEAGUE = schema.league.c


@dataclass(frozen=True)
class Chosen:
    """A model that was chosen for the matches of an import, and the result of the search as plain data.

    >>> Chosen(Preset("Elo"), {"parts": ["Elo"]}).preset.name
    'Elo'
    """

    preset: Preset
    answer: Mapping[str, Any]


def is_fresh(league: League) -> bool:
    """Return whether a league has no matches and still has the default model of new leagues."""
    return league.posted == 0 and league.generation == 1 and league.preset == STARTING


def next_search(league: League) -> int:
    """Return the number of posted matches at which the next search is due."""
    return max(FIRST, (3 * league.choice_posted + 1) // 2)


def due(connection: Connection) -> list[int]:
    """Return the ids of the leagues in which a search is due; interrupted searches are due again."""
    grown = (_LEAGUE.posted >= FIRST) & (2 * _LEAGUE.posted >= 3 * _LEAGUE.choice_posted)
    interrupted = _LEAGUE.id.in_(jobs.interrupted(connection, "choice"))
    changeable = _LEAGUE.archived_at.is_(None) & _LEAGUE.purge_at.is_(None)
    return list(connection.execute(select(_LEAGUE.id).where(grown | interrupted, changeable)).scalars())


def request(connection: Connection, league_id: int, author: str = "") -> None:
    """Queue a search, unless one is queued or running.

    A search that fails is not repeated until the league has grown.
    """
    league = leagues.get(connection, league_id)
    jobs.request(connection, league, "choice", {}, author)
    leagues.update_row(connection, league, choice_posted=league.posted)


def record(connection: Connection, league: League, answer: Mapping[str, Any], author: str = "") -> None:
    """Store the result of a search that was made elsewhere, such as during an import."""
    jobs.record(connection, league, "choice", answer, author)
    leagues.update_row(connection, league, choice_posted=league.posted)
