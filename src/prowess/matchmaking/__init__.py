"""Matchmaking: who should play whom."""

from .balance import Balance, balance
from .informative import NextMatch, NextMatches, next_matches
from .pairing import Pairing
from .pairs import pair

__all__ = ["Balance", "NextMatch", "NextMatches", "Pairing", "balance", "next_matches", "pair"]
