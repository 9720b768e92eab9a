from .board cimport Board

cpdef double kept_share(double own, double rest, double whole, double left) noexcept
cpdef void keep_shares(
    double[::1] own, double[::1] rest, double[::1] whole, double[::1] left, Py_ssize_t lanes
) noexcept
cpdef void spread(Board board) noexcept
cpdef void divide(Board board, Board rows, double[::1] rest) noexcept
cpdef void add_variances(Board rows, double[::1] total) noexcept
