"""Better parameters: `tune` searches on early matches and judges on later ones; a `Tuning` is what it found."""

from .search import tune
from .tuning import Trial, Tuning

__all__ = ["Trial", "Tuning", "tune"]
