from .board cimport Board



cdef class Rating:
    cdef double _mu, _sigma, _caution
    cdef void put(self, Board board, Py_ssize_t entry) noexcept


cdef Rating take(Board board, Py_ssize_t entry, double caution)
