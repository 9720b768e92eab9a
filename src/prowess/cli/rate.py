"""`prowess rate`: a file of matches in, standings out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .. import Fit, History, Model
from ..errors import Error
from ..files import ending_of
from ..history.choices import Choices
from .options import File, Json, read, shared
from .screen import count, note, screen
from .standings import ENDINGS, print_standings, to_json, write

__all__ = ["rate"]

TOP = 20  # players on a terminal
ENOUGH = 100  # matches from which the share of draws is known well enough to give advice

Top = Annotated[
    int | None,
    typer.Option(
        min=0, show_default=False, help=f"Print so many players; 0: all. (default: {TOP} on a terminal, else all)"
    ),
]
Out = Annotated[Path | None, typer.Option(help=f"Write all standings to a file: {' '.join(ENDINGS)}.")]
Save = Annotated[Path | None, typer.Option(help="Save the ladder, to go on from later: league.prowess.")]


@shared
def rate(
    file: File,
    model: Model,
    choices: Choices,
    top: Top = None,
    json: Json = False,
    out: Out = None,
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
    history = read(file, choices)
    fit = model.fit(history)
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
    if "draw_probability" in fit.model.params:
        _advise(history, fit.model.params["draw_probability"])


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


def _advise(history: History, supposed: float) -> None:
    """Where draws are much rarer or more frequent than supposed, say how to say so."""
    import numpy as np

    pairs = history.match_start[:-1][np.diff(history.match_start) == 2]
    if len(pairs) < ENOUGH:
        return
    share = float(np.mean(history.place[pairs] == history.place[pairs + 1]))
    if not supposed / 2 <= share <= 2 * supposed:
        drawn = f"{100 * share:.0f} % of the matches of two teams were drawn"
        note(f"{drawn}, {100 * supposed:.0f} % were supposed: --set draw_probability={share:.2f} may fit better")


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
