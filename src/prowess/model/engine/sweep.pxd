from .board cimport Board
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


cdef class Columns:
    cdef const int[::1] match_start, team_start, player, place
    cdef const double[::1] score, weight, importance, time, home
    cdef readonly object rows
    cdef public Py_ssize_t matches, teams, entries
    cdef public bint has_score, has_weight, has_importance, has_home, has_time
    cdef public double unit


cdef class Table:
    cdef double[::1] cells, memory


cdef class Record:
    cdef public object mean, variance, win, draw, scatter, log_evidence, before, after
    cdef double[::1] _mean, _variance, _win, _draw, _scatter, _log_evidence
    cdef double[:, ::1] _before, _after
    cdef public bint has_before, has_after, silent
    cdef public Py_ssize_t at
    cdef public list unconverged


cdef class _Window:
    cdef const int[::1] order
    cdef bint blocks
    cdef double[::1] memory
    cdef Py_ssize_t first


cpdef double periods_between(double period, double then, double now, double unit) noexcept
cdef bint load_player(
    Pipeline pipeline,
    Board board,
    Py_ssize_t e,
    Py_ssize_t lane,
    Table table,
    Py_ssize_t row,
    double now,
    double unit,
    bint settle,
) except -1
cdef void store_player(
    Pipeline pipeline,
    Board board,
    Py_ssize_t e,
    Py_ssize_t lane,
    Table table,
    Py_ssize_t row,
    double now,
    double unit,
) noexcept
cdef bint load_memory(Pipeline pipeline, Board board, Table table, double now, double unit, bint settle) except -1
cdef void store_memory(Pipeline pipeline, Board board, Table table) noexcept
