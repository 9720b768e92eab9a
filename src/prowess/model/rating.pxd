from libc.math cimport isnan, sqrt
from .engine.board cimport Board


cdef class Kind:
    cdef readonly tuple traits, extras
    cdef readonly bint certain
    cdef readonly double caution


cdef class Rating:
    cdef double _mu, _sigma, _caution
    cdef object _parts


cpdef Rating make_rating(double mu, double sigma, double caution, object parts=*)
cpdef bint write_rating(Rating rating, Kind kind, Board board, Py_ssize_t entry) except -1
cpdef Rating read_rating(Kind kind, Board board, Py_ssize_t entry)
cpdef list read_ratings(Kind kind, Board board)
