from libc.math cimport fabs, sqrt
from .pairwise cimport CONCEDED, EXPECTED, Pairwise
from ...engine.board cimport Board, positive
from ...maths.elementary cimport exp, exp_all, log1p, log1p_all
from ...maths.normal cimport above, cdf, log_pdf, log_z
