"""`prowess balance`: split players into fair teams."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from ... import Balance
from ...history.read_options import Choices
from ...text import count
from ..options.context_args import TeamsAt, parse_teams_at
from ..options.model_args import ModelChoice
from ..options.player_args import (
    NamesFile,
    Newcomers,
    People,
    Source,
    collect_players,
    name_lists,
    open_ladder,
    parse_groups,
)
from ..options.shared import Json, add_shared_options
from ..output.console import get_console, note, print_json, printable
from ..output.forecast import print_forecast

Teams = Annotated[int, typer.Option(min=2, help="Number of teams.")]
Sizes = Annotated[
    str | None, typer.Option(metavar="N,N", help="Team sizes, such as 3,2. (default: as even as possible)")
]
Together = Annotated[list[str] | None, name_lists("Players to keep in one team")]
Apart = Annotated[list[str] | None, name_lists("Players to put in different teams")]
Seed = Annotated[
    int,
    typer.Option(min=0, help="Random seed for the search, used when there are too many splits to compare them all."),
]


@add_shared_options
def balance(
    file: Source,
    given_model: ModelChoice | None,
    choices: Choices,
    names: People = None,
    names_file: NamesFile = None,
    teams: Teams = 2,
    sizes: Sizes = None,
    together: Together = None,
    apart: Apart = None,
    newcomers: Newcomers = False,
    seed: Seed = 0,
    at: TeamsAt = None,
    json: Json = False,
) -> None:
    """Split players into the fairest teams, and predict their match.

    \b
    prowess balance examples/league.csv Ada Chidi João Keiko Mbali Wei
    prowess balance examples/league.csv Ada Chidi João Keiko Mbali Wei --teams 3
    prowess balance examples/league.csv Ada Chidi João Keiko Mbali --sizes 3,2 --together Ada,Chidi --apart João,Wei
    cat tonight.txt | prowess balance league.prowess - --newcomers
    """
    from ... import balance as find_balance

    # Check the sizes before reading the file, which may take seconds.
    if sizes is not None and not re.fullmatch(r"\s*\d+(\s*[,;+ ]\s*\d+)+\s*", sizes):
        raise typer.BadParameter(f"{sizes!r} must be numbers such as 3,2", param_hint="--sizes")
    team_sizes = None if sizes is None else [int(size) for size in re.findall(r"\d+", sizes)]
    ladder = open_ladder(file, given_model, choices)
    context = parse_teams_at(ladder, at)
    players = collect_players(ladder, names, names_file, None, newcomers)
    if not players:
        raise typer.BadParameter(
            "no players given: list them as arguments, use - to read standard input, or use --names FILE"
        )
    result = find_balance(
        ladder,
        players,
        teams=teams if team_sizes is None else len(team_sizes),
        sizes=team_sizes,
        together=parse_groups(ladder, together, newcomers),
        apart=parse_groups(ladder, apart, newcomers),
        seed=seed,
        context=context,
    )
    if json:
        print_json(result.to_dict())
    else:
        _print(result)


def _print(result: Balance) -> None:
    from rich.table import Table
    from rich.text import Text

    console = get_console()
    console.print(Text(result.fairness.capitalize(), style="bold"))
    table = Table.grid(padding=(0, 2))
    # Teams have no names, and lists of players would not fit beside the bars.
    titles = [f"team {number}" for number in range(1, len(result.teams) + 1)]
    for title, team in zip(titles, result.teams, strict=True):
        table.add_row(Text(f"  {title}", style="dim"), Text(printable(", ".join(team))))
    console.print(table)
    console.print()
    print_forecast([[title] for title in titles], result.prediction, result.quality)
    # Print the comparison only if the rules make the teams less fair.
    if result.unconstrained is not None and result.unconstrained > result.quality:
        note(f"without --together and --apart, the fairness would be {result.unconstrained:.2f}")
    if not result.exact:
        note(f"best of {count(result.compared, 'split', 'splits')} tried; there may be a better one")
    elif result.compared > 1:
        note(f"best of all {result.compared:,} splits")
    if result.newcomers:
        note(f"newcomers: {', '.join(result.newcomers)}")
