from libc.math cimport log, sqrt
from ..maths.normal cimport cdf
