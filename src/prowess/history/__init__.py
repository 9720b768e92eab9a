"""Histories of matches: read from files, data frames or Python objects, with their players' names and times."""

from .history import History
from .names import name_of
from .times import parse_time, show_time

__all__ = ["History", "name_of", "parse_time", "show_time"]
