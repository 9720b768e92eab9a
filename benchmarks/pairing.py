"""Benchmark `pair` on queues of thousands of players, and on a small queue against networkx."""

from collections.abc import Iterator
from itertools import combinations

import networkx as nx
import numpy as np

import prowess as pw

from .figures import Figure
from .timing import interleaved, per_item
from .workloads import BETA, MU, SIGMA, scaled

SMALL = 200


def pairing(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure the pairing of queues of different sizes; in a queue of odd size, one player stays unpaired."""
    count = scaled(SMALL, scale, 20)
    graph, small, pairs = complete(count), ladder(count), count * (count - 1) // 2
    clocks = {
        "prowess": per_item(lambda: pw.pair(small, list(small)), pairs),
        "networkx": per_item(lambda: nx.max_weight_matching(graph, maxcardinality=True), pairs),
    }
    medians = interleaved(clocks, repeats)
    label = f"queue of {SMALL}: per possible pair"
    yield Figure(label, medians["prowess"], "ns", "networkx", medians["networkx"], at_least=100)
    limits = {1000: 200.0, 5000: 1000.0, 5001: 1000.0, 20_000: None}
    queues = {count: ladder(scaled(count, scale, 10)) for count in limits}
    clocks = {count: per_item(lambda queue=queue: pw.pair(queue, list(queue)), 1) for count, queue in queues.items()}
    for count, median in interleaved(clocks, repeats).items():
        yield Figure(f"queue of {count:,}", median, "ms", below=limits[count])


def ladder(count: int) -> pw.Ladder:
    """Return a ladder of random players; each sigma is between a tenth of a newcomer's sigma and the whole of it."""
    rng = np.random.default_rng(0)
    numbers = zip(rng.normal(MU, SIGMA, count), rng.uniform(0.1 * SIGMA, SIGMA, count), strict=True)
    return pw.Ladder(pw.TrueSkill(beta=BETA), {f"p{k}": pw.Rating(*both) for k, both in enumerate(numbers)})


def complete(count: int) -> nx.Graph:
    """Return the complete graph of a ladder's players, weighted by match quality."""
    found = ladder(count)
    graph = nx.Graph()
    graph.add_weighted_edges_from((a, b, found.quality([[a], [b]])) for a, b in combinations(found, 2))
    return graph
