"""The options --model and --set, and their shell completion."""

from __future__ import annotations

import json
from typing import Any

import typer

from ... import Model
from ...errors import Error
from ...model.presets import PRESETS, preset
from ...model.registry import BASES, COMPONENTS
from .read_args import make_option, parse_pairs

PANEL = "Rating system"
DEFAULT = "TrueSkill"


def complete_model(incomplete: str) -> list[str]:
    """List the presets that begin with a text; keep the case of the typed letters, because shells expect that.

    >>> complete_model("ts2"), complete_model("GL")
    (['ts2', 'ts2a', 'ts2b', 'ts2c'], ['GLicko', 'GLicko2'])
    """
    matching = [name for name in PRESETS.names if name.lower().startswith(incomplete.lower())]
    return [incomplete + name[len(incomplete) :] for name in matching]


def complete_parameter(ctx: typer.Context, incomplete: str) -> list[str]:
    """List the parameters of the model given on the command line; after "=", list the parameter's default value."""
    try:
        params = preset(ctx.params.get("model") or DEFAULT)().params
    except Error:
        return []
    plain = {name: value for name, value in params.items() if isinstance(value, (bool, int, float, str))}
    name, equals, _ = incomplete.partition("=")
    if equals:
        return [f"{name}={plain[name]}"] if name in plain else []
    return [f"{parameter}=" for parameter in plain if parameter.startswith(name)]


MODEL_HELP = f"One of {', '.join(PRESETS.names)}. (default: {DEFAULT})"
SET_HELP = "Set a parameter (beta=3) or a component (team=Mean); may be repeated."
MODEL_OPTIONS = [
    make_option("model", str | None, PANEL, metavar="NAME", help=MODEL_HELP, autocompletion=complete_model),
    make_option("set", list[str] | None, PANEL, metavar="NAME=VALUE", help=SET_HELP, autocompletion=complete_parameter),
]


def make_model(model: str | None, set: list[str] | None) -> Model:
    """Make the model from a preset and the parameters given by --set."""
    base = preset(model or DEFAULT)()
    settings = parse_pairs("--set", set)
    changes = {name: _parse_value(name, text) for name, text in settings.items()}
    try:
        return base.replace(**changes) if changes else base
    except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
        # No prefix, because the message already names the parameter.
        if isinstance(error, Error) and error.field in settings:
            raise
        flags = " ".join(f"--set {name}={text}" for name, text in settings.items())
        wrapped = error if isinstance(error, Error) else Error(str(error))
        raise wrapped.within(f"{flags}: ") from error


def make_optional_model(model: str | None, set: list[str] | None) -> Model | None:
    """Make a model, or None if neither --model nor --set was given."""
    return None if model is None and not set else make_model(model, set)


def make_preset(model: str | None, set: list[str] | None) -> tuple[str, dict[str, Any]] | None:
    """Return a preset's name and parameters as a league stores them, or None if neither option was given."""
    settings = {name: _parse_value(name, text) for name, text in parse_pairs("--set", set).items()}
    if components := settings.keys() & BASES.keys():
        raise Error(
            f"--set {min(components)}: a league uses a preset, whose components cannot be replaced; set only its "
            "parameters"
        )
    return None if make_optional_model(model, set) is None else (model or DEFAULT, settings)


def _parse_value(name: str, text: str | None) -> Any:
    if text is None:
        raise Error(f"--set {name}=: the value is missing; write --set {name}=VALUE")
    if name in BASES:
        return _make_component(name, text)
    try:
        # JSON covers numbers, true and null; any other text is a word such as estimated.
        return json.loads(text)
    except ValueError:
        return text


def _make_component(name: str, text: str) -> Any:
    kinds = {title: kind for title, kind in COMPONENTS.items() if issubclass(kind, BASES[name])}
    kind = {title.lower(): kind for title, kind in kinds.items()}.get(text.lower())
    if kind is None:
        raise Error(f"--set {name}={text}: unknown component; choose one of {', '.join(kinds)}")
    try:
        return kind()
    except TypeError:
        raise Error(f"--set {name}={text}: this component needs parameters; use it from Python") from None
