"""The claims of Guo et al. (2012), section 5.3, about their Figure 4, judged by differences paired over the seasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from prowess.lab.interval import Interval, all_above_zero
from prowess.lab.report import Claim

from .curves import Curves
from .data import TITLES

FEW, MANY = (10, 20, 30), (40, 50, 60, 70, 80)
GAUSSIAN = ("Gaussian-OD", "Gaussian-SD")
UNITS = {"information_gain": "bits", "auc": "AUC", "score_mae": "points per team"}

Pairs = Sequence[tuple[str, str]]


def claims(curves: Mapping[str, Curves]) -> tuple[Claim, ...]:
    """Return the claims of the paper for every data set.

    >>> import numpy as np
    >>> values = np.random.default_rng(1).normal(size=(4, 3, 5, 4))
    >>> curves = Curves(("Poisson-OD", "Gaussian-OD", "TrueSkill", "Gaussian-SD"), (10, 40, 80), values)
    >>> claims({"afl": curves})[0].text
    'AFL: with 10–30 % of the matches the Gaussian models gain more information than TrueSkill and Poisson-OD'
    """
    return tuple(claim for data, curve in curves.items() for claim in _of(data, curve))


def _of(data: str, curves: Curves) -> list[Claim]:
    few = [(one, other) for one in GAUSSIAN for other in ("TrueSkill", "Poisson-OD")]
    rivals = [("Gaussian-OD", other) for other in ("Gaussian-SD", "TrueSkill", "Poisson-OD")]
    both: Pairs = [("Gaussian-OD", "Gaussian-SD")]
    gain, auc = "information_gain", "auc"
    found = [
        _claim(
            f"{TITLES[data]}: with 10–30 % of the matches the Gaussian models gain more information than TrueSkill "
            "and Poisson-OD",
            ahead(curves, gain, few, FEW),
        ),
        _claim(f"{TITLES[data]}: Gaussian-OD has the best AUC on average", ahead(curves, auc, rivals)),
        _claim(f"{TITLES[data]}: separate offence and defence beat a single skill in AUC", ahead(curves, auc, both)),
    ]
    # The paper makes this claim only for Halo 2 and the Premier League.
    if data != "afl":
        text = f"{TITLES[data]}: from 40 % training the Gaussian models do as well as TrueSkill in information gain"
        found.append(_claim(text, as_good(curves, gain, [(one, "TrueSkill") for one in GAUSSIAN], MANY)))
    if data == "halo2":
        text = f"{TITLES[data]}: Gaussian-OD gains more information than Gaussian-SD"
        found.append(_claim(text, ahead(curves, gain, both)))
    # The paper claims opposite orders for the two leagues.
    worse, better = ("Gaussian-OD", "Poisson-OD") if data == "afl" else ("Poisson-OD", "Gaussian-OD")
    text = f"{TITLES[data]}: {better} predicts scores better than {worse}"
    found.append(_claim(text, ahead(curves, "score_mae", [(worse, better)])))
    return found


def _claim(text: str, found: tuple[bool | None, str]) -> Claim:
    return Claim(text, *found)


def ahead(curves: Curves, measure: str, pairs: Pairs, percents: Sequence[int] | None = None) -> tuple[bool | None, str]:
    """Return whether the first system of each pair has the higher measure (see `all_above_zero`), and the evidence.

    >>> import numpy as np
    >>> values = np.zeros((2, 1, 3, 4)); values[0, 0, :, 1] = 1.0, 1.1, 1.2
    >>> ahead(Curves(("a", "b"), (10,), values), "auc", [("a", "b")])
    (True, 'mean difference with its 95 % interval, in AUC: a − b +1.1000 (+0.8516 to +1.3484)')
    """
    found = _intervals(curves, measure, pairs, percents)
    return all_above_zero(found), _evidence(measure, pairs, found)


def as_good(curves: Curves, measure: str, pairs: Pairs, percents: Sequence[int] | None = None) -> tuple[bool, str]:
    """Return whether the first system of each pair is not clearly worse (no interval lies below 0), and the evidence.

    >>> import numpy as np
    >>> values = np.zeros((2, 1, 3, 4)); values[0, 0, :, 1] = 1.0, -1.1, 0.2
    >>> as_good(Curves(("a", "b"), (10,), values), "auc", [("a", "b")])[0]
    True
    """
    found = _intervals(curves, measure, pairs, percents)
    # A claim that a model does "as well as" another fails only if the model is clearly worse.
    return all(interval.high >= 0.0 for interval in found), _evidence(measure, pairs, found)


def _intervals(curves: Curves, measure: str, pairs: Pairs, percents: Sequence[int] | None) -> list[Interval]:
    return [curves.difference(one, other, measure, percents) for one, other in pairs]


def _evidence(measure: str, pairs: Pairs, found: Sequence[Interval]) -> str:
    parts = [f"{one} − {other} {interval.words(4)}" for (one, other), interval in zip(pairs, found, strict=True)]
    return f"mean difference with its 95 % interval, in {UNITS[measure]}: {'; '.join(parts)}"
