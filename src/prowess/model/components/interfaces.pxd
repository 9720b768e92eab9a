from ..engine.board cimport compare, copy_lane, set_chances
from ..engine.board cimport Board


# A method returns a bint: 0, or -1 for an exception, which costs nothing to check. Return values of methods written in
# Python are ignored.
cdef class Prior:
    cpdef bint welcome(self, Board board, Py_ssize_t entry) except -1
    cpdef bint meet(self, Board board) except -1


cdef class Drift:
    cpdef bint widen(self, Board board) except -1
    cpdef bint transition(self, Board board) except -1


cdef class TeamFunction:
    cpdef bint weigh(self, Board board) except -1


cdef class Outcome:
    cpdef bint prepare(self, Board board) except -1
    cpdef bint add_base(self, Board board) except -1
    cpdef bint forecast(self, Board board) except -1
    cpdef bint tally(self, Board board) except -1
    cpdef bint mix_draws(self, Board board) except -1
    cpdef double evidence(self, Board board) except? -1.0
    cpdef bint derive(self, Board board) except -1


cpdef bint forecast_by_lane(Outcome outcome, Board board) except -1
cpdef bint evidence_by_lane(Outcome outcome, Board board) except -1


cdef class Score(Outcome):
    cpdef bint check(self, Board board) except -1
    cpdef double seen(self, Board board, double score, double mean, double variance) except? -1.0
    cpdef bint seen_all(self, Board board) except -1
    cpdef bint foresee_all(self, Board board) except -1
    cpdef bint foresee(self, Board board, double mean, double variance, double mean_1, double variance_1) except -1
    cpdef bint remember(self, Board board) except -1
    cpdef double base_level(self, Board board) except? -1.0


cpdef double see_one(Score likelihood, Board board, double score, double mean, double variance) except? -1.0


cdef class Absorb:
    cpdef bint welcome(self, Board board, Py_ssize_t entry) except -1
    cpdef bint absorb(self, Board board) except -1
