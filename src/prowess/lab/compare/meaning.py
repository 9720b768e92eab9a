"""What a measure says, in words for who plays and does not calculate."""

from __future__ import annotations

from math import exp

__all__ = ["meaning"]


def meaning(measure: str, value: float | None) -> str:
    """What the value of a measure says; nothing of measures that only those who know them ask for.

    >>> meaning("pair_error", 0.32)
    'Of 100 pairs with a winner it had 68 in the right order; a coin would have 50.'
    >>> meaning("sharpness", 0.5)
    ''
    """
    if value is None or value != value:
        return ""
    hundred = 100.0 * value
    if measure == "pair_error":
        return f"Of 100 pairs with a winner it had {_few(100 - hundred)} in the right order; a coin would have 50."
    if measure == "log_loss":
        return f"To what happened it had typically given {_few(100 * exp(-value))} %. The more the better."
    if measure == "pair_log_loss":
        return f"To the order of two teams it had typically given {_few(100 * exp(-value))} %; a coin gives 50 %."
    if measure == "calibration_error":
        return f"Its percentages are off by {_few(hundred)} points on average, some of it by chance."
    return _others(measure, value)


def _others(measure: str, value: float) -> str:
    if measure == "brier":
        return "0 if always sure and right, 2 if always sure and wrong; a coin has 0.5 where nothing is drawn."
    if measure == "information_gain":
        side = "more" if value >= 0 else "less"
        return f"It knew {abs(value):.2g} bits {side} of each match than a coin; 1 would be everything."
    if measure == "auc":
        return f"Of a match won and one lost, it gave the won one the better chance {_few(100 * value)} times in 100."
    if measure == "score_error":
        return f"The score of a team was missed by {value:.2g} points on average."
    if measure == "place_error":
        return "How far the places were off, the first places most of all; 0 is all right."
    return ""


def _few(hundred: float) -> str:
    """So many of a hundred; small numbers with a digit more.

    >>> _few(68.2), _few(2.14)
    ('68', '2.1')
    """
    return f"{hundred:.1f}" if hundred < 10 else f"{hundred:.0f}"
