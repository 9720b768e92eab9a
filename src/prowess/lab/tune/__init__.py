"""Parameter tuning: `tune` searches on early matches, evaluates on later matches, and returns a `Tuning`."""

from .search import tune
from .tuning import Stopped, Trial, Tuning

__all__ = ["Stopped", "Trial", "Tuning", "tune"]
