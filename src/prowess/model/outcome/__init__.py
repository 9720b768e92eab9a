"""Outcomes: the probability of what was seen, given the teams' performances."""

from ..board import Margin, Outcome
from .order import Order

__all__ = ["Margin", "Order", "Outcome"]
