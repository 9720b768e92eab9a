from .tree cimport Tree

cdef bint shrink(Tree tree, int one, int two) except -1
cdef bint expand(Tree tree, int blossom) except -1
