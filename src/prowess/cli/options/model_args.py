"""Options that choose a model and set its parameters, and what the Tab key offers for them."""

from __future__ import annotations

import json
from typing import Any

import typer

from ... import Model
from ...errors import Error
from ...model.presets import PRESETS, preset
from ...model.registry import BASES, COMPONENTS
from .read_args import make_option, parse_pairs

PANEL = "The rating system"  # a panel of --help
DEFAULT = "TrueSkill"


def complete_model(incomplete: str) -> list[str]:
    """List the presets whose names begin so, in whatever case: shells keep what was typed.

    >>> complete_model("ts2"), complete_model("GL")
    (['ts2', 'ts2a', 'ts2b', 'ts2c'], ['GLicko', 'GLicko2'])
    """
    return [
        incomplete + name[len(incomplete) :] for name in PRESETS.names if name.lower().startswith(incomplete.lower())
    ]


def complete_parameter(ctx: typer.Context, incomplete: str) -> list[str]:
    """List the parameters of the model that is named before, each with its value."""
    try:
        model = preset(ctx.params.get("model") or DEFAULT)()
    except Error:
        return []
    plain = {name: value for name, value in model.params.items() if isinstance(value, (bool, int, float, str))}
    name, equals, _ = incomplete.partition("=")
    if equals:
        return [f"{name}={plain[name]}"] if name in plain else []
    return [f"{parameter}=" for parameter in plain if parameter.startswith(name)]


MODEL_OPTIONS = [
    make_option(
        "model",
        str | None,
        None,
        PANEL,
        metavar="NAME",
        help=f"One of {', '.join(PRESETS.names)}. (default: {DEFAULT})",
        autocompletion=complete_model,
    ),
    make_option(
        "set",
        list[str] | None,
        None,
        PANEL,
        metavar="NAME=VALUE",
        help="A parameter, as beta=3, or a part, as team=Mean; may be repeated.",
        autocompletion=complete_parameter,
    ),
]


def make_model(model: str | None, set: list[str] | None) -> Model:
    """Make the preset of a name, with the parameters that are set."""
    base = preset(model or DEFAULT)()
    settings = parse_pairs("--set", set or [])
    changes = {name: _parse_value(name, text) for name, text in settings.items()}
    try:
        return base.replace(**changes) if changes else base
    except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
        if isinstance(error, Error) and error.field in settings:
            raise
        flags = " ".join(f"--set {name}={text}" for name, text in settings.items())
        wrapped = error if isinstance(error, Error) else Error(str(error))
        raise wrapped.within(f"{flags}: ") from error


def make_optional_model(model: str | None, set: list[str] | None) -> Model | None:
    """Make a model, or None where none was named and nothing was set."""
    return None if model is None and not set else make_model(model, set)


def make_preset(model: str | None, set: list[str] | None) -> tuple[str, dict[str, Any]] | None:
    """Give the name of a preset and the parameters that are set, as a league keeps them; None without any."""
    settings = {name: _parse_value(name, text) for name, text in parse_pairs("--set", set or []).items()}
    if parts := settings.keys() & BASES.keys():
        raise Error(
            f"--set {min(parts)}: a league keeps a preset and its parameters, and no other parts: --model names one"
        )
    return None if make_optional_model(model, set) is None else (model or DEFAULT, settings)


def _parse_value(name: str, text: str | None) -> Any:
    """Parse a value as JSON, else as text; a part of the model by its name."""
    if text is None:
        raise Error(f"--set {name}= gives no value")
    if name in BASES:
        return _make_part(name, text)
    try:
        return json.loads(text)
    except ValueError:
        return text


def _make_part(name: str, text: str) -> Any:
    kinds = {known: kind for known, kind in COMPONENTS.items() if issubclass(kind, BASES[name])}
    kind = {known.lower(): kind for known, kind in kinds.items()}.get(text.lower())
    if kind is None:
        raise Error(f"--set {name}={text}: there is no such part, but {', '.join(kinds)}")
    try:
        return kind()
    except TypeError:
        raise Error(f"--set {name}={text}: that part needs parameters, and can be chosen from Python only") from None
