"""Parameter tuning: `tune` searches on early matches and evaluates on later ones; a `Tuning` is the result."""

from .search import tune
from .tuning import Stopped, Trial, Tuning

__all__ = ["Stopped", "Trial", "Tuning", "tune"]
