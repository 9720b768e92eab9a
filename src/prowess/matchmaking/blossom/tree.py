"""An alternating tree, the events that change the tree, and the blossoms that form and dissolve within the tree.

The tree grows from an unmatched vertex. The nodes of the tree are outermost nodes (tops), alternately outer and inner.
While `delta` grows, the dual u of vertices falls in outer nodes and rises in inner nodes; the dual z of blossoms
changes in the opposite direction, twice as fast. Only the constant part of a dual is stored; `delta` is added or
subtracted when the dual is read. An amount that applies to all vertices of a top is stored once, at the top. Therefore
duals are updated only at events. A tight edge between two outer nodes closes a ring, which becomes a blossom. An inner
blossom is expanded when its z reaches 0.
"""

from __future__ import annotations

from array import array
from typing import Any

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ...model import _cython as cython

from .state import Blossoms

if not cython.compiled:
    from .state import FREE, INNER, OUTER


@cython.final
@cython.cclass
class EventQueue:
    """A binary heap of events. An event is a pair of numbers with a key, the value of `delta` at which it happens."""

    def __init__(self, room: int = 64) -> None:
        self.count = 0
        self.key = self.first = self.second = 0
        self.keys = array("q", bytes(8 * room))
        self.firsts = array("i", bytes(4 * room))
        self.seconds = array("i", bytes(4 * room))

    def grow(self) -> None:
        """Double the capacity."""
        room = len(self.keys)
        larger = EventQueue(2 * room)
        larger.keys[:room] = self.keys
        larger.firsts[:room] = self.firsts
        larger.seconds[:room] = self.seconds
        self.keys, self.firsts, self.seconds = larger.keys, larger.firsts, larger.seconds

    def push(self, key: cython.longlong, first: cython.int, second: cython.int) -> cython.bint:
        """Add an event."""
        at = self.count
        if at == len(self.keys):
            self.grow()
        self.count += 1
        while at > 0:
            above = (at - 1) // 2
            if self.keys[above] <= key:
                break
            self.keys[at] = self.keys[above]
            self.firsts[at] = self.firsts[above]
            self.seconds[at] = self.seconds[above]
            at = above
        self.keys[at] = key
        self.firsts[at] = first
        self.seconds[at] = second
        return False

    def next_key(self) -> cython.longlong:
        """Return the lowest key; the queue must not be empty."""
        return self.keys[0]

    def pop(self) -> cython.bint:
        """Remove the event with the lowest key; copy it to `key`, `first` and `second`. The queue must not be empty."""
        last = self.count - 1
        at = 0
        below = 1
        key = self.keys[last]
        self.key = self.keys[0]
        self.first = self.firsts[0]
        self.second = self.seconds[0]
        self.count = last
        while below < last:
            if below + 1 < last and self.keys[below + 1] < self.keys[below]:
                below += 1
            if self.keys[below] >= key:
                break
            self.keys[at] = self.keys[below]
            self.firsts[at] = self.firsts[below]
            self.seconds[at] = self.seconds[below]
            at = below
            below = 2 * at + 1
        self.keys[at] = key
        self.firsts[at] = self.firsts[last]
        self.seconds[at] = self.seconds[last]
        return True


@cython.final
@cython.cclass
class Tree:
    """A graph with its duals, and the alternating tree that grows in the graph.

    A node has a `label`, which is valid only for tops. An inner node stores the edge by which it was reached, from the
    vertex `above` outside to the vertex `entry` inside. A top that is not outer has the amount `add`, which is added to
    u of its vertices. `labelled` lists the labelled nodes.

    For a free vertex, `best` is the value of `delta` at which an edge from an outer vertex becomes tight, `proposer` is
    this outer vertex, and `proposal_search` is the number of the search that found the edge. When `delta` reaches
    `lowest_dual`, the dual of the outer vertex `lowest_vertex` is 0.
    """

    def __init__(self, start: Any, other: Any, weight: Any, dual: Any) -> None:
        vertices = len(start) - 1
        nodes = vertices + vertices // 2 + 1
        self.start, self.other, self.weight, self.u = start, other, weight, dual
        self.blossoms, self.events = Blossoms(vertices), EventQueue()
        self.label, self.above, self.entry, self.mark, self.ring = (array("i", [0]) * nodes for _ in range(5))
        self.labelled = array("i", [0]) * (4 * nodes)
        self.best, self.add = array("q", [0]) * nodes, array("q", [0]) * nodes
        self.proposer, self.proposal_search = (array("i", [0]) * nodes for _ in range(2))
        self.labelled_count = self.search = self.marks = 0
        self.delta = self.lowest_dual = 0
        self.lowest_vertex = -1


def make_outer(tree: Tree, node: cython.int) -> cython.bint:
    """Label a free top as outer, and scan the edges of its vertices."""
    _set_label(tree, node, OUTER)
    if node >= tree.blossoms.vertices:
        tree.blossoms.z[node] -= 2 * tree.delta
    _add_to_duals(tree, node, tree.add[node] + tree.delta)
    return _scan_edges(tree, node)


def make_inner(tree: Tree, node: cython.int, above: cython.int, entry: cython.int) -> cython.bint:
    """Label a free top as inner. If the top is a blossom, queue the event at which its dual z reaches 0."""
    _set_label(tree, node, INNER)
    tree.add[node] -= tree.delta
    tree.above[node] = above
    tree.entry[node] = entry
    if node >= tree.blossoms.vertices:
        tree.blossoms.z[node] += 2 * tree.delta
        tree.events.push(tree.blossoms.z[node] // 2, -1, node)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _set_label(tree: Tree, node: cython.int, label: cython.int) -> cython.void:
    tree.label[node] = label
    tree.labelled[tree.labelled_count] = node
    tree.labelled_count += 1


@cython.cfunc
@cython.exceptval(check=False)
def _add_to_duals(tree: Tree, node: cython.int, amount: cython.longlong) -> cython.void:
    """Add an amount to the stored duals of a node's vertices, and set the node's own `add` to 0."""
    blossoms = tree.blossoms
    vertex = blossoms.head[node]
    tree.add[node] = 0
    while vertex != blossoms.tail[node]:
        tree.u[vertex] += amount
        vertex = blossoms.follow[vertex]
    tree.u[vertex] += amount


def clear(tree: Tree) -> cython.void:
    """Remove all labels, and store the current duals."""
    for k in range(tree.labelled_count):
        node = tree.labelled[k]
        if tree.blossoms.up[node] < 0 and tree.label[node] != FREE:
            amount = -tree.delta if tree.label[node] == OUTER else tree.delta
            tree.add[node] += amount
            if node >= tree.blossoms.vertices:
                tree.blossoms.z[node] -= 2 * amount
        tree.label[node] = FREE


@cython.cfunc
def _scan_edges(tree: Tree, node: cython.int) -> cython.bint:
    blossoms = tree.blossoms
    vertex = blossoms.head[node]
    outer: cython.bint = tree.label[blossoms.top(vertex)] == OUTER
    while True:
        if outer:
            _scan_outer(tree, vertex)
        else:
            _scan_free(tree, vertex)
        if vertex == blossoms.tail[node]:
            return False
        vertex = blossoms.follow[vertex]


@cython.cfunc
def _scan_outer(tree: Tree, vertex: cython.int) -> cython.bint:
    """Queue the events at which the edges of an outer vertex become tight, and note when its dual reaches 0."""
    blossoms = tree.blossoms
    own = tree.u[vertex]
    top = blossoms.top(vertex)
    if own < tree.lowest_dual:
        tree.lowest_dual = own
        tree.lowest_vertex = vertex
    for arc in range(tree.start[vertex], tree.start[vertex + 1]):
        two = tree.other[arc]
        node = blossoms.top(two)
        if tree.label[node] == FREE:
            _propose(tree, vertex, two, own + tree.u[two] + tree.add[node] - tree.weight[arc])
        elif tree.label[node] == OUTER and node != top:
            # Both duals fall, so the slack shrinks twice as fast as delta grows.
            tree.events.push((own + tree.u[two] - tree.weight[arc]) // 2, vertex, ~two)
    return False


@cython.cfunc
def _scan_free(tree: Tree, vertex: cython.int) -> cython.bint:
    """Queue the events at which edges from outer vertices to a newly free vertex become tight."""
    blossoms = tree.blossoms
    own = tree.u[vertex] + tree.add[blossoms.top(vertex)]
    tree.proposal_search[vertex] = 0  # proposals from the time before the vertex was inner are obsolete
    for arc in range(tree.start[vertex], tree.start[vertex + 1]):
        two = tree.other[arc]
        if tree.label[blossoms.top(two)] == OUTER:
            _propose(tree, two, vertex, own + tree.u[two] - tree.weight[arc])
    return False


@cython.cfunc
def _propose(tree: Tree, outer: cython.int, free: cython.int, key: cython.longlong) -> cython.bint:
    """Queue the event at which an edge to a free vertex becomes tight, unless an earlier such event is queued."""
    if tree.proposal_search[free] != tree.search or key < tree.best[free]:
        tree.proposal_search[free] = tree.search
        tree.best[free] = key
        tree.proposer[free] = outer
        tree.events.push(key, outer, free)
    return False


def shrink(tree: Tree, one: cython.int, two: cython.int) -> cython.bint:
    """Make a blossom from the ring that a tight edge between two outer vertices closes."""
    blossoms = tree.blossoms
    common = _common_ancestor(tree, one, two)
    first = blossoms.top(one)
    node = first
    _link_path(tree, first, common, True)
    blossoms.link(blossoms.top(two), first, two, one)
    _link_path(tree, blossoms.top(two), common, False)
    while True:
        amount = -tree.delta
        if tree.label[node] == INNER:
            amount = tree.delta
            # An inner node's duals rose with delta and now fall with it, so the constant part grows by twice delta.
            _add_to_duals(tree, node, tree.add[node] + 2 * tree.delta)
        if node >= blossoms.vertices:
            blossoms.z[node] -= 2 * amount
        node = blossoms.next[node]
        if node == first:
            break
    blossom = blossoms.merge(first, blossoms.base[common])
    blossoms.z[blossom] = -2 * tree.delta
    tree.add[blossom] = 0
    _set_label(tree, blossom, OUTER)
    while True:
        # Only former inner nodes are scanned: the edges of outer nodes were scanned by `make_outer`.
        if tree.label[node] == INNER:
            _scan_edges(tree, node)
        tree.label[node] = FREE
        node = blossoms.next[node]
        if node == first:
            return True


@cython.cfunc
@cython.exceptval(check=False)
def _common_ancestor(tree: Tree, one: cython.int, two: cython.int) -> cython.int:
    blossoms = tree.blossoms
    node = blossoms.top(one)
    turn = blossoms.top(two)
    # Both paths advance in turn, so that the cost depends on the size of the ring, not on the depth of the tree.
    tree.marks += 1
    while True:
        if node >= 0:
            if tree.mark[node] == tree.marks:
                return node
            tree.mark[node] = tree.marks
            node = blossoms.mate[blossoms.base[node]]
            if node >= 0:
                node = blossoms.top(tree.above[blossoms.top(node)])
        node, turn = turn, node


@cython.cfunc
@cython.exceptval(check=False)
def _link_path(tree: Tree, node: cython.int, common: cython.int, upward: cython.bint) -> cython.void:
    """Link the nodes on the path from `node` up to `common` as part of a ring; if not `upward`, in reverse order."""
    blossoms = tree.blossoms
    while node != common:
        if tree.label[node] == OUTER:
            below = blossoms.base[node]
            above = blossoms.mate[below]
        else:
            below = tree.entry[node]
            above = tree.above[node]
        if upward:
            blossoms.link(node, blossoms.top(above), below, above)
        else:
            blossoms.link(blossoms.top(above), node, above, below)
        node = blossoms.top(above)


def expand(tree: Tree, blossom: cython.int) -> cython.bint:
    """Split an inner blossom whose dual z is 0.

    The path of even length from the blossom's entry to its base stays in the tree.
    """
    blossoms = tree.blossoms
    ring = tree.ring
    enter = blossoms.holder(blossom, tree.entry[blossom])
    size = at = 0
    tree.label[blossom] = FREE
    node = blossoms.split(blossom)
    while size == 0 or node != ring[0]:
        if node == enter:
            at = size
        ring[size] = node
        size += 1
        tree.add[node] = tree.add[blossom] + tree.delta
        node = blossoms.next[node]
    make_inner(tree, enter, tree.above[blossom], tree.entry[blossom])
    while at % size != 0:
        # Of the two ways around the odd ring, one has an even number of edges to the base.
        if at % 2 == 0:
            make_outer(tree, ring[at - 1])
            at -= 2
            make_inner(tree, ring[at], blossoms.into[ring[at]], blossoms.out[ring[at]])
        else:
            node = ring[at + 1]
            make_outer(tree, node)
            at += 2
            make_inner(tree, ring[at % size], blossoms.out[node], blossoms.into[node])
    for k in range(size):
        if tree.label[ring[k]] == FREE:
            _scan_edges(tree, ring[k])
    return True
