"""What the routes have in common: who asks, of which service, and how answers are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response

from ...model.rating import Rating
from ...store.changes import Change, Done
from ...store.clock import show
from ...store.leagues import League
from ..security import Access, may
from ..state import Service, service
from .schemas.common import LONGEST

__all__ = [
    "Admin",
    "DryRun",
    "Here",
    "Read",
    "Why",
    "Write",
    "answer",
    "changed",
    "done",
    "fresh",
    "moment",
    "rating",
    "tagged",
]

Here = Annotated[Service, Depends(service)]
Read = Annotated[Access, Depends(may("read"))]
Write = Annotated[Access, Depends(may("write"))]
Admin = Annotated[Access, Depends(may("admin"))]
DryRun = Annotated[bool, Query(description="Change nothing; say who would change by how much, the largest first.")]
Why = Annotated[str, Query(max_length=LONGEST, description="Why; kept with the change.")]


def answer(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer in JSON, written at once: the framework would look at every value of it.

    >>> answer({"mu": 25.0}).body
    b'{"mu":25.0}'
    """
    return Response(to_json(content, inf_nan_mode="null"), status, headers, "application/json")


def fresh(request: Request, tag: str) -> Response | None:
    """The answer to who has this already; None where it must be told. The tag says which state an answer is of."""
    seen = request.headers.get("if-none-match")
    if seen is None or (seen.strip() != "*" and tag not in (one.strip() for one in seen.split(","))):
        return None
    return Response(status_code=304, headers=tagged(tag))


def tagged(tag: str) -> dict[str, str]:
    """Headers by which a cache asks again each time, and is told in a line that nothing has changed.

    >>> tagged('W/"7"')
    {'ETag': 'W/"7"', 'Cache-Control': 'no-cache'}
    """
    return {"ETag": tag, "Cache-Control": "no-cache"}


def moment(seconds: float) -> str:
    """A time of the service's own clock, in RFC 3339.

    >>> moment(0.5)
    '1970-01-01T00:00:00.500000Z'
    """
    return str(show("utc", float(round(seconds * 1e6))))


def rating(one: Rating | None) -> dict[str, Any] | None:
    """A rating as plain data.

    >>> rating(Rating(30, 4))
    {'mu': 30.0, 'sigma': 4.0, 'shown': 18.0}
    """
    if one is None:
        return None
    found: dict[str, Any] = {"mu": one.mu, "sigma": one.sigma, "shown": one.shown}
    for name, part in one.parts.items():
        found[name] = rating(part) if isinstance(part, Rating) else part
    return found


def changed(one: Change) -> dict[str, Any]:
    """What a change did to a player."""
    return {"player": one.player, "before": rating(one.before), "after": rating(one.after)}


def done(what: Done, league: League, largest_first: bool = False) -> dict[str, Any]:
    """What a change came to."""
    changes = sorted(what.changed, key=_size) if largest_first else what.changed
    clock = league.clock
    recorded = zip(what.ids, what.times, what.repeated, strict=True)
    return {
        "league": what.league,
        "revision": what.revision,
        "matches": [{"id": id, "time": show(clock, time), "repeated": again} for id, time, again in recorded],
        "ratings": [changed(one) for one in changes],
    }


def _size(one: Change) -> tuple[bool, float]:
    """By what dry runs are sorted: who comes or goes, then by how much what is shown changes."""
    if one.before is None or one.after is None:
        return False, 0.0
    return True, -abs(one.after.shown - one.before.shown)
