"""The automatic choice of a model: `auto` makes the decisions, and a `Choice` holds the result."""

from .choice import Choice
from .run import auto

__all__ = ["Choice", "auto"]
