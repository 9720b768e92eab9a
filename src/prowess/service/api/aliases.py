"""Merged and renamed players: rename, merge, undo, aliases, and names that may belong to the same player."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Path
from sqlalchemy import Connection
from starlette.responses import Response

from ...errors import Error
from ...history.data_checks import likely_aliases
from ...store import aliases, audit, leagues
from ...store.leagues import League
from ...store.write.commands import AddAlias, Command, CommandResult, RemoveAlias, Rename, UndoRename
from ...store.write.renaming import check_name
from ...store.write.writer import preview
from ..auth import Access
from ..concurrency import run_in_threadpool
from ..context import Service
from ..errors import problem_responses
from .dependencies import LARGEST, Admin, DryRun, Reason, ServiceDep, Write
from .responses import change_payload, json_response, rfc3339
from .schemas import aliases as schemas

router = APIRouter(tags=["players"])
PLAYER = "/api/leagues/{league}/players/{player:anything}"
ALIASES = "/api/leagues/{league}/aliases"
RENAMES = "/api/leagues/{league}/renames"
SIMILAR = "/api/leagues/{league}/similar-players"
MAX_LISTED = 1_000  # maximum number of matches, or of pairs of names, in a response
PAIR_BYTES = 200  # approximate size of two short names
Revision = Annotated[int, Path(ge=0, le=LARGEST)]


async def run_rename(service: Service, command: Command, dry_run: bool) -> dict[str, Any]:
    """Rename or merge players, or undo a rename or merge; return the effects as plain data.

    A dry run writes nothing.
    """
    league = await service.leagues.get(command.league)
    if dry_run:
        result = await run_in_threadpool(preview, service.database, command)
    else:
        result = await asyncio.wrap_future(service.writer.submit(command))
    return await run_in_threadpool(_rename_payload, result, league, dry_run)


def _rename_payload(result: CommandResult, league: League, dry_run: bool) -> dict[str, Any]:
    repeated = not result.ids and list(result.repeated) == [True]
    payload = change_payload(result, league.clock, largest_first=dry_run, most=MAX_LISTED)
    about = {"names": dict(result.aliases), "merged": result.merged, "repeated": repeated, "renamed": len(result.ids)}
    return {name: payload[name] for name in ("league", "revision", "matches", "changed", "ratings")} | about


@router.post(
    f"{PLAYER}/rename",
    summary="Rename a player",
    response_model=schemas.RenamedPlayer,
    responses=problem_responses(409),
)
async def rename_player(
    player: str,
    asked: schemas.RenamePlayer,
    access: Admin,
    service: ServiceDep,
    dry_run: DryRun = False,
    reason: Reason = "",
) -> Response:
    """Give a player another name in all matches. The old name becomes an alias.

    If another player has the new name, the two players are merged, and `merged` is true: all matches of both are rated
    again as matches of one player. Two players who played in the same match cannot be merged; the response is then 409
    Conflict and names the match. Matches that are posted or imported under an alias are recorded for its player.
    """
    about: dict[str, Any] = {"author": access.author, "reason": reason, "seen": asked.revision}
    return json_response(await run_rename(service, Rename(access.league, player, asked.name, **about), dry_run))


@router.post(
    f"{PLAYER}/merge",
    summary="Merge a player into another one",
    response_model=schemas.RenamedPlayer,
    responses=problem_responses(409),
)
async def merge_player(
    player: str,
    asked: schemas.MergePlayer,
    access: Admin,
    service: ServiceDep,
    dry_run: DryRun = False,
    reason: Reason = "",
) -> Response:
    """Merge a player into another player, who must exist.

    Merging has the same effect as renaming the player to the name of the other player.
    """
    about: dict[str, Any] = {"author": access.author, "reason": reason, "seen": asked.revision, "merge": True}
    return json_response(await run_rename(service, Rename(access.league, player, asked.into, **about), dry_run))


def change_payloads(connection: Connection, league: League) -> list[dict[str, Any]]:
    """Return the changes of names in a league as plain data, newest first."""
    names = [name for name in schemas.NameChange.model_fields if name != "made_at"]
    return [
        {name: getattr(change, name) for name in names} | {"made_at": rfc3339(change.made_at)}
        for change in aliases.list_changes(connection, league)
    ]


@router.get(RENAMES, summary="List renamed and merged players", response_model=schemas.NameChanges)
async def list_renames(access: Write, service: ServiceDep) -> Response:
    """Merges, renames and changes of aliases, newest first."""

    def work(connection: Connection) -> dict[str, Any]:
        league = leagues.find(connection, access.league)
        return _about(league) | {"changes": change_payloads(connection, league)}

    return json_response(await service.read(work))


@router.post(
    RENAMES + "/{revision}/undo",
    summary="Undo a merge or a rename",
    response_model=schemas.RenamedPlayer,
    responses=problem_responses(409),
)
async def undo_rename(
    revision: Revision, access: Admin, service: ServiceDep, dry_run: DryRun = False, reason: Reason = ""
) -> Response:
    """Undo the merge or rename that made this revision.

    Later changes of names that build on this change must be undone first.

    Every match gets back the name with which it was posted, including matches posted after the merge or rename.
    """
    command = UndoRename(access.league, revision, author=access.author, reason=reason)
    return json_response(await run_rename(service, command, dry_run))


def alias_payloads(connection: Connection, league: League) -> list[dict[str, Any]]:
    """Return the aliases of a league as plain data, sorted by player."""
    found = aliases.list_aliases(connection, league)
    return [{"alias": one.alias, "player": one.player, "revision": one.revision} for one in found]


@router.get(ALIASES, summary="List aliases", response_model=schemas.Aliases)
async def list_aliases(access: Write, service: ServiceDep) -> Response:
    """Other names of the players of a league, sorted by player."""

    def work(connection: Connection) -> dict[str, Any]:
        league = leagues.find(connection, access.league)
        return _about(league) | {"aliases": alias_payloads(connection, league)}

    return json_response(await service.read(work))


@router.post(
    ALIASES,
    status_code=201,
    summary="Add an alias",
    response_model=schemas.AliasChange,
    responses=problem_responses(409)
    | {200: {"model": schemas.AliasChange, "description": "The alias already existed."}},
)
async def create_alias(asked: schemas.NewAlias, access: Admin, service: ServiceDep, reason: Reason = "") -> Response:
    """Add another name for a player.

    The response is 409 Conflict if matches were recorded under that name: merge the two players instead.
    """
    command = AddAlias(access.league, asked.alias, asked.player, author=access.author, reason=reason)
    result = await asyncio.wrap_future(service.writer.submit(command))
    player = next(iter(result.aliases.values()), asked.player.strip())
    payload = {"league": result.league, "revision": result.revision, "alias": asked.alias.strip(), "player": player}
    return json_response(payload, 200 if all(result.repeated) and result.repeated else 201)


@router.delete(ALIASES + "/{alias:anything}", summary="Remove an alias", response_model=schemas.AliasChange)
async def delete_alias(alias: str, access: Admin, service: ServiceDep, reason: Reason = "") -> Response:
    """Remove an alias. Matches that are posted later under this name belong to a new player.

    Recorded matches stay with the player, and a merge that created the alias can no longer be undone.
    """
    command = RemoveAlias(access.league, alias, author=access.author, reason=reason)
    result = await asyncio.wrap_future(service.writer.submit(command))
    payload = {"league": result.league, "revision": result.revision, "alias": alias.strip(), "player": None}
    return json_response(payload)


def similar_players(service: Service, connection: Connection, league: League) -> list[tuple[str, str]]:
    """Return pairs of names that may belong to one player, except pairs that an admin has marked as different."""
    key = (league.cache_key, league.revision)
    cached = service.similar.get(league.id)
    if cached is None or cached[0] != key:
        history = service.traces.of(connection, league).view.trace.history
        pairs = [pair for suspicion in likely_aliases(history) for pair in suspicion.aliases]
        cached = (key, pairs)
        service.similar.put(league.id, cached, sum(PAIR_BYTES + len(alias) + len(name) for alias, name in pairs) + 1)
    return list(without_distinct(cached[1], aliases.list_distinct(connection, league)))


def without_distinct(pairs: Iterable[tuple[str, str]], distinct: set[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """Leave out the pairs of names that an admin has marked as different players.

    >>> list(without_distinct([("b", "a"), ("c", "d")], {("a", "b")}))
    [('c', 'd')]
    """
    return (pair for pair in pairs if (min(pair), max(pair)) not in distinct)


@router.get(SIMILAR, summary="List players who may be the same", response_model=schemas.SimilarPlayers)
async def list_similar_players(access: Write, service: ServiceDep) -> Response:
    """Pairs of names that are spelt almost alike, except pairs that were marked as different players."""

    def work(connection: Connection) -> dict[str, Any]:
        league = leagues.find(connection, access.league)
        pairs = similar_players(service, connection, league)[:MAX_LISTED]
        return _about(league) | {"pairs": [{"alias": alias, "player": player} for alias, player in pairs]}

    return json_response(await service.read(work, service.comparing))


async def tell_apart(service: Service, access: Access, names: list[str]) -> None:
    """Record that two names belong to different players, so that they are not listed as similar again."""

    def work() -> None:
        first, second = (check_name(name, "players") for name in names)
        if first == second:
            raise Error.in_field("players", "give two different names", value=names)
        with service.database.writing() as connection:
            league = leagues.find(connection, access.league)
            league.check_writable()
            aliases.set_distinct(connection, league, [first, second])
            audit.write(connection, access.author, "tell players apart", league.name, players=[first, second])

    await run_in_threadpool(work)


@router.post(
    f"{SIMILAR}/dismiss", summary="Mark two similar names as different players", response_model=schemas.SimilarPlayers
)
async def dismiss_similar_players(asked: schemas.DistinctPlayers, access: Admin, service: ServiceDep) -> Response:
    """Record that two names belong to different players, and return the remaining pairs of similar names."""
    await tell_apart(service, access, asked.players)
    return await list_similar_players(access, service)


def _about(league: League) -> dict[str, Any]:
    return {"league": league.name, "revision": league.revision}
