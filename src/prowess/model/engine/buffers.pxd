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
    cdef public Py_ssize_t matches, teams, entries, match_teams, match_entries, team_entries
    cdef public bint has_score, has_weight, has_importance, has_home, has_time
    cdef public double unit
    cdef public list facets


cdef class FacetColumn:
    cdef readonly const int[::1] row
    cdef readonly const double[::1] weight
    cdef readonly bint has_weight, by_team


cdef class StatisticColumn:
    cdef const int[::1] row
    cdef const double[::1] value, noise
    cdef double[::1] scaled
    cdef readonly bint has_noise


cdef class Table:
    cdef double[::1] cells, memory
    cdef readonly Py_ssize_t stride
    cdef readonly list facets


cdef class Record:
    cdef public object mean, variance, win, draw, scatter, log_evidence, before, after, rows_before, rows_after, shares
    cdef double[::1] _mean, _variance, _win, _draw, _scatter, _log_evidence
    cdef double[:, ::1] _before, _after, _rows_before, _rows_after, _shares
    cdef public bint has_before, has_after, silent
    cdef public Py_ssize_t at, first_match, first_team
    cdef public list unconverged
