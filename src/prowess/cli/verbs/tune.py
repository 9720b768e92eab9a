"""`prowess tune`: find better model parameters for a file of matches."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import Annotated, Any

import typer

from ...history.read_options import Choices
from ...lab.measures.registry import MEASURES
from ...lab.report import check_report_path
from ...lab.tune import Stopped, Tuning
from ...lab.tune import tune as tune_model
from ...model.compose import ADDITION_WORDS, ASPECTS
from ..options.choosing import note_revealing
from ..options.model_args import DEFAULT, ModelChoice
from ..options.read_args import Files, Since, Until, parse_number, read_span, split_words
from ..options.shared import BurnIn, Html, Jobs, Json, Seed, add_shared_options
from ..output.console import INTERRUPTED, get_console, note, note_files, print_json
from ..output.tables import print_frame, print_text

REPEATED_OPTIONS = {"since", "until", *ASPECTS, *ADDITION_WORDS, *(field.name for field in fields(Choices))}
PARAMS_HELP = "Parameters to tune, with ranges such as beta=2:8. (default: all that can be estimated from results)"
TRAIN_HELP = "Search on the first matches and test on the rest: a share below 1, a number of matches, or a date."
TUNABLE = ", ".join(name for name, measure in MEASURES.items() if measure.tally)
MEASURE_HELP = f"The measure to improve: one of {TUNABLE}. (default: log loss)"
STUDY_HELP = "Store the trials in an SQLite file such as tune.db; the same command later resumes the search."

Trials = Annotated[int, typer.Option(min=1, help="Number of parameter sets to try.")]
Params = Annotated[list[str] | None, typer.Option(metavar="NAME,…", help=PARAMS_HELP)]
Train = Annotated[str, typer.Option(metavar="AMOUNT", help=TRAIN_HELP)]
Loss = Annotated[str | None, typer.Option("--measure", metavar="NAME", help=MEASURE_HELP)]
Study = Annotated[str | None, typer.Option(metavar="FILE", help=STUDY_HELP)]


@add_shared_options
def tune(
    command_context: typer.Context,
    files: Files,
    model: ModelChoice,
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
    """Find parameters that make a model predict the matches of a file better, and print the command to use them.

    The search uses the earlier matches; the gain is measured on the later ones.
    Ctrl-C stops the search and prints the best parameters so far.

    \b
    prowess tune matches.csv --model trueskill
    prowess tune matches.csv --model elo --params k --trials 30
    prowess tune matches.csv --params beta=1:20,tau --train 2025-01-01
    prowess tune matches.csv --study tune.db --jobs 2 --html tuning.html
    prowess tune matches.csv --json | jq -r .command
    """
    if html is not None:
        check_report_path(html)
    ranges = _parse_ranges(params)
    history = read_span(files, model.add_columns(choices), since, until)
    choice = model.resolve(history)
    note_revealing(choice.build(), history)
    stopped = False
    try:
        tuning = tune_model(
            choice.build(),
            history,
            parameters=ranges,
            train=parse_number(train),
            burn_in=parse_number(burn_in),
            measure=measure,
            trials=trials,
            seed=seed,
            storage=study,
            jobs=jobs,
        )
    except Stopped as stop:
        tuning, stopped = stop.tuning, True
    if html is not None:
        tuning.to_html(html)
    command = _rate_command(command_context, model, choice, tuning)
    if json:
        print_json(tuning.to_dict() | {"command": command or None})
    else:
        _print(tuning, command)
    note_files(html)
    if stopped:
        hint = "run the same command to resume" if study else "use --study tune.db to keep the trials and resume later"
        note(f"stopped after {len(tuning.tried)} of {trials} trials; {hint}")
        raise typer.Exit(INTERRUPTED)


def _parse_ranges(words: list[str] | None) -> dict[str, tuple[float, float] | None] | None:
    # A name may have a range, such as beta=2:8.
    ranges: dict[str, tuple[float, float] | None] = {}
    for word in split_words(words):
        name, equals, ends = word.partition("=")
        low, _, high = ends.partition(":")
        try:
            ranges[name] = (float(low), float(high)) if equals else None
        except ValueError:
            raise typer.BadParameter(f"{word!r} must be NAME or NAME=LOW:HIGH", param_hint="--params") from None
    return ranges or None


def _rate_command(command_context: typer.Context, model: ModelChoice, choice: ModelChoice, tuning: Tuning) -> str:
    # The command is empty if tuning brought no improvement.
    if not tuning.params or not (tuning.gain.within_noise or tuning.gain.value > 0):
        return ""
    words = ["prowess", "rate", *map(str, command_context.params["files"])]
    for option in command_context.command.params:
        name = str(option.name)
        source = command_context.get_parameter_source(name)
        if name == "model":
            words += ["--model", command_context.params[name] or DEFAULT]
        elif name in REPEATED_OPTIONS and source is not None and source.name == "COMMANDLINE":
            words += _flags(option, command_context.params[name])
    # Tuned values replace the values given on the command line.
    settings = command_context.params["set"] or []
    pairs = [pair for pair in settings if pair.partition("=")[0].strip() not in tuning.params]
    # Facets of numbers get a sigma that suits the numbers and the model's scale, which tuning may change.
    tuned = {name: f"{float(text or 0):.6g}" for name, text in choice.settings.items() if name not in model.settings}
    pairs += [f"{name}={text}" for name, text in (tuned | _tuned_settings(choice, tuning)).items()]
    return shlex.join([*words, *(word for pair in pairs for word in ("--set", pair))])


def _tuned_settings(choice: ModelChoice, tuning: Tuning) -> dict[str, str]:
    """Return the settings that turn the given model into the tuned one."""
    # six digits are more than enough for any forecast
    texts = {name: f"{value:.6g}" for name, (_, value) in tuning.params.items()}
    built = choice.change(texts).build().params
    # A word such as "learnt" means amounts that depend on the scale of the model. A tuned sigma would change them, so
    # they are written out.
    for name, value in tuning.model.params.items():
        if name not in texts and isinstance(value, float) and built.get(name) != value:
            texts[name] = f"{value:.6g}"
    return texts


def _flags(option: Any, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [(option.opts if value else option.secondary_opts)[0]]
    values = value if isinstance(value, (list, tuple)) else [value]
    return [word for text in values for word in (option.opts[0], str(text))]


def _print(tuning: Tuning, command: str) -> None:
    table = tuning.table().drop("low", "high")
    print_frame(table if tuning.importance else table.drop("importance"))
    get_console().print()
    print_text(tuning.summary)
    if command:
        get_console().print("\nTo use these parameters:\n")
        get_console().print(command, soft_wrap=True, style="bold")
