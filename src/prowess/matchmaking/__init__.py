"""Matchmaking: who should play whom."""

from .balance import Balance, balance
from .informative import NextMatch, NextMatches, next_matches

__all__ = ["Balance", "NextMatch", "NextMatches", "balance", "next_matches"]
