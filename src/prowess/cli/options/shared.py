"""Options that many verbs share, and how a verb gets them.

A verb declares a parameter `choices: Choices`, `choices_to_edit: Choices` (whose file of aliases may be missing),
`model: Model`, `given_model: Model | None` (None unless --model or --set is used) or `given_preset` (the name of a
preset and its parameters). `add_shared_options` replaces each of these parameters by the flags from which its value is
built.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from ..output.console import FLAGS, set_quiet
from .model_args import MODEL_OPTIONS, make_model, make_optional_model, make_preset
from .read_args import READ_OPTIONS, make_choices, make_choices_to_edit

BURN_IN_HELP = "Do not score the first matches: a number of them, a share below 1, or all before a date."

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Hide notes; errors and warnings still appear.")]
Json = Annotated[bool, typer.Option("--json", help="Print machine-readable JSON.")]
Html = Annotated[Path | None, typer.Option(metavar="FILE", help="Write an HTML page with charts that works offline.")]
Jobs = Annotated[int, typer.Option(min=1, metavar="N", help="Number of processes.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Random seed.")]
BurnIn = Annotated[str, typer.Option(metavar="AMOUNT", help=BURN_IN_HELP)]

_MAKERS: dict[str, tuple[list[inspect.Parameter], Callable[..., Any]]] = {
    "choices": (READ_OPTIONS, make_choices),
    "choices_to_edit": (READ_OPTIONS, make_choices_to_edit),
    "model": (MODEL_OPTIONS, make_model),
    "given_model": (MODEL_OPTIONS, make_optional_model),
    "given_preset": (MODEL_OPTIONS, make_preset),
}


def add_shared_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the flags from which its parameters `choices` and `model` are built."""
    own = inspect.signature(verb, eval_str=True)
    makers = {name: maker for name, maker in _MAKERS.items() if name in own.parameters}
    parameters = [part for name, part in own.parameters.items() if name not in makers]
    for options, _ in makers.values():
        parameters += options

    def run(**values: Any) -> None:
        made = {
            name: make(**{option.name: values.pop(option.name) for option in options})
            for name, (options, make) in makers.items()
        }
        verb(**values, **made)

    return _with_parameters(verb, run, parameters)


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
