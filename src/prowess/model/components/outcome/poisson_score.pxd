from libc.math cimport floor, sqrt
from ..interfaces cimport Score, see_one
from ...engine.board cimport Board, positive
from ...maths.elementary cimport exp, log, log_all
from ...maths.normal cimport log_pdf
from ...maths.poisson cimport log_pmf, tilt, tilt_all
