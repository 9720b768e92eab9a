from .board cimport Absorb, Board, Drift, Outcome, Prior, TeamFunction

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
    cdef const int[::1] match_start, team_start, player, place, home
    cdef const double[::1] score, weight, importance, time
    cdef public Py_ssize_t matches, teams, entries
    cdef public bint has_score, has_weight, has_importance, has_home, has_time
    cdef public double unit


cdef class Table:
    cdef double[:, ::1] rows


cdef class Record:
    cdef public object mean, variance, win, draw, log_evidence, after
    cdef double[::1] _mean, _variance, _win, _draw, _log_evidence
    cdef double[:, ::1] _after
    cdef public bint has_after
    cdef public list unconverged


cdef class Pipeline:
    cdef readonly Prior prior
    cdef readonly Drift drift
    cdef readonly double beta, caution
    cdef readonly TeamFunction team
    cdef readonly Outcome outcome
    cdef readonly Absorb absorb
    cdef readonly Py_ssize_t traits, extras, width, at
    cdef list spare

    cpdef Board board(self, Py_ssize_t teams, Py_ssize_t entries)
    cpdef bint look(self, Board board) except -1
    cpdef bint pool(self, Board board) except -1
    cdef void spread(self, Board board) noexcept
    cdef double learn(self, Board board) except? -1.0
    cdef bint believe(
        self, Board board, Py_ssize_t e, Table table, Py_ssize_t row, double now, double unit
    ) except -1
    cdef void keep(self, Board board, Py_ssize_t e, Table table, Py_ssize_t row, double now) noexcept
    cdef bint load(self, Board board, Columns columns, Table table, Py_ssize_t match, double now) except -1
    cdef void write(self, Board board, Columns columns, Record record, Py_ssize_t match) noexcept
    cdef list ratings(self, Board board)
