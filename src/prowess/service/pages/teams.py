"""Fair teams: the best split of a list of names, and splits that somebody made of it by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from sqlalchemy import Connection
from starlette.requests import Request

from ...errors import Error
from ...matchmaking.balancing.balance import Balance
from ...model.prediction import Prediction
from ...store import leagues
from ...store.read.standings import Snapshot
from ..api.common import Here, Read, tag_of
from ..api.forecasts import predicted, stamped
from ..api.matchmaking import balanced
from ..api.schemas.forecasts import BALANCED, TEAMS, BalanceAsked
from ..context import Service
from .web.filters import digits
from .web.forecast_text import asked_of, headline, new_ones, number_of, sides, worded
from .web.name_list import grouped, pasted
from .web.page import Shown, page, wants_data
from .web.urls import address

__all__ = ["Split", "changed", "router"]

router = APIRouter(include_in_schema=False)
BYTES = 1_000  # that a player of a split takes in memory, about
_NUMBERS = re.compile(r"[\s,;+/:]+")


@dataclass(frozen=True)
class Wanted:
    """What is asked for, as it stands in the address."""

    players: str = ""
    teams: str = ""
    sizes: str = ""
    together: str = ""
    apart: str = ""

    def rules(self) -> dict[str, str]:
        """All but the players: what a split by hand is compared under."""
        return {name: value for name, value in vars(self).items() if name != "players"}


@page(router, "/leagues/{league}/teams", "teams.html")
async def teams(
    request: Request,
    access: Read,
    here: Here,
    wanted: Annotated[Wanted, Depends()],
    team: Annotated[list[str] | None, Query()] = None,
    move: str = "",
    swap: str = "",
    pick: str = "",
) -> Shown:
    """The fairest teams of some players, or teams made by hand and how much fairer others would be."""

    def work(connection: Connection) -> Shown:
        league = leagues.find(connection, access.league)
        now = here.standings.of(connection, league)
        told: dict[str, Any] = {"league": league.name, "revision": now.revision, "teams": []}
        drawn: dict[str, Any] = {"wanted": wanted, "text": wanted.players, "count": "2", "places": digits(now.model)}
        drawn |= {"problem": None, "headline": None, "repeated": []}
        rows, status = list[dict[str, Any]](), 200
        try:
            split = changed(_split(now, team), move, swap) if team else None
            found, shown = _made(here, now, league.id, wanted, split, pick)
            if found:
                told, rows = found, _rows(shown["sides"])
            drawn |= shown
        except Error as error:
            if wants_data(request):
                raise
            text = "\n".join(team) if team and not wanted.players else wanted.players
            drawn |= {"problem": worded(error), "text": text, "count": wanted.teams or "2"}
            status = 422
        return Shown(told, rows, league, tag_of(league, now.generation, now.revision), status, drawn)

    return await here.read(work, here.matching)


def _split(now: Snapshot, texts: Sequence[str]) -> Split:
    """Teams made by hand, as they stand in the address."""
    lists = [pasted(text, now.roll, "players") for text in texts]
    found = Split(tuple(tuple(one.names) for one in lists if one.names))
    if not 2 <= len(found.teams) <= TEAMS:
        raise Error(f"team: give from 2 to {TEAMS} teams with a player each, not {len(found.teams)}")
    return found


def _made(
    here: Service, now: Snapshot, league: int, wanted: Wanted, split: Split | None, pick: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The split that is shown as plain data, and what the page needs beside it; nothing of less than two players."""
    read = pasted(wanted.players, now.roll) if split is None else None
    names = split.names if split else read.names if read else []
    shown: dict[str, Any] = {"text": "\n".join(names), "count": wanted.teams or "2", "repeated": []}
    if read is not None:
        shown |= {"text": wanted.players, "repeated": read.repeated}
    if split is not None:
        shown["count"] = wanted.teams or str(len(split.teams))
    if len(names) < 2:
        return {}, shown
    best = _best(here, now, league, _asked(now, wanted, names, shown["count"]))
    told = stamped(now, best.to_dict())
    if split is None or set(map(frozenset, split.teams)) == set(map(frozenset, best.teams)):
        return told, shown | _drawn(now, wanted, best, best.teams, best.prediction, pick)
    prediction, own = predicted(now, asked_of(split.teams))
    own |= {"fairness": prediction.fairness, "exact": False, "compared": 0, "unconstrained": None, "fairest": told}
    return own, shown | _drawn(now, wanted, best, split.teams, prediction, pick)


def _best(here: Service, now: Snapshot, league: int, asked: BalanceAsked) -> Balance:
    """The fairest teams, which are remembered, as whoever moves players by hand compares with them again and again."""
    rules = repr((sorted(asked.players), asked.teams, asked.sizes, asked.together, asked.apart))
    key = league, now.generation, now.revision, rules
    found = here.splits.get(key)
    if found is None:
        found = balanced(now, asked)
        here.splits.put(key, found, BYTES * len(asked.players))
    return found


def _asked(now: Snapshot, wanted: Wanted, names: list[str], count: str) -> BalanceAsked:
    """The split that is asked for, checked in words for people."""
    if len(names) > BALANCED:
        raise Error(f"players: at most {BALANCED} players can be split, not {len(names):,}")
    sizes = [number_of(one, 1, 1, BALANCED, "sizes") for one in _NUMBERS.split(wanted.sizes.strip()) if one]
    known = now.roll.joined([name for name in names if name not in now.roll])
    return BalanceAsked.model_construct(
        players=names,
        teams=number_of(count, 2, 2, BALANCED // 2, "teams"),
        sizes=sizes or None,
        together=grouped(wanted.together, known, "together"),
        apart=grouped(wanted.apart, known, "apart"),
        seed=0,
        newcomers=True,
    )


def _drawn(
    now: Snapshot,
    wanted: Wanted,
    best: Balance,
    teams: Sequence[Sequence[str]],
    prediction: Prediction,
    pick: str,
) -> dict[str, Any]:
    """What the page shows of a split beside its data."""
    lists = "\n".join(name for team in teams for name in team)
    picked = pick if any(pick in team for team in teams) else None

    def instead(name: str, near: str) -> str:
        names = [near if one == name else one for team in teams for one in team]
        return address(now.league, "teams", players="\n".join(names), **wanted.rules())

    return {
        "headline": headline(teams, prediction),
        "sides": sides(now, teams, prediction),
        "new": new_ones(now, best.newcomers, instead),
        "best": best,
        "lines": ["\n".join(team) for team in teams],
        "back": address(now.league, "teams", players=lists, **wanted.rules()),
        "picked": picked,
        "movable": len(teams) <= TEAMS,
        "plain": _plain(teams),
    }


def _plain(teams: Sequence[Sequence[str]]) -> str:
    """The teams as text to send around."""
    return "\n".join(f"Team {number}: {', '.join(team)}" for number, team in enumerate(teams, 1))


def _rows(teams: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each player."""
    return [
        {"team": team["number"], "player": one["player"], "mu": one["mu"], "sigma": one["sigma"], "new": one["new"]}
        for team in teams
        for one in team["players"]
    ]


@dataclass(frozen=True)
class Split:
    """Teams of players; everybody is in one of them.

    >>> Split((("ann",), ("bob", "cat"))).names
    ['ann', 'bob', 'cat']
    """

    teams: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        """Check that nobody plays for two."""
        names = self.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise Error(f"team: {twice!r} stands in two teams: everybody plays once")

    @property
    def names(self) -> list[str]:
        """All players."""
        return [name for team in self.teams for name in team]

    def place(self, name: str) -> int:
        """The team of a player, from 0 on."""
        for number, team in enumerate(self.teams):
            if name in team:
                return number
        raise Error(f"team: {name!r} is in none of the teams")

    def moved(self, name: str, to: int) -> Split:
        """The teams after somebody has gone to another one; none may be left empty.

        >>> Split((("ann",), ("bob", "cat"))).moved("cat", 0).teams
        (('ann', 'cat'), ('bob',))
        """
        here = self.place(name)
        if not 0 <= to < len(self.teams):
            raise Error(f"move: there are the teams 1 to {len(self.teams)}")
        if here == to:
            return self
        if len(self.teams[here]) == 1:
            raise Error(f"move: {name!r} is the only player of team {here + 1}, which cannot be empty")
        teams = [tuple(one for one in team if one != name) for team in self.teams]
        teams[to] += (name,)
        return Split(tuple(teams))

    def swapped(self, one: str, other: str) -> Split:
        """The teams after two players have changed places.

        >>> Split((("ann",), ("bob", "cat"))).swapped("ann", "bob").teams
        (('bob',), ('ann', 'cat'))
        """
        self.place(one), self.place(other)
        change = {one: other, other: one}
        return Split(tuple(tuple(change.get(name, name) for name in team) for team in self.teams))


def changed(split: Split, move: str, swap: str) -> Split:
    """The teams after what an address asks for: `2:ann` moves ann to team 2, two lines of `swap` change places.

    >>> changed(Split((("ann",), ("bob", "cat"))), "1:bob", "").teams
    (('ann', 'bob'), ('cat',))
    """
    if move:
        number, _, name = move.partition(":")
        split = split.moved(name.strip(), int(number) - 1 if number.isascii() and number.isdecimal() else -1)
    if swap:
        names = [line.strip() for line in swap.splitlines() if line.strip()]
        if len(names) != 2:
            raise Error("swap: give two names, one a line")
        split = split.swapped(*names)
    return split
