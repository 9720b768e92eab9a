"""Histories of matches: read from files, data frames or Python objects, with their players' names and times."""

from .cells.dates.moments import parse_time
from .history import History
from .names.spelling import name_of
from .times import show_time

__all__ = ["History", "name_of", "parse_time", "show_time"]
