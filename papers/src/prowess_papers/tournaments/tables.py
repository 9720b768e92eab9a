"""The tables of the two papers: tournaments won, tournaments won minus lost, and errors by span."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from prowess.lab.compare import Comparison
from prowess.lab.slices import Mask

from ..paper import load_published
from .data import Spans

WON = "In how many of the last {} tournaments the model of the row predicted more pairs than the model of the column."


def percent(value: float) -> float:
    """Return a share in percent, rounded as in a table.

    >>> percent(0.21739)
    21.74
    """
    return round(100.0 * value, 2)


def count_wins(
    comparison: Comparison, names: Mapping[str, str], where: Mask, measure: str = "pair_error"
) -> pl.DataFrame:
    """Count the tournaments in which the model of a row was better than the model of a column: Table 1 of both papers.

    `names` maps the labels in the table to models.
    """
    table = comparison.pairwise(measure, where)
    rows = dict(zip(table["model"].to_list(), table.iter_rows(named=True), strict=True))
    columns = {label: [rows[other][name] for other in names.values()] for label, name in names.items()}
    return pl.DataFrame({"model": list(names)} | columns)


def ahead(table: pl.DataFrame) -> pl.DataFrame:
    """Return tournaments won minus tournaments lost for every pair of models: Table 2 of the 2010 paper.

    >>> ahead(pl.DataFrame({"model": ["a", "b"], "a": [0, 5], "b": [3, 0]})).rows()
    [('a', 0, -2), ('b', 2, 0)]
    """
    names = table.columns[1:]
    counts = table.select(names).to_numpy()
    return pl.DataFrame({"model": names} | dict(zip(names, (counts - counts.T).T, strict=True)))


def join_published(table: pl.DataFrame, theirs: Mapping[str, Sequence[float]]) -> pl.DataFrame:
    """Return our square table with the published table to its right.

    >>> join_published(pl.DataFrame({"model": ["a"], "a": [0]}), {"a": [1]}).columns
    ['model', 'a', 'a published']
    """
    names = table.columns[1:]
    rows = np.array([theirs[name] for name in names])
    return table.hstack([pl.Series(f"{name} published", rows[:, k]) for k, name in enumerate(names)])


def error_table(
    comparison: Comparison, names: Mapping[str, str], spans: Spans, theirs: Mapping[str, str]
) -> pl.DataFrame:
    """Return pair errors in percent by span, with the published errors: Table 2 of the 2011 paper.

    Only the errors over the span `spans.last[0]` have intervals.
    `names` maps the labels in the table to models; `theirs` maps some labels to the published model in the same row.
    """
    printed = load_published("tournaments")["icml2011"]["error"]
    masks = [None, *(spans.mask(comparison.history, many) for many in spans.last)]
    columns: dict[str, Any] = {"model": list(names)}
    for span, where in zip(spans.names, masks, strict=True):
        found = comparison.intervals("pair_error", where)
        columns[span] = [percent(found[name].value) for name in names.values()]
        # Intervals of all four spans would make the table too wide.
        if span == spans.names[1]:
            ends = [found[name][1:] for name in names.values()]
            columns["95 % interval"] = [f"{100 * low:.1f} to {100 * high:.1f}" for low, high in ends]
    columns["their model"] = [theirs.get(label) for label in names]
    for k, many in enumerate(printed["last"]):
        cells = [printed[theirs[label]][k] if label in theirs else None for label in names]
        columns[f"{f'last {many}' if many else 'all'}, published"] = cells
    return pl.DataFrame(columns, schema_overrides={name: pl.Float64 for name in columns if "published" in name})
