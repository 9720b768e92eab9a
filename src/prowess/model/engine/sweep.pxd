cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define PROWESS_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define PROWESS_PREFETCH(address) ((void) (address))
    #endif
    """
    void prefetch "PROWESS_PREFETCH" (const void *address) noexcept


cdef class _Window:
    cdef const int[::1] order
    cdef bint blocks
    cdef double[:, ::1] memory
    cdef Py_ssize_t first
