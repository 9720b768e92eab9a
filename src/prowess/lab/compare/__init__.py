"""Which model predicts best: `compare` runs them, a `Comparison` holds what came out."""

from .comparison import Comparison
from .run import compare

__all__ = ["Comparison", "compare"]
