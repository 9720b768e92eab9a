from libc.math cimport fabs, sqrt
from ..interfaces cimport Outcome, Score, evidence_by_lane
from ...engine.board cimport Board, make_scratch
from ...maths.elementary cimport log, log1p
