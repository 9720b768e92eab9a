from .blocks cimport block_entries, find_rows, first_entry, load_block, place_matches, prefetch_row, store_block, take_rows
from .board cimport copy_lane
from .facets cimport Deviations
from .players cimport is_open, load_memory, load_player
from .schedule cimport Schedule
from .statistics cimport Statistics
from .blocks cimport Window
from .board cimport Board
from .buffers cimport Columns, Record, Table
from .pipeline cimport Pipeline

cpdef bint record_forecasts(Pipeline pipeline, Board board, Record record) except -1
cpdef bint tally(
    Pipeline pipeline, Board board, Columns columns, Table table, Window window, Py_ssize_t stop
) except -1
cpdef bint scale_statistics(Board board, Columns columns, Py_ssize_t first, Py_ssize_t stop) except -1
