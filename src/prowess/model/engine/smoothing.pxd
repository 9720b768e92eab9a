from .board cimport Board, Margin
from .chains cimport Chain


cdef class FixedMargin(Margin):
    pass


cdef class Chains:
    cdef readonly Chain players, home
    cdef public Chain effects
    cdef readonly object visit_start
    cdef readonly list deviations
    cdef readonly bint freezes, limits
    cdef public bint measures, online, backward, updates, visits
    cdef readonly double[::1] alpha, offset, step, next_step
    cdef public double[::1] epsilon
