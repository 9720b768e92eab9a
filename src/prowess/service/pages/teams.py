"""The fair teams page: the fairest split of a list of players, and manual splits compared with the fairest one."""

from __future__ import annotations

import re
from collections import Counter
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
from ...store.read.snapshot import Snapshot
from ..api.dependencies import Read, ServiceDep
from ..api.forecasts import forecast_match, with_revision
from ..api.matchmaking import balance_players
from ..api.schemas.forecasts import BALANCED, TEAMS, BalanceRequest
from ..context import Service
from .web.context_fields import context_fields, context_params, parse_context
from .web.forecasts import Forecast, Keep, forecast_page, headline, newcomer_hints, prediction_request, team_forecasts
from .web.forms import NameList, parse_count, parse_groups, parse_names
from .web.page import PageContext, Plain, page
from .web.templates import page_url

router = APIRouter(include_in_schema=False)
COLUMNS = ("player", "mu", "sigma", "points", "points_low", "points_high", "new")  # columns of the CSV
BYTES = 1_000  # memory per player of a cached split, approximately
_SEPARATOR = re.compile(r"[\s,;+/:]+")

Split = list[list[str]]


@dataclass(frozen=True)
class TeamsQuery:
    """The fields of the form, as given in the query."""

    players: str = ""
    teams: str = ""
    sizes: str = ""
    together: str = ""
    apart: str = ""

    def rules(self) -> dict[str, str]:
        """Return all fields except the players; a manual split is compared with the fairest split under these rules."""
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
    keep: Keep = None,
) -> PageContext:
    """Show the fairest teams for a list of players, or compare a manual split with them.

    Each `team` lists the players of a team of the manual split; `move` and `swap` change the split (see `edit_split`).
    """
    columns: list[Plain] = []  # filled when the league is known, so that an invalid form keeps its fields, too

    def forecast(connection: Connection, league: League, now: Snapshot) -> Forecast:
        columns.extend(context_fields(now, request.query_params))
        context = parse_context(columns)
        split = edit_split(_parse_split(now, team), move, swap) if team else None
        listed = NameList([name for names in split for name in names], []) if split else None
        players = listed or parse_names(fields.players, now.names)
        count = fields.teams or str(len(split) if split else 2)
        text = "\n".join(players.names) if split else fields.players
        extra: Plain = {"text": text, "count": count, "repeated": players.repeated}
        if len(players.names) < 2:
            return {}, [], extra
        best = _fairest_split(service, now, league.id, _parse_request(now, fields, players.names, count, context))
        data = with_revision(now, best.to_dict())
        shown: Sequence[Sequence[str]] = best.teams
        prediction = best.prediction
        # The order of teams and of players does not matter: a split into the same teams is the fairest split itself.
        if split is not None and set(map(frozenset, split)) != set(map(frozenset, best.teams)):
            shown, fairest = split, data
            prediction, data = forecast_match(now, prediction_request(split, context=context))
            data |= {"fairness": prediction.fairness, "exact": False, "compared": 0, "unconstrained": None}
            data["fairest"] = fairest
        query = context_params(columns)
        extra |= {"context": query} | _extra(now, fields.rules() | query, best, shown, prediction, pick, keep or [])
        return data, _rows(extra["sides"]), extra

    text = "\n".join(team) if team and not fields.players else fields.players
    blank: Plain = {"fields": fields, "text": text, "count": fields.teams or "2", "headline": None, "columns": columns}
    return await forecast_page(request, access, service, service.matching, forecast, empty={"teams": []}, extra=blank)


def _parse_split(now: Snapshot, texts: Sequence[str]) -> Split:
    split = [names for text in texts if (names := parse_names(text, now.names).names)]
    if not 2 <= len(split) <= TEAMS:
        raise Error.in_field("team", f"give 2 to {TEAMS} teams with at least one player each, not {len(split)}")
    name, times = Counter(name for names in split for name in names).most_common(1)[0]
    if times > 1:
        raise Error.in_field("team", f"{name!r} is in two teams; a player can only be in one team", value=name)
    return split


def edit_split(split: Split, move: str, swap: str) -> Split:
    """Apply the change of a button: `move="2:ann"` moves ann to team 2; the two players in `swap` exchange teams.

    >>> edit_split([["ann"], ["bob", "cat"]], "1:bob", ""), edit_split([["ann"], ["bob", "cat"]], "", "ann\\nbob")
    ([['ann', 'bob'], ['cat']], [['bob'], ['ann', 'cat']])
    """
    team_of = {name: team for team, names in enumerate(split) for name in names}
    number, _, moved = (part.strip() for part in move.partition(":"))
    swapped = [line.strip() for line in swap.splitlines() if line.strip()]
    for name in [moved] * bool(move) + swapped:
        if name not in team_of:
            raise Error.in_field("team", f"{name!r} is not in any of the teams", value=name)
    if move:
        team, target = team_of[moved], parse_count(number or "0", 1, 1, len(split), "move") - 1
        if team != target and len(split[team]) == 1:
            raise Error.in_field("move", f"{moved!r} is the only player of team {team + 1}, which cannot be empty")
        if team != target:
            split = [[name for name in names if name != moved] for names in split]
            split[target].append(moved)
    if swap:
        if len(swapped) != 2:
            raise Error.in_field("swap", "give two names, one per line")
        other = dict(zip(swapped, reversed(swapped), strict=True))
        split = [[other.get(name, name) for name in names] for names in split]
    return split


def _fairest_split(service: Service, now: Snapshot, league: int, request: BalanceRequest) -> Balance:
    # The fairest teams are cached, because every manual split is compared with them.
    rules = repr(
        (sorted(request.players), request.teams, request.sizes, request.together, request.apart, request.context)
    )
    key = league, now.generation, now.revision, rules
    best = service.splits.get(key)
    if best is None:
        best, _ = balance_players(now, request)
        service.splits.put(key, best, BYTES * len(request.players))
    return best


def _parse_request(
    now: Snapshot, fields: TeamsQuery, names: list[str], count: str, context: Plain | None
) -> BalanceRequest:
    if len(names) > BALANCED:
        raise Error.in_field("players", f"at most {BALANCED} players can be split, not {len(names):,}")
    sizes = [parse_count(text, 1, 1, BALANCED, "sizes") for text in _SEPARATOR.split(fields.sizes.strip()) if text]
    # The groups may also name new players from the list.
    known = now.names.extended([name for name in names if name not in now.names])
    # The request is not validated, because the page has its own messages for invalid fields.
    return BalanceRequest.model_construct(
        players=names,
        teams=parse_count(count, 2, 2, BALANCED // 2, "teams"),
        sizes=sizes or None,
        together=parse_groups(fields.together, known, "together"),
        apart=parse_groups(fields.apart, known, "apart"),
        seed=0,
        newcomers=True,
        context=context,
    )


def _extra(
    now: Snapshot,
    rules: Plain,
    best: Balance,
    teams: Sequence[Sequence[str]],
    prediction: Prediction,
    pick: str,
    keep: Sequence[str],
) -> Plain:
    names = [name for team in teams for name in team]

    def corrected_url(name: str, near: str, keep: Sequence[str]) -> str:
        corrected = "\n".join(near if player == name else player for player in names)
        return page_url(now.league, "teams", players=corrected, keep=keep, **rules)

    return {
        "headline": headline(teams, prediction),
        "sides": team_forecasts(now, teams, prediction),
        "lines": ["\n".join(team) for team in teams],
        "back": page_url(now.league, "teams", players="\n".join(names), **rules),
        "picked": pick if pick in names else None,
        "movable": len(teams) <= TEAMS,
        "plain": "\n".join(f"Team {number}: {', '.join(team)}" for number, team in enumerate(teams, 1)),
        **newcomer_hints(now, best.newcomers, keep, corrected_url),
    }


def _rows(teams: Sequence[Plain]) -> list[Plain]:
    return [
        {"team": team["number"]} | {name: player[name] for name in COLUMNS if name in player}
        for team in teams
        for player in team["players"]
    ]
