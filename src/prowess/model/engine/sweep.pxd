from .board cimport Board
from .buffers cimport Columns, Record, Table
from .pipeline cimport Pipeline

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define PROWESS_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define PROWESS_PREFETCH(address) ((void) (address))
    #endif
    """
    void prefetch "PROWESS_PREFETCH" (const void *address) noexcept


cpdef double periods_between(double period, double then, double now, double unit) noexcept
cdef bint load_player(
    Pipeline pipeline, Board board, Py_ssize_t e, Table table, Py_ssize_t row, double now, double unit
) except -1
cdef void store_player(
    Pipeline pipeline, Board board, Py_ssize_t e, Table table, Py_ssize_t row, double now, double unit
) noexcept
cdef bint load_memory(Pipeline pipeline, Board board, Table table, double now, double unit) except -1
cdef void store_memory(Pipeline pipeline, Board board, Table table) noexcept
