"""The first import into a league: if nobody has chosen a model, the service chooses one for the imported matches."""

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
    """Return whether the next import chooses a model: the league has no matches, and nobody has chosen its model."""
    return await service.read(lambda connection: choices.is_fresh(leagues.find(connection, name)))


async def record_import(service: Service, command: Post, chosen: Chosen | None) -> tuple[CommandResult, Chosen | None]:
    """Record the matches of a file; if the league is still empty, first switch it to the `chosen` model.

    Return the result, and the chosen model if the league now uses it.
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
    # The matches are already recorded, so the request must not fail, even if the database is busy or the league was
    # renamed or deleted.
    with suppress(Unavailable, NotFound), service.database.writing() as connection:
        choices.record(connection, leagues.find(connection, command.league), chosen.answer, command.author)


def chosen_payload(chosen: Chosen) -> dict[str, Any]:
    """Return the model that was chosen during an import, as plain data."""
    answer = chosen.answer
    return {"model": answer["preset"], "parts": answer["parts"], "explanation": answer["lines"]}
