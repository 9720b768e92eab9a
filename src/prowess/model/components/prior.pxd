from libc.math cimport fabs
from .interfaces cimport Prior
from ..engine.board cimport Board
