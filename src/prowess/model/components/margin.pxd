from libc.math cimport sqrt
from ..engine.board cimport Board, Margin
from ..maths.elementary cimport expm1
from ..maths.normal cimport central_width
