"""What the individual statistics of a model do to ratings, as sentences below the standings."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from ... import History, Ladder, Rating
from ...model.components.statistic import Statistic
from ...model.scale import format_rounded
from ...model.statistic_words import StatisticWord
from ...text import count, join_words
from .console import get_console
from .tables import print_text

MOST_ENTRIES = 1_000_000  # of a history that is rated once more to look for lost matches that raised ratings
ENOUGH = 20  # values of a kind of match after which a statistic counts, as in the engine


def print_statistics(ladder: Ladder, histories: Sequence[History]) -> None:
    """Print a line on each statistic of a ladder's model."""
    if ladder.model.statistics:
        get_console().print()
    for line in [*describe_statistics(ladder, histories), *warn_of_incentives(ladder, histories)]:
        print_text(line)


def describe_statistics(ladder: Ladder, histories: Sequence[History]) -> list[str]:
    """Describe each statistic of a ladder's model; `histories` show how many players a match has.

    >>> import prowess as pw
    >>> match = {"teams": [["ann", "bob"], ["cat", "dan"]], "statistics": {"kills": [[2, 1], [0, 1]]}}
    >>> history = pw.History.from_matches([match])
    >>> model = pw.TrueSkill().replace(statistics=(pw.statistic.Points("kills", per=None),))
    >>> describe_statistics(model.fit(history).ladder, [history])
    ["kills: each unit more in a match raises a newcomer's rating by about 1.1, in addition to the result"]
    """
    tables = ladder.facets[len(ladder.model.facets) :]
    return [
        f"{statistic.column}: {_describe(ladder, statistic, rows.state[: len(rows), -1], histories)}"
        for statistic, rows in zip(ladder.model.statistics, tables, strict=True)
    ]


def warn_of_incentives(ladder: Ladder, histories: Sequence[History]) -> list[str]:
    """Return a warning if lost matches have raised ratings, because of the statistics."""
    model = ladder.model
    bounded = all(statistic.bounded for statistic in model.statistics)
    if bounded or len(histories) != 1 or not 0 < histories[0].entries <= MOST_ENTRIES:
        return []
    report = model.fit(histories[0], progress=False).incentives()
    if not report.raised:
        return []
    name = next(statistic.column for statistic in model.statistics if not statistic.bounded)
    word = StatisticWord(name, bounded=True).text
    share = f"{report.raised:,} of {count(report.lost, 'rating', 'ratings')} after a lost match rose"
    return [f"{share}, because of the statistics; with --statistic {word}, losing never pays"]


def _describe(ladder: Ladder, statistic: Statistic, counts: NDArray[np.float64], histories: Sequence[History]) -> str:
    if statistic.yes_no:
        return "a player who quits is rated as having played worse than the opponents"
    kinds = join_words(statistic.per) if statistic.per else ""
    if statistic.per is not None and not (counts >= ENOUGH).any():
        first = f"the first {ENOUGH} values{f' of each {kinds}' if kinds else ''}"
        return f"no effect yet, because {first} only show how much the values vary"
    unit = "each unit" if statistic.per is None else "one standard deviation"
    what = f"{unit} {'less' if statistic.lower else 'more'} in a match{f' (compared by {kinds})' if kinds else ''}"
    gain = newcomer_gain(ladder, statistic, histories)
    if gain is None:
        return f"{what} raises a player's rating, in addition to the result"
    amount = format_rounded(gain, max(0, 1 - floor(log10(gain))))
    points = " points" if ladder.points is not None else ""
    bounded = ", but never against it" if statistic.bounded else ""
    return f"{what} raises a newcomer's rating by about {amount}{points}, in addition to the result{bounded}"


def newcomer_gain(ladder: Ladder, statistic: Statistic, histories: Sequence[History]) -> float | None:
    """Return how much one unit of a scaled statistic adds to a newcomer's mean in a match of the usual size.

    The other players are as certain as the ladder's players are on average. This is σ²d₁ of the statistic alone (see
    `engine.statistics`). A result says something about the same performance, so in a won or lost match, less of it
    remains: 65 % with textbook TrueSkill and two teams of two, and more if β is larger.
    Return None if the size of a match is unknown, or for logarithms and square roots that are not scaled.
    """
    matches = [history for history in histories if len(history)]
    if not matches or not len(ladder) or (statistic.per is None and statistic.kind != "points"):
        return None
    assert statistic.omega is not None  # the model has set both
    assert statistic.gamma is not None
    sizes = np.concatenate([np.diff(history.team_start[history.match_start]) for history in matches])
    players = float(np.median(sizes))
    teams = float(np.median(np.concatenate([np.diff(history.match_start) for history in matches])))
    opponents = players * (teams - 1.0) / teams
    trait = ladder.layout.traits.index(statistic.trait) if statistic.trait else 0
    own = _variance(ladder.newcomer, ladder.layout.traits[trait])
    typical = float(np.nanmedian(ladder.state[: len(ladder), ladder.layout.variances][:, trait]))
    deviations = [facet for facet in ladder.model.facets if facet.personal and not facet.weighted]
    noise = ladder.model.noise**2 + sum((facet.sigma or 0.0) ** 2 for facet in deviations)
    rivals = statistic.eta**2 * (typical + noise) / opponents
    weight, other = (
        1.0 / (statistic.omega**2 * (variance + noise + rivals) + statistic.gamma**2) for variance in (own, typical)
    )
    alone = 1.0 - weight / (weight + (players - 1.0) * other)  # what the unknown offset of the match leaves
    gain = own * statistic.omega * weight * alone
    factor = 1.0 if ladder.points is None else abs(ladder.points.factor)
    return gain * factor if gain * factor > 0.0 else None


def _variance(rating: Rating, trait: str) -> float:
    part = rating.parts.get(trait, rating)
    return float((part if isinstance(part, Rating) else rating).sigma or 0.0) ** 2
