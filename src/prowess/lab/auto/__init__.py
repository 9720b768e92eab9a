"""The automatic choice of a model: `auto` chooses a model for a history, and `discover` says what matters in it."""

from .choice import Choice
from .discovery import Discovery, discover
from .run import auto

__all__ = ["Choice", "Discovery", "auto", "discover"]
