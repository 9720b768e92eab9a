"""Vertices and blossoms. A blossom is a ring of an odd number of nodes; a node is a vertex or a smaller blossom.

See Edmonds (1965), "Paths, trees, and flowers". Inside a blossom, all vertices except its base are matched. The base
determines this matching: the nodes of the ring are matched in pairs, except the node that contains the base. Therefore
the base can change without any work inside the blossom; the inner matching is computed only when the blossom is split.
"""

from __future__ import annotations

from array import array

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ...model import _cython as cython

# Labels of outermost nodes (tops) in an alternating tree.
FREE = cython.declare(cython.int, 0)
OUTER = cython.declare(cython.int, 1)
INNER = cython.declare(cython.int, 2)


@cython.final
@cython.cclass
class Blossoms:
    """A forest of nodes. The n vertices have the numbers 0 to n − 1, and blossoms have the numbers from n on.

    Every node has a `base`, a dual `z`, and `up`, the blossom that contains the node (−1 for an outermost node, called
    a top). The vertices of a node are a linked list from `head` to `tail`, linked by `follow`. For a node in a ring,
    `next` is the next node, and the edge to it leads from the vertex `out` in this node to the vertex `into` in the
    next. All vertices of a top have the same representative `rep`, and `node` maps this representative to the top.
    Until `unroll` is called, `mate` is valid only for the bases of tops.
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
        self.spare_count, self.unused_count = room - vertices, 0
        self.z, self.z_sum = array("q", [0]) * room, array("q", [0]) * room

    def top(self, vertex: cython.int) -> cython.int:
        """Return the outermost node that contains a vertex."""
        return self.node[self.rep[vertex]]

    def holder(self, blossom: cython.int, vertex: cython.int) -> cython.int:
        """Return the node of a blossom's ring that contains a vertex."""
        while self.up[vertex] != blossom:
            vertex = self.up[vertex]
        return vertex

    def link(self, one: cython.int, other: cython.int, out: cython.int, into: cython.int) -> cython.bint:
        """Make `other` the next node after `one` in a ring, by the edge from the vertex `out` to the vertex `into`."""
        self.next[one] = other
        self.out[one] = out
        self.into[one] = into
        return True

    def merge(self, first: cython.int, base: cython.int) -> cython.int:
        """Make a blossom from a ring of tops. All vertices of the blossom get the representative of the largest top."""
        node = last = largest = first
        self.spare_count -= 1
        blossom = self.spare[self.spare_count]
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
        # The largest top keeps its representative, so a vertex is relabelled at most log₂ n times over nested merges.
        rep = self.rep[self.head[largest]]
        while True:
            if node != largest:
                self.unused[self.unused_count] = self.rep[self.head[node]]
                self.unused_count += 1
                self.set_representative(node, rep)
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

    def set_representative(self, node: cython.int, rep: cython.int) -> cython.bint:
        """Set the representative of the vertices of a node."""
        vertex = self.head[node]
        while vertex != self.tail[node]:
            self.rep[vertex] = rep
            vertex = self.follow[vertex]
        self.rep[vertex] = rep
        return True

    def match_ring(self, blossom: cython.int) -> cython.int:
        """Match the nodes of a blossom's ring in pairs, except the node that contains the base; return this node."""
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
        """Dissolve a top: the nodes of its ring become matched tops. Return the node that contains the base.

        The largest node keeps the representative, which saves most of the work if blossoms are nested.
        """
        start = self.match_ring(blossom)
        node = self.next[start]
        largest = start
        while node != start:
            if self.size[node] > self.size[largest]:
                largest = node
            node = self.next[node]
        while True:
            self.up[node] = -1
            if node != largest:
                self.unused_count -= 1
                self.set_representative(node, self.unused[self.unused_count])
            self.node[self.rep[self.head[node]]] = node
            node = self.next[node]
            if node == start:
                break
        self.spare[self.spare_count] = blossom
        self.spare_count += 1
        return start

    def unroll(self, position: cython.int[::1], gap: cython.longlong[::1]) -> cython.bint:
        """Match all vertices inside blossoms, and order the vertices so that the vertices of a blossom are adjacent.

        `gap` at a position is the sum of z over the blossoms that contain both the vertex at this position and the next
        one. Therefore, for any two vertices, the sum of z over the blossoms that contain both is the smallest gap
        between their positions. `z_sum` of a vertex is the sum of z over the blossoms that contain the vertex.
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
                self.match_inside(top, position, gap)
        return True

    def list_leaves(self, node: cython.int, position: cython.int[::1], place: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Assign positions to the vertices of a node, starting at `place`; return the next free position."""
        vertex = self.head[node]
        while vertex != self.tail[node]:
            position[vertex] = place
            place += 1
            vertex = self.follow[vertex]
        position[vertex] = place
        return place + 1

    def match_inside(self, top: cython.int, position: cython.int[::1], gap: cython.longlong[::1]) -> cython.bint:
        """Match all vertices inside a top, from the outermost ring to the innermost."""
        waiting = 1
        self.stack[0] = top
        self.z_sum[top] = self.z[top]
        while waiting > 0:
            waiting -= 1
            blossom = self.stack[waiting]
            if blossom < self.vertices:
                continue
            self.match_ring(blossom)
            node = self.first[blossom]
            while True:
                self.z_sum[node] = self.z_sum[blossom] + self.z[node]
                self.stack[waiting] = node
                waiting += 1
                if self.next[node] == self.first[blossom]:
                    break
                gap[position[self.tail[node]]] = self.z_sum[blossom]
                node = self.next[node]
        return True
