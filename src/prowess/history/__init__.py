"""Histories of matches, read from files, frames and plain Python; names and times."""

from .history import History
from .names import name_of
from .times import parse_time, show_time

__all__ = ["History", "name_of", "parse_time", "show_time"]
