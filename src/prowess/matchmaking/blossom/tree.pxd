from .state cimport Blossoms
from .heap cimport Events

cdef class Tree:
    cdef const int[::1] start, other
    cdef const long long[::1] weight
    cdef Blossoms blossoms
    cdef Events events
    cdef long long[::1] u, add, best
    cdef int[::1] label, above, entry, mark, ring, touched, suitor, era
    cdef Py_ssize_t touches
    cdef int now, marks, lowest
    cdef long long delta, floor

cdef bint make_outer(Tree tree, int node) except -1
cdef bint make_inner(Tree tree, int node, int above, int entry) except -1
cdef void touch(Tree tree, int node, int label) noexcept
cdef void lift(Tree tree, int node, long long amount) noexcept
cdef void clear(Tree tree) noexcept
cdef bint scan_all(Tree tree, int node) except -1
