"""The automatic choice of a model: `auto` chooses a model for a history and returns a `Choice`."""

from .choice import Choice
from .run import auto

__all__ = ["Choice", "auto"]
