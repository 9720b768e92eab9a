from .board cimport Absorb, Board, Drift, Outcome, Prior, TeamFunction
from .columns cimport Columns, Record, Table

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define PROWESS_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define PROWESS_PREFETCH(address) ((void) (address))
    #endif
    """
    void prefetch "PROWESS_PREFETCH" (const void *address) noexcept


cdef class Pipeline:
    cdef readonly Prior prior
    cdef readonly Drift drift
    cdef readonly double beta, caution
    cdef readonly TeamFunction team
    cdef readonly Outcome outcome
    cdef readonly Absorb absorb
    cdef readonly Py_ssize_t traits, extras, width
    cdef list spare

    cpdef Board board(self, Py_ssize_t teams, Py_ssize_t entries)
    cpdef bint look(self, Board board) except -1
    cpdef bint pool(self, Board board) except -1
    cdef void spread(self, Board board) noexcept
    cpdef double learn(self, Board board) except? -1.0
    cdef inline bint believe(
        self, Board board, Py_ssize_t e, Table table, Py_ssize_t row, double now, double unit
    ) except -1
    cdef inline void keep(self, Board board, Py_ssize_t e, Table table, Py_ssize_t row, double now) noexcept
    cdef bint load(self, Board board, Columns columns, Table table, Py_ssize_t match, double now) except -1
    cdef void write(self, Board board, Columns columns, Record record, Py_ssize_t match) noexcept
