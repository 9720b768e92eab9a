"""`prowess predict`: what is expected of the next match."""

from __future__ import annotations

from functools import cache
from typing import Annotated

import typer

from ... import Ladder, Model
from ...errors import Error
from ...history.names import plain_spelling
from ...history.read_options import Choices
from ..options.match_syntax import parse_match, parse_team
from ..options.player_args import Newcomers, Source, find_players, open_ladder
from ..options.shared import Json, add_shared_options
from ..output.console import get_console, note, printable
from ..output.forecast import forecast_dict, print_forecast, team_name
from ..output.json import print_json

Matches = Annotated[
    list[str] | None,
    typer.Argument(metavar="MATCH...", show_default=False, help='Such as "ann, bob vs cat"; several are allowed.'),
]
Team = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", show_default=False, help="A team, as ann,bob; once for each team of one match."),
]
At = Annotated[
    str | None, typer.Option(metavar="NAME", show_default=False, help="Who plays at home; else nobody does.")
]
Time = Annotated[
    str | None, typer.Option(metavar="TIME", show_default=False, help="When it is played: skills drift until then.")
]


@add_shared_options
def predict(
    file: Source,
    given_model: Model | None,
    choices: Choices,
    matches: Matches = None,
    team: Team = None,
    home: At = None,
    time: Time = None,
    newcomers: Newcomers = False,
    json: Json = False,
) -> None:
    """Predict matches: who wins, who finishes where, with which scores, and how fair it is.

    Teams stand with "vs" or a dash between them, players with a comma; a name that holds one of these in "".

    \b
    prowess predict examples/league.csv "Chidi vs Ada"
    prowess predict examples/league.csv "João, Ada vs Chidi, Mbali" "Ada vs Chidi vs Mbali"
    prowess predict examples/league.csv --team João,Ada --team Chidi --newcomers
    prowess predict examples/league.csv "Chidi - Ada" --model glicko2 --time 2026-09-01
    prowess predict league.prowess "ann vs bob" --json
    """
    if not matches and not team:
        raise typer.BadParameter('say which match: "ann, bob vs cat", or --team ann,bob --team cat')
    ladder = open_ladder(file, given_model, choices)
    wanted = [
        [find_players(ladder, names, newcomers) for names in one] for one in _wanted(ladder, matches or [], team or [])
    ]
    host_name = None if home is None else _host_name(ladder, wanted, home, newcomers)
    found = []
    for number, teams in enumerate(wanted):
        rated = [[name if name in ladder else ladder.newcomer for name in one] for one in teams]
        host = next((index for index, one in enumerate(teams) if host_name in one), None)
        prediction = ladder.predict(rated, time=time, home=host)
        quality = ladder.quality(rated, home=host)
        new = [name for one in teams for name in one if name not in ladder]
        if json:
            more = {"home": host, "newcomers": new}
            found.append(forecast_dict(teams, prediction, quality) | more)
            continue
        _head(teams, host, first=not number)
        print_forecast(teams, prediction, quality)
        if new:
            get_console().print(f"  newcomers: {printable(', '.join(new))}", style="dim", soft_wrap=True)
    if json:
        print_json(found)
    elif ladder.home is not None and home is None:
        note("nobody plays at home; --home NAME gives a team the home advantage")


def _head(teams: list[list[str]], host: int | None, first: bool) -> None:
    """The match itself, above what is expected of it."""
    from rich.text import Text

    console = get_console()
    room = max(12, (console.width - 4 * len(teams)) // len(teams)) if console.is_terminal else None
    names = [team_name(team, room) + " (home)" * (host == index) for index, team in enumerate(teams)]
    console.print(Text("" if first else "\n").append("  –  ".join(names), style="bold"), soft_wrap=True)


def _host_name(ladder: Ladder, matches: list[list[list[str]]], home: str, newcomers: bool) -> str:
    """Whose team plays at home, in those of the matches in which it plays."""
    [name] = find_players(ladder, [home], newcomers)
    if not any(name in team for teams in matches for team in teams):
        raise Error(f"--home {home} plays in no match that is to be predicted")
    if ladder.home is None:
        note("this model knows no home advantage; --set home_mu=… gives it one")
    return name


def _wanted(ladder: Ladder, matches: list[str], team: list[str]) -> list[list[list[str]]]:
    """The teams of every match, as they were written."""

    @cache
    def spellings() -> frozenset[str]:
        return frozenset(map(plain_spelling, ladder.names))

    def known(name: str) -> bool:
        return name in ladder or plain_spelling(name) in spellings()

    if len(team) == 1:
        raise Error(f"--team {team[0]}: a match needs at least two teams; give --team for each of them")
    named = [[parse_team(text, known) for text in team]] if team else []
    return [*(parse_match(text, known) for text in matches), *named]
