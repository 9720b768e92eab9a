from .state cimport FREE, INNER, OUTER
from .state cimport Blossoms


cdef class EventQueue:
    cdef public Py_ssize_t count
    cdef public long long key
    cdef public int first, second
    cdef long long[::1] keys
    cdef int[::1] firsts, seconds

    cdef bint push(self, long long key, int first, int second) except -1
    cdef bint pop(self) noexcept
    cdef long long next_key(self) noexcept


cdef class Tree:
    cdef const int[::1] start, other
    cdef const long long[::1] weight
    cdef Blossoms blossoms
    cdef EventQueue events
    cdef long long[::1] u, add, best
    cdef int[::1] label, above, entry, mark, ring, labelled, proposer, proposal_search
    cdef Py_ssize_t labelled_count
    cdef int search, marks, lowest_vertex
    cdef long long delta, lowest_dual

cpdef bint make_outer(Tree tree, int node) except -1
cpdef bint make_inner(Tree tree, int node, int above, int entry) except -1
cpdef void clear(Tree tree) noexcept
cpdef bint shrink(Tree tree, int one, int two) except -1
cpdef bint expand(Tree tree, int blossom) except -1
