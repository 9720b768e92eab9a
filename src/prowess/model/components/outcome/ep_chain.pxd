from libc.math cimport fabs, sqrt
from ...engine.board cimport make_scratch
from ...maths.elementary cimport log, log_all
from ...maths.normal cimport above_all, log_z_all, within
from ...engine.board cimport Board

cdef Py_ssize_t ACTIVE, MOVE

cpdef bint reserve(Board board, Py_ssize_t more) except -1
cpdef void set_prior(Board board, Py_ssize_t cell, double pi, double tau) noexcept
cpdef void set_factor(Board board, Py_ssize_t cell, double gap, double margin, bint tied) noexcept
cpdef double message_pi(Board board, Py_ssize_t cell) noexcept
cpdef double message_tau(Board board, Py_ssize_t cell) noexcept
cpdef void sweep(Board board, Py_ssize_t length) noexcept
cpdef void add_evidence(Board board, Py_ssize_t length) noexcept
cpdef double squared_move(double mean, double var, double more_pi, double more_tau, double size) noexcept
cpdef double log_integral(double mean, double var, double pi, double tau) noexcept
cpdef double log_mass(double pi, double tau) noexcept
