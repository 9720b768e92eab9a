"""Changes of ratings as they happen: server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import StreamingResponse

from ...store.changefeed import News
from ..auth import may_still_read
from ..background.event_hub import Hub
from .common import Here, Read
from .serialize import rating

__all__ = ["router"]

router = APIRouter(tags=["events"])
BEAT = 15.0  # seconds between signs of life
AGAIN = 2_000  # milliseconds after which a browser comes again
EXAMPLE = (
    'id: 121\nevent: ratings\ndata: {"revision": 121, "ratings": [{"player": "ann", "rating": null}], "more": false}\n'
)


@router.get(
    "/api/leagues/{league}/events",
    summary="Follow a league",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Events named `ratings`, whose ids are revisions; their data is a `News`.",
            "content": {"text/event-stream": {"schema": {"type": "string"}, "example": EXAMPLE}},
        }
    },
)
async def stream_events(
    request: Request,
    access: Read,
    here: Here,
    last_event_id: Annotated[
        int | None, Header(ge=0, le=2**63 - 1, description="The last revision that is known: what came since is told.")
    ] = None,
) -> StreamingResponse:
    """Ratings of a league as they change, as server-sent events (`new EventSource(url)` in a browser).

    An event may stand for several changes; a comment is sent now and then, so that nobody takes silence for the end.
    """
    hub = _hub(request, here)

    async def stream() -> AsyncIterator[bytes]:
        yield f"retry: {AGAIN}\n\n".encode()
        async for found in hub.follow(access.league, last_event_id, BEAT):
            if not await may_still_read(request):
                return
            yield found or b": still here\n\n"

    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingResponse(stream(), media_type="text/event-stream", headers=headers)


def _hub(request: Request, here: Here) -> Hub:
    """The followers of this process."""
    state = request.app.state
    if getattr(state, "hub", None) is None:
        state.hub = Hub(here, _written)
    hub: Hub = state.hub
    return hub


def _written(news: News) -> bytes:
    """An event as it is sent."""
    ratings = [{"player": one.player, "rating": rating(one.rating)} for one in news.ratings]
    data = to_json({"revision": news.revision, "ratings": ratings, "more": news.more}, inf_nan_mode="null")
    return b"id: %d\nevent: ratings\ndata: %b\n\n" % (news.revision, data)
