"""Blossoms come and go: a ring that a tight edge closes is folded into one node, and unfolded when its z has gone."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from ...model import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.matchmaking.blossom.state import FREE, INNER, OUTER
    from cython.cimports.prowess.matchmaking.blossom.tree import Tree, lift, make_inner, make_outer, scan_all, touch
else:
    from .state import FREE, INNER, OUTER
    from .tree import Tree, lift, make_inner, make_outer, scan_all, touch


def shrink(tree: Tree, one: cython.int, two: cython.int) -> cython.bint:
    """Make a blossom of the ring that a tight edge between outer vertices closes."""
    blossoms = tree.blossoms
    common = _common(tree, one, two)
    first = blossoms.top(one)
    node = first
    _climb(tree, first, common, True)
    blossoms.link(blossoms.top(two), first, two, one)
    _climb(tree, blossoms.top(two), common, False)
    while True:
        amount = -tree.delta
        if tree.label[node] == INNER:
            amount = tree.delta
            lift(tree, node, tree.add[node] + 2 * tree.delta)
        if node >= blossoms.vertices:
            blossoms.z[node] -= 2 * amount
        node = blossoms.next[node]
        if node == first:
            break
    blossom = blossoms.merge(first, blossoms.base[common])
    blossoms.z[blossom] = -2 * tree.delta
    tree.add[blossom] = 0
    touch(tree, blossom, OUTER)
    while True:
        if tree.label[node] == INNER:
            scan_all(tree, node)
        tree.label[node] = FREE
        node = blossoms.next[node]
        if node == first:
            return True


@cython.cfunc
@cython.exceptval(check=False)
def _common(tree: Tree, one: cython.int, two: cython.int) -> cython.int:
    """The outer node at which the ways of two outer vertices to the root meet."""
    blossoms = tree.blossoms
    node = blossoms.top(one)
    turn = blossoms.top(two)
    tree.marks += 1
    while True:
        if node >= 0:
            if tree.mark[node] == tree.marks:
                return node
            tree.mark[node] = tree.marks
            node = blossoms.mate[blossoms.base[node]]
            if node >= 0:
                node = blossoms.top(tree.above[blossoms.top(node)])
        swap = node
        node = turn
        turn = swap


@cython.cfunc
@cython.exceptval(check=False)
def _climb(tree: Tree, node: cython.int, common: cython.int, upward: cython.bint) -> cython.void:
    """Link the nodes from an outer one to a node above it, in this order or from there."""
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
    """Split an inner blossom whose z has gone: the even way from its entry to its base stays in the tree."""
    blossoms = tree.blossoms
    ring = tree.ring
    enter = blossoms.holder(blossom, tree.entry[blossom])
    size = 0
    at = 0
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
            scan_all(tree, ring[k])
    return True
