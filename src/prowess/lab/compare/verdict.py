"""A comparison in words: which model to use, how certain that answer is, and what the measures mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import exp, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from ...text import count, join_words
from ..auto.columns import revealing_text
from ..interval import Interval

if TYPE_CHECKING:
    from ...model.model import Model
    from .comparison import Comparison
    from .training import RunChoice

FEW = 100  # with fewer matches, intervals come from only about twenty blocks and are too narrow
MOST_ANSWERS = 3  # if runs chose different models, a text lists at most this many


def headline(comparison: Comparison) -> str:
    """Return a sentence that names the best model and its value of the first measure."""
    measure, best = comparison.measure(), comparison.best
    value, _, ends = str(comparison.intervals()[best]).rstrip(")").partition(" (")
    value += f" {measure.unit}" if measure.unit else ""
    value += f" ({confidence_text(comparison)} interval {ends})" if ends else ""
    over = f"over {match_count(comparison)}"
    if len(comparison.models) == 1:
        article = "an" if measure.title[0].lower() in "aeiou" else "a"
        return f"{best} has {article} {measure.title} of {value} {over}."
    superlative = "highest" if measure.higher else "lowest"
    return f"{best} has the {superlative} {measure.title} of {len(comparison.models)} models {over}: {value}."


def verdict(comparison: Comparison) -> str:
    """Return a text that says how certain the answer is; empty if there is only one model."""
    if len(comparison.models) == 1:
        return ""
    rest = comparison.differences(comparison.best).filter(measure=comparison.measure().name)
    alike, worse = (rest.filter(within_noise=noise)["model"].to_list() for noise in (True, False))
    parts = []
    if len(comparison) < FEW:
        few = "One match is" if len(comparison) == 1 else f"{match_count(comparison)} are"
        # With few blocks the intervals are too narrow to decide alone.
        beaten = (
            f" (the intervals suggest that it is better than {join_words(worse)}, but they are too narrow)"
            if worse
            else ""
        )
        parts.append(f"{few} too few to tell these models apart{beaten}.")
    elif worse:
        parts.append(f"It is better than {join_words(worse)} by more than noise.")
    if alike and len(comparison) >= FEW:
        # Without intervals it is unknown whether a difference is within noise.
        if rest["low"].count() < len(rest):
            parts.append(f"There are too few matches to say whether it is better than {join_words(alike)}.")
        else:
            parts.append(f"It may be no better than {join_words(alike)}: the difference is within noise.")
    if not np.isnan(comparison.sureness):
        draws = f"{comparison.resampling.draws:,} resampled histories"
        parts.append(f"It was the best in {100 * comparison.sureness:.3g} % of {draws}.")
    return " ".join(parts)


def advice(comparison: Comparison) -> str:
    """Return a text that says which model to use and how certain that answer is."""
    use = f"Use {comparison.best}. " if len(comparison.models) > 1 and len(comparison) >= FEW else ""
    return f"{use}{headline(comparison)} {verdict(comparison)}".strip()


def remarks(comparison: Comparison) -> list[str]:
    """Return remarks that supplement the advice: how models were set up, caveats, and the home advantage."""
    revealing = [revealing_text(comparison.revealing)] if comparison.revealing else []
    return [*_choice_notes(comparison), *revealing, *notes(comparison), *_home_notes(comparison)]


def _choice_notes(comparison: Comparison) -> list[str]:
    """Describe the models that runs set up from training matches, and what limits the choice."""
    if not comparison.chosen:
        return []
    models: dict[str, list[str]] = {}  # names of models, by the description of their choices
    for name, choices in comparison.chosen.items():
        models.setdefault(_describe_choices(choices), []).append(name)
    texts = [f"{join_words(names)}: {description}." for description, names in models.items()]
    choices = next(iter(comparison.chosen.values()))
    sizes = sorted({choice.matches for choice in choices})
    matches = f"{sizes[0]:,} to " if len(sizes) > 1 else ""
    matches += count(sizes[-1], "match", "matches")
    single = len(choices) == 1
    texts.append(
        f"This choice used {matches} that were not scored."
        if single
        else f"The choice of every run used {matches} that the run did not score."
    )
    caveats = (remark for own in comparison.chosen.values() for choice in own for remark in choice.remarks)
    texts += [caveat if single else f"In some runs: {caveat}" for caveat in dict.fromkeys(caveats)]
    return [" ".join(texts)]


def _describe_choices(choices: Sequence[RunChoice]) -> str:
    """Describe the choices of all runs, the most frequent first."""
    answers = Counter(join_words(choice.parts) for choice in choices).most_common()
    if len(answers) == 1:
        return answers[0][0]
    shown = [f"{words} ({times} of {len(choices)} runs)" for words, times in answers[:MOST_ANSWERS]]
    rest = len(answers) - MOST_ANSWERS
    return "; ".join(shown + ([count(rest, "other", "others")] if rest > 0 else []))


def _home_notes(comparison: Comparison) -> list[str]:
    found, measure = comparison.home_gain, comparison.measure()
    if found is None or isnan(found.gain.value):
        return []
    gain = found.gain
    start = f"With a learnt home advantage (home_advantage=learnt), {found.model} would"
    unit = f" {measure.unit}" if measure.unit else ""
    if gain.above_zero is None:
        return [f"{start} do about as well: its {measure.title} would improve by {gain.words(gain.digits)}{unit}."]
    size = f"{gain if gain.value > 0 else gain.times(-1.0)}{unit}"
    few = f", but {match_count(comparison)} are too few to rely on that" if len(comparison) < FEW else ""
    return [f"{start} {'improve' if gain.value > 0 else 'worsen'} its {measure.title} by {size}{few}."]


def notes(comparison: Comparison) -> list[str]:
    """Return caveats: measures by which another model is better, and models that expect too few or too many draws."""
    texts = []
    others = comparison.differences(comparison.best).filter(within_noise=False)
    for measure in comparison.measures[1:]:
        if measure.neutral or len(comparison) < FEW:
            continue
        sign = 1.0 if measure.higher else -1.0
        rows = others.filter(measure=measure.name).iter_rows(named=True)
        better = [row["model"] for row in rows if sign * row["difference"] > 0]
        if better:
            texts.append(
                f"By {measure.title}, {join_words(better)} did better than {comparison.best} by more than noise."
            )
    return texts + _draw_notes(comparison)


def _draw_notes(comparison: Comparison) -> list[str]:
    start, place = comparison.rows.results.match_start, comparison.rows.results.place
    two = start[:-1][np.diff(start) == 2]
    drawn = float(np.mean(place[two] == place[two + 1])) if len(two) else 0.0
    if not drawn > 0 or comparison.measure().name != "log_loss":
        return []
    texts = []
    never = [name for name, scored in comparison.scored.items() if not scored.draw.ndim and scored.draw == 0]
    if never:
        texts.append(
            f"{join_words(never)} never expected a draw, but {100 * drawn:.3g} % of the matches were drawn. Log loss"
            " and calibration count that as an error; information gain and pair error do not."
        )
    # Models without this parameter get no remark.
    assumed = {name: model.params.get("draw_probability", drawn) for name, model in comparison.models.items()}
    wrong = [name for name, share in assumed.items() if share > 0 and not drawn / 2 <= share <= 2 * drawn]
    if wrong and len(two) >= FEW:
        texts.append(
            f"The draw_probability of {join_words(wrong)} is far from the {100 * drawn:.3g} % of matches that were "
            "drawn; a better value, or tuning, may improve the forecasts."
        )
    return texts


def models_by_rank(comparison: Comparison) -> list[str]:
    """Return the models from best to worst by the first measure, then models to which this measure does not apply."""
    return list(dict.fromkeys([*comparison.intervals(), *comparison.models]))


def row_interval(row: dict[str, Any]) -> Interval:
    """Return the interval in a row of `Comparison.differences`.

    >>> row_interval({"difference": 0.5, "low": None, "high": None})
    Interval(value=0.5, low=nan, high=nan)
    """
    return Interval(*(np.nan if row[key] is None else row[key] for key in ("difference", "low", "high")))


def shown_parameters(model: Model) -> dict[str, Any]:
    """Return the parameters of a model that are numbers or strings.

    >>> import prowess as pw
    >>> shown_parameters(pw.Elo())["k"]
    32.0
    """
    return {name: value for name, value in model.params.items() if isinstance(value, (int, float, str))}


def confidence_text(comparison: Comparison) -> str:
    """Return the confidence of the intervals, such as "95 %"."""
    return f"{100 * comparison.resampling.confidence:g} %"


def match_count(comparison: Comparison) -> str:
    """Return the number of scored matches, such as "1,200 matches"."""
    return count(len(comparison), "match", "matches")


MEANINGS: Mapping[str, Callable[[float], str]] = {
    "pair_error": lambda value: (
        f"It predicted the winner of {_of_hundred(100 - 100 * value)} in 100 pairs; a coin gets 50 right."
    ),
    "log_loss": lambda value: (
        f"It typically gave the actual result a {_of_hundred(100 * exp(-value))} % chance (higher is better)."
    ),
    "pair_log_loss": lambda value: (
        f"It typically gave the order of two teams a {_of_hundred(100 * exp(-value))} % chance; a coin gives 50 %."
    ),
    "calibration_error": lambda value: (
        f"Its percentages are off by {_of_hundred(100 * value)} points on average, partly by chance."
    ),
    "brier": lambda value: (
        "A forecast that is certain gets 0 if it is right and 2 if it is wrong; a coin gets 0.5 without draws."
    ),
    "information_gain": lambda value: (
        f"It knew {abs(value):.2g} bits {'more' if value >= 0 else 'less'} about each match than a coin; "
        "1 bit would be certainty."
    ),
    "auc": lambda value: (
        "Between a match that was won and one that was lost, it gave the won match the higher chance"
        f" {_of_hundred(100 * value)} times in 100."
    ),
    "score_error": lambda value: f"It missed the score of a team by {value:.2g} points on average.",
    "place_error": lambda value: (
        "This measures how far the predicted places were off; first places count most, and 0 is perfect."
    ),
}


def meaning(measure: str, value: float | None) -> str:
    """Return what the value of a measure means; an empty string for specialist measures.

    >>> meaning("pair_error", 0.32)
    'It predicted the winner of 68 in 100 pairs; a coin gets 50 right.'
    >>> meaning("sharpness", 0.5)
    ''
    """
    return "" if value is None or isnan(value) or measure not in MEANINGS else MEANINGS[measure](value)


def _of_hundred(hundred: float) -> str:
    return f"{hundred:.1f}" if hundred < 10 else f"{hundred:.0f}"  # small numbers get one more digit
