"""What a measure says, in words for who plays and does not calculate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, isnan

__all__ = ["meaning"]


MEANINGS: Mapping[str, Callable[[float], str]] = {
    "pair_error": lambda value: (
        f"Of 100 pairs with a winner it had {_few(100 - 100 * value)} in the right order; a coin would have 50."
    ),
    "log_loss": lambda value: (
        f"To what happened it had typically given {_few(100 * exp(-value))} %. The more the better."
    ),
    "pair_log_loss": lambda value: (
        f"To the order of two teams it had typically given {_few(100 * exp(-value))} %; a coin gives 50 %."
    ),
    "calibration_error": lambda value: (
        f"Its percentages are off by {_few(100 * value)} points on average, some of it by chance."
    ),
    "brier": lambda value: (
        "0 if always sure and right, 2 if always sure and wrong; a coin has 0.5 where nothing is drawn."
    ),
    "information_gain": lambda value: (
        f"It knew {abs(value):.2g} bits {'more' if value >= 0 else 'less'} of each match than a coin; "
        "1 would be everything."
    ),
    "auc": lambda value: (
        f"Of a match won and one lost, it gave the won one the better chance {_few(100 * value)} times in 100."
    ),
    "score_error": lambda value: f"The score of a team was missed by {value:.2g} points on average.",
    "place_error": lambda value: "How far the places were off, the first places most of all; 0 is all right.",
}


def meaning(measure: str, value: float | None) -> str:
    """What the value of a measure says; nothing of measures that only those who know them ask for.

    >>> meaning("pair_error", 0.32)
    'Of 100 pairs with a winner it had 68 in the right order; a coin would have 50.'
    >>> meaning("sharpness", 0.5)
    ''
    """
    if value is None or isnan(value) or measure not in MEANINGS:
        return ""
    return MEANINGS[measure](value)


def _few(hundred: float) -> str:
    """So many of a hundred; small numbers with a digit more.

    >>> _few(68.2), _few(2.14)
    ('68', '2.1')
    """
    return f"{hundred:.1f}" if hundred < 10 else f"{hundred:.0f}"
