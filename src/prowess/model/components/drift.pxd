from .interfaces cimport Drift
from ..engine.board cimport Board
