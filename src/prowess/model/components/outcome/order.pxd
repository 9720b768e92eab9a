from ..interfaces cimport Outcome
from ..outcome cimport ep_chain
from ...engine.board cimport Board, Margin, compare, measure_gaps, positive, sort_by_place
from ...maths.elementary cimport log, log_all
from ...maths.normal cimport Truncated, above_all, log_z, log_z_all, within
