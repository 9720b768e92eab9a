from libc.math cimport fabs
from .pairwise cimport CONCEDED, EXPECTED, Pairwise, count_draws
from ...engine.board cimport Board
from ...maths.elementary cimport exp, log, log1p_all
from ...maths.logistic_normal cimport D1, D2, DRAW_02, DRAW_11, DRAW_20, GAP, LARGEST, LEFT, LOG_Z, NEAR, SUM_03, SUM_12, SUM_21, SUM_30, VARIANCE, WIDE, add_nodes, measure_wide
