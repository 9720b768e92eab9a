from libc.math cimport exp, fabs, floor, sqrt
