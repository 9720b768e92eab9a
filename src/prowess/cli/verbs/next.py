"""`prowess next`: the matches that would tell most."""

from __future__ import annotations

from typing import Annotated

import typer

from ... import Model
from ...history.read_options import Choices
from ..options.player_args import Active, NamesFile, Newcomers, People, Source, collect_players, open_ladder
from ..options.shared import Json, add_shared_options
from ..output.console import get_console, note
from ..output.forecast import percent, team_name
from ..output.json import print_json
from ..output.tables import print_table

Count = Annotated[int, typer.Option(min=1, help="How many matches.")]
Teams = Annotated[int, typer.Option(min=2, help="Teams of a match.")]
Size = Annotated[int, typer.Option(min=1, help="Players of a team.")]
Each = Annotated[int, typer.Option(min=0, help="In how many of these matches a player may be; 0: in any number.")]


@add_shared_options
def next_(
    file: Source,
    given_model: Model | None,
    choices: Choices,
    names: People = None,
    names_file: NamesFile = None,
    active: Active = None,
    count: Count = 10,
    teams: Teams = 2,
    size: Size = 1,
    each: Each = 1,
    newcomers: Newcomers = False,
    json: Json = False,
) -> None:
    """Find the matches that would tell most of how good the players are: what to play next.

    Of all players, or of those who are named. How much a match tells is counted in bits, on average over its results.

    \b
    prowess next examples/league.csv
    prowess next examples/league.csv --active 30d --count 5
    prowess next examples/league.csv Ada Chidi João Wei --size 2 --json
    """
    from ... import next_matches

    ladder = open_ladder(file, given_model, choices)
    people = collect_players(ladder, names, names_file, active, newcomers)
    matches = next_matches(ladder, players=people or None, count=count, teams=teams, size=size, each=each or None)
    if json:
        print_json([match.to_dict() for match in matches])
        return
    console = get_console()
    room = max(12, (console.width - 32) // teams - 7) if console.is_terminal else None
    rows = [
        (
            "  –  ".join(team_name(team, room) for team in match.teams),
            f"{match.information:.3f}",
            " – ".join(percent(win).strip(" %") for win in match.prediction.win) + " %",
        )
        for match in matches
    ]
    print_table(["match", "bits", "to win"], rows, right=("bits", "to win"))
    if not matches.exact:
        note("there are too many matches to compare all of them: these are the best that were found")
    if matches.newcomers:
        note(f"newcomers: {', '.join(matches.newcomers)}")
