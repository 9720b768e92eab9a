"""Comparison of models: `compare` runs them on the same matches, and a `Comparison` holds the result."""

from .comparison import Comparison
from .run import compare

__all__ = ["Comparison", "compare"]
