"""Pairings for an evening: who plays whom in each round, and who sits out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.requests import Request

from ...errors import Error
from ...matchmaking.pairing.pair import rounds as paired
from ...matchmaking.pairing.queue import Met
from ...matchmaking.pairing.result import Pairing
from ...store import leagues
from ...store.read.standings import Snapshot
from ..api.common import Here, Read, tag_of
from ..api.forecasts import stamped
from .web.forecast_text import new_ones, number_of, worded
from .web.name_list import grouped, queued
from .web.page import Shown, page, wants_data
from .web.urls import address

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
PLAYERS, ROUNDS = 200, 12
LINES = 500  # matches that a page shows at the most
BARS = 200  # of which so many are drawn, too


@page(router, "/leagues/{league}/pairings", "pairings.html")
async def pairings(
    request: Request,
    access: Read,
    here: Here,
    players: str = "",
    rounds: str = "",
    again: bool = False,
    never: str = "",
) -> Shown:
    """Who of some players plays whom, in one round or in several; `again` lets them meet whom they met lately."""

    def work(connection: Connection) -> Shown:
        league = leagues.find(connection, access.league)
        now = here.standings.of(connection, league)
        told: dict[str, Any] = {"league": league.name, "revision": now.revision, "rounds": [], "newcomers": []}
        drawn: dict[str, Any] = {"problem": None, "text": players, "again": again, "never": never, "new": []}
        drawn |= {"count": rounds or "1", "repeated": [], "most": ROUNDS, "sat": [], "bars": False}
        status = 200
        try:
            queue, barred, drawn["repeated"] = _asked(now, players, never)
            if len(queue) > 1:
                names = [name for group in queue for name in group]
                met: Met = () if again else here.chronicles.of(connection, league).lately(names)
                count = number_of(rounds, 1, 1, min(ROUNDS, 2 * LINES // len(queue)), "rounds")
                found = paired(now.ladder, queue, count=count, met=met, never=barred)
                told = stamped(now, _told(now, found))
                drawn |= {"new": _new(now, found[0].newcomers, players, rounds), "sat": _sat(found)}
                drawn["bars"] = sum(len(one.pairs) for one in found) <= BARS
        except Error as error:
            if wants_data(request):
                raise
            drawn["problem"], status = worded(error), 422
        tag = tag_of(league, now.generation, now.revision)
        return Shown(told, _rows(told["rounds"]), league, tag, status, drawn)

    return await here.read(work, here.matching)


def _asked(now: Snapshot, players: str, never: str) -> tuple[list[list[str]], list[tuple[str, str]], list[str]]:
    """The queue, the pairs that are not to be made, and who stands there twice."""
    queue, repeated = queued(players, now.roll)
    names = {name for group in queue for name in group}
    if len(names) > PLAYERS:
        raise Error(f"players: at most {PLAYERS} players can be paired here, not {len(names):,}")
    barred = []
    known = now.roll.joined([name for name in names if name not in now.roll])
    for group in grouped(never, known, "never"):
        if len(group) < 2:
            raise Error(f"never: {group[0]!r} stands alone in a line: write two names, such as ann + bob")
        there = [name for name in group if name in names]  # of others, who may be thousands, nothing follows
        barred += [(one, other) for at, one in enumerate(there) for other in there[at + 1 :]]
    return queue, barred, repeated


def _told(now: Snapshot, found: Sequence[Pairing]) -> dict[str, Any]:
    """The rounds as plain data, each pair with what is expected of its match."""
    newcomer, new = now.ladder.newcomer, set(found[0].newcomers)
    rounds = []
    for pairing in found:
        plain = pairing.to_dict()
        for pair in plain["pairs"]:
            teams = [[newcomer if name in new else name for name in team] for team in pair["teams"]]
            expected = now.ladder.predict(teams)
            pair |= {"win": expected.win.tolist(), "draw": float(expected.draw), "fairness": expected.fairness}
        rounds.append({"pairs": plain["pairs"], "left": plain["left"]})
    return {"rounds": rounds, "newcomers": list(found[0].newcomers)}


def _new(now: Snapshot, newcomers: Sequence[str], players: str, rounds: str) -> list[dict[str, str | None]]:
    """Who is new to the league, with an address where somebody else stands in the list."""

    def instead(name: str, near: str) -> str:
        return address(now.league, "pairings", players=players.replace(name, near, 1), rounds=rounds)

    return new_ones(now, newcomers, instead)


def _sat(found: Sequence[Pairing]) -> list[dict[str, Any]]:
    """How often somebody sits out, where there is more than one round; the most often first."""
    often: dict[str, int] = {}
    for pairing in found if len(found) > 1 else ():
        for group in pairing.to_dict()["left"]:
            often[" + ".join(group)] = often.get(" + ".join(group), 0) + 1
    return [{"who": who, "rounds": rounds} for who, rounds in sorted(often.items(), key=lambda one: -one[1])]


def _rows(rounds: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each table of each round, and one without a table for who sits out."""
    found: list[dict[str, Any]] = []
    for number, one in enumerate(rounds, 1):
        for table, pair in enumerate(one["pairs"], 1):
            first, second = pair["teams"]
            chances = {"win": pair["win"][0], "draw": pair["draw"], "loss": pair["win"][1]}
            row = {"round": number, "table": table, "first": first, "second": second, "quality": pair["quality"]}
            found.append(row | chances)
        found += [{"round": number, "table": None, "first": group, "second": None} for group in one["left"]]
    return found
