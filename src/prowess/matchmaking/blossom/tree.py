"""An alternating tree: what is in it, and when its edges become tight.

It grows from a vertex that is alone. Its nodes are tops, outer and inner ones in turn. As `delta` grows, u falls by it
in outer nodes and rises in inner ones, z the other way and twice as fast. What is stored of a node in the tree is the
number that stays the same, so that only events cost anything; what a top adds to u of all its vertices is stored once.
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from ...model import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.matchmaking.blossom.heap import Events
    from cython.cimports.prowess.matchmaking.blossom.state import FREE, INNER, OUTER, Blossoms
else:
    from .heap import Events
    from .state import FREE, INNER, OUTER, Blossoms


@cython.final
@cython.cclass
class Tree:
    """A graph with its duals, and the tree that grows in it at present.

    Of nodes: the `label`, which is right of tops; of inner nodes the edge by which the tree came to them, from a vertex
    `above` to their `entry`; of tops that are not outer, what they `add` to u of their vertices. `touched` are those
    that have been labelled. Of free vertices: when the `best` edge from an outer one becomes tight, that one, its
    `suitor`, and in which search this was found, its `era`. At `floor` the `lowest` outer vertex has no dual left.
    """

    def __init__(self, start: Any, other: Any, weight: Any, dual: Any) -> None:
        vertices = len(start) - 1
        nodes = vertices + vertices // 2 + 1
        self.start, self.other, self.weight, self.u = start, other, weight, dual
        self.blossoms, self.events = Blossoms(vertices), Events()
        self.label, self.above, self.entry, self.mark, self.ring = (array("i", [0]) * nodes for _ in range(5))
        self.touched = array("i", [0]) * (4 * nodes)
        self.best, self.add = array("q", [0]) * nodes, array("q", [0]) * nodes
        self.suitor, self.era = (array("i", [0]) * nodes for _ in range(2))
        self.touches = self.now = self.marks = 0
        self.delta = self.floor = 0
        self.lowest = -1


def make_outer(tree: Tree, node: cython.int) -> cython.bint:
    """Label a free top as outer, and look at the edges of its vertices."""
    touch(tree, node, OUTER)
    if node >= tree.blossoms.vertices:
        tree.blossoms.z[node] -= 2 * tree.delta
    lift(tree, node, tree.add[node] + tree.delta)
    return scan_all(tree, node)


def make_inner(tree: Tree, node: cython.int, above: cython.int, entry: cython.int) -> cython.bint:
    """Label a free top as inner; a blossom is split when its z has gone."""
    touch(tree, node, INNER)
    tree.add[node] -= tree.delta
    tree.above[node] = above
    tree.entry[node] = entry
    if node >= tree.blossoms.vertices:
        tree.blossoms.z[node] += 2 * tree.delta
        tree.events.push(tree.blossoms.z[node] // 2, -1, node)
    return False


def touch(tree: Tree, node: cython.int, label: cython.int) -> cython.void:
    """Give a top a label, until the tree is cleared."""
    tree.label[node] = label
    tree.touched[tree.touches] = node
    tree.touches += 1


def lift(tree: Tree, node: cython.int, amount: cython.longlong) -> cython.void:
    """Raise the stored duals of a node's vertices, which is then nothing that the node adds."""
    blossoms = tree.blossoms
    vertex = blossoms.head[node]
    tree.add[node] = 0
    while vertex != blossoms.tail[node]:
        tree.u[vertex] += amount
        vertex = blossoms.follow[vertex]
    tree.u[vertex] += amount


def clear(tree: Tree) -> cython.void:
    """Clear the tree: duals become what they are now."""
    for k in range(tree.touches):
        node = tree.touched[k]
        if tree.blossoms.up[node] < 0 and tree.label[node] != FREE:
            amount = -tree.delta if tree.label[node] == OUTER else tree.delta
            tree.add[node] += amount
            if node >= tree.blossoms.vertices:
                tree.blossoms.z[node] -= 2 * amount
        tree.label[node] = FREE


def scan_all(tree: Tree, node: cython.int) -> cython.bint:
    """Look at the edges of all vertices of an outer node, or of one that has become free again."""
    blossoms = tree.blossoms
    vertex = blossoms.head[node]
    outer: cython.bint = tree.label[blossoms.top(vertex)] == OUTER
    while True:
        if outer:
            _scan(tree, vertex)
        else:
            _scan_free(tree, vertex)
        if vertex == blossoms.tail[node]:
            return False
        vertex = blossoms.follow[vertex]


@cython.cfunc
def _scan(tree: Tree, vertex: cython.int) -> cython.bint:
    """Note when the edges of an outer vertex become tight, and when it has no dual left."""
    blossoms = tree.blossoms
    own = tree.u[vertex]
    top = blossoms.top(vertex)
    if own < tree.floor:
        tree.floor = own
        tree.lowest = vertex
    for arc in range(tree.start[vertex], tree.start[vertex + 1]):
        two = tree.other[arc]
        node = blossoms.top(two)
        if tree.label[node] == FREE:
            _court(tree, vertex, two, own + tree.u[two] + tree.add[node] - tree.weight[arc])
        elif tree.label[node] == OUTER and node != top:
            tree.events.push((own + tree.u[two] - tree.weight[arc]) // 2, vertex, ~two)
    return False


@cython.cfunc
def _scan_free(tree: Tree, vertex: cython.int) -> cython.bint:
    """Note when the edges from outer vertices to one that has become free become tight."""
    blossoms = tree.blossoms
    own = tree.u[vertex] + tree.add[blossoms.top(vertex)]
    tree.era[vertex] = 0  # what was found before it was inner does not hold any more
    for arc in range(tree.start[vertex], tree.start[vertex + 1]):
        two = tree.other[arc]
        if tree.label[blossoms.top(two)] == OUTER:
            _court(tree, two, vertex, own + tree.u[two] - tree.weight[arc])
    return False


@cython.cfunc
def _court(tree: Tree, outer: cython.int, free: cython.int, key: cython.longlong) -> cython.bint:
    """Note when an edge to a free vertex becomes tight, if it is the first."""
    if tree.era[free] != tree.now or key < tree.best[free]:
        tree.era[free] = tree.now
        tree.best[free] = key
        tree.suitor[free] = outer
        tree.events.push(key, outer, free)
    return False
