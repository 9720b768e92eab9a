"""Matchmaking: who should play whom."""

from .balance import Balance, balance

__all__ = ["Balance", "balance"]
