"""Quizzes: every team answers the same questions and is placed by the number of its right answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import Error
from ...validate import scale
from .options import Count, Floats, Ints, column
from .play import Played
from .team_strength import Field, blocks

__all__ = ["Questions", "answered"]

CHUNK = 20_000  # teams whose answers are drawn at once


@dataclass(frozen=True)
class Questions:
    """A match is `count` questions; ties in the number of right answers are not broken.

    A team of performance t answers a question of difficulty d with probability 1/(1 + exp(−(t − d)/(ease · s))), where
    s is the deviation of all performances of the league and difficulties are N(m, (spread · s)²) around their mean m,
    new in every match. So answers are one more source of noise, and ties arise because there are only so many places:
    Nikolenko, Sirotkin (2011), section 5, tell of 30 to 90 questions.

    `count` is a number, the two ends between which it is drawn, or one number for each match.

    >>> import prowess as pw
    >>> from prowess.lab.simulate import simulate
    >>> history = simulate(pw.TS2a(), 10, 200, teams=40, questions=Questions(12)).history
    >>> bool(history.score.max() <= 12), bool(history.place[:40].max() < 40)
    (True, True)
    """

    count: Count = 36
    ease: float = 0.5
    spread: float = 1.0

    def __post_init__(self) -> None:
        scale("ease", self.ease)
        scale("spread", self.spread, zero=True)


def answered(questions: Questions, field: Field, rng: np.random.Generator) -> Played:
    """Let all teams answer; the score is the number of right answers."""
    if field.mean.shape[1] != 1:
        raise Error(f"questions are for models of one skill, not of {', '.join(field.model.outcome.traits)}")
    performance = field.performances(rng)
    unit = float(performance.std()) or 1.0
    ability = (performance[:, 0] - performance.mean()) / unit
    count = column("questions", questions.count, len(field.counts), 1, rng)
    score = np.empty(len(ability))
    for first, last in blocks(field.match_start, CHUNK):
        teams = slice(int(field.match_start[first]), int(field.match_start[last]))
        score[teams] = _right(questions, count[first:last], ability[teams], field.match[teams] - first, rng)
    return Played(performance, score=score)


def _right(questions: Questions, count: Ints, ability: Floats, match: Any, rng: np.random.Generator) -> Floats:
    """The number of right answers of teams of some matches."""
    difficulty = questions.spread * rng.standard_normal((len(count), int(count.max())))
    difficulty[np.arange(difficulty.shape[1]) >= count[:, None]] = np.inf  # where there is no question
    with np.errstate(over="ignore"):
        chance = 1.0 / (1.0 + np.exp((difficulty[match] - ability[:, None]) / questions.ease))
    found: Floats = (rng.random(chance.shape) < chance).sum(axis=1).astype(np.float64)
    return found
