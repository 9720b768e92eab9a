"""A comparison in words: which model to use, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...text import count, join_words
from ..interval import Interval
from ..measures.registry import Measure

if TYPE_CHECKING:
    from ...model.model import Model
    from .comparison import Comparison
from collections.abc import Callable, Mapping
from math import exp, isnan

FEW = 100  # matches: the intervals of fewer than these are made of some twenty blocks, and are too narrow


def headline(comparison: Comparison) -> str:
    """The answer in one sentence."""
    measure, best = comparison.measure(), comparison.best
    interval = comparison.intervals()[best]
    known = "" if np.isnan(interval.low) else f" ({confidence_text(comparison)} interval {_ends(interval)})"
    value = f"{_value(interval)}{f' {measure.unit}' if measure.unit else ''}{known}"
    over = f"over {match_count(comparison)}"
    if len(comparison.models) == 1:
        return f"{best} has {_article(measure.title)} {measure.title} of {value} {over}."
    return f"{best} has the {_superlative(measure)} {measure.title} of {len(comparison.models)} models {over}: {value}."


def verdict(comparison: Comparison) -> str:
    """How sure the answer is."""
    if len(comparison.models) == 1:
        return ""
    rest = comparison.differences(comparison.best).filter(measure=comparison.measure().name)
    alike, worse = (rest.filter(within_noise=noise)["model"].to_list() for noise in (True, False))
    parts = []
    if len(comparison) < FEW:
        told = (
            f" (by the intervals it is better than {join_words(worse)}, but so few make them too narrow)"
            if worse
            else ""
        )
        are = "One match is" if len(comparison) == 1 else f"{match_count(comparison)} are"
        parts.append(f"{are} too few to tell these models apart{told}.")
    elif worse:
        parts.append(f"It is better than {join_words(worse)} beyond noise.")
    if alike and len(comparison) >= FEW:
        if rest["low"].count() < len(rest):
            parts.append(f"These matches are too few to tell it from {join_words(alike)}.")
        else:
            parts.append(f"These matches cannot tell it from {join_words(alike)}: the difference is within noise.")
    if not np.isnan(comparison.sureness):
        draws = f"{comparison.resampling.draws:,} resampled histories"
        parts.append(f"It was the best in {100 * comparison.sureness:.3g} % of {draws}.")
    return " ".join(parts)


def advice(comparison: Comparison) -> str:
    """What to do, and how sure that is."""
    use = f"Use {comparison.best}. " if len(comparison.models) > 1 and len(comparison) >= FEW else ""
    return f"{use}{headline(comparison)} {verdict(comparison)}".strip()


def notes(comparison: Comparison) -> list[str]:
    """What to know before the answer is believed."""
    found = []
    others = comparison.differences(comparison.best).filter(within_noise=False)
    for measure in comparison.measures[1:]:
        if measure.neutral or len(comparison) < FEW:
            continue
        sign = 1.0 if measure.higher else -1.0
        rows = others.filter(measure=measure.name).iter_rows(named=True)
        better = [row["model"] for row in rows if sign * row["difference"] > 0]
        if better:
            found.append(f"By {measure.title}, {join_words(better)} did better than {comparison.best}, beyond noise.")
    return found + _draws(comparison)


def _draws(comparison: Comparison) -> list[str]:
    """Models that expect far fewer or far more draws than there were."""
    start, place = comparison.rows.results.match_start, comparison.rows.results.place
    two = start[:-1][np.diff(start) == 2]
    drawn = float(np.mean(place[two] == place[two + 1])) if len(two) else 0.0
    if not drawn > 0 or comparison.measure().name != "log_loss":
        return []
    found = []
    never = [name for name, scored in comparison.scored.items() if not scored.draw.ndim and scored.draw == 0]
    if never:
        found.append(
            f"{join_words(never)} never expected a draw, and {100 * drawn:.3g} % of the matches were drawn. Log loss"
            " and calibration count that as an error; information gain and pair error do not."
        )
    supposed = {name: model.params.get("draw_probability", drawn) for name, model in comparison.models.items()}
    wrong = [name for name, share in supposed.items() if share > 0 and not drawn / 2 <= share <= 2 * drawn]
    if wrong and len(two) >= FEW:
        found.append(
            f"The draw_probability of {join_words(wrong)} is far from the {100 * drawn:.3g} % of the matches that were "
            "drawn; with a better one, or tuned, it may do better."
        )
    return found


def models_by_rank(comparison: Comparison) -> list[str]:
    """The models, the best by the first measure first; then those that it cannot be told of."""
    known = list(comparison.intervals())
    return known + [name for name in comparison.models if name not in known]


def row_interval(row: dict[str, Any]) -> Interval:
    """The interval in a row of `Comparison.differences`.

    >>> row_interval({"difference": 0.5, "low": None, "high": None})
    Interval(value=0.5, low=nan, high=nan)
    """
    return Interval(*(np.nan if row[key] is None else row[key] for key in ("difference", "low", "high")))


def shown_parameters(model: Model) -> dict[str, Any]:
    """The parameters of a model that are numbers or words.

    >>> import prowess as pw
    >>> shown_parameters(pw.Elo())["k"]
    32.0
    """
    return {name: value for name, value in model.params.items() if isinstance(value, (int, float, str))}


def confidence_text(comparison: Comparison) -> str:
    """The confidence of the intervals."""
    return f"{100 * comparison.resampling.confidence:g} %"


def match_count(comparison: Comparison) -> str:
    """How many matches were scored."""
    return count(len(comparison), "match", "matches")


def better_side(measure: Measure) -> str:
    """Which way is better.

    >>> from prowess.lab import MEASURES
    >>> better_side(MEASURES["auc"])
    'higher'
    """
    return "higher" if measure.higher else "lower"


def _value(interval: Interval) -> str:
    return str(interval).partition(" (")[0]


def _ends(interval: Interval) -> str:
    return str(interval).partition(" (")[2].rstrip(")")


def _superlative(measure: Measure) -> str:
    return "highest" if measure.higher else "lowest"


def _article(word: str) -> str:
    return "an" if word[0].lower() in "aeiou" else "a"


MEANINGS: Mapping[str, Callable[[float], str]] = {
    "pair_error": lambda value: (
        f"Of 100 pairs with a winner it had {_of_hundred(100 - 100 * value)} in the right order; a coin would have 50."
    ),
    "log_loss": lambda value: (
        f"To what happened it had typically given {_of_hundred(100 * exp(-value))} %. The more the better."
    ),
    "pair_log_loss": lambda value: (
        f"To the order of two teams it had typically given {_of_hundred(100 * exp(-value))} %; a coin gives 50 %."
    ),
    "calibration_error": lambda value: (
        f"Its percentages are off by {_of_hundred(100 * value)} points on average, some of it by chance."
    ),
    "brier": lambda value: (
        "0 if always sure and right, 2 if always sure and wrong; a coin has 0.5 where nothing is drawn."
    ),
    "information_gain": lambda value: (
        f"It knew {abs(value):.2g} bits {'more' if value >= 0 else 'less'} of each match than a coin; "
        "1 would be everything."
    ),
    "auc": lambda value: (
        f"Of a match won and one lost, it gave the won one the better chance {_of_hundred(100 * value)} times in 100."
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


def _of_hundred(hundred: float) -> str:
    """So many of a hundred; small numbers with a digit more.

    >>> _of_hundred(68.2), _of_hundred(2.14)
    ('68', '2.1')
    """
    return f"{hundred:.1f}" if hundred < 10 else f"{hundred:.0f}"
