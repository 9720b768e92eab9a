from libc.math cimport fabs
from .interfaces cimport Absorb
from ..engine.board cimport Board, is_weighted
from ..maths.elementary cimport exp_all
