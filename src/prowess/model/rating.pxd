from .board cimport Board



cdef class Rating:
    cdef double _mu, _sigma, _caution
    cdef void put(self, Board board, Py_ssize_t entry) noexcept


cpdef Rating stored(double mu, double sigma, double caution)
cpdef list nested(Board board, double caution)
