"""Options that many verbs share, and how a verb gets them.

A verb has a parameter `choices: Choices`, `model: Model`, `given_model: Model | None` (None where no model is named) or
`given_preset` (the name of a preset and its parameters); `add_shared_options` adds the flags that these are made of.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from ..output.console import FLAGS, set_quiet
from .model_args import MODEL_OPTIONS, make_model, make_optional_model, make_preset
from .read_args import READ_OPTIONS, make_choices

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Make no remarks; errors and warnings are still said.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]

_MAKERS: dict[str, tuple[list[inspect.Parameter], Callable[..., Any]]] = {
    "choices": (READ_OPTIONS, make_choices),
    "model": (MODEL_OPTIONS, make_model),
    "given_model": (MODEL_OPTIONS, make_optional_model),
    "given_preset": (MODEL_OPTIONS, make_preset),
}


def add_shared_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the options from which its parameters `choices` and `model` are made."""
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
    """Give a verb the option to make no remarks."""

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
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {part.name: part.annotation for part in parameters}
    return run
