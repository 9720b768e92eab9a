"""`prowess predict`: forecast matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from ... import Ladder
from ...errors import Error
from ...history.read_options import Choices
from ...model.components.facet import Experience
from ..options.context_args import MatchAt, ladder_values, parse_match_at
from ..options.match_syntax import parse_match, parse_team
from ..options.model_args import ModelChoice
from ..options.player_args import Newcomers, Source, find_players, open_ladder
from ..options.shared import Json, add_shared_options
from ..output.console import get_console, note, print_json, printable
from ..output.forecast import forecast_dict, print_forecast, team_name

MATCH_HELP = 'Matches such as "ann, bob vs cat".'
TEAM_HELP = "A team, such as ann,bob; repeat the option for each team of the match."
TIME_HELP = "The time of the match; ratings become less certain until then."

Matches = Annotated[list[str] | None, typer.Argument(metavar="MATCH...", help=MATCH_HELP)]
Team = Annotated[list[str] | None, typer.Option(metavar="NAMES", help=TEAM_HELP)]
Host = Annotated[str | None, typer.Option(metavar="NAME", help="A player on the home team. (default: no home team)")]
Time = Annotated[str | None, typer.Option(metavar="TIME", help=TIME_HELP)]


@add_shared_options
def predict(
    file: Source,
    given_model: ModelChoice | None,
    choices: Choices,
    matches: Matches = None,
    team: Team = None,
    home: Host = None,
    at: MatchAt = None,
    time: Time = None,
    newcomers: Newcomers = False,
    json: Json = False,
) -> None:
    """Predict matches: the winner, the places, the scores, and how fair each match is.

    Separate teams by "vs" or a dash, and players by a comma. Put a name that contains one of these separators in double
    quotes.

    \b
    prowess predict examples/league.csv "Chidi vs Ada"
    prowess predict examples/league.csv "João, Ada vs Chidi, Mbali" "Ada vs Chidi vs Mbali"
    prowess predict examples/league.csv --team João,Ada --team Chidi --newcomers
    prowess predict examples/league.csv "Chidi - Ada" --model glicko2 --time 2026-09-01
    prowess predict tennis.csv "Nadal vs Federer" --facet surface --at surface=clay
    prowess predict league.prowess "ann vs bob" --json
    """
    if not matches and not team:
        raise typer.BadParameter('no match given: write "ann, bob vs cat", or --team ann,bob --team cat')
    ladder = open_ladder(file, given_model, choices)
    parsed = _parse_matches(ladder, matches or [], team or [])
    parsed = [[find_players(ladder, names, newcomers) for names in teams] for teams in parsed]
    host_name = None if home is None else _find_host(ladder, parsed, home, newcomers)
    forecasts = []
    for number, teams in enumerate(parsed):
        # Names can be unknown here only with --newcomers.
        rated = [[name if name in ladder else ladder.newcomer for name in names] for names in teams]
        host = next((index for index, names in enumerate(teams) if host_name in names), None)
        context = parse_match_at(ladder, at, teams)
        prediction = ladder.predict(rated, time=time, home=host, context=context or None)
        quality = ladder.quality(rated, home=host, context=context)
        new = [name for names in teams for name in names if name not in ladder]
        if json:
            more = {"home": host, "newcomers": new} | ({"context": context} if ladder.model.facets else {})
            forecasts.append(forecast_dict(teams, prediction, quality) | more)
            continue
        _print_title(teams, host, context, first=not number)
        print_forecast(teams, prediction, quality)
        if new:
            get_console().print(f"  newcomers: {printable(', '.join(new))}", style="dim", soft_wrap=True)
    if json:
        print_json(forecasts)
    # The model has learnt a home advantage, but the typed match does not say which team is at home.
    elif ladder.home is not None and home is None:
        note("predicted for neutral ground; use --home NAME to give a team the home advantage")
    if not json:
        _note_missing_context(ladder, at)


def _note_missing_context(ladder: Ladder, at: list[str] | None) -> None:
    given = {text.partition("=")[0].strip().casefold() for text in at or ()}
    for column, values in ladder_values(ladder).items():
        if column != Experience.column and column.casefold() not in given:
            example = f", such as --at {column}={values[0]}" if values else ""
            note(f"predicted without {column}; use --at to give its value{example}")


def _print_title(teams: list[list[str]], host: int | None, context: Mapping[str, Any], first: bool) -> None:
    from rich.text import Text

    console = get_console()
    room = max(12, (console.width - 4 * len(teams)) // len(teams)) if console.is_terminal else None
    names = [team_name(team, room) + " (home)" * (host == index) for index, team in enumerate(teams)]
    title = Text("" if first else "\n").append("  –  ".join(names), style="bold")
    for column, value in context.items():
        title.append(f", {printable(f'{column} {_value_text(value)}')}")
    console.print(title, soft_wrap=True)


def _value_text(value: Any) -> str:
    if isinstance(value, list):
        return " / ".join(
            ", ".join(map(_value_text, part)) if isinstance(part, list) else _value_text(part) for part in value
        )
    return "–" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _find_host(ladder: Ladder, matches: list[list[list[str]]], home: str, newcomers: bool) -> str:
    [name] = find_players(ladder, [home], newcomers)
    if not any(name in team for teams in matches for team in teams):
        raise Error(f"--home {home}: this player is not in any of the matches")
    if ladder.home is None:
        note(
            "this model has no home advantage, so --home changes nothing; to learn one, rate the matches with "
            "--home-advantage learnt"
        )
    return name


def _parse_matches(ladder: Ladder, matches: list[str], team: list[str]) -> list[list[list[str]]]:
    is_name = ladder.name_index.is_one_name
    if len(team) == 1:
        raise Error(f"--team {team[0]}: a match needs at least two teams; give --team for each of them")
    last = [[parse_team(text, is_name) for text in team]] if team else []
    return [*(parse_match(text, is_name) for text in matches), *last]
