cdef class Schedule:
    cdef int[::1] order, block_start, window_block, window_start
    cdef readonly bint ordered
    cdef readonly object starts
    cdef readonly Py_ssize_t lanes, large, blocks, windows, teams, entries, small_teams, small_entries


cdef class _Work:
    cdef const int[::1] match_start, team_start, player
    cdef int[::1] shape, level, count, sorted
    cdef long long[::1] seen
    cdef bint uniform
    cdef long long stamp

