"""Outcomes: the probability of what was seen, given the teams' performances."""

from ..bases import Outcome
from ..board import Margin
from .duel import Duel
from .gaussian_score import GaussianScore
from .logistic import Logistic
from .margin import Spread, TwoValued
from .offence_defence import OffenceDefence
from .opposition import Opposition
from .order import Order
from .pairwise import Pairwise
from .places import Places
from .places_ml import PlacesML
from .poisson_score import PoissonScore
from .probit import Probit
from .score import Score

__all__ = [
    "Duel",
    "GaussianScore",
    "Logistic",
    "Margin",
    "OffenceDefence",
    "Opposition",
    "Order",
    "Outcome",
    "Pairwise",
    "Places",
    "PlacesML",
    "PoissonScore",
    "Probit",
    "Score",
    "Spread",
    "TwoValued",
]
