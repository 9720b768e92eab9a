from .board cimport Board
from .buffers cimport Columns, Table, prefetch
from .pipeline cimport Pipeline
from .schedule cimport Schedule

cdef class Window:
    cdef const int[::1] order
    cdef bint blocks
    cdef double[:, ::1] memory
    cdef Py_ssize_t first


cdef Py_ssize_t first_entry(Columns columns, Py_ssize_t match) noexcept
cdef Py_ssize_t block_entries(Columns columns, Schedule plan, Py_ssize_t b) noexcept
cdef bint place_matches(
    Pipeline pipeline, Board board, Columns columns, Window window, Py_ssize_t first, Py_ssize_t matches
) except -1
cdef bint load_block(
    Pipeline pipeline, Board board, Columns columns, Table table, Window window, bint settle
) except -1
cdef bint store_block(Pipeline pipeline, Board board, Columns columns, Table table, Window window) except -1
cdef void prefetch_row(Table table, Py_ssize_t row) noexcept
cdef void take_rows(Pipeline pipeline, Board board) noexcept
cdef Py_ssize_t find_rows(
    Pipeline pipeline, Board board, Columns columns, Table table, Schedule plan, Py_ssize_t b
) noexcept
cdef bint store_rows(Pipeline pipeline, Board board, Columns columns, Table table) except -1
cdef void load_results(Pipeline pipeline, Board board, Columns columns) noexcept
cdef void load_result(Pipeline pipeline, Board board, Columns columns) noexcept
cdef void load_memories(Pipeline pipeline, Board board, Window window) noexcept
