"""Files and frames in, columns out: `History`, and what may stand as a name or as a time."""

from .history import History
from .names import name_of
from .times import parse_time, show_time

__all__ = ["History", "name_of", "parse_time", "show_time"]
