from .interfaces cimport TeamFunction
from ..engine.board cimport Board, positive
