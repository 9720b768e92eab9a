"""`prowess demo`: a one-minute tour on an example league."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import which
from time import perf_counter
from typing import Annotated

import typer

from ... import Choice, Fit, History, auto
from ...errors import Error
from ...examples import FOLDER as EXAMPLES
from ...lab import save, skill_curves
from ...text import count, join_words
from ..options.shared import Json
from ..output.console import get_console, print_json
from ..output.forecast import forecast_dict, print_forecast
from ..output.standings import print_standings

TOP, CURVES = 10, 3

Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the charts.")]


def demo(out: Out = Path("demo"), json: Json = False) -> None:
    """Choose a model for an example league, rate it, predict its next matches and draw skill curves, all offline.

    \b
    prowess demo
    prowess demo --out /tmp/charts
    prowess demo --json | jq '.standings[0].player'
    """
    league = EXAMPLES / "league.csv"
    if not league.is_file():
        raise Error(f"the demo needs a checkout of the repository: {league} not found")
    history = History.read(league, context=())
    began = perf_counter()
    choice = auto(history)
    chosen = perf_counter()
    fit = choice.fit
    took = {"chosen": chosen - began, "rated": perf_counter() - chosen}
    best = fit.leaderboard()["player"].to_list()
    matches = ([[best[0]], [best[1]]], [[best[0], best[3]], [best[1], best[2]]])
    if json:
        predictions = [forecast_dict(teams, fit.predict(teams), fit.quality(teams)) for teams in matches]
        standings = fit.leaderboard().to_dicts()
        print_json({"choice": choice.to_dict(), "standings": standings, "predictions": predictions})
        return
    _print_standings(choice, took)
    _echo("\nPredictions of the next matches\n")
    for teams in matches:
        print_forecast(teams, fit.predict(teams))
        _echo("")
    _write_charts(fit, best[:CURVES], out)
    command = _find_command()
    hints = {
        f"{command} rate FILE": "standings of your own league, from CSV, Parquet or JSON lines",
        f"{command} rate --help": "all options",
        "make test": "run the tests",
        "README.md": "how to use prowess from Python, and more",
    }
    width = max(map(len, hints))
    _echo("\nTry it yourself:\n" + "\n".join(f"  {hint:{width}}   {text}" for hint, text in hints.items()))


def _find_command() -> str:
    # In a virtual environment that is not active, the plain name would not work.
    if which("prowess"):
        return "prowess"
    path = Path(sys.argv[0])
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _print_standings(choice: Choice, took: dict[str, float]) -> None:
    fit = choice.fit
    matches, players = count(len(fit.history), "match", "matches"), count(len(fit.ladder), "player", "players")
    _echo(
        f"An invented league of {matches} and {players}, rated in {1000 * took['rated']:.1f} ms with a model that was "
        f"chosen for it in {took['chosen']:.1f} s. Top {TOP}:\n"
    )
    print_standings(fit.leaderboard().head(TOP))
    _echo(f"\nrating = μ − {fit.model.caution:g}σ: true skill is almost certainly higher than this\n")
    for line in choice.lines:
        _echo(line)
    _echo("")
    if (EXAMPLES / "league_truth.csv").is_file():
        correlation = _rank_correlation(fit, EXAMPLES / "league_truth.csv")
        _echo(
            "The league is simulated, so true skills are known. Rank correlation between ratings and true skills:"
            f" {correlation:.2f} (1 = perfect)"
        )


def _rank_correlation(fit: Fit, truth: Path) -> float:
    import polars as pl

    # Spearman's rank correlation.
    # Skills drift, so ratings after the last match are compared with the last true skills.
    last = pl.read_csv(truth).filter(pl.col("week") == pl.col("week").max())
    both = fit.leaderboard().join(last, on="player")
    return float(both.select(pl.corr("mu", "skill", method="spearman")).item())


def _write_charts(fit: Fit, players: list[str], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Error(f"{folder}: the folder cannot be created: {error.strerror}") from None
    _echo(f"Skill curves of {join_words(players)}:")
    chart = skill_curves(fit, players, title="The best players of the league")
    for name in ("skill.png", "skill.html"):
        save(chart, folder / name)
        _echo(f"  {folder / name}")


def _echo(text: str) -> None:
    get_console().print(text, soft_wrap=True)
