"""Outcomes: the probability of a match result, given the teams' performances."""

from ...processor import choose_kernels

choose_kernels(__path__, __name__)

from ...engine.board import Margin
from .. import margin as margin
from ..interfaces import Outcome, Score
from ..log_likelihood import FromLogLikelihood
from ..margin import LearntDraws, Spread, TwoValued
from .duel import Duel
from .gaussian_score import GaussianScore
from .logit import Logit
from .offence_defence import OffenceDefence
from .order import Order
from .pair_curves import Logistic, Opposition, Probit
from .pairwise import Pairwise
from .places import Places
from .places_ml import PlacesML
from .poisson_score import PoissonScore

__all__ = [
    "Duel",
    "FromLogLikelihood",
    "GaussianScore",
    "LearntDraws",
    "Logistic",
    "Logit",
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
