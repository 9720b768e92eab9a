from ...engine.board cimport Board

cpdef bint make_room(Board board, Py_ssize_t more) except -1
cpdef void own(Board board, Py_ssize_t k, double pi, double tau) noexcept
cpdef void link(Board board, Py_ssize_t k, double gap, double margin, bint tied) noexcept
cpdef double said_pi(Board board, Py_ssize_t k) noexcept
cpdef double said_tau(Board board, Py_ssize_t k) noexcept
cpdef double pass_on(Board board, Py_ssize_t length) noexcept
cpdef double evidence(Board board, Py_ssize_t length) noexcept
cpdef double moved(double mean, double var, double more_pi, double more_tau, double size) noexcept
cpdef double log_integral(double mean, double var, double pi, double tau) noexcept
cpdef double log_mass(double pi, double tau) noexcept
