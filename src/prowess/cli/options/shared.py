"""Options that many verbs share, and how a verb gets them.

A verb declares some of the following parameters. `add_shared_options` replaces each of them by the flags from which its
value is built.

- `choices: Choices`: how to read a file.
- `choices_to_edit: Choices`: how to read a file, for a verb that may write the alias file, which may be missing.
- `model: ModelChoice`: a model, by default TrueSkill.
- `plain_model: ModelChoice`: like `model`, but without options for facets and statistics.
- `given_model: ModelChoice | None`: a model, or None if no option of the rating system is used. None and "auto" mean
  that a model is chosen for the matches.
- `given_preset: ModelChoice | None`: like `given_model`, but the model must be a preset.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from ...model.ladder.leaderboard import RANKINGS
from ...model.scale import Scale, read_scale
from ..output.console import FLAGS, Quiet, set_quiet
from .model_args import AUTO_OPTIONS, MODEL_OPTIONS, PLAIN_OPTIONS, PRESET_OPTIONS, make_choice, make_optional_choice
from .read_args import READ_OPTIONS, make_choices, make_choices_to_edit

SCALE_HELP = (
    "Show ratings in points. With 1500,400, newcomers have 1500 points, and a lead of 400 means win odds of 10:1. "
    "Use none to turn points off. (default: the scale of a saved ladder)"
)
RANKING_HELP = (
    "Rank players by mean skill, with provisional players after all others, or by the conservative rating μ − 3σ. "
    "(default: mean with --scale, else conservative)"
)
BURN_IN_HELP = "Leave the first matches unscored: a number of matches, a share below 1, or all before a date."

Json = Annotated[bool, typer.Option("--json", help="Print machine-readable JSON.")]
Html = Annotated[Path | None, typer.Option(metavar="FILE", help="Write an HTML page with charts that works offline.")]
ScaleText = Annotated[str | None, typer.Option("--scale", metavar="1500,400", help=SCALE_HELP)]
RankingName = Annotated[str | None, typer.Option("--ranking", metavar="|".join(RANKINGS), help=RANKING_HELP)]
Jobs = Annotated[int, typer.Option(min=1, metavar="N", help="Number of processes.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Random seed.")]
BurnIn = Annotated[str, typer.Option(metavar="AMOUNT", help=BURN_IN_HELP)]

FLAGS.update(option.name for option in (*READ_OPTIONS, *MODEL_OPTIONS))

_MAKERS: dict[str, tuple[list[inspect.Parameter], Callable[..., Any]]] = {
    "choices": (READ_OPTIONS, make_choices),
    "choices_to_edit": (READ_OPTIONS, make_choices_to_edit),
    "model": (MODEL_OPTIONS, make_choice),
    "plain_model": (PLAIN_OPTIONS, make_choice),
    "given_model": (AUTO_OPTIONS, make_optional_choice),
    "given_preset": (PRESET_OPTIONS, make_optional_choice),
}


def add_shared_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the flags from which its shared parameters, such as `choices` and `model`, are built."""
    own = inspect.signature(verb, eval_str=True)
    makers = {name: maker for name, maker in _MAKERS.items() if name in own.parameters}
    parameters = [part for name, part in own.parameters.items() if name not in makers]
    for options, _ in makers.values():
        parameters += options

    def run(**values: Any) -> None:
        made = {
            # Popping the flags leaves only the verb's own parameters in `values`.
            name: make(**{option.name: values.pop(option.name) for option in options})
            for name, (options, make) in makers.items()
        }
        verb(**values, **made)

    return _with_parameters(verb, run, parameters)


def parse_scale(text: str | None) -> Scale | None:
    """Parse a scale such as "1500,400"; return None for "none" or if there is no text.

    >>> parse_scale("1500, 400"), parse_scale("none")
    (Scale(newcomer=1500.0, tenfold=400.0), None)
    """
    if text is None or text.strip().lower() == "none":
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 2:
        raise typer.BadParameter(f"{text!r} must be two numbers such as 1500,400", param_hint="--scale")
    return read_scale(numbers, "--scale")


def add_quiet_option(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the flag --quiet, and register its parameters in `FLAGS`."""

    def run(quiet: bool, **values: Any) -> None:
        if quiet:
            set_quiet()
        verb(**values)

    quiet = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Quiet)
    parameters = [*inspect.signature(verb, eval_str=True).parameters.values(), quiet]
    FLAGS.update(parameter.name for parameter in parameters)
    return _with_parameters(verb, run, parameters)


def _with_parameters(
    verb: Callable[..., None], run: Callable[..., None], parameters: list[inspect.Parameter]
) -> Callable[..., None]:
    run = wraps(verb)(run)
    # Typer reads both the signature and the annotations.
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {part.name: part.annotation for part in parameters}
    return run
