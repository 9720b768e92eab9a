from libc.math cimport fabs, sqrt
from ..interfaces cimport Score, evidence_by_lane, see_one
from ...engine.board cimport Board, measure_sides, set_chances
from ...maths.elementary cimport log, log_all
from ...maths.normal cimport above_all, probability
