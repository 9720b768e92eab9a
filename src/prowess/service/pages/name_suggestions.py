"""The names that forms suggest while somebody types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from ...store import leagues
from ...store.read.standings import Snapshot
from ..api.dependencies import Read, ServiceDep
from ..api.responses import etag_headers, etag_of, json_response, not_modified

router = APIRouter(include_in_schema=False)
MOST = 20  # names in an answer
AMONG = 200  # of the best players whose names contain the text, those that begin with it come first


@router.get("/leagues/{league}/names.json")
async def names(
    request: Request, access: Read, service: ServiceDep, search: Annotated[str, Query(max_length=500)] = ""
) -> Response:
    """Return at most twenty names that contain a text, the likeliest first."""

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        snapshot = service.standings.of(connection, league)
        etag = etag_of(league, snapshot.generation, snapshot.revision)
        return not_modified(request, etag) or json_response(
            {"names": _suggest(snapshot, search.strip())}, headers=etag_headers(etag)
        )

    return await service.read(work)


def _suggest(snapshot: Snapshot, search: str) -> list[str]:
    found = [row["player"] for row in snapshot.page(0, AMONG if search else MOST, search=search).rows]
    if search in snapshot.names and search not in found:  # so many better players have it in their names
        found.append(search)
    return by_likelihood(found, search)[:MOST]


def by_likelihood(names: Iterable[str], search: str) -> list[str]:
    """Sort names: the same text first, then those that begin with it, then those of which a word does.

    >>> by_likelihood(["Johanna", "Mary Ann", "Annika", "ann"], "ann")
    ['ann', 'Annika', 'Mary Ann', 'Johanna']
    """
    wanted = search.casefold()

    def distance(name: str) -> int:
        text = name.casefold()
        return [text == wanted, text.startswith(wanted), f" {wanted}" in text, True].index(True)

    return sorted(names, key=distance)  # among equals, the better player stays first
