cdef extern from *:
    """
    #if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    #define PROWESS_HAS_AVX2() (__builtin_cpu_init(), __builtin_cpu_supports("avx2") != 0)
    #else
    #define PROWESS_HAS_AVX2() 0
    #endif
    """
    bint has_avx2 "PROWESS_HAS_AVX2" () noexcept
