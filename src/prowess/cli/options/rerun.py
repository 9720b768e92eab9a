"""The command that was given, as another one: with the same files, read in the same way."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import typer

from ...history.read_options import Choices

__all__ = ["again"]

KEPT = {"since", "until", *(one.name for one in fields(Choices))}


def again(here: typer.Context, verb: str, settings: Mapping[str, Any]) -> str:
    """A command line for a shell: another verb on the same files, with the same options and some parameters set."""
    words = ["prowess", verb, *map(str, here.params["files"])]
    for option in here.command.params:
        name = str(option.name)
        source = here.get_parameter_source(name)
        if name == "model":
            words += ["--model", here.params[name] or "TrueSkill"]
        elif name in KEPT and source is not None and source.name == "COMMANDLINE":
            words += _flags(option, here.params[name])
    before = here.params.get("set") or []
    words += [word for one in before if one.partition("=")[0].strip() not in settings for word in ("--set", one)]
    words += [word for name, value in settings.items() for word in ("--set", f"{name}={_written(value)}")]
    return shlex.join(words)


def _flags(option: Any, value: Any) -> list[str]:
    """An option as it is written on the command line."""
    if isinstance(value, bool):
        return [(option.opts if value else option.secondary_opts)[0]]
    values = value if isinstance(value, (list, tuple)) else [value]
    return [word for one in values for word in (option.opts[0], str(one))]


def _written(value: Any) -> str:
    """A value with six digits, which is more than anything depends on."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
