"""Measures: pure functions of what was forecast before each match, per match, so that every slice of them is free."""

from ...model.fit.forecasts import performance, strength
from .calibration import Calibration, calibration
from .pairs import pair_error, pair_log_loss
from .places import expected_scores, place_error, score_error
from .probabilities import auc, brier, information_gain, log_loss, sharpness
from .tally import Tally

__all__ = [
    "Calibration",
    "Tally",
    "auc",
    "brier",
    "calibration",
    "expected_scores",
    "information_gain",
    "log_loss",
    "pair_error",
    "pair_log_loss",
    "performance",
    "place_error",
    "score_error",
    "sharpness",
    "strength",
]
