from libc.math cimport fabs, sqrt
from ...engine.board cimport positive
from ...maths.elementary cimport exp, expm1
from ...maths.normal cimport Truncated, above, cdf, log_pdf, probability
from ..interfaces cimport Outcome
from ...engine.board cimport Board


cdef class RoundedPlaces(Outcome):
    pass


cpdef double match_margin(Board board) except? -1.0
cpdef bint forecast_rounded(Board board, double epsilon) except -1
