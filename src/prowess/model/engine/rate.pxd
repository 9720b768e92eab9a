from libc.math cimport floor
from .board cimport Board
from .buffers cimport Table
from .pipeline cimport Pipeline
from .players cimport load_memory, load_player, store_memory, store_player
from .statistics cimport Statistics
from ..rating cimport Rating, read_rating, read_ratings, write_rating
