from libc.math cimport exp, fabs
from .normal cimport cdf, log_pdf
