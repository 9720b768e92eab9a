"""`prowess rate`: a file of matches in, standings out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .. import Fit, History, Model
from ..errors import Error
from ..files import ending_of
from ..model.presets import PRESETS, preset
from .screen import count, note, screen
from .standings import ENDINGS, print_standings, to_json, write

__all__ = ["rate"]

TOP = 20  # players on a terminal
ENOUGH = 100  # matches from which the share of draws is known well enough to give advice
EXAMPLE = "--columns home=Heim --columns away=Gast --columns home_score=Tore1 --columns away_score=Tore2"

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="Matches: .csv .tsv .txt .jsonl .ndjson (or these and .gz) or .parquet.")
]
Top = Annotated[
    int | None,
    typer.Option(
        min=0, show_default=False, help=f"Print so many players; 0: all. (default: {TOP} on a terminal, else all)"
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the standings as JSON.")]
Out = Annotated[Path | None, typer.Option(help=f"Write all standings to a file: {' '.join(ENDINGS)}.")]
Columns = Annotated[
    list[str] | None,
    typer.Option(metavar="ROLE=NAME", help="Say which column is what, as winner=won; may be repeated."),
]
TimeFormat = Annotated[str | None, typer.Option(help="How dates are written, as %d.%m.%Y.", show_default=False)]
Utc = Annotated[bool, typer.Option("--utc", help="Read times of different zones as instants.")]
Separator = Annotated[str | None, typer.Option(help="What separates the cells of a text file.", show_default=False)]
Name = Annotated[str, typer.Option("--model", metavar="NAME", help=f"The rating system: {', '.join(PRESETS)}.")]
Draw = Annotated[float | None, typer.Option(help="How often equals draw, 0 to 1.", show_default="0.1 for TrueSkill")]
Save = Annotated[Path | None, typer.Option(help="Save the ladder, to go on from later: league.prowess.")]


def rate(
    file: File,
    model: Name = "TrueSkill",
    top: Top = None,
    json: Json = False,
    out: Out = None,
    columns: Columns = None,
    time_format: TimeFormat = None,
    utc: Utc = False,
    separator: Separator = None,
    draw_probability: Draw = None,
    save: Save = None,
) -> None:
    """Rate the players of a file of matches, and print the standings.

    How the file is laid out is recognised by the names of its columns: a row per match or a row per player.

    \b
    prowess rate matches.csv
    prowess rate matches.csv --model glicko2
    prowess rate matches.csv --top 0 --out standings.csv
    prowess rate chess.csv --columns winner=won --columns loser=lost
    prowess rate matches.parquet --json | jq '.[0].player'
    """
    if out is not None:
        ending_of(out, ENDINGS)  # before the work, not after it
    _check_targets(file, out, save)
    system = _model(model, draw_probability)
    history = _read(file, _mapping(columns or []), time_format, utc, separator)
    fit = system.fit(history)
    standings = fit.leaderboard()
    if out is not None:
        write(standings, out)
    if save is not None:
        fit.ladder.save(save)
    limit = TOP if top is None and not json and screen().is_terminal else top
    part = standings.head(limit) if limit else standings
    if json:
        encoding = (sys.stdout.encoding or "").lower()
        typer.echo(to_json(part, ascii_only=not encoding.startswith("utf")))
    else:
        print_standings(part)
    _remarks(fit, len(standings) - len(part), [path for path in (out, save) if path is not None])
    if draw_probability is None and "draw_probability" in fit.model.params:
        _advise(history, fit.model.params["draw_probability"])


def _model(name: str, draw_probability: float | None) -> Model:
    """The preset of this name; only some take a draw probability."""
    model = preset(name)()
    if draw_probability is None:
        return model
    if not hasattr(model.outcome, "draw_probability"):
        raise Error(f"--draw-probability is for TrueSkill and its relatives, not for {name}")
    return model.replace(draw_probability=draw_probability)


def _mapping(columns: list[str]) -> dict[str, str | None]:
    """Roles and their columns; "role=" is a role without a column."""
    mapping: dict[str, str | None] = {}
    for said in columns:
        role, equals, name = said.partition("=")
        if not equals or not role.strip():
            raise typer.BadParameter(f"{said!r} must be ROLE=NAME, for example winner=won", param_hint="--columns")
        if role.strip() in mapping:
            raise Error(f"--columns names the role {role.strip()!r} twice")
        mapping[role.strip()] = name or None
    return mapping


def _check_targets(file: Path, out: Path | None, save: Path | None) -> None:
    """What is written goes into folders that are there, and over no file that is still needed."""
    used = {"FILE": file.resolve()}
    for option, path in (("--out", out), ("--save", save)):
        if path is None:
            continue
        if not path.parent.is_dir():
            raise Error(f"{path}: there is no folder {path.parent}")
        for other, known in used.items():
            if path.resolve() == known:
                raise Error(f"{path}: {option} would overwrite {other}; choose another name")
        used[option] = path.resolve()


def _read(
    file: Path, columns: dict[str, str | None], time_format: str | None, utc: bool, separator: str | None
) -> History:
    """Read the file and say what was recognised."""
    try:
        history = History.read(file, columns=columns, time_format=time_format, utc=utc, separator=separator)
    except Error as error:
        # the library may end "… for example", and then mappings in Python: here they are options
        said, example, _ = str(error).partition("for example\n")
        said = said.replace("time_format=", "--time-format ").replace("utc=True", "--utc")
        raise Error(said + (f"for example {EXAMPLE}" if example else "")) from error
    players = count(len(history.players), "player", "players")
    note(f"{file}: {count(len(history), 'match', 'matches')}, {players}")
    for line in history.recognised.splitlines():
        note(line)
    return history


def _advise(history: History, supposed: float) -> None:
    """Where draws are much rarer or more frequent than supposed, say how to say so."""
    import numpy as np

    pairs = history.match_start[:-1][np.diff(history.match_start) == 2]
    if len(pairs) < ENOUGH:
        return
    share = float(np.mean(history.place[pairs] == history.place[pairs + 1]))
    if not supposed / 2 <= share <= 2 * supposed:
        drawn = f"{100 * share:.0f} % of the matches of two teams were drawn"
        note(f"{drawn}, {100 * supposed:.0f} % were supposed: --draw-probability {share:.2f} may fit better")


def _remarks(fit: Fit, hidden: int, written: list[Path]) -> None:
    """What a reader of the table may want to know."""
    if fit.model.absorb.certain and len(fit.history):
        note("rating = μ: this system does not say how sure it is")
    elif len(fit.history):
        note(f"rating = μ − {fit.model.caution:g}σ: almost certainly the skill is higher")
    else:
        note("there are no matches in the file, and so no standings")
    if hidden:
        note(f"{count(hidden, 'more player', 'more players')}: --top 0 shows all")
    for path in written:
        note(f"wrote {path}")
