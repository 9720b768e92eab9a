"""The file format of ladders: versioned JSON with a line per player. Numbers are exact to the last bit."""

from __future__ import annotations

import json
import os
from array import array
from math import isfinite, isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...atomic_files import replace_file
from ...errors import Error
from ...history import name_of, show_time
from ...history.times import Stamp
from ...validate import LARGEST
from ..engine.state_layout import StateLayout
from ..model import Model
from .facet_rows import FacetRows

if TYPE_CHECKING:
    from .ladder import Ladder

FORMAT, VERSION = "prowess ladder", 2
READABLE = (1, 2)  # version 1 had no rating periods and no memory


def save(ladder: Ladder, path: str | os.PathLike[str]) -> None:
    """Write a ladder to a file, atomically. The file has a header, then a line for every player."""
    try:
        model = ladder.model.to_dict()
    except Error:  # user-defined components cannot be written, so `load` needs the model as an argument
        model = None
    header = {
        "format": FORMAT,
        "version": VERSION,
        "model": model,
        "time": ladder.stamp,
        "first_time": None if isnan(ladder.first_time) else ladder.first_time,
        "columns": ladder.layout.columns,
        "memory": ladder.memory.tolist(),
        "scale": ladder.scale,
    }
    if ladder.facets:
        header["facets"] = [_facet(rows, ladder.names) for rows in ladder.facets]
    rows = ladder.state[: len(ladder)].tolist()
    text = json.JSONEncoder(ensure_ascii=False).encode
    lines = (
        f"{text(name)}: {text([None if x != x else x for x in row])}"
        for name, row in zip(ladder.names, rows, strict=True)
    )
    content = f'{{"header": {json.dumps(header)},\n"players": {{\n' + ",\n".join(lines) + "\n}}\n"
    with replace_file(path) as temporary:
        temporary.write_text(content, encoding="utf-8")


def _facet(rows: FacetRows, names: list[str]) -> list[list[Any]]:
    """Return the rows of a facet that have a belief, each with the name of its player, or None, and its value."""
    beliefs = rows.beliefs().items()
    return [
        [None if player < 0 else names[player], value, *(None if x != x else x for x in cells)]
        for (player, value), cells in beliefs
    ]


def load(path: str | os.PathLike[str], model: Model | None, new: type[Ladder]) -> Ladder:
    """Read a ladder from a file into a `new` one, and check every part of the file."""
    if not isinstance(path, (str, os.PathLike)):
        raise Error(f"load needs the path of a file, not {type(path).__name__}")
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=_unique)
    except FileNotFoundError:
        raise Error(f"{path}: file not found") from None
    except OSError as error:
        raise Error(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise Error(f"{path}: not a saved ladder, or damaged: {error}") from None
    try:
        return _ladder(content, model, new)
    except Error as error:
        raise error.within(f"{path}: ") from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Error(f"{path}: not a saved ladder, or damaged: {error!r}") from None


def _ladder(content: Any, model: Model | None, new: type[Ladder]) -> Ladder:
    header, players = content["header"], content["players"]
    if header["format"] != FORMAT:
        raise Error(f"not a saved ladder: its format is {header['format']!r}")
    # JSON's `true` equals 1 in Python, so it needs a check of its own.
    if header["version"] not in READABLE or header["version"] is True:
        raise Error(
            f"unknown format version {header['version']}; this prowess reads up to {VERSION}, so update prowess"
        )
    ladder = new(_choose_model(header["model"], model), scale=header.get("scale"))  # older files have no scale
    # A plugin's component may have changed its columns since the file was saved.
    if header["columns"] != ladder.layout.columns:
        raise Error(f"its columns are {header['columns']}, but the model has {ladder.layout.columns}")
    ladder.stamp = _stamp(header["time"])
    ladder.first_time = _first_time(header.get("first_time"))  # older files do not have it
    ladder.memory[:] = _memory(header.get("memory", []), ladder.model)
    # A file that was edited by hand may hold names that could never be looked up.
    names = [name_of(name) for name in players]
    if names != list(players):
        raise Error("damaged: a name has leading or trailing blanks")
    state = np.array([_row(name, row, ladder.layout) for name, row in players.items()], np.float64)
    ladder.reserve(len(names))
    ladder.state[: len(names)] = state.reshape(len(names), ladder.layout.width)
    ladder.names.extend(names)
    _read_facets(ladder, header.get("facets", []))
    return ladder


def _read_facets(ladder: Ladder, plain: Any) -> None:
    if not isinstance(plain, list) or len(plain) != len(ladder.facets):
        raise Error(f"damaged: the field `facets` must have {len(ladder.facets)} lists")
    layout = StateLayout(ladder.layout.traits)
    for facet, given in zip(ladder.facets, plain, strict=True):
        beliefs = {}
        for player, value, *cells in given:
            owner = -1 if player is None else ladder.rows[player]
            if (owner < 0) == facet.facet.personal or not isinstance(value, str):
                raise Error(f"damaged: the facet {facet.facet.column} has no row {player!r}, {value!r}")
            beliefs[owner, value] = _row(f"{facet.facet.column} {value}", cells, layout)
        facet.set_beliefs(beliefs)


def _stamp(plain: Any) -> Stamp | None:
    if plain is None:
        return None
    kind, zone = plain
    if kind not in ("number", "date", "timestamp"):
        raise Error(f"damaged: unknown time kind {kind!r}")
    show_time(kind, zone, 0)  # raises an Error for an unknown zone
    return Stamp(kind, zone)


def _first_time(plain: Any) -> float:
    if plain is None:
        return nan
    if type(plain) not in (int, float) or not abs(plain) <= LARGEST:
        raise Error(f"damaged: the time of the first match cannot be {plain!r}")
    return float(plain)


def _memory(plain: Any, model: Model) -> list[float]:
    first = model.pipeline.memory()
    if not isinstance(plain, list) or len(plain) != len(first):
        raise Error(f"damaged: the field `memory` must contain {len(first)} numbers, but it contains {plain!r}")
    if not all(type(cell) in (int, float) and isfinite(cell) for cell in plain):
        raise Error(f"damaged: the field `memory` cannot be {plain}")
    beliefs = plain[model.pipeline.home_memory :][: model.pipeline.layout.belief]
    if min(beliefs[1::2], default=0) < 0 or not _valid_for_newcomers(plain, model):
        raise Error(f"damaged: a variance in the field `memory` cannot be negative: {plain}")
    return plain


def _valid_for_newcomers(memory: list[float], model: Model) -> bool:
    board = model.pipeline.board(1, 1)
    board.memory[: len(memory)] = array("d", memory)
    model.prior.welcome(board, 0)
    return min(board.var[: model.pipeline.traits]) >= 0


def _row(name: str, row: Any, layout: StateLayout) -> list[float]:
    # Only the time of the last match may be missing.
    last = layout.last_seen
    if not isinstance(row, list) or len(row) != layout.width:
        raise Error(f"damaged: {name} must have {layout.width} numbers, not {row!r}")
    for index, cell in enumerate(row):
        if (cell is None and index != last) or (cell is not None and (type(cell) not in (int, float) or cell != cell)):
            raise Error(f"damaged: {name} has {cell!r} instead of a number")
    variances, matches = row[layout.variances], row[layout.matches]
    finite = all(map(isfinite, row[:last] + row[last + 1 :]))
    games = row[layout.games] if layout.periods else 0
    extras = zip(layout.extras, row[layout.first_extra :], strict=False)
    steady = all(value > 0 for extra, value in extras if extra == "volatility")
    if not finite or not steady or min(*variances, games, matches) < 0 or matches != int(matches):
        raise Error(f"damaged: impossible numbers for {name}: {row}")
    if row[last] is not None and not abs(row[last]) <= LARGEST:
        raise Error(f"damaged: the last time of {name} cannot be {row[last]}")
    return [nan if cell is None else float(cell) for cell in row]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise ValueError("a name is listed twice")
    return unique


def _choose_model(plain: dict[str, Any] | None, model: Model | None) -> Model:
    if plain is None:
        if model is None:
            raise Error("this ladder was saved with custom components; pass its model: Ladder.load(path, model=…)")
        return model
    saved = Model.from_dict(plain)
    if model is not None and model != saved:
        raise Error("saved with another model than the one given; load it without a model, or fit the history again")
    return saved
