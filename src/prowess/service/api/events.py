"""Changes of ratings as they happen: server-sent events."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header
from pydantic_core import to_json
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import StreamingResponse

from ...store import leagues
from ...store.errors import Unavailable
from ...store.ratings import RatingUpdate, updates_since
from ..auth import may_still_read
from ..context import Service
from ..observability import LOGGER
from .dependencies import Read, ServiceDep
from .responses import rating_payload

router = APIRouter(tags=["events"])
PAUSE = 0.5  # seconds between two questions
ROOM = 100  # events that wait for somebody who is slow; then she is let go, and comes again by herself
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
    service: ServiceDep,
    last_event_id: Annotated[
        int | None, Header(ge=0, le=2**63 - 1, description="The last revision that is known: what came since is told.")
    ] = None,
) -> StreamingResponse:
    """Ratings of a league as they change, as server-sent events (`new EventSource(url)` in a browser).

    An event may stand for several changes; a comment is sent now and then, so that nobody takes silence for the end.
    """
    hub = _hub(request, service)

    async def stream() -> AsyncIterator[bytes]:
        yield f"retry: {AGAIN}\n\n".encode()
        async for found in hub.follow(access.league, last_event_id, BEAT):
            if not await may_still_read(request):
                return
            yield found or b": still here\n\n"

    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingResponse(stream(), media_type="text/event-stream", headers=headers)


def _hub(request: Request, service: ServiceDep) -> EventHub:
    """The followers of this process."""
    state = request.app.state
    if getattr(state, "hub", None) is None:
        state.hub = EventHub(service, _written)
    hub: EventHub = state.hub
    return hub


def _written(news: RatingUpdate) -> bytes:
    """An event as it is sent."""
    ratings = [{"player": one.player, "rating": rating_payload(one.rating)} for one in news.ratings]
    data = to_json({"revision": news.revision, "ratings": ratings, "more": news.more}, inf_nan_mode="null")
    return b"id: %d\nevent: ratings\ndata: %b\n\n" % (news.revision, data)


class EventHub:
    """The followers of a process, by league; while there are any, the database is asked for news again and again."""

    def __init__(self, service: Service, write: Callable[[RatingUpdate], bytes]) -> None:
        self._service, self._write = service, write
        self._queues: dict[str, set[asyncio.Queue[tuple[int, bytes] | None]]] = {}
        self._seen: dict[str, int] = {}
        self._task: asyncio.Task[None] | None = None

    async def follow(self, league: str, since: int | None, pause: float) -> AsyncIterator[bytes | None]:
        """The news of a league as they come, each as it was written; None where there was nothing for a while.

        `since` is the last revision that is known to who follows: what came meanwhile is told at once.
        """
        queue: asyncio.Queue[tuple[int, bytes] | None] = asyncio.Queue(ROOM)
        self._queues.setdefault(league, set()).add(queue)
        try:
            missed = await self._service.read(lambda connection: _missed(connection, league, since))
            self._begin(league, missed.revision)
            told = missed.revision
            if missed.ratings:
                yield self._write(missed)
            while not self._service.closing.is_set():
                try:
                    found = await asyncio.wait_for(queue.get(), pause)
                except TimeoutError:
                    yield None
                    continue
                if found is None:
                    return
                if found[0] > told:
                    told = found[0]
                    yield found[1]
        finally:
            self._leave(league, queue)

    def _begin(self, league: str, revision: int) -> None:
        """See to it that the database is asked about a league, from a revision on."""
        self._seen.setdefault(league, revision)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._ask())

    def _leave(self, league: str, queue: asyncio.Queue[tuple[int, bytes] | None]) -> None:
        self._queues[league].discard(queue)
        if not self._queues[league]:
            del self._queues[league]
            self._seen.pop(league, None)

    async def _ask(self) -> None:
        """Ask for news until nobody is left, or the process ends."""
        closing = self._service.closing
        while self._queues and not closing.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(closing.wait(), PAUSE)
            try:
                for league, found in (await self._service.read(partial(_new, known=dict(self._seen)))).items():
                    self._tell(league, found)
            except Exception as error:  # it is asked again, for else all who follow would wait in vain
                level = logging.WARNING if isinstance(error, Unavailable) else logging.ERROR
                logging.getLogger(LOGGER).log(level, "news could not be asked for: %s", error, exc_info=level > 30)
        for queues in self._queues.values():
            for queue in queues:
                _put(queue, None)

    def _tell(self, league: str, found: RatingUpdate) -> None:
        if league in self._seen:
            self._seen[league] = found.revision
        event = found.revision, self._write(found)
        for queue in self._queues.get(league, ()):
            _put(queue, event)


def _put(queue: asyncio.Queue[tuple[int, bytes] | None], event: tuple[int, bytes] | None) -> None:
    """Let an event wait for who follows; who is too slow is told the end."""
    if queue.full():
        while not queue.empty():
            queue.get_nowait()
        event = None
    queue.put_nowait(event)


def _missed(connection: Connection, league: str, since: int | None) -> RatingUpdate:
    found = leagues.find(connection, league)
    if since is None or since >= found.revision:
        return RatingUpdate(found.revision, [], False)
    return updates_since(connection, found, since)


def _new(connection: Connection, known: dict[str, int]) -> dict[str, RatingUpdate]:
    now = leagues.latest_revisions(connection)
    return {
        league: updates_since(connection, leagues.find(connection, league), revision)
        for league, revision in known.items()
        if now.get(league, revision) > revision
    }
