"""Results for machines: JSON on standard output."""

from __future__ import annotations

import json
import sys
from math import isfinite
from typing import Any

import typer


def print_json(value: Any) -> None:
    """Print a value as JSON: a list has a line for each of its parts; what is no number is null, times as in ISO 8601.

    >>> print_json([{"win": float("nan")}, {"player": "ann"}])
    [
    {"win": null},
    {"player": "ann"}
    ]
    """
    ascii_only = not (sys.stdout.encoding or "").lower().startswith("utf")

    def text(part: Any) -> str:
        return json.dumps(_plain(part), ensure_ascii=ascii_only, allow_nan=False)

    if isinstance(value, list):
        typer.echo("[\n" + ",\n".join(map(text, value)) + "\n]" if value else "[]")
    else:
        typer.echo(text(value))


def _plain(value: Any) -> Any:
    """What JSON can hold."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value.isoformat() if hasattr(value, "isoformat") else value
