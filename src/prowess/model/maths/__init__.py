"""Special functions, quadrature and rank probabilities; no module here knows about matches or players."""

from ..processor import choose_kernels

choose_kernels(__path__, __name__)
