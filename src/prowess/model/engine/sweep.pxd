from .blocks cimport Window
from .board cimport Board
from .buffers cimport Columns, Record, Table
from .pipeline cimport Pipeline

cdef bint record_forecasts(Pipeline pipeline, Board board, Record record) except -1
cdef bint tally(
    Pipeline pipeline, Board board, Columns columns, Table table, Window window, Py_ssize_t stop
) except -1
cdef bint scale_statistics(Board board, Columns columns, Py_ssize_t first, Py_ssize_t stop) except -1
