"""`prowess tune`: better parameters of a model for a file of matches, and a command line to use them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ... import Model
from ...history.read_options import Choices
from ...lab.measures.registry import MEASURES
from ...lab.report import check_report_path
from ...lab.tune import Stopped, Tuning
from ...lab.tune import tune as tuned
from ..options.lab_args import BurnIn, Html, Jobs, Seed, parse_amount, read_matches, rerun_command
from ..options.read_args import Files, Since, Until, split_words
from ..options.shared import Json, add_shared_options
from ..output.console import INTERRUPTED, get_console, note
from ..output.json import print_json
from ..output.report import print_table, print_text

Trials = Annotated[int, typer.Option(min=1, help="How many sets of parameters are tried.")]
Params = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME,…",
        show_default=False,
        help="Parameters to tune, with ranges as beta=2:8. (default: all that results can tell)",
    ),
]
Train = Annotated[
    str,
    typer.Option(
        metavar="AMOUNT", help="Search on the first matches, judge by the others: a share below 1, a number, or a date."
    ),
]
Loss = Annotated[
    str | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        show_default=False,
        help=f"What is made better: one of {', '.join(name for name, measure in MEASURES.items() if measure.tally)}. "
        "(default: log loss)",
    ),
]
Study = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        show_default=False,
        help="Keep the trials in an SQLite file, as tune.db: the same command goes on with them.",
    ),
]


@add_shared_options
def tune(
    context: typer.Context,
    files: Files,
    model: Model,
    choices: Choices,
    params: Params = None,
    since: Since = None,
    until: Until = None,
    trials: Trials = 100,
    train: Train = "0.6",
    burn_in: BurnIn = "0.1",
    measure: Loss = None,
    study: Study = None,
    html: Html = None,
    json: Json = False,
    jobs: Jobs = 1,
    seed: Seed = 0,
) -> None:
    """Find parameters with which a model predicts the matches of a file better, and say how to use them.

    It searches on the earlier matches; the later ones, at which it does not look, say what is gained.
    Ctrl-C gives the best so far.

    \b
    prowess tune matches.csv --model trueskill
    prowess tune matches.csv --model elo --params k --trials 30
    prowess tune matches.csv --params beta=1:20,tau --train 2025-01-01
    prowess tune matches.csv --study tune.db --jobs 2 --html tuning.html
    prowess tune matches.csv --json | jq -r .command
    """
    if html is not None:
        check_report_path(html)
    wanted = _parse_parameters(params)
    history = read_matches(files, choices, since, until)
    stopped = False
    try:
        tuning = tuned(
            model,
            history,
            parameters=wanted,
            train=parse_amount(train),
            burn_in=parse_amount(burn_in),
            measure=measure,
            trials=trials,
            seed=seed,
            storage=study,
            jobs=jobs,
        )
    except Stopped as stop:
        tuning, stopped = stop.tuning, True
    _show(tuning, _command(context, tuning), json, html)
    if stopped:
        kept = "the same command goes on" if study else "--study tune.db would keep the trials, to go on with"
        note(f"stopped after {len(tuning.tried)} of {trials} trials: {kept}")
        raise typer.Exit(INTERRUPTED)


def _parse_parameters(words: list[str] | None) -> dict[str, tuple[float, float] | None] | None:
    """Names, or names with ranges as beta=2:8."""
    ranges: dict[str, tuple[float, float] | None] = {}
    for word in split_words(words):
        name, equals, ends = word.partition("=")
        low, _, high = ends.partition(":")
        try:
            ranges[name] = (float(low), float(high)) if equals else None
        except ValueError:
            raise typer.BadParameter(f"{word!r} must be NAME or NAME=LOW:HIGH", param_hint="--params") from None
    return ranges or None


def _command(context: typer.Context, tuning: Tuning) -> str:
    """The command line that rates with what was found; none where that is no better."""
    if not tuning.params or not (tuning.gain.within_noise or tuning.gain.value > 0):
        return ""
    return rerun_command(context, "rate", {name: after for name, (_, after) in tuning.params.items()})


def _show(tuning: Tuning, command: str, json: bool, html: Path | None) -> None:
    """What was found, and the command line that uses it."""
    if html is not None:
        tuning.to_html(html)
    if json:
        print_json(tuning.to_dict() | {"command": command or None})
    else:
        table = tuning.table().drop("low", "high")
        print_table(table if tuning.importance else table.drop("importance"))
        get_console().print()
        print_text(tuning.summary)
        if command:
            get_console().print("\nWith these parameters:\n")
            get_console().print(command, soft_wrap=True, style="bold")
    if html is not None:
        note(f"wrote {html}")
