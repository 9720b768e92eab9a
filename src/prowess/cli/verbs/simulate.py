"""`prowess simulate`: generate a league whose true skills are known."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ... import Model, Normal
from ...atomic_files import check_target
from ...errors import Error
from ...frames import FORMATS, write_frame
from ...history.writers import ENDINGS, text
from ...text import count
from ..options.model_args import ModelChoice
from ..options.read_args import parse_number
from ..options.shared import Json, add_shared_options
from ..output.console import note, note_files, print_json

ATTENDANCE = ("rounds", "even", "zipf", "lognormal")
SPREAD_HELP = "Standard deviation of the true skills. (default: as in the model's prior)"
DRAWS_HELP = "Share of draws (0 to 1) for systems that do not model draws, such as Elo."
QUESTIONS_HELP = "Simulate a quiz: places follow from the number of right answers to N questions."
START_HELP = "Date of the first match day. (default: no times)"
LAYOUT_HELP = "One row per match (wide) or per player (long)."

Matches = Annotated[int, typer.Option(min=1, help="Number of matches.")]
Players = Annotated[int, typer.Option(min=2, help="Number of players.")]
Teams = Annotated[
    str, typer.Option(metavar="N|N-M", help="Teams per match: a number such as 2, or a range such as 2-8.")
]
Size = Annotated[
    str, typer.Option(metavar="N|N-M", help="Players per team: a number such as 1, or a range such as 3-5.")
]
Spread = Annotated[float | None, typer.Option(metavar="SIGMA", help=SPREAD_HELP)]
Draws = Annotated[float, typer.Option(help=DRAWS_HELP)]
Home = Annotated[float | None, typer.Option(metavar="SHARE", help="Share of matches with a home team.")]
Questions = Annotated[int | None, typer.Option(metavar="N", help=QUESTIONS_HELP)]
Attendance = Annotated[str, typer.Option(metavar="NAME", help=f"How often each player plays: {', '.join(ATTENDANCE)}.")]
Start = Annotated[str | None, typer.Option(metavar="TIME", help=START_HELP)]
Every = Annotated[float, typer.Option(metavar="DAYS", help="Days between match days.")]
Daily = Annotated[int, typer.Option(metavar="N", min=1, help="Matches per match day.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same league.")]
Out = Annotated[Path | None, typer.Option(help=f"Write the matches to a file: {' '.join(ENDINGS)}.")]
Layout = Annotated[Literal["wide", "long"] | None, typer.Option(help=LAYOUT_HELP)]
Truth = Annotated[Path | None, typer.Option(help="Write the true skills to a file.")]


@add_shared_options
def simulate(
    plain_model: ModelChoice,
    matches: Matches = 1000,
    players: Players = 100,
    teams: Teams = "2",
    size: Size = "1",
    spread: Spread = None,
    draws: Draws = 0.0,
    home: Home = None,
    questions: Questions = None,
    attendance: Attendance = "rounds",
    start: Start = None,
    every: Every = 1.0,
    daily: Daily = 1,
    seed: Seed = 0,
    out: Out = None,
    layout: Layout = None,
    truth: Truth = None,
    json: Json = False,
) -> None:
    """Simulate a league with known skills, from any model, and write its matches for `prowess rate`.

    Without --out the matches are printed as CSV.

    \b
    prowess simulate --players 20 --matches 200 --out league.csv --truth truth.csv
    prowess simulate --teams 2-8 --size 1-4 --start 2026-01-01 --out league.parquet
    prowess simulate --model elo --spread 200 --draws 0.3
    prowess simulate --model ts2 --teams 20-40 --size 6 --players 600 --matches 50 --questions 36 --out quiz.csv
    """
    # Check the file names before the simulation, which takes a while.
    _check_output(out, truth)
    from ...lab import Calendar
    from ...lab import simulate as simulate_league

    rated = plain_model.build()
    league = simulate_league(
        rated,
        matches,
        players,
        seed=seed,
        teams=_parse_range("--teams", teams),
        size=_parse_range("--size", size),
        attendance=_make_attendance(attendance),
        calendar=None if start is None else Calendar(parse_number(start), every=every, matches=daily),
        skills=_make_skills(rated, spread),
        questions=questions,
        draws=draws,
        home=home,
    )
    history = league.history
    if out is not None:
        history.write(out, layout)
    elif json:
        print_json(list(history))
    else:
        typer.echo(text(history, layout), nl=False)
    if truth is not None:
        write_frame(league.truth(), truth)
    size_text = f"{count(len(history), 'match', 'matches')}, {count(len(history.players), 'player', 'players')}"
    # A note goes to standard error, so that the league can be piped.
    note(f"{size_text}, seed {seed}")
    note_files(out, truth)


def _check_output(out: Path | None, truth: Path | None) -> None:
    for path, formats in ((out, ENDINGS), (truth, FORMATS)):
        if path is not None:
            check_target(path, formats)
    # `resolve` shows that two paths, such as a.csv and ./a.csv, mean one file.
    if out is not None and truth is not None and out.resolve() == truth.resolve():
        raise Error(f"{truth}: --truth would overwrite --out; choose another name")


def _parse_range(option: str, text: str) -> int | tuple[int, int]:
    numbers = re.fullmatch(r"\s*(\d+)\s*(?:[-–:,]\s*(\d+)\s*)?", text)
    if numbers is None:
        raise typer.BadParameter(f"{text!r} must be a number such as 2, or a range such as 2-8", param_hint=option)
    return int(numbers[1]) if numbers[2] is None else (int(numbers[1]), int(numbers[2]))


def _make_attendance(name: str) -> Any:
    from ...lab import Even, Lognormal, Rounds, Zipf

    kinds: dict[str, Any] = dict(zip(ATTENDANCE, (Rounds, Even, Zipf, Lognormal), strict=True))
    if name.lower() not in kinds:
        raise typer.BadParameter(f"{name!r} must be one of {', '.join(kinds)}", param_hint="--attendance")
    return kinds[name.lower()]()


def _make_skills(model: Model, spread: float | None) -> Normal | None:
    if spread is not None:
        # The mu of a rating is the sum over the model's traits, but each trait is drawn separately.
        return Normal(model.rating().mu / len(model.outcome.traits), spread)
    if model.absorb.certain:
        raise Error("this model has no prior to draw skills from; give their standard deviation, such as --spread 200")
    return None
