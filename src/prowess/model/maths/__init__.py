"""Special functions, quadrature and rank probabilities; no module here knows about matches or players."""
