"""Names that begin like what was typed, for fields that complete them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from ...store import leagues
from ...store.standings import Snapshot
from ..api.common import Here, Read, answer, fresh, tag_of, tagged

__all__ = ["likeliest", "router"]

router = APIRouter(include_in_schema=False)
MOST = 20  # names that are told
AMONG = 200  # of the best players whose names hold what was typed, those that begin with it come first


@router.get("/leagues/{league}/names.json")
async def names(
    request: Request, access: Read, here: Here, search: Annotated[str, Query(max_length=500)] = ""
) -> Response:
    """At most twenty names that hold a text, the likeliest first."""

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        snapshot = here.standings.of(connection, league)
        tag = tag_of(league, snapshot.generation, snapshot.revision)
        return fresh(request, tag) or answer({"names": _names(snapshot, search)}, headers=tagged(tag))

    return await here.read(work)


def _names(snapshot: Snapshot, search: str) -> list[str]:
    """Names that hold a text; among equals, the better player comes first."""
    asked = search.strip()
    found = [row["player"] for row in snapshot.page(0, AMONG if asked else MOST, search=asked).rows]
    if asked in snapshot.roll and asked not in found:  # so many better players have it in their names
        found.append(asked)
    return likeliest(found, asked)[:MOST]


def likeliest(names: Iterable[str], asked: str) -> list[str]:
    """Names in the order in which they may be meant: the same, those that begin so, those of which a word does.

    >>> likeliest(["Johanna", "Mary Ann", "Annika", "ann"], "ann")
    ['ann', 'Annika', 'Mary Ann', 'Johanna']
    """
    wanted = asked.casefold()

    def distance(name: str) -> int:
        text = name.casefold()
        return [text == wanted, text.startswith(wanted), f" {wanted}" in text, True].index(True)

    return sorted(names, key=distance)
