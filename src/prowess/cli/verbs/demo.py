"""`prowess demo`: what prowess does, in a minute, on a league that comes with it."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import which
from time import perf_counter
from typing import Annotated

import typer

from ... import Fit, History, TrueSkill
from ...errors import Error
from ...examples import FOLDER as EXAMPLES
from ...lab import save, skill_curves
from ...text import count
from ..options.shared import Json
from ..output.console import get_console
from ..output.forecast import forecast_dict, print_forecast
from ..output.json import print_json
from ..output.standings import print_standings

TOP, CURVES = 10, 3

Out = Annotated[Path, typer.Option(metavar="DIR", help="Where the charts go.")]


def demo(out: Out = Path("demo"), json: Json = False) -> None:
    """Rate an example league, predict its next matches and draw skill curves. It needs no network.

    \b
    prowess demo
    prowess demo --out /tmp/charts
    prowess demo --json | jq '.standings[0].player'
    """
    history = _league()
    began = perf_counter()
    fit = TrueSkill().fit(history)
    took = perf_counter() - began
    best = fit.leaderboard()["player"].to_list()
    matches = ([[best[0]], [best[1]]], [[best[0], best[3]], [best[1], best[2]]])
    if json:
        predicted = [forecast_dict(teams, fit.predict(teams), fit.quality(teams)) for teams in matches]
        print_json({"standings": fit.leaderboard().to_dicts(), "predictions": predicted})
        return
    _standings(fit, took)
    _say("\nThe next matches, predicted\n")
    for teams in matches:
        print_forecast(teams, fit.predict(teams))
        _say("")
    _charts(fit, best[:CURVES], out)
    command = _command()
    hints = {
        f"{command} rate FILE": "standings of your own league, from CSV, Parquet or JSON lines",
        f"{command} rate --help": "what it can do",
        "make test": "everything that must hold",
        "README.md": "the same from Python, and more",
    }
    width = max(map(len, hints))
    _say("\nNow you:\n" + "\n".join(f"  {what:{width}}   {why}" for what, why in hints.items()))


def _command() -> str:
    """How this command is called from here: by its name if the shell finds it, else by its path."""
    if which("prowess"):
        return "prowess"
    here = Path(sys.argv[0])
    return str(here.relative_to(Path.cwd())) if here.is_relative_to(Path.cwd()) else str(here)


def _league() -> History:
    league = EXAMPLES / "league.csv"
    if not league.is_file():
        raise Error(f"the demo needs a checkout of the repository: there is no {league}")
    return History.read(league)


def _standings(fit: Fit, took: float) -> None:
    matches, players = count(len(fit.history), "match", "matches"), count(len(fit.ladder), "player", "players")
    _say(f"An invented league: {matches} of {players}, rated with TrueSkill in {1000 * took:.1f} ms. The best {TOP}:\n")
    print_standings(fit.leaderboard().head(TOP))
    _say(f"\nrating = μ − {fit.model.caution:g}σ: careful with players of whom little is known")
    if (EXAMPLES / "league_truth.csv").is_file():
        agreement = _agreement(fit, EXAMPLES / "league_truth.csv")
        _say(f"The true skills are known, as the league is invented: rank correlation {agreement:.2f} (1 is perfect)")


def _agreement(fit: Fit, truth: Path) -> float:
    """How well the ratings rank the players: Spearman's correlation with the true skills of the last week."""
    import polars as pl

    last = pl.read_csv(truth).filter(pl.col("week") == pl.col("week").max())
    both = fit.leaderboard().join(last, on="player")
    return float(both.select(pl.corr("mu", "skill", method="spearman")).item())


def _charts(fit: Fit, players: list[str], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Error(f"{folder}: no folder can be made there: {error.strerror}") from None
    _say(f"Skill curves of {', '.join(players[:-1])} and {players[-1]}:")
    chart = skill_curves(fit, players, title="The best of the league")
    for name in ("skill.png", "skill.html"):
        save(chart, folder / name)
        _say(f"  {folder / name}")


def _say(text: str) -> None:
    get_console().print(text, soft_wrap=True)
