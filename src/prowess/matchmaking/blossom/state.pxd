cdef int FREE, OUTER, INNER

cdef class Blossoms:
    cdef public Py_ssize_t vertices
    cdef Py_ssize_t spare_count, unused_count
    cdef int[::1] up, base, first, head, tail, size  # a cell for each node
    cdef int[::1] next, out, into  # a cell for each node: its neighbour in the ring
    cdef int[::1] mate, follow, rep, node  # a cell for each vertex
    cdef int[::1] spare, unused, stack
    cdef long long[::1] z, z_sum

    cdef int top(self, int vertex) noexcept
    cdef int holder(self, int blossom, int vertex) noexcept
    cdef bint link(self, int one, int other, int out, int into) noexcept
    cdef int merge(self, int first, int base) noexcept
    cdef bint set_representative(self, int node, int rep) noexcept
    cdef int match_ring(self, int blossom) noexcept
    cdef int split(self, int blossom) noexcept
    cdef bint unroll(self, int[::1] position, long long[::1] gap) noexcept
    cdef Py_ssize_t list_leaves(self, int node, int[::1] position, Py_ssize_t place) noexcept
    cdef bint match_inside(self, int top, int[::1] position, long long[::1] gap) noexcept
