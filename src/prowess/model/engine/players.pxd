from libc.math cimport floor
from .board cimport copy_lane
from .board cimport Board
from .buffers cimport Table
from .pipeline cimport Pipeline

cpdef double periods_between(double period, double then, double now, double unit) noexcept
cpdef bint welcome(Pipeline pipeline, Board board, Py_ssize_t e, Py_ssize_t lane) except -1
cpdef bint is_open(Pipeline pipeline, Table table, Py_ssize_t base, double now, double unit) noexcept
cpdef bint load_player(
    Pipeline pipeline,
    Board board,
    Py_ssize_t e,
    Py_ssize_t lane,
    Table table,
    Py_ssize_t row,
    double now,
    double unit,
    bint settle,
) except -1
cpdef void store_player(
    Pipeline pipeline,
    Board board,
    Py_ssize_t e,
    Py_ssize_t lane,
    Table table,
    Py_ssize_t row,
    double now,
    double unit,
) noexcept
cpdef bint load_memory(Pipeline pipeline, Board board, Table table, double now, double unit, bint settle) except -1
cpdef void store_memory(Pipeline pipeline, Board board, Table table) noexcept
