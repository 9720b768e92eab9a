"""Enumerate all matchings of a small graph, and find the best."""

from collections.abc import Iterator, Sequence
from typing import Any

Weights = dict[tuple[int, int], Any]  # weights by edge; the lower vertex comes first


def matchings(vertices: Sequence[int], weights: Weights) -> Iterator[list[tuple[int, int]]]:
    """Yield every matching; the first vertex stays unmatched or is matched with any later vertex."""
    if not vertices:
        yield []
        return
    first, *rest = vertices
    yield from matchings(rest, weights)
    for other in rest:
        if (first, other) in weights:
            for found in matchings([one for one in rest if one != other], weights):
                yield [(first, other), *found]


def heaviest(count: int, weights: Weights) -> Any:
    """Return the largest weight of a matching."""
    return max(sum(weights[edge] for edge in found) for found in matchings(range(count), weights))


def fullest(count: int, weights: Weights) -> tuple[int, Any]:
    """Return the largest number of edges in a matching, and the largest weight of a matching with that many edges."""
    return max((len(found), sum(weights[edge] for edge in found)) for found in matchings(range(count), weights))
