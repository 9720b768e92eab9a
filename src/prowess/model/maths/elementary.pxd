# Exact operations on the bits of a double, written so that C compilers vectorise them. Their twins for uncompiled
# kernels are in `_cython.py`.
cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    static inline double prowess_power_of_two(double shifted) {
        uint64_t bits;
        memcpy(&bits, &shifted, 8);
        bits = (bits + 1023) << 52;
        memcpy(&shifted, &bits, 8);
        return shifted;
    }
    static inline double prowess_exponent(double x) {
        uint64_t bits;
        memcpy(&bits, &x, 8);
        bits = (bits >> 52) | 0x4330000000000000u;
        memcpy(&x, &bits, 8);
        return x - 4503599627371519.0;
    }
    static inline double prowess_mantissa(double x) {
        uint64_t bits;
        memcpy(&bits, &x, 8);
        bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
        memcpy(&x, &bits, 8);
        return x;
    }
    """
    double power_of_two "prowess_power_of_two" (double shifted) noexcept nogil
    double exponent "prowess_exponent" (double x) noexcept nogil
    double mantissa "prowess_mantissa" (double x) noexcept nogil

cpdef double exp(double x) noexcept
cpdef double log(double x) noexcept
cpdef void exp_all(double[::1] x, Py_ssize_t first, Py_ssize_t count) noexcept
cpdef void log_all(double[::1] x, Py_ssize_t first, Py_ssize_t count) noexcept
cpdef double log1p(double x) noexcept
cpdef void log1p_all(double[::1] x, Py_ssize_t first, Py_ssize_t count) noexcept
cpdef double expm1(double x) noexcept
cpdef void expm1_all(double[::1] x, Py_ssize_t first, Py_ssize_t count) noexcept
