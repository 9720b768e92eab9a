"""`prowess demo`: a one-minute tour on an example league."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from ... import Choice, Fit, History, TrueSkill, auto
from ...errors import Error
from ...examples import CHECKOUT
from ...examples import FOLDER as EXAMPLES
from ...lab import save, skill_curves
from ...model.scale import Scale
from ...text import count, join_words
from ..options.shared import Json
from ..output.console import busy, get_console, note, print_json
from ..output.forecast import forecast_dict, print_forecast
from ..output.standings import print_standings

if TYPE_CHECKING:
    from ...lab.interval import Interval
    from ...model.prediction import Prediction

SCALE = Scale(1500, 400)

Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the charts.")]


def demo(out: Out = Path("demo"), json: Json = False) -> None:
    """Choose a model for an example league, rate it, predict its next matches and draw skill curves, all offline.

    \b
    prowess demo
    prowess demo --out /tmp/charts
    prowess demo --json | jq '.standings[0].player'
    """
    history = History.read(EXAMPLES / "clubs.csv", context=())
    began = perf_counter()
    choice = auto(history)
    chosen = perf_counter()
    fit = choice.model.fit(history, scale=SCALE)
    took = {"chosen": chosen - began, "rated": perf_counter() - chosen}
    standings = fit.leaderboard()
    clubs = standings["player"].to_list()
    matches = ([[clubs[0]], [clubs[1]]], [[clubs[1]], [clubs[0]]])  # the home team is the first
    if json:
        predictions = [forecast_dict(teams, *_predict(fit, teams)) | {"home": teams[0][0]} for teams in matches]
        print_json({"choice": choice.to_dict(), "standings": standings.to_dicts(), "predictions": predictions})
        return
    _echo(
        f"An invented league: {count(len(history), 'match', 'matches')} of {len(clubs)} football clubs. Choosing "
        f"a model took {took['chosen']:.1f} s, rating all matches {1000 * took['rated']:.1f} ms.\n"
    )
    print_standings(standings)
    _echo(f"\nrating in points: {SCALE.meaning}; ± is the 95 % interval\n")
    _print_choice(choice, fit)
    _echo("\nPredictions of the next matches\n")
    for teams in matches:
        print_forecast([[f"{teams[0][0]} (home)"], teams[1]], _predict(fit, teams)[0])
        _echo("")
    if find_spec("altair") and find_spec("vl_convert"):
        _write_charts(fit, [clubs[0], clubs[-1]], out)
    else:
        note("skill curves need Altair and vl-convert: pip install 'prowess[lab]'")
    _print_hints(EXAMPLES == CHECKOUT)


def _predict(fit: Fit, teams: list[list[str]]) -> tuple[Prediction, float]:
    return fit.predict(teams, home=0), fit.quality(teams, home=0)


def _print_choice(choice: Choice, fit: Fit) -> None:
    _echo(f"The model chosen for this league: {join_words(choice.parts)}.\n")
    judged = count(choice.judged, "match", "matches")
    _echo(f"How well it predicted the last {judged}, which were not used for the choice:\n")
    loss = choice.loss.value
    _echo(f"  {'':33}  log loss (lower is better)")
    _echo(f"  {'the chosen model':33}  {loss:8.3f}")
    _print_loss("textbook TrueSkill", loss, choice.gain)
    _print_loss("only draws and the home advantage", loss, choice.skill_gain)
    truth, textbook = EXAMPLES / "clubs_truth.csv", TrueSkill().fit(choice.history)
    _echo(
        "\nThe league is simulated, so true strengths are known. Their rank correlation with the ratings: "
        f"{_rank_correlation(fit, truth):.2f}; with those of textbook TrueSkill: "
        f"{_rank_correlation(textbook, truth):.2f} (1 = perfect)."
    )


def _print_loss(model: str, loss: float, gain: Interval) -> None:
    _echo(f"  {model:33}  {loss + gain.value:8.3f}  worse by {gain.value:.3f} ({gain.low:.3f} to {gain.high:.3f})")


def _rank_correlation(fit: Fit, truth: Path) -> float:
    import polars as pl

    # Spearman's rank correlation.
    # Strengths change, so ratings after the last match are compared with the strengths in the last season.
    last = pl.read_csv(truth).filter(pl.col("season") == pl.col("season").max())
    both = fit.leaderboard().join(last, left_on="player", right_on="club")
    return float(both.select(pl.corr("mu", "strength", method="spearman")).item())


def _write_charts(fit: Fit, players: list[str], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Error(f"{folder}: the folder cannot be created: {error.strerror}") from None
    _echo(f"Skill curves of {join_words(players)}, first and last in the standings:")
    with busy("drawing skill curves"):
        chart = skill_curves(fit, players, title=f"{join_words(players)} over six seasons")
        for name in ("skill.png", "skill.html"):
            save(chart, folder / name)
    for name in ("skill.png", "skill.html"):
        _echo(f"  {folder / name}")


def _print_hints(in_checkout: bool) -> None:
    command = _find_command()
    hints = {
        f"{command} check FILE": "how your file is read",
        f"{command} rate FILE": "standings of your own league",
        f'{command} predict FILE "Ada vs Wei"': "who wins the next match",
        f"{command} compare FILE": "which model predicts best",
        f"{command} --help": "all commands",
    }
    if in_checkout:
        hints |= {"make test": "run the tests", "README.md": "Python, web pages, guides"}
    width = max(map(len, hints))
    or_example = ", or with examples/league.csv" if in_checkout else ""
    _echo(f"\nTry it with a file of your own results (CSV, JSON or Parquet){or_example}:\n")
    for hint, text in hints.items():
        _echo(f"  {hint:{width}}  {text}")


def _find_command() -> str:
    # In a virtual environment that is not active, the plain name would not work.
    if which("prowess"):
        return "prowess"
    path = Path(sys.argv[0])
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _echo(text: str) -> None:
    get_console().print(text)
