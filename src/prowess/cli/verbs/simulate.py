"""`prowess simulate`: a league whose truth is known."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import Model, Normal
from ...atomic_files import file_extension
from ...errors import Error
from ...history.writers import ENDINGS, text
from ...text import count
from ..options.shared import Json, add_shared_options
from ..output.console import note
from ..output.json import print_json
from ..output.standings import ENDINGS as TABLES
from ..output.tables import write_table

if TYPE_CHECKING:
    from ...lab import Simulation

ATTENDANCE = ("rounds", "even", "zipf", "lognormal")

Matches = Annotated[int, typer.Option(min=1, help="How many matches.")]
Players = Annotated[int, typer.Option(min=2, help="How many players.")]
Teams = Annotated[str, typer.Option(metavar="N|N-M", help="Teams of a match: 2, or 2-8.")]
Size = Annotated[str, typer.Option(metavar="N|N-M", help="Players of a team: 1, or 3-5.")]
Spread = Annotated[
    float | None,
    typer.Option(metavar="SIGMA", show_default=False, help="How much true skills differ; else as the model's prior."),
]
Draws = Annotated[float, typer.Option(help="How often systems without draws of their own, such as Elo, draw: 0 to 1.")]
Home = Annotated[
    float | None, typer.Option(metavar="SHARE", show_default=False, help="The share of matches with a home team.")
]
Questions = Annotated[
    int | None, typer.Option(metavar="N", show_default=False, help="A quiz: places by right answers to N questions.")
]
Attendance = Annotated[str, typer.Option(metavar="NAME", help=f"Who plays how often: {', '.join(ATTENDANCE)}.")]
Start = Annotated[
    str | None, typer.Option(metavar="TIME", show_default=False, help="The first match day; else there are no times.")
]
Every = Annotated[float, typer.Option(metavar="DAYS", help="Days from one match day to the next.")]
Daily = Annotated[int, typer.Option(metavar="N", min=1, help="Matches on a match day.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same league.")]
Out = Annotated[
    Path | None, typer.Option(show_default=False, help=f"Write the matches to a file: {' '.join(ENDINGS)}.")
]
Layout = Annotated[
    str | None, typer.Option(metavar="NAME", show_default=False, help="A row per match, or per player: wide, long.")
]
Truth = Annotated[Path | None, typer.Option(show_default=False, help="Write the true skills to a file.")]


@add_shared_options
def simulate(
    model: Model,
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
    """Simulate a league that follows a model, with known skills, as a file that `prowess rate` reads.

    Without --out the matches go to standard output as CSV.

    \b
    prowess simulate --players 20 --matches 200 --out league.csv --truth truth.csv
    prowess simulate --teams 2-8 --size 1-4 --start 2026-01-01 --out league.parquet
    prowess simulate --model elo --spread 200 --draws 0.3
    prowess simulate --model ts2 --teams 20-40 --size 6 --players 600 --matches 50 --questions 36 --out quiz.csv
    """
    _check(out, layout, truth)
    from ...lab.simulate import Calendar
    from ...lab.simulate import simulate as play

    league = play(
        model,
        matches,
        players,
        seed=seed,
        teams=_number("--teams", teams),
        size=_number("--size", size),
        attendance=_attendance(attendance),
        calendar=None if start is None else Calendar(_start(start), every=every, matches=daily),
        skills=_skills(model, spread),
        questions=questions,
        draws=draws,
        home=home,
    )
    _write(league, out, layout, truth, json)
    note(
        f"{count(len(league.history), 'match', 'matches')}, {count(len(league.history.players), 'player', 'players')},"
        f" seed {seed}"
    )
    for path in (out, truth):
        if path is not None:
            note(f"wrote {path}")


def _write(league: Simulation, out: Path | None, layout: Any, truth: Path | None, json: bool) -> None:
    """The matches to a file or to standard output, and the true skills to a file."""
    if out is not None:
        league.history.write(out, layout)
    elif json:
        print_json(list(league.history))
    else:
        typer.echo(text(league.history, layout), nl=False)
    if truth is not None:
        write_table(league.truth(), truth)


def _check(out: Path | None, layout: str | None, truth: Path | None) -> None:
    """What can be known to be wrong before the work."""
    if layout not in (None, "wide", "long"):
        raise typer.BadParameter(f"{layout!r} must be wide or long", param_hint="--layout")
    for path, endings in ((out, ENDINGS), (truth, TABLES)):
        if path is None:
            continue
        file_extension(path, endings)
        if not path.parent.is_dir():
            raise Error(f"{path}: there is no folder {path.parent}")
    if out is not None and truth is not None and out.resolve() == truth.resolve():
        raise Error(f"{truth}: --truth would overwrite --out; choose another name")


def _number(option: str, text: str) -> int | tuple[int, int]:
    """A whole number, or from where to where it lies."""
    found = re.fullmatch(r"\s*(\d+)\s*(?:[-–:,]\s*(\d+)\s*)?", text)
    if found is None:
        raise typer.BadParameter(f"{text!r} must be a number, as 2, or a range, as 2-8", param_hint=option)
    return int(found[1]) if found[2] is None else (int(found[1]), int(found[2]))


def _attendance(name: str) -> Any:
    from ...lab.simulate import Even, Lognormal, Rounds, Zipf

    kinds: dict[str, Any] = dict(zip(ATTENDANCE, (Rounds, Even, Zipf, Lognormal), strict=True))
    if name.lower() not in kinds:
        raise typer.BadParameter(f"{name!r} must be one of {', '.join(kinds)}", param_hint="--attendance")
    return kinds[name.lower()]()


def _start(text: str) -> str | float:
    """A date, or a plain number."""
    try:
        return float(text)
    except ValueError:
        return text


def _skills(model: Model, spread: float | None) -> Normal | None:
    """Skills around the mean of newcomers, where it is said how they differ."""
    if spread is None:
        if model.absorb.certain:
            raise Error("this system has no prior to draw skills from: say how much they differ, as --spread 200")
        return None
    return Normal(model.rating().mu / len(model.outcome.traits), spread)
