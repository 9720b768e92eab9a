"""Pairings for an evening: who plays whom in each round, and who sits out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.requests import Request

from ...errors import Error
from ...matchmaking.pairing.pair import Pairing
from ...matchmaking.pairing.pair import rounds as pair_rounds
from ...matchmaking.pairing.queue import PastMeetings
from ...store.leagues import League
from ...store.read.snapshot import Snapshot
from ..api.dependencies import Read, ServiceDep
from ..api.forecasts import with_revision
from .web.context_fields import context_fields, context_params, parse_context
from .web.forecasts import Forecast, Keep, forecast_page, newcomer_hints
from .web.forms import parse_count, parse_groups, parse_queue
from .web.page import PageContext, Plain, page
from .web.templates import page_url

router = APIRouter(include_in_schema=False)
PLAYERS, ROUNDS = 200, 12
LINES = 500  # matches per page
BARS = 200  # up to this many matches, each has a bar


@page(router, "/leagues/{league}/pairings", "pairings.html")
async def pairings(
    request: Request,
    access: Read,
    service: ServiceDep,
    players: str = "",
    rounds: str = "",
    again: bool = False,
    never: str = "",
    keep: Keep = None,
) -> PageContext:
    """Pair players for one or more rounds; `again` allows rematches of players who met recently."""
    columns: list[Plain] = []  # filled when the league is known, so that an invalid form keeps its fields, too

    def forecast(connection: Connection, league: League, now: Snapshot) -> Forecast:
        columns.extend(context_fields(now, request.query_params))
        context = parse_context(columns)
        queue, repeated = parse_queue(players, now.names)
        names = [name for group in queue for name in group]
        barred = _barred_pairs(now, names, never)
        if len(queue) < 2:
            return {}, [], {"repeated": repeated}
        met: PastMeetings = () if again else service.traces.of(connection, league).recent_matches(names)
        count = parse_count(rounds, 1, 1, min(ROUNDS, 2 * LINES // len(queue)), "rounds")
        paired = pair_rounds(now.ladder, queue, count=count, met=met, never=barred, context=context)
        data = with_revision(now, _data(now, paired, context))
        sitting = Counter(" + ".join(group) for content in data["rounds"] for group in content["left"])
        extra = {
            "repeated": repeated,
            "sitting_out": [(group, times) for group, times in sitting.most_common() if times > 1],
            "bars": sum(len(pairing.pairs) for pairing in paired) <= BARS,
            **newcomer_hints(now, paired[0].newcomers, keep or [], corrected_url),
        }
        return data, _rows(data["rounds"]), extra

    def corrected_url(name: str, near: str, keep: Sequence[str]) -> str:
        # A name is replaced only as a whole, not within a longer name.
        whole = rf"(?<!\w){re.escape(name)}(?!\w)"
        corrected = re.sub(whole, lambda _: near, players, count=1)
        query = {"players": corrected, "rounds": rounds, "again": again, "never": never, "keep": keep}
        return page_url(access.league, "pairings", **query, **context_params(columns))

    blank: Plain = {"text": players, "again": again, "never": never, "count": rounds or "1", "most": ROUNDS}
    blank |= {"columns": columns}
    empty: Plain = {"rounds": [], "newcomers": []}
    return await forecast_page(request, access, service, service.matching, forecast, empty=empty, extra=blank)


def _barred_pairs(now: Snapshot, names: Sequence[str], never: str) -> list[tuple[str, str]]:
    present = set(names)
    if len(present) > PLAYERS:
        raise Error.in_field("players", f"at most {PLAYERS} players can be paired, not {len(present):,}")
    barred: list[tuple[str, str]] = []
    for group in parse_groups(never, now.names.extended([name for name in names if name not in now.names]), "never"):
        if len(group) < 2:
            message = f"{group[0]!r} is alone on a line; write two names, such as ann + bob"
            raise Error.in_field("never", message, value=group[0])
        # Skip names of absent players, because there may be thousands.
        barred += combinations([name for name in group if name in present], 2)
    return barred


def _data(now: Snapshot, paired: Sequence[Pairing], context: Plain | None) -> Plain:
    newcomer, new = now.ladder.newcomer, set(paired[0].newcomers)
    rounds = []
    for pairing in paired:
        content = pairing.to_dict()
        for pair in content["pairs"]:
            teams = [[newcomer if name in new else name for name in team] for team in pair["teams"]]
            forecast = now.ladder.predict(teams, context=context)
            pair |= {"win": forecast.win.tolist(), "draw": float(forecast.draw), "fairness": forecast.fairness}
        rounds.append({"pairs": content["pairs"], "left": content["left"]})
    return {"rounds": rounds, "newcomers": list(paired[0].newcomers)}


def _rows(rounds: Sequence[Plain]) -> list[Plain]:
    # A group that sits out has a row without a table number.
    rows: list[Plain] = []
    for number, content in enumerate(rounds, 1):
        for table, pair in enumerate(content["pairs"], 1):
            first, second = pair["teams"]
            chances = {"win": pair["win"][0], "draw": pair["draw"], "loss": pair["win"][1]}
            row = {"round": number, "table": table, "first": first, "second": second, "quality": pair["quality"]}
            rows.append(row | chances)
        rows += [{"round": number, "table": None, "first": group, "second": None} for group in content["left"]]
    return rows
