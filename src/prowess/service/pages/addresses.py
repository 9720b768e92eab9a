"""The addresses of pages: names of players and ids of matches go into the query, where they may hold anything."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

__all__ = ["address"]


def address(league: str, page: str, /, **query: Any) -> str:
    """The address of a page of a league; what is None, False or empty is left out of its query, lists repeat.

    >>> address("darts", "player", name=["ann & co", "bob"]), address("darts", "standings", search="", at=0)
    ('/leagues/darts/player?name=ann+%26+co&name=bob', '/leagues/darts/standings?at=0')
    """
    said = {name: _written(value) for name, value in query.items() if value or (value == 0 and value is not False)}
    return f"/leagues/{league}/{page}" + (f"?{urlencode(said, doseq=True)}" if said else "")


def _written(value: Any) -> Any:
    return "true" if value is True else value
