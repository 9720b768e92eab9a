"""`prowess balance`: the fairest teams of the players who are there."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from ... import Balance, Model
from ...history.read_options import Choices
from ...text import count
from ..options.player_args import NamesFile, Newcomers, People, Source, collect_players, open_ladder, parse_groups
from ..options.shared import Json, add_shared_options
from ..output.console import get_console, note, printable
from ..output.forecast import print_forecast
from ..output.json import print_json

Teams = Annotated[int, typer.Option(min=2, help="How many teams.")]
Sizes = Annotated[
    str | None,
    typer.Option(metavar="N,N", show_default=False, help="The sizes of the teams, as 3,2; else as even as can be."),
]
Together = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", show_default=False, help="Players of one team, as ann,bob; may be repeated."),
]
Apart = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", show_default=False, help="Players of different teams, as cat,dan; may be repeated."),
]
Seed = Annotated[int, typer.Option(min=0, help="Where there are too many splits to compare, the search depends on it.")]


@add_shared_options
def balance(
    file: Source,
    given_model: Model | None,
    choices: Choices,
    names: People = None,
    names_file: NamesFile = None,
    teams: Teams = 2,
    sizes: Sizes = None,
    together: Together = None,
    apart: Apart = None,
    newcomers: Newcomers = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Make the fairest teams of some players, and say how fair their match is.

    \b
    prowess balance examples/league.csv Ada Chidi João Keiko Mbali Wei
    prowess balance examples/league.csv Ada Chidi João Keiko Mbali Wei --teams 3
    prowess balance examples/league.csv Ada Chidi João Keiko Mbali --sizes 3,2 --together Ada,Chidi --apart João,Wei
    cat tonight.txt | prowess balance league.prowess - --newcomers
    """
    from ... import balance as balanced

    wanted = None if sizes is None else _sizes(sizes)
    ladder = open_ladder(file, given_model, choices)
    people = collect_players(ladder, names, names_file, None, newcomers)
    if not people:
        raise typer.BadParameter("say who is there: names, - for standard input, or --names FILE")
    result = balanced(
        ladder,
        people,
        teams=teams if wanted is None else len(wanted),
        sizes=wanted,
        together=parse_groups(ladder, together, newcomers),
        apart=parse_groups(ladder, apart, newcomers),
        seed=seed,
    )
    if json:
        print_json(result.to_dict())
        return
    _print(result)


def _sizes(text: str) -> list[int]:
    if not re.fullmatch(r"\s*\d+(\s*[,;+ ]\s*\d+)+\s*", text):
        raise typer.BadParameter(f"{text!r} must be numbers such as 3,2", param_hint="--sizes")
    return [int(part) for part in re.findall(r"\d+", text)]


def _print(result: Balance) -> None:
    """The teams one below the other, what is expected of their match, and how they were found."""
    from rich.table import Table
    from rich.text import Text

    console = get_console()
    console.print(Text(result.fairness.capitalize(), style="bold"))
    table = Table.grid(padding=(0, 2))
    for number, team in enumerate(result.teams, 1):
        table.add_row(Text(f"  team {number}", style="dim"), Text(printable(", ".join(team))))
    console.print(table)
    console.print()
    named = [[f"team {number}"] for number in range(1, len(result.teams) + 1)]
    print_forecast(named, result.prediction, result.quality)
    if result.unconstrained is not None and result.unconstrained > result.quality:
        note(f"without keeping players together or apart the fairness would be {result.unconstrained:.2f}")
    if not result.exact:
        note(f"the best of {count(result.compared, 'split', 'splits')} that were tried; there may be a better one")
    elif result.compared > 1:
        note(f"the best of all {result.compared:,} splits")
    if result.newcomers:
        note(f"newcomers: {', '.join(result.newcomers)}")
