"""Options that `compare` and `tune` share, and the command that uses what `tune` found."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from ... import History
from ...history.read_options import Choices
from .read_args import read_all, select_span

BurnIn = Annotated[
    str, typer.Option(metavar="AMOUNT", help="Do not score the first matches: a number, a share below 1, or a date.")
]
Html = Annotated[
    Path | None,
    typer.Option(metavar="FILE", show_default=False, help="Write a page with charts, which needs no network."),
]
Jobs = Annotated[int, typer.Option(min=1, metavar="N", help="The number of processes.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="What is drawn by lot depends on it alone.")]
REPEATED_OPTIONS = {"since", "until", *(field.name for field in fields(Choices))}


def read_matches(files: Sequence[Path], choices: Choices, since: str | None, until: str | None) -> History:
    """Read files as one history, and select a span of time."""
    return select_span({"": read_all(files, choices)}, since, until)[""]


def parse_amount(text: str) -> float | str:
    """Parse a number; anything else must be a date.

    >>> parse_amount("0.25"), parse_amount("2026-01-31")
    (0.25, '2026-01-31')
    """
    try:
        return float(text)
    except ValueError:
        return text


def rerun_command(context: typer.Context, verb: str, settings: Mapping[str, Any]) -> str:
    """Write a shell command: another verb on the same files, with the same options and some parameters set."""
    words = ["prowess", verb, *map(str, context.params["files"])]
    for option in context.command.params:
        name = str(option.name)
        source = context.get_parameter_source(name)
        if name == "model":
            words += ["--model", context.params[name] or "TrueSkill"]
        elif name in REPEATED_OPTIONS and source is not None and source.name == "COMMANDLINE":
            words += _flags(option, context.params[name])
    pairs = [pair for pair in context.params.get("set") or [] if pair.partition("=")[0].strip() not in settings]
    # six digits are more than any forecast depends on
    pairs += [f"{name}={f'{value:.6g}' if isinstance(value, float) else value}" for name, value in settings.items()]
    return shlex.join([*words, *(word for pair in pairs for word in ("--set", pair))])


def _flags(option: Any, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [(option.opts if value else option.secondary_opts)[0]]
    values = value if isinstance(value, (list, tuple)) else [value]
    return [word for text in values for word in (option.opts[0], str(text))]
