"""Options for the settings of the service, shared by the verbs that run or examine it."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import Field, fields, replace
from typing import Any, get_type_hints

import typer

from ...service.settings import LOGS, Settings, variable
from .read_args import make_option


def add_settings(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb an option for every setting of the service; the default of each is None."""
    kinds = get_type_hints(Settings)
    settings = [_make_option(field, kinds[field.name]) for field in fields(Settings)]
    own = inspect.signature(verb, eval_str=True).parameters.values()
    # Settings come first in --help. They have defaults, so all parameters must be keyword-only.
    parameters = settings + [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in own
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    verb.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    verb.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return verb


def _make_option(field: Field[Any], kind: Any) -> inspect.Parameter:
    several = kind == tuple[str, ...]
    value: Any = field.default
    default = ", ".join(value) if several else f"{value:g}" if kind is float else value
    return make_option(
        field.name,
        list[str] | None if several else kind | None,
        field.metadata["panel"],
        help=field.metadata["help"] + ("" if kind is bool or default == "" else f" (default: {default})"),
        metavar=field.metadata["metavar"],
        min=field.metadata["least"],
    )


def is_set(options: dict[str, Any], name: str) -> bool:
    """Return whether a setting is given by an option or by the environment."""
    return options[name] is not None or variable(name) in os.environ


def make_settings(options: dict[str, Any]) -> Settings:
    """Return the settings; options override the environment, which overrides the defaults.

    On a terminal, the default format of the log is text.
    """
    if options["log"] not in (None, *LOGS):
        raise typer.BadParameter(f"{options['log']!r} must be one of {', '.join(LOGS)}", param_hint="--log")
    # Options that were not given must not override the environment.
    changes: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in options.items()
        if value not in (None, [])
    }
    if not is_set(options, "log") and sys.stderr.isatty():
        changes["log"] = "text"
    return replace(Settings.from_env(), **changes)
