"""Server-sent events: rating changes of a league as they happen."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, suppress
from contextvars import Context
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header
from pydantic_core import to_json
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from ...store import leagues
from ...store.errors import Unavailable
from ...store.ratings import RatingUpdate, updates_since
from ..auth import may_still_read
from ..context import Service
from ..observability import LOGGER
from .dependencies import Read, ServiceDep
from .responses import rating_payload

router = APIRouter(tags=["events"])
POLL = 0.5  # seconds between two queries for changes
BUFFER = 100  # queued events after which a slow client is disconnected; it can reconnect
HEARTBEAT = 15.0  # seconds
RETRY = 2_000  # milliseconds after which a browser reconnects
EXAMPLE = (
    'id: 121\nevent: ratings\ndata: {"revision": 121, "ratings": [{"player": "ann", "rating": null}], "more": false}\n'
)

Queue = asyncio.Queue[tuple[int, bytes] | None]  # (revision, event) pairs; None ends the stream


@router.get(
    "/api/leagues/{league}/events",
    summary="Follow a league",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Events named `ratings`, whose ids are revisions; their data is a `RatingsEvent`.",
            "content": {"text/event-stream": {"schema": {"type": "string"}, "example": EXAMPLE}},
        }
    },
)
async def stream_events(
    request: Request,
    access: Read,
    service: ServiceDep,
    last_event_id: Annotated[
        int | None, Header(ge=0, le=2**63 - 1, description="The last revision seen; newer changes are sent at once.")
    ] = None,
) -> StreamingResponse:
    """Rating changes as server-sent events (`new EventSource(url)` in a browser).

    An event can combine several changes. The service sends a comment every 15 seconds to keep the connection open.
    """
    state = request.app.state
    if not hasattr(state, "event_hub"):
        state.event_hub = EventHub(service)
    hub: EventHub = state.event_hub

    async def stream() -> AsyncIterator[bytes]:
        yield f"retry: {RETRY}\n\n".encode()
        async for event in hub.follow(access.league_id, last_event_id):
            if not await may_still_read(request):
                return
            yield event or b": still here\n\n"

    client = request.client.host if request.client else ""
    hold = service.streams.hold(client, access.key.id if access.key else None)
    return EventStream(stream(), hold)


class EventStream(StreamingResponse):
    """A response that streams events; an open stream counts towards the client's limit of streams."""

    media_type = "text/event-stream"

    def __init__(self, content: AsyncIterator[bytes], hold: AbstractContextManager[None]) -> None:
        # The second header keeps nginx from buffering events.
        super().__init__(content, headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"})
        self._hold = hold

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream, or refuse it if the client has too many streams."""
        with self._hold:
            await super().__call__(scope, receive, send)


class EventHub:
    """Sends events to all clients of this process that follow a league. One task polls the database for all clients."""

    def __init__(self, service: Service) -> None:
        self._service = service
        # Keyed by the league's id, because another league may take the name of a renamed league.
        self._queues: dict[int, set[Queue]] = {}
        self._seen: dict[int, int] = {}  # by league id: the last revision that was sent
        self._task: asyncio.Task[None] | None = None

    async def follow(self, league: int, since: int | None) -> AsyncIterator[bytes | None]:
        """Yield the events of a league after revision `since`, or from now on; yield None as a heartbeat."""
        queue: Queue = asyncio.Queue(BUFFER)
        # The queue is registered before the query below, so that no change after the query is missed.
        self._queues.setdefault(league, set()).add(queue)
        try:
            missed = await self._service.read(lambda connection: _missed(connection, league, since))
            self._seen.setdefault(league, missed.revision)
            if self._task is None or self._task.done():
                # The task works for all followers, so it runs in its own context, where no single client is charged for
                # its CPU time.
                self._task = asyncio.create_task(self._poll(), context=Context())
            sent = missed.revision
            if missed.ratings:
                yield _event(missed)
            while not self._service.closing.is_set():
                try:
                    item = await asyncio.wait_for(queue.get(), HEARTBEAT)
                except TimeoutError:
                    yield None
                    continue
                if item is None:
                    return
                revision, event = item
                # Changes up to `sent` were already in the first event.
                if revision > sent:
                    sent = revision
                    yield event
        finally:
            self._queues[league].discard(queue)
            if not self._queues[league]:
                del self._queues[league]
                self._seen.pop(league, None)

    async def _poll(self) -> None:
        closing = self._service.closing
        while self._queues and not closing.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(closing.wait(), POLL)
            try:
                news = await self._service.read(partial(_news, seen=dict(self._seen)))
                for league, update in news.items():
                    if league in self._seen:
                        self._seen[league] = update.revision
                    item = update.revision, _event(update)
                    for queue in self._queues.get(league, ()):
                        _put(queue, item)
            except Exception as error:  # keep polling: otherwise all followers would wait forever
                level = logging.WARNING if isinstance(error, Unavailable) else logging.ERROR
                logging.getLogger(LOGGER).log(level, "cannot poll for events: %s", error, exc_info=level > 30)
        for queues in self._queues.values():
            for queue in queues:
                _put(queue, None)


def _event(update: RatingUpdate) -> bytes:
    ratings = [{"player": one.player, "rating": rating_payload(one.rating)} for one in update.ratings]
    data = to_json({"revision": update.revision, "ratings": ratings, "more": update.more}, inf_nan_mode="null")
    return b"id: %d\nevent: ratings\ndata: %b\n\n" % (update.revision, data)


def _put(queue: Queue, item: tuple[int, bytes] | None) -> None:
    # A client that is too slow to read its events loses its stream.
    if queue.full():
        while not queue.empty():
            queue.get_nowait()
        item = None
    queue.put_nowait(item)


def _missed(connection: Connection, league_id: int, since: int | None) -> RatingUpdate:
    league = leagues.get(connection, league_id)
    if since is None or since >= league.revision:
        return RatingUpdate(league.revision, [], False)
    return updates_since(connection, league, since)


def _news(connection: Connection, seen: dict[int, int]) -> dict[int, RatingUpdate]:
    latest = leagues.latest_revisions(connection)
    return {
        id: updates_since(connection, leagues.get(connection, id), revision)
        for id, revision in seen.items()
        if latest.get(id, revision) > revision
    }
