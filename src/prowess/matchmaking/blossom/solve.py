"""Maximum-weight matching in general graphs: Edmonds' primal-dual algorithm, with one alternating tree at a time.

See Edmonds (1965), "Maximum matching and a polyhedron with 0,1-vertices", and Galil (1986), "Efficient algorithms for
finding maximum matching in graphs", sections 3 and 4.

Every vertex has a dual u ≥ 0, every blossom (see `state.py`) has a dual z ≥ 0, and every edge of weight w has the slack
uᵢ + uⱼ + Σz − w ≥ 0, where z is summed over the blossoms that contain both ends. An edge with slack 0 is tight. Matched
edges and the edges of the rings of blossoms are tight, and an unmatched vertex has u = 0; this proves that no matching
is heavier. Even weights keep all numbers integral.
"""

from __future__ import annotations

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ...model import _cython as cython

from .state import Blossoms
from .tree import Tree, clear, expand, make_inner, make_outer, shrink

if not cython.compiled:
    from .state import FREE, INNER

NEVER = cython.declare(cython.longlong, 1 << 62)


@cython.ccall
def match(
    start: cython.const[cython.int][::1],
    other: cython.const[cython.int][::1],
    weight: cython.const[cython.longlong][::1],
    dual: cython.longlong[::1],
    total: cython.longlong[::1],
    mate: cython.int[::1],
    position: cython.int[::1],
    gap: cython.longlong[::1],
) -> cython.void:
    """Find a matching of maximum weight; fill `mate` with the partner of every vertex, −1 for unmatched vertices.

    The neighbours of vertex v are `other[start[v]:start[v + 1]]`, so every edge is listed at both ends. Weights must be
    even. `dual` holds the initial duals of the vertices (any numbers of at least 0) and receives the final duals.
    `total` receives the sum of z over the blossoms around each vertex. `position` and `gap` receive the data for
    computing the sum of z over the blossoms around both ends of an edge (see `Blossoms.unroll`).

    >>> import numpy as np
    >>> start, other = np.array([0, 1, 3, 5, 6], np.int32), np.array([1, 0, 2, 1, 3, 2], np.int32)
    >>> weight, numbers = np.array([4, 4, 10, 10, 4, 4]), [np.zeros(4, int) for _ in range(3)]
    >>> mate, position = np.empty(4, np.int32), np.empty(4, np.int32)
    >>> match(start, other, weight, numbers[0], numbers[1], mate, position, numbers[2])
    >>> mate
    array([-1,  2,  1, -1], dtype=int32)
    """
    tree = Tree(start, other, weight, dual)
    blossoms = tree.blossoms
    # Every pair that is matched greedily saves a tree search below.
    _match_greedily(tree)
    for vertex in range(len(mate)):
        top = blossoms.top(vertex)
        if blossoms.mate[vertex] < 0 and blossoms.base[top] == vertex and tree.u[vertex] + tree.add[top] > 0:
            _augment(tree, top)
    blossoms.unroll(position, gap)
    for vertex in range(len(mate)):
        mate[vertex] = blossoms.mate[vertex]
        dual[vertex] += tree.add[blossoms.top(vertex)]
        total[vertex] = blossoms.z_sum[vertex]


@cython.cfunc
@cython.exceptval(check=False)
def _match_greedily(tree: Tree) -> cython.void:
    """Match vertices along tight edges as long as no tree is needed.

    First raise duals where an edge has negative slack. Then lower the dual of each vertex in turn, until the dual is 0
    or one of the vertex's edges is tight.
    """
    u = tree.u
    mate = tree.blossoms.mate
    for vertex in range(tree.blossoms.vertices):
        for arc in range(tree.start[vertex], tree.start[vertex + 1]):
            slack = u[vertex] + u[tree.other[arc]] - tree.weight[arc]
            if slack < 0:
                u[vertex] -= slack
    for vertex in range(tree.blossoms.vertices):
        if mate[vertex] >= 0:
            continue
        least = u[vertex]
        for arc in range(tree.start[vertex], tree.start[vertex + 1]):
            least = min(least, u[vertex] + u[tree.other[arc]] - tree.weight[arc])
        u[vertex] -= least
        for arc in range(tree.start[vertex], tree.start[vertex + 1]):
            if mate[tree.other[arc]] < 0 and u[vertex] + u[tree.other[arc]] == tree.weight[arc]:
                mate[vertex] = tree.other[arc]
                mate[tree.other[arc]] = vertex
                break


@cython.cfunc
def _augment(tree: Tree, root: cython.int) -> cython.bint:
    """Grow a tree from `root` until one more vertex can be matched, or a vertex with dual 0 can stay unmatched.

    Return True in the first case, and False in the second.
    """
    events = tree.events
    blossoms = tree.blossoms
    events.count = 0
    tree.search += 1
    tree.labelled_count = 0
    tree.delta = 0
    tree.lowest_dual = NEVER
    make_outer(tree, root)
    while events.count > 0 and events.next_key() < tree.lowest_dual:
        events.pop()
        # The event (−1, b) expands blossom b, (i, ~j) joins two outer vertices, and (i, j) reaches the free vertex j.
        one = events.first
        two = events.second
        tree.delta = events.key
        # Events stay in the queue when their nodes are merged, split or relabelled. So check first whether an event is
        # still valid.
        if one < 0:
            if tree.label[two] == INNER and blossoms.up[two] < 0 and blossoms.z[two] == 2 * tree.delta:
                expand(tree, two)
        elif two < 0:
            if blossoms.top(one) != blossoms.top(~two):
                shrink(tree, one, ~two)
        elif tree.label[blossoms.top(two)] == FREE and tree.best[two] == events.key and tree.proposer[two] == one:
            if blossoms.mate[blossoms.base[blossoms.top(two)]] < 0:
                _flip_path(blossoms, tree, one, two)
                blossoms.base[blossoms.top(two)] = two
                blossoms.mate[two] = one
                clear(tree)
                return True
            _extend_tree(tree, one, two)
    tree.delta = tree.lowest_dual
    _flip_path(blossoms, tree, tree.lowest_vertex, -1)
    clear(tree)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _flip_path(blossoms: Blossoms, tree: Tree, vertex: cython.int, mate: cython.int) -> cython.void:
    """Give an outer vertex another mate, and rematch all vertices on its path to the root."""
    while True:
        node = blossoms.top(vertex)
        below = blossoms.mate[blossoms.base[node]]
        blossoms.base[node] = vertex
        blossoms.mate[vertex] = mate
        if below < 0:
            return
        node = blossoms.top(below)
        mate = tree.entry[node]
        vertex = tree.above[node]
        blossoms.base[node] = mate
        blossoms.mate[mate] = vertex


@cython.cfunc
def _extend_tree(tree: Tree, one: cython.int, two: cython.int) -> cython.bint:
    """Add to the tree a free node, reached by a tight edge from an outer vertex, and the node matched with it."""
    blossoms = tree.blossoms
    node = blossoms.top(two)
    make_inner(tree, node, one, two)
    return make_outer(tree, blossoms.top(blossoms.mate[blossoms.base[node]]))
