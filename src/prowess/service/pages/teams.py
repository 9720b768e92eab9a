"""Fair teams: the best split of a list of names, and splits that somebody made of it by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from sqlalchemy import Connection
from starlette.requests import Request

from ...errors import Error
from ...matchmaking.balancing.balance import Balance
from ...model.prediction import Prediction
from ...store.leagues import League
from ...store.read.standings import Snapshot
from ..api.dependencies import Read, ServiceDep
from ..api.forecasts import forecast_match, with_revision
from ..api.matchmaking import balance_players
from ..api.schemas.forecasts import BALANCED, TEAMS, BalanceAsked
from ..context import Service
from .web.forecasts import Forecast, Plain, forecast_page, headline, newcomer_hints, prediction_request, team_forecasts
from .web.forms import NameList, parse_count, parse_groups, parse_names
from .web.page import PageContext, page
from .web.urls import page_url

router = APIRouter(include_in_schema=False)
BYTES = 1_000  # that a player of a split takes in memory, about
_NUMBERS = re.compile(r"[\s,;+/:]+")


@dataclass(frozen=True)
class TeamsQuery:
    """The fields of the form, as they stand in the query."""

    players: str = ""
    teams: str = ""
    sizes: str = ""
    together: str = ""
    apart: str = ""

    def rules(self) -> dict[str, str]:
        """Return all but the players: the rules under which a split by hand is compared with the best one."""
        return {name: value for name, value in vars(self).items() if name != "players"}


@page(router, "/leagues/{league}/teams", "teams.html")
async def teams(
    request: Request,
    access: Read,
    service: ServiceDep,
    fields: Annotated[TeamsQuery, Depends()],
    team: Annotated[list[str] | None, Query()] = None,
    move: str = "",
    swap: str = "",
    pick: str = "",
) -> PageContext:
    """Show the fairest teams of some players, or teams made by hand and how much fairer others would be."""

    def forecast(connection: Connection, league: League, now: Snapshot) -> Forecast:
        split = edit_split(_parse_split(now, team), move, swap) if team else None
        players = NameList(split.names, []) if split else parse_names(fields.players, now.names)
        text = "\n".join(split.names) if split else fields.players
        count = fields.teams or str(len(split.teams) if split else 2)
        extra: Plain = {"text": text, "count": count, "repeated": players.repeated}
        if len(players.names) < 2:
            return {}, [], extra
        best = _best_split(service, now, league.id, _parse_request(now, fields, players.names, count))
        data = with_revision(now, best.to_dict())
        shown, prediction = best.teams, best.prediction
        if split is not None and set(map(frozenset, split.teams)) != set(map(frozenset, best.teams)):
            shown, fairest = split.teams, data
            prediction, data = forecast_match(now, prediction_request(shown))
            data |= {"fairness": prediction.fairness, "exact": False, "compared": 0, "unconstrained": None}
            data["fairest"] = fairest
        extra |= _extra(now, fields, best, shown, prediction, pick)
        return data, _rows(extra["sides"]), extra

    text = "\n".join(team) if team and not fields.players else fields.players
    blank = {"fields": fields, "text": text, "count": fields.teams or "2", "headline": None}
    return await forecast_page(request, access, service, service.matching, forecast, empty={"teams": []}, extra=blank)


def _parse_split(now: Snapshot, texts: Sequence[str]) -> Split:
    lists = [parse_names(text, now.names, "players") for text in texts]
    split = Split(tuple(tuple(listed.names) for listed in lists if listed.names))
    if not 2 <= len(split.teams) <= TEAMS:
        raise Error.in_field("team", f"give from 2 to {TEAMS} teams with a player each, not {len(split.teams)}")
    return split


def _best_split(service: Service, now: Snapshot, league: int, asked: BalanceAsked) -> Balance:
    """The fairest teams, cached, because whoever moves players by hand compares with them every time."""
    rules = repr((sorted(asked.players), asked.teams, asked.sizes, asked.together, asked.apart))
    key = league, now.generation, now.revision, rules
    best = service.splits.get(key)
    if best is None:
        best = balance_players(now, asked)
        service.splits.put(key, best, BYTES * len(asked.players))
    return best


def _parse_request(now: Snapshot, fields: TeamsQuery, names: list[str], count: str) -> BalanceAsked:
    if len(names) > BALANCED:
        raise Error.in_field("players", f"at most {BALANCED} players can be split, not {len(names):,}")
    sizes = [parse_count(text, 1, 1, BALANCED, "sizes") for text in _NUMBERS.split(fields.sizes.strip()) if text]
    known = now.names.extended([name for name in names if name not in now.names])
    return BalanceAsked.model_construct(
        players=names,
        teams=parse_count(count, 2, 2, BALANCED // 2, "teams"),
        sizes=sizes or None,
        together=parse_groups(fields.together, known, "together"),
        apart=parse_groups(fields.apart, known, "apart"),
        seed=0,
        newcomers=True,
    )


def _extra(
    now: Snapshot,
    fields: TeamsQuery,
    best: Balance,
    teams: Sequence[Sequence[str]],
    prediction: Prediction,
    pick: str,
) -> Plain:
    names = [name for team in teams for name in team]

    def corrected_url(name: str = "", near: str = "") -> str:
        corrected = "\n".join(near if player == name else player for player in names)
        return page_url(now.league, "teams", players=corrected, **fields.rules())

    return {
        "headline": headline(teams, prediction),
        "sides": team_forecasts(now, teams, prediction),
        "new": newcomer_hints(now, best.newcomers, corrected_url),
        "lines": ["\n".join(team) for team in teams],
        "back": corrected_url(),
        "picked": pick if pick in names else None,
        "movable": len(teams) <= TEAMS,
        "plain": "\n".join(f"Team {number}: {', '.join(team)}" for number, team in enumerate(teams, 1)),
    }


def _rows(teams: Sequence[Plain]) -> list[Plain]:
    return [
        {"team": team["number"]} | {name: player[name] for name in ("player", "mu", "sigma", "new")}
        for team in teams
        for player in team["players"]
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
            raise Error.in_field("team", f"{twice!r} stands in two teams: everybody plays once", value=twice)

    @property
    def names(self) -> list[str]:
        """All players."""
        return [name for team in self.teams for name in team]

    def team_of(self, name: str) -> int:
        """Return the index of a player's team."""
        for number, team in enumerate(self.teams):
            if name in team:
                return number
        raise Error.in_field("team", f"{name!r} is in none of the teams", value=name)

    def move(self, name: str, to: int) -> Split:
        """Return the teams after a player has gone to another one; none may be left empty.

        >>> Split((("ann",), ("bob", "cat"))).move("cat", 0).teams
        (('ann', 'cat'), ('bob',))
        """
        team = self.team_of(name)
        if not 0 <= to < len(self.teams):
            raise Error.in_field("move", f"there are the teams 1 to {len(self.teams)}")
        if team == to:
            return self
        if len(self.teams[team]) == 1:
            raise Error.in_field("move", f"{name!r} is the only player of team {team + 1}, which cannot be empty")
        teams = [tuple(player for player in players if player != name) for players in self.teams]
        teams[to] += (name,)
        return Split(tuple(teams))

    def swap(self, first: str, second: str) -> Split:
        """Return the teams after two players have changed places.

        >>> Split((("ann",), ("bob", "cat"))).swap("ann", "bob").teams
        (('bob',), ('ann', 'cat'))
        """
        self.team_of(first), self.team_of(second)
        other = {first: second, second: first}
        return Split(tuple(tuple(other.get(name, name) for name in team) for team in self.teams))


def edit_split(split: Split, move: str, swap: str) -> Split:
    """Apply what the buttons send: a move of `2:ann` moves ann to team 2, two lines of `swap` change places.

    >>> edit_split(Split((("ann",), ("bob", "cat"))), "1:bob", "").teams
    (('ann', 'bob'), ('cat',))
    """
    if move:
        number, _, name = move.partition(":")
        split = split.move(name.strip(), int(number) - 1 if number.isascii() and number.isdecimal() else -1)
    if swap:
        names = [line.strip() for line in swap.splitlines() if line.strip()]
        if len(names) != 2:
            raise Error.in_field("swap", "give two names, one a line")
        split = split.swap(*names)
    return split
