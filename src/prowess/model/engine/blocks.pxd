from .board cimport copy_beliefs
from .facets cimport Deviations
from .players cimport load_memory, load_player, store_memory, store_player, welcome
from .board cimport Board
from .buffers cimport Columns, Table, prefetch
from .pipeline cimport Pipeline
from .schedule cimport Schedule

cdef class Window:
    cdef const int[::1] order
    cdef bint blocks
    cdef double[:, ::1] memory
    cdef Py_ssize_t first


cpdef Py_ssize_t first_entry(Columns columns, Py_ssize_t match) noexcept
cpdef Py_ssize_t block_entries(Columns columns, Schedule plan, Py_ssize_t b) noexcept
cpdef bint place_matches(
    Pipeline pipeline, Board board, Columns columns, Window window, Py_ssize_t first, Py_ssize_t matches
) except -1
cpdef bint load_block(
    Pipeline pipeline, Board board, Columns columns, Table table, Window window, bint settle
) except -1
cpdef bint store_block(Pipeline pipeline, Board board, Columns columns, Table table, Window window) except -1
cpdef void prefetch_row(Table table, Py_ssize_t row) noexcept
cpdef void take_rows(Pipeline pipeline, Board board) noexcept
cpdef Py_ssize_t find_rows(
    Pipeline pipeline, Board board, Columns columns, Table table, Schedule plan, Py_ssize_t b
) noexcept
cpdef bint store_rows(Pipeline pipeline, Board board, Columns columns, Table table) except -1
cpdef void load_results(Pipeline pipeline, Board board, Columns columns) noexcept
cpdef void load_result(Pipeline pipeline, Board board, Columns columns) noexcept
cpdef void load_memories(Pipeline pipeline, Board board, Window window) noexcept
