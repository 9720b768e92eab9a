"""What facets have learnt: effects and deviations as data frames, and ratings at values of the context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import name_of
from ...history.context.columns import ContextColumn, clean_name
from ...text import join_words
from ...validate import number
from ..rating import Rating
from .facet_rows import MISSING, FacetRows, check_names
from .record import upcoming_rows

if TYPE_CHECKING:
    import polars as pl

    from .ladder import Ladder

Floats = NDArray[np.float64]

LISTED = 10  # how many values an error lists
FEW = 20  # up to this many players, looking up each of them is faster than searching all rows


def effects(ladder: Ladder) -> pl.DataFrame:
    """Return a frame of what all players share (see `Ladder.effects`)."""
    rows: list[tuple[Any, ...]] = [("home", "", trait, mu, sigma, None) for trait, mu, sigma in _home(ladder)]
    for facet in ladder.facets[: len(ladder.model.facets)]:  # the rows of statistics follow
        if facet.facet.personal:
            continue
        if facet.facet.learnt:
            found = sorted(_beliefs(facet), key=_by_mean)
            rows += [(facet.facet.column, *row) for _, *row in found]
        elif facet.facet.mu != 0.0:
            traits = facet.facet.traits or facet.trait_names
            rows += [(facet.facet.column, "", trait, facet.facet.mu, 0.0, None) for trait in traits]
    return _frame(ladder, rows, ["facet", "value"])


def deviations(ladder: Ladder) -> pl.DataFrame:
    """Return a frame of how players differ from their skills (see `Ladder.deviations`)."""
    rows: list[tuple[Any, ...]] = []
    for facet in ladder.facets:
        if facet.facet.personal:
            found = sorted(_beliefs(facet), key=_by_mean)
            rows += [(facet.facet.column, ladder.names[player], *row) for player, *row in found]
    return _frame(ladder, rows, ["facet", "player", "value"])


def _home(ladder: Ladder) -> Iterator[tuple[str, float, float | None]]:
    home = ladder.home
    if home is not None:
        parts = {name: part for name, part in home.parts.items() if isinstance(part, Rating)}
        for trait in ladder.layout.traits:
            part = parts.get(trait, home)
            yield trait, part.mu, part.sigma


def _by_mean(row: tuple[int, str, str, float, float, int]) -> float:
    """Return the key that sorts rows of a facet: the largest mean comes first."""
    return -row[3]


def _beliefs(rows: FacetRows) -> Iterator[tuple[int, str, str, float, float, int]]:
    """Yield the player (a row of the ladder), value, trait, mu, sigma and number of matches of each row of a facet."""
    traits = rows.facet.traits or rows.trait_names
    for (player, value), cells in rows.beliefs().items():
        for k, trait in enumerate(rows.trait_names):
            if trait in traits:
                yield player, value, trait, cells[2 * k], cells[2 * k + 1] ** 0.5, int(cells[-1])


def _frame(ladder: Ladder, rows: list[tuple[Any, ...]], names: list[str]) -> pl.DataFrame:
    """Return rows as a frame, with points if the ladder has a scale."""
    import polars as pl

    numbers = {"mu": pl.Float64, "sigma": pl.Float64, "matches": pl.Int64}
    frame = pl.DataFrame(rows, {**dict.fromkeys([*names, "trait"], pl.String), **numbers}, orient="row")
    if ladder.points is not None:
        factor = ladder.points.factor
        frame = frame.with_columns(points=factor * pl.col("mu"), points_sigma=factor * pl.col("sigma"))
    return frame if len(ladder.layout.traits) > 1 else frame.drop("trait")


def rating_at(ladder: Ladder, name: str, context: Mapping[str, Any]) -> Rating:
    """Return the rating of a player at values of the context (see `Ladder.rating`)."""
    now = ladder[name]
    if not context:
        return now
    mean, variance = shifts(ladder, context, [ladder.rows[name_of(name)]])
    return _moved(ladder, now, mean[0], variance[0])


def _moved(ladder: Ladder, now: Rating, mean: Floats, variance: Floats) -> Rating:
    traits = ladder.layout.traits
    moved: dict[str, Any] = {}
    for k, trait in enumerate(traits):
        part = now.parts.get(trait, now)
        sigma = None if part.sigma is None else float((part.sigma**2 + variance[k]) ** 0.5)
        moved[trait] = Rating(float(part.mu + mean[k]), sigma, ladder.model.caution)
    rest = {key: part for key, part in now.parts.items() if key not in traits}
    if len(traits) > 1:
        return Rating(caution=ladder.model.caution, **moved, **rest)
    only = moved[traits[0]]
    return Rating(only.mu, only.sigma, ladder.model.caution, **rest)


def ratings_in_match(
    ladder: Ladder, ratings: Sequence[Rating], players: Sequence[int], context: Mapping[str, Any]
) -> list[Rating]:
    """Return the ratings that count in a match with a context, as in predictions: skills plus deviations.

    `players` are rows of the ladder, or `UNKNOWN` for players who are not in it. As in `Ladder.predict`, players have
    their prior deviations at values that are new to them. Effects that all players share are left out, except for the
    mean of a learning curve.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill().replace(facets=(pw.facet.By("mode", sigma=3.0),)))
    >>> _ = ladder.record([["ann"], ["bob"]], context={"mode": "1v1"})
    >>> at_1v1 = ratings_in_match(ladder, [ladder["ann"], ladder.newcomer], [0, -2], {"mode": "1v1"})
    >>> at_1v1[0] == ladder.rating("ann", mode="1v1"), round(at_1v1[1].sigma ** 2 - ladder.newcomer.sigma ** 2, 6)
    (True, 9.0)
    """
    rows = np.array(players, np.intp)
    traits = ladder.layout.traits
    mean, variance = (np.zeros((len(rows), len(traits))) for _ in range(2))
    columns = upcoming_rows(ladder, [[player] for player in players], context) or []
    for facet, column in zip(ladder.facets[: len(ladder.model.facets)], columns, strict=False):
        used = [trait in (facet.facet.traits or traits) for trait in traits]
        if facet.facet.personal:
            cells = _beliefs_at(facet, np.asarray(column.row))
            weight = np.asarray(column.weight)[:, None] if column.has_weight else 1.0
            mean += weight * cells[:, ::2] * used
            variance += weight**2 * cells[:, 1::2] * used
        elif facet.facet.counts_matches:
            # The variance of the curve is that of all players together, and nearly cancels between teams.
            played = np.where(rows < 0, 0.0, ladder.state[rows, ladder.layout.matches])
            fading = np.exp(-played[:, None] / np.array(facet.facet.scales))
            mean += fading @ _beliefs_at(facet, np.arange(len(facet.values)))[:, ::2] * used
    return [_moved(ladder, *parts) for parts in zip(ratings, mean, variance, strict=True)]


def _beliefs_at(facet: FacetRows, rows: NDArray[np.integer]) -> Floats:
    """Return the beliefs at rows of a facet: the prior one for unknown rows, and zeros where the value is missing."""
    width = 2 * len(facet.trait_names)
    fresh = [facet.facet.mu, (facet.facet.sigma or 0.0) ** 2] * len(facet.trait_names)
    cells: Floats = facet.state[np.maximum(rows, 0), :width]
    new = (rows < 0) | np.isnan(cells[:, 0])
    return np.where((rows == MISSING)[:, None], 0.0, np.where(new[:, None], fresh, cells))


def shifts(ladder: Ladder, context: Mapping[str, Any], players: list[int]) -> tuple[Floats, Floats]:
    """Return means and variances of what the rows at values of the context add to the skills of players, by trait.

    `players` are rows of the ladder. An unknown name or value of the context raises an `Error`.
    """
    check_names(ladder.model, context)
    mean, variance = (np.zeros((len(players), len(ladder.layout.traits))) for _ in range(2))
    for name, value in context.items():
        for rows in ladder.facets[: len(ladder.model.facets)]:
            if rows.facet.column == clean_name(name):
                weight, text = _value(rows, name, value)
                used = [trait in (rows.facet.traits or rows.trait_names) for trait in rows.trait_names]
                cells = _cells(rows, text, players)
                mean += weight * cells[:, ::2] * used
                variance += weight**2 * cells[:, 1::2] * used
    return mean, variance


def matches_at(ladder: Ladder, context: Mapping[str, Any]) -> NDArray[np.int64] | None:
    """Return how many matches each player has played at values of the context; of several values, at the rarest.

    Return None if there are only numbers and effects that all players share, which have no players of their own.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill().replace(facets=(pw.facet.By("mode", sigma=3.0),)))
    >>> for mode in ("1v1", "1v1", "2v2"):
    ...     _ = ladder.record([["ann"], ["bob"]], context={"mode": mode})
    >>> matches_at(ladder, {"mode": "1v1"})
    array([2, 2])
    """
    fewest: NDArray[np.int64] | None = None
    for name, value in context.items():
        for rows in ladder.facets[: len(ladder.model.facets)]:
            facet = rows.facet
            if facet.column == clean_name(name) and facet.personal and facet.learnt and not facet.weighted:
                chosen, owners = _rows_at(rows, _value(rows, name, value)[1])
                matches = np.zeros(len(ladder), np.int64)
                matches[owners] = np.nan_to_num(rows.state[chosen, -1])
                fewest = matches if fewest is None else np.minimum(fewest, matches)
    return fewest


def _cells(rows: FacetRows, value: str, players: list[int]) -> Floats:
    """Return the beliefs of players at a value; a player without a belief has the prior one."""
    width = 2 * len(rows.trait_names)
    fresh = [rows.facet.mu, (rows.facet.sigma or 0.0) ** 2] * len(rows.trait_names)
    if not rows.facet.personal or len(players) <= FEW:
        owners = players if rows.facet.personal else [-1]
        found = [(rows.belief(player, value) or fresh)[:width] for player in owners]
        cells = np.array(found, np.float64).reshape(-1, width)
        return cells if rows.facet.personal else np.repeat(cells, len(players), axis=0)
    chosen, players_there = _rows_at(rows, value)
    known = ~np.isnan(rows.state[chosen, 0])
    by_player = np.tile(fresh, (max(*players, *rows.owners) + 1, 1))
    by_player[players_there[known]] = rows.state[chosen[known], :width]
    beliefs: Floats = by_player[players]
    return beliefs


def _rows_at(rows: FacetRows, value: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows of players at a value, and these players; players who are not in the ladder are left out."""
    owners = np.array(rows.owners, np.intp)
    chosen = np.flatnonzero((np.array(rows.codes) == rows.code_of.get(value, -1)) & (owners >= 0))
    return chosen, owners[chosen]


def _value(rows: FacetRows, name: str, value: object) -> tuple[float, str]:
    """Return the weight and the value that select a row of a facet."""
    if rows.facet.weighted:
        return number(name, value, field="context"), ""
    text = str(ContextColumn.of([value]).as_text()[0])
    if text not in rows.code_of:
        known = [*rows.values[:LISTED], *(["others"] if len(rows.values) > LISTED else [])]
        have = f"; there are {join_words(known)}" if known else ""
        raise Error(f"no match has the {name} {text!r}{have}", field="context", value=value)
    return 1.0, text
