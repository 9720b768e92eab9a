from libc.math cimport fabs, sqrt
from ..outcome cimport ep_chain
from ...engine.board cimport positive
from ...maths.elementary cimport log
from ...maths.normal cimport above, log_z, within
from ...engine.board cimport Board

cpdef double learn_two(Board board, double epsilon, double tolerance, Py_ssize_t sweeps) except? -1.0
cpdef bint is_well_scaled(Board board, double epsilon) except -1
