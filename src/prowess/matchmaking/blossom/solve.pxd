from .state cimport FREE, INNER, Blossoms
from .tree cimport Tree, clear, expand, make_inner, make_outer, shrink
