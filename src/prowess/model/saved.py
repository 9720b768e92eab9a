"""A ladder as one file: JSON, a line for each player, exact to the last bit; the format has a version."""

from __future__ import annotations

import json
import os
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import Error
from ..files import replacing
from ..history.times import Stamp
from .ladder import Ladder
from .model import Model

__all__ = ["load", "save"]

FORMAT, VERSION = "prowess ladder", 1


def save(ladder: Ladder, path: str | os.PathLike[str]) -> None:
    """Write a ladder beside its place and move it there when it is whole and on disk."""
    with replacing(path) as place:
        place.write_text(_text(ladder), encoding="utf-8")


def _text(ladder: Ladder) -> str:
    """The file: a header, then the rows of the state by name."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "model": _model(ladder.model),
        "time": ladder.stamp,
        "columns": _columns(ladder.model),
    }
    rows = ladder.state[: len(ladder)].tolist()
    text = json.JSONEncoder(ensure_ascii=False).encode
    lines = (
        f"{text(name)}: {text([None if x != x else x for x in row])}"
        for name, row in zip(ladder.names, rows, strict=True)
    )
    return f'{{"header": {json.dumps(header)},\n"players": {{\n' + ",\n".join(lines) + "\n}}\n"


def _model(model: Model) -> dict[str, Any] | None:
    """The model as plain data, or None if it has parts of the user's own."""
    try:
        return model.to_dict()
    except Error:
        return None


def _columns(model: Model) -> list[str]:
    traits = model.outcome.traits
    beliefs = [f"{trait} {what}" for trait in traits for what in ("mean", "variance")]
    return [*beliefs, "last seen", "matches", *model.absorb.extras]


def load(path: str | os.PathLike[str], model: Model | None) -> Ladder:
    """Read a ladder, and check every part of it."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Error(f"{path}: no such file") from None
    except OSError as error:
        raise Error(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise Error(f"{path}: no ladder of prowess, or damaged: {error}") from None
    try:
        return _ladder(content, model)
    except Error as error:
        raise Error(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Error(f"{path}: no ladder of prowess, or damaged: {error!r}") from None


def _ladder(content: Any, model: Model | None) -> Ladder:
    header, players = content["header"], content["players"]
    if header["format"] != FORMAT:
        raise Error(f"no ladder of prowess: its format is {header['format']!r}")
    if header["version"] != VERSION:
        raise Error(f"version {header['version']} of the format; this prowess reads version {VERSION}: update it")
    ladder = Ladder(_agreed(header["model"], model))
    if header["columns"] != _columns(ladder.model):
        raise Error(f"its columns are {header['columns']}, but the model has {_columns(ladder.model)}")
    ladder.stamp = None if header["time"] is None else Stamp(*header["time"])
    rows = [[nan if x is None else float(x) for x in row] for row in players.values()]
    state = np.array(rows, np.float64).reshape(len(rows), ladder.model.pipeline.width)
    beliefs = state[:, : 2 * ladder.model.pipeline.traits]
    if not np.isfinite(beliefs).all() or (beliefs[:, 1::2] < 0).any():
        raise Error("damaged: a mean or variance is missing or not a finite number")
    ladder.reserve(len(rows))
    ladder.state[: len(rows)] = state
    ladder.names.extend(list(players))
    return ladder


def _agreed(plain: dict[str, Any] | None, model: Model | None) -> Model:
    """The model in the file, or the one that was given."""
    if plain is None:
        if model is None:
            raise Error("saved with a model that has parts of your own; give it: Ladder.load(path, model=…)")
        return model
    saved = Model.from_dict(plain)
    if model is not None and model != saved:
        raise Error("saved with another model than the one given; load it without one, or fit the history anew")
    return saved
