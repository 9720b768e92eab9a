"""`prowess next`: the most informative matches to play."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ...history.read_options import Choices
from ..options.context_args import TeamsAt, parse_teams_at
from ..options.model_args import ModelChoice
from ..options.player_args import Active, NamesFile, Newcomers, People, Source, collect_players, open_ladder
from ..options.shared import Json, add_shared_options
from ..output.console import get_console, note, print_json
from ..output.forecast import team_name, win_chances
from ..output.tables import print_table

Count = Annotated[int, typer.Option(min=1, help="Number of matches.")]
Teams = Annotated[int, typer.Option(min=2, help="Teams per match.")]
Size = Annotated[int, typer.Option(min=1, help="Players per team.")]
Each = Annotated[int, typer.Option(min=0, help="Maximum number of matches per player (0 = no limit).")]


@add_shared_options
def next_(
    file: Source,
    given_model: ModelChoice | None,
    choices: Choices,
    names: People = None,
    names_file: NamesFile = None,
    active: Active = None,
    count: Count = 10,
    teams: Teams = 2,
    size: Size = 1,
    each: Each = 1,
    at: TeamsAt = None,
    newcomers: Newcomers = False,
    json: Json = False,
) -> None:
    """Find the most informative matches, whose results would reveal most about the players' skills.

    The matches are between all players, or between the players that you name. Information is in bits, averaged over
    the possible results.

    \b
    prowess next examples/league.csv
    prowess next examples/league.csv --active 30d --count 5
    prowess next examples/league.csv Ada Chidi João Wei --size 2 --json
    """
    from ... import next_matches

    ladder = open_ladder(file, given_model, choices)
    context = parse_teams_at(ladder, at)
    players = collect_players(ladder, names, names_file, active, newcomers)
    shape: Any = {"count": count, "teams": teams, "size": size, "each": each or None}
    matches = next_matches(ladder, players=players or None, **shape, context=context)
    if json:
        print_json([match.to_dict() for match in matches])
        return
    console = get_console()
    # Leave room for the columns of bits and chances and for the dashes; pipes get full names.
    room = max(12, (console.width - 32) // teams - 7) if console.is_terminal else None
    rows = []
    for match in matches:
        title = "  –  ".join(team_name(team, room) for team in match.teams)
        rows.append((title, f"{match.information:.3f}", win_chances(match.prediction.win)))
    print_table(["match", "bits", "to win"], rows, right=("bits", "to win"))
    # Without this note, readers would think that these are the best of all possible matches.
    if not matches.exact:
        note("too many possible matches to compare them all; these are the best found")
    if matches.newcomers:
        note(f"newcomers: {', '.join(matches.newcomers)}")
