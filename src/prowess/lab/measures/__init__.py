"""Measures of forecasts made before each match: pure functions that return a `Tally` over the matches."""

from ...model.fit.forecasts import performance, strength
from .calibration import Calibration, calibration
from .probabilities import auc, brier, information_gain, log_loss, sharpness
from .rankings import expected_scores, pair_error, pair_log_loss, place_error, score_error
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
