"""The first import into a league: if nobody has named a model, one is chosen for the matches of the file."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from ..store import choices, leagues
from ..store.choices import Chosen
from ..store.errors import Conflict, NotFound, Unavailable
from ..store.write.commands import ChangeModel, CommandResult, Post
from ..store.write.importing import IMPORT_REASON
from ..store.write.writer import preview
from .concurrency import run_in_threadpool
from .context import Service


async def is_fresh(service: Service, name: str) -> bool:
    """Return whether the next import chooses the model of a league: it has no matches and no model of its own."""
    return await service.read(lambda connection: choices.is_fresh(leagues.find(connection, name)))


async def record_import(service: Service, command: Post, chosen: Chosen | None) -> tuple[CommandResult, Chosen | None]:
    """Record the matches of a file; first give the league the model that was chosen for them, if it is still empty.

    Return the result, and the chosen model if the league uses it.
    """
    if chosen is not None:
        await run_in_threadpool(preview, service.database, command)  # raises if the matches cannot be recorded
        change = ChangeModel(command.league, chosen.preset, unrated=True, author=command.author, reason=IMPORT_REASON)
        try:
            await asyncio.wrap_future(service.writer.submit(change))
        except Conflict:  # somebody else has recorded the first match
            chosen = None
    result = await asyncio.wrap_future(service.writer.submit(command))
    if chosen is not None:
        await run_in_threadpool(_remember, service, command, chosen)
    return result, chosen


def _remember(service: Service, command: Post, chosen: Chosen) -> None:
    # The matches are recorded by now, so nothing may fail: the database may be busy, the league renamed or deleted.
    with suppress(Unavailable, NotFound), service.database.writing() as connection:
        choices.record(connection, leagues.find(connection, command.league), chosen.answer, command.author)


def chosen_payload(chosen: Chosen) -> dict[str, Any]:
    """Return the model that was chosen for the matches of a file as plain data."""
    answer = chosen.answer
    return {"model": answer["preset"], "parts": answer["parts"], "explanation": answer["lines"]}
