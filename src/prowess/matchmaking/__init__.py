"""Matchmaking: who should play whom."""

from .balancing.balance import Balance, balance
from .next_match.next_match import NextMatch, NextMatches, next_matches
from .pairing.pair import Pairing, pair

__all__ = ["Balance", "NextMatch", "NextMatches", "Pairing", "balance", "next_matches", "pair"]
