"""Comparison of models: `compare` runs models on the same matches and returns a `Comparison`."""

from .comparison import Comparison
from .run import compare

__all__ = ["Comparison", "compare"]
