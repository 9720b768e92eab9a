"""`prowess compare`: find the model that predicts a file of matches best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ...atomic_files import check_target
from ...frames import FORMATS, write_frame
from ...history.read_options import Choices
from ...lab.compare import Comparison
from ...lab.compare import compare as compare_models
from ...lab.compare.report import measures as measures_section
from ...lab.compare.verdict import advice, remarks, row_interval
from ...lab.measures.registry import MEASURES
from ...lab.protocols import Prequential, Protocol, RandomSplits, SeasonSplits
from ...lab.report import check_report_path
from ...model.compose import STATISTIC
from ...model.model import Model
from ...model.statistic_words import PER
from ..options.model_args import AUTO, NAMES, ModelChoice, make_choice
from ..options.player_args import parse_days
from ..options.read_args import Files, Since, Until, parse_number, read_span, split_words
from ..options.shared import Html, Jobs, Json, Seed, add_shared_options
from ..output.console import get_console, note, note_files, print_json
from ..output.plots import print_whiskers
from ..output.tables import print_frame, print_text

MODELS_HELP = (
    f"Models to compare: auto, {', '.join(NAMES)}; with settings such as elo:k=24:home_advantage=learnt. "
    "(default: auto and up to six that suit the file)"
)
MEASURES_HELP = (
    f"Measures; the first one decides which model is best: {', '.join(MEASURES)}. (default: those that suit the file)"
)
BURN_IN_HELP = (
    "Leave the first matches unscored: a number of matches, a share below 1, or all before a date. Auto uses these "
    "matches to choose its model. (default: 0.4 with auto or --fair, else 0)"
)
FAIR_HELP = (
    "Use the first matches to set constants that papers chose for other leagues: share of draws, scale of scores and "
    "home advantage."
)
PROTOCOL_HELP = (
    "Score all matches (all), the last fifth of every year (seasons), or a random fifth of all matches, ten times "
    "(random)."
)

REFIT_HELP = (
    "Compare every model that can be fitted in hindsight also with refits every so many days (7d, 2w, 1m or 1y): its "
    "forecasts then use what all earlier matches together say."
)
WINDOW_HELP = (
    "With --refit, fit only the matches of the last days again, such as 730d or 2y: faster, for most of the gain."
)

Models = Annotated[list[str] | None, typer.Option(metavar="NAME,…", help=MODELS_HELP)]
Measures = Annotated[list[str] | None, typer.Option(metavar="NAME,…", help=MEASURES_HELP)]
Scored = Annotated[Literal["all", "seasons", "random"], typer.Option("--protocol", help=PROTOCOL_HELP)]
BurnIn = Annotated[str | None, typer.Option(metavar="AMOUNT", help=BURN_IN_HELP)]
Fair = Annotated[bool, typer.Option("--fair", help=FAIR_HELP)]
RefitEvery = Annotated[str | None, typer.Option("--refit", metavar="SPAN", help=REFIT_HELP)]
Window = Annotated[str | None, typer.Option("--window", metavar="SPAN", help=WINDOW_HELP)]
Out = Annotated[Path | None, typer.Option(help=f"Write the measures to a file: {' '.join(FORMATS)}.")]


@add_shared_options
def compare(
    files: Files,
    choices: Choices,
    models: Models = None,
    fair: Fair = False,
    measures: Measures = None,
    refit: RefitEvery = None,
    window: Window = None,
    since: Since = None,
    until: Until = None,
    protocol: Scored = "all",
    burn_in: BurnIn = None,
    html: Html = None,
    out: Out = None,
    json: Json = False,
    jobs: Jobs = 1,
    seed: Seed = 0,
) -> None:
    """Find out which model predicts the matches of a file best, and how certain that is.

    Every match is predicted from the matches before it. The best model by each measure is bold;
    ≈ marks models whose difference from the best model is within the noise. Auto uses the first
    matches, on which no model is scored, to choose its model.

    \b
    prowess compare matches.csv
    prowess compare matches.csv --models elo,glicko2,trueskill --html report.html
    prowess compare matches.csv --models elo,elo:k=16,trueskill:beta=3:tau=0.1
    prowess compare matches.csv --models elo:home_advantage=learnt,trueskill:drift=time,auto
    prowess compare matches.csv --models trueskill,trueskill:statistic=kills:statistic=deaths:lower
    prowess compare matches.csv --models trueskill,trueskill2:facet=mode:statistic=kills
    prowess compare matches.csv --fair
    prowess compare matches.csv --models trueskill,elo --refit 7 --window 730
    prowess compare matches.csv --since 2020 --burn-in 0.25 --measures information_gain,auc
    prowess compare matches.csv --json | jq -r .best
    """
    if html is not None:
        # A wrong path must fail before the computation, not after it.
        check_report_path(html)
    if out is not None:
        check_target(out, FORMATS)
    candidates, scored = _parse_models(models), _make_protocol(protocol, burn_in, seed)
    if window is not None and refit is None:
        raise typer.BadParameter("this option works only with --refit", param_hint="--window")
    every, back = (
        None if text is None else parse_days(flag, text) for flag, text in (("--refit", refit), ("--window", window))
    )
    # By default, auto is one of the models.
    for candidate in candidates.values() or [ModelChoice(AUTO)]:
        choices = candidate.add_columns(choices)
    history = read_span(files, choices, since, until)
    names = split_words(measures) or None
    built: dict[str, Model | str] = {
        label: AUTO if candidate.auto else candidate.build(history) for label, candidate in candidates.items()
    }
    comparison = compare_models(
        history,
        built or None,
        protocol=scored,
        fair=fair,
        measures=names,
        refit=every,
        window=back,
        seed=seed,
        jobs=jobs,
    )
    if out is not None:
        write_frame(comparison.table(), out)
    if html is not None:
        comparison.to_html(html)
    if json:
        print_json(comparison.to_dict())
    else:
        _print(comparison)
    if not json and comparison.home_gain is not None and comparison.home_gain.gain.above_zero:
        spec = comparison.home_gain.model.replace(" ", ":")
        note(f"use --models {spec}:home_advantage=learnt to include the home advantage")
    if models is None:
        note(f"compared the models that suit this file: {', '.join(comparison.models)}; use --models to choose others")
    note_files(out, html)
    if html is None and not json and get_console().is_terminal:
        note("use --html report.html to write a page with standings, skill curves and more")


def _parse_models(specs: list[str] | None) -> dict[str, ModelChoice]:
    # The names include the settings, as in elo:k=24.
    models: dict[str, ModelChoice] = {}
    for spec in split_words(specs):
        name, *settings = _split_spec(spec)
        if name.lower() == AUTO:
            if settings:
                raise typer.BadParameter(f"{spec}: {AUTO} takes no settings", param_hint="--models")
            choice, proper = ModelChoice(AUTO), AUTO
        else:
            choice = make_choice(name, settings)
            # Any other name is the path of a saved ladder.
            proper = next((title for title in NAMES if title.lower() == name.lower()), name)
        label = " ".join([proper, *settings])
        if label in models:
            raise typer.BadParameter(f"{spec} is listed twice; list each model once", param_hint="--models")
        models[label] = choice
    return models


def _split_spec(spec: str) -> list[str]:
    """Split the name of a model from its settings; the options of a statistic follow after colons, too.

    >>> _split_spec("trueskill:statistic=deaths:lower:per=mode:beta=3")
    ['trueskill', 'statistic=deaths:lower:per=mode', 'beta=3']
    """
    words: list[str] = []
    for word in spec.split(":"):
        of_statistic = bool(words) and words[-1].startswith(f"{STATISTIC}=")
        if of_statistic and ("=" not in word or word.strip().lower().startswith(PER)):
            words[-1] += f":{word}"
        else:
            words.append(word)
    return words


def _make_protocol(name: str, burn_in: str | None, seed: int) -> Protocol | None:
    if name == "all":
        return None if burn_in is None else Prequential(parse_number(burn_in))
    if burn_in is not None:
        raise typer.BadParameter("this option works only with --protocol all", param_hint="--burn-in")
    return SeasonSplits() if name == "seasons" else RandomSplits(seed=seed)


def _print(comparison: Comparison) -> None:
    section = measures_section(comparison)
    assert section.table is not None
    print_frame(section.table, section.bold)
    # Pipes cannot show bold text.
    print_text(section.text if get_console().is_terminal else section.text.replace("is bold", "has a *"), style="dim")
    get_console().print()
    if len(comparison.models) > 1:
        _print_differences(comparison)
        get_console().print()
    print_text("\n\n".join([advice(comparison), *remarks(comparison)]))


def _print_differences(comparison: Comparison) -> None:
    measure, best = comparison.measure(), comparison.best
    rows: dict[str, Any] = {best: (row_interval({"difference": 0.0, "low": None, "high": None}), "best")}
    styles = {best: "bold green"}
    differences = comparison.differences(best).filter(measure=measure.name)
    by_model = {row["model"]: row for row in differences.iter_rows(named=True)}
    for name in list(comparison.intervals())[1:]:
        worse = row_interval(by_model[name]).times(-1.0 if measure.higher else 1.0)
        within_noise = by_model[name]["within_noise"]
        rows[name] = (worse, f"{worse}{' ≈' * within_noise}")
        styles[name] = "yellow" if within_noise else "red"
    print_text(f"How far the other models are behind {best}, measured by {measure.titled}:")
    print_whiskers(rows, styles)
