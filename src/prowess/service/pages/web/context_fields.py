"""Form fields for the context of a future match, on the pages that predict matches, pair players and make teams."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.datastructures import QueryParams

from ....errors import Error
from ....store.read.snapshot import Snapshot
from ...api.dependencies import COLUMN_PREFIX
from .forms import parse_number
from .match_context import column_label
from .page import Plain


def context_fields(now: Snapshot, query: QueryParams, teams: int | None = None) -> list[Plain]:
    """Return the fields for the context: one for each column of a facet, or one for each team if an effect is shared.

    `values` are the known values, or None for numbers, and `chosen` has what the visitor has chosen in each field. If
    the number of teams is not known yet, only columns that have one value for the match get a field.
    """
    fields = []
    for column in now.model.forecast_columns:
        facets = [facet for facet in now.model.facets if facet.column == column]
        by_team = not all(facet.personal for facet in facets)
        if by_team and teams is None:
            continue
        param, values = f"{COLUMN_PREFIX}{column}", now.facet_values.get(column)
        number = teams if teams is not None and by_team else 1
        chosen = [text.strip() for text in query.getlist(param)]
        chosen = [*chosen, *[""] * number][:number]
        values = None if any(facet.weighted for facet in facets) else values
        about = {"name": column, "param": param, "label": column_label(column), "by_team": by_team}
        fields.append(about | {"values": values, "chosen": chosen})
    return fields


def parse_context(columns: Sequence[Plain], present: Sequence[int] = ()) -> Plain | None:
    """Return the context of a match from the fields of the form; `present` has the numbers of the teams with names.

    >>> surface = {"name": "surface", "label": "Surface", "values": ["clay"], "by_team": False, "chosen": ["clay"]}
    >>> rest = {"name": "rest", "label": "Rest", "values": None, "by_team": True, "chosen": ["3", ""]}
    >>> parse_context([surface, rest], [0, 1])
    {'surface': 'clay', 'rest': [3.0, None]}
    """
    context: Plain = {}
    for column in columns:
        chosen: list[str | float | None] = [text or None for text in column["chosen"]]
        if column["values"] is None:
            chosen = [None if text is None else parse_number(str(text)) for text in chosen]
            wrong = next(
                (text for text, given in zip(column["chosen"], chosen, strict=True) if text and given is None), ""
            )
            if wrong:
                raise Error(f"{column['label']} must be a number, not {wrong[:20]!r}", field="context", value=wrong)
        if column["by_team"]:
            chosen = [chosen[number] if number < len(chosen) else None for number in present]
        if any(value is not None for value in chosen):
            context[column["name"]] = chosen if column["by_team"] else chosen[0]
    return context or None


def context_params(columns: Sequence[Plain]) -> dict[str, list[str]]:
    """Return the query parameters of the fields that have a value, for links to the same match.

    >>> context_params([{"param": "context.map", "chosen": ["Dust"]}, {"param": "context.rest", "chosen": ["", ""]}])
    {'context.map': ['Dust']}
    """
    return {column["param"]: column["chosen"] for column in columns if any(column["chosen"])}
