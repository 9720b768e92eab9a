from ..interfaces cimport Outcome, evidence_by_lane
from .comparison cimport add_side, compare_all, reserve_sides
from .pairwise cimport Pairwise
from ...engine.board cimport Board
