"""Vertices, and the blossoms in which they lie: odd rings of nodes, each a vertex or itself a blossom.

Edmonds (1965), "Paths, trees, and flowers". All of a blossom but its base is matched inside it, and how follows from
the base alone: beside the node that holds it, the ring is matched two by two. So nothing inside changes with the base,
and is only looked at when a blossom is split.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ModuleNotFoundError:
    from ...model import _cython as cython

# What a top is to an alternating tree.
FREE = cython.declare(cython.int, 0)
OUTER = cython.declare(cython.int, 1)
INNER = cython.declare(cython.int, 2)


@cython.final
@cython.cclass
class Blossoms:
    """A forest of nodes: vertices are numbered from 0, blossoms from the number of vertices on.

    Of every node: the blossom `up` that holds it (−1: none, it is a top), its `base`, its dual `z`, its vertices as a
    list from `head` to `tail`, in which each vertex knows who follows. Of those in a ring: the `next` node, and the
    edge there, `out` of this one and `into` that one. `mate` is right of the bases of tops, until all is unrolled.
    """

    def __init__(self, vertices: int) -> None:
        room = vertices + vertices // 2 + 1
        self.vertices = vertices
        self.up = array("i", [-1]) * room
        self.base, self.head, self.tail = (array("i", range(room)) for _ in range(3))
        self.size = array("i", [1]) * room
        self.first, self.next, self.out, self.into, self.stack = (array("i", [-1]) * room for _ in range(5))
        self.mate = array("i", [-1]) * max(vertices, 1)
        self.follow, self.rep, self.node = (array("i", range(max(vertices, 1))) for _ in range(3))
        self.spare, self.unused = array("i", range(vertices, room)), array("i", [0]) * max(vertices, 1)
        self.spares, self.names = room - vertices, 0
        self.z, self.deep = array("q", [0]) * room, array("q", [0]) * room

    def top(self, vertex: cython.int) -> cython.int:
        """The outermost node that holds a vertex."""
        return self.node[self.rep[vertex]]

    def holder(self, blossom: cython.int, vertex: cython.int) -> cython.int:
        """The node of a blossom's ring that holds a vertex."""
        while self.up[vertex] != blossom:
            vertex = self.up[vertex]
        return vertex

    def link(self, one: cython.int, other: cython.int, out: cython.int, into: cython.int) -> cython.bint:
        """Let a node be followed by another in a ring, by the edge between these vertices."""
        self.next[one] = other
        self.out[one] = out
        self.into[one] = into
        return True

    def merge(self, first: cython.int, base: cython.int) -> cython.int:
        """Make a blossom of a ring of tops; the largest of them lends its name to the vertices of all."""
        node = first
        last = first
        largest = first
        self.spares -= 1
        blossom = self.spare[self.spares]
        self.size[blossom] = 0
        while True:
            self.up[node] = blossom
            self.size[blossom] += self.size[node]
            if self.size[node] > self.size[largest]:
                largest = node
            if node != first:
                self.follow[self.tail[last]] = self.head[node]
            last = node
            node = self.next[node]
            if node == first:
                break
        rep = self.rep[self.head[largest]]
        while True:
            if node != largest:
                self.unused[self.names] = self.rep[self.head[node]]
                self.names += 1
                self.name(node, rep)
            node = self.next[node]
            if node == first:
                break
        self.node[rep] = blossom
        self.up[blossom] = -1
        self.base[blossom] = base
        self.first[blossom] = first
        self.head[blossom] = self.head[first]
        self.tail[blossom] = self.tail[last]
        return blossom

    def name(self, node: cython.int, rep: cython.int) -> cython.bint:
        """Say of the vertices of a node under which name their top is known."""
        vertex = self.head[node]
        while vertex != self.tail[node]:
            self.rep[vertex] = rep
            vertex = self.follow[vertex]
        self.rep[vertex] = rep
        return True

    def settle(self, blossom: cython.int) -> cython.int:
        """Match the ring of a blossom, two by two, beside the node that holds the base, which is returned."""
        start = self.holder(blossom, self.base[blossom])
        one = self.next[start]
        self.base[start] = self.base[blossom]
        while one != start:
            other = self.next[one]
            self.base[one] = self.out[one]
            self.base[other] = self.into[one]
            self.mate[self.out[one]] = self.into[one]
            self.mate[self.into[one]] = self.out[one]
            one = self.next[other]
        return start

    def split(self, blossom: cython.int) -> cython.int:
        """Make the nodes of a top's ring tops themselves, matched; returns the one that holds the base.

        The largest of them keeps the name, which saves most of the work where blossoms lie in blossoms.
        """
        start = self.settle(blossom)
        node = self.next[start]
        largest = start
        while node != start:
            if self.size[node] > self.size[largest]:
                largest = node
            node = self.next[node]
        while True:
            self.up[node] = -1
            if node != largest:
                self.names -= 1
                self.name(node, self.unused[self.names])
            self.node[self.rep[self.head[node]]] = node
            node = self.next[node]
            if node == start:
                break
        self.spare[self.spares] = blossom
        self.spares += 1
        return start

    def unroll(self, position: cython.int[::1], gap: cython.longlong[::1]) -> cython.bint:
        """Match everything inside of all blossoms, and list the vertices such that those of a blossom stand together.

        `gap` is, between the vertex at a position and the next one, the sum of z over the blossoms that hold both; so
        for any two vertices it is the least of the gaps between them. `deep` is that sum for a vertex alone.
        """
        place = 0
        for vertex in range(self.vertices):
            top = self.top(vertex)
            gap[vertex] = 0
            if self.head[top] == vertex:
                place = self.list_leaves(top, position, place)
        for vertex in range(self.vertices):
            top = self.top(vertex)
            if self.head[top] == vertex:
                self.open(top, position, gap)
        return True

    def list_leaves(self, node: cython.int, position: cython.int[::1], place: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Give the vertices of a node the places from this one on; returns the place after them."""
        vertex = self.head[node]
        while vertex != self.tail[node]:
            position[vertex] = place
            place += 1
            vertex = self.follow[vertex]
        position[vertex] = place
        return place + 1

    def open(self, top: cython.int, position: cython.int[::1], gap: cython.longlong[::1]) -> cython.bint:
        """Match everything inside a top, from the outside in."""
        waiting = 1
        self.stack[0] = top
        self.deep[top] = self.z[top]
        while waiting > 0:
            waiting -= 1
            blossom = self.stack[waiting]
            if blossom < self.vertices:
                continue
            self.settle(blossom)
            node = self.first[blossom]
            while True:
                self.deep[node] = self.deep[blossom] + self.z[node]
                self.stack[waiting] = node
                waiting += 1
                if self.next[node] == self.first[blossom]:
                    break
                gap[position[self.tail[node]]] = self.deep[blossom]
                node = self.next[node]
        return True
