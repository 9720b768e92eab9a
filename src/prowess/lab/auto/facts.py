"""Facts about a history that decide which models are worth trying, and where their parameters start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...history.ragged import Floats, owners
from ...history.season_breaks import find_season_break
from ...history.times import DAY
from ...model.components.statistic import Points, Statistic
from ...model.fit.incentives import beaten_shares, relative_values
from .columns import revealing_columns

COUNTS_BELOW = 30.0  # scores with a higher mean are nearly normal, and sums of their Poisson probabilities are slow
COUNTS_SPREAD = 2.5  # scores whose variance is more than this many times their mean are not counts, but points
SEASON_DAYS = 25.0  # a shorter break, such as a pause for national teams, does not end a season
YEAR = 365.25
MATCHES_A_YEAR = 30
LEVEL_MATCHES = 10  # if this many draws are expected but none happened, draws are considered impossible
STEPS = (1, 2, 4, 10, 100)  # scores may be whole, or multiples of one of these parts of 1
RESULTS = (0.0, 0.5, 1.0)  # scores that are only these numbers are results: defeats, draws and wins
EXACT = 2.0**53  # larger whole numbers are not exact
FEW_SCORES = 50
SCALED = 0.05  # a column that explains this share of the variance of a statistic is a kind of match
MEAN_ROWS = 20  # with fewer values of a statistic for each kind of match, kinds explain much by chance
MOST_KINDS = 2  # the most columns that make up a kind of match
COMMON = 0.8  # at least this share of the players' long pauses must include a break of the whole league


@dataclass(frozen=True)
class Facts:
    """Facts about a history that can be measured without a model.

    Scores and draws are measured on the matches that parameters are tuned on, all other facts on the whole history.

    Times are in days, or in the units of the history if its times are plain numbers. `interval` is the usual time
    between two matches of a player, or None without times. `season_gap` is the length of a break that ends a season, or
    None without seasons. `year` is the length of a year; if times are plain numbers, whose unit is unknown, it is the
    time in which a player plays 30 matches. `score_step` is the number of which all scores are multiples, such as 1
    for goals; it is 0 if there is none, or if scores are never equal.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 3)
    >>> facts = Facts.of(history, 3)
    >>> facts.two_teams, facts.scored, facts.score_step, facts.mean_score
    (True, True, 1.0, 1.5)
    """

    two_teams: bool
    teams: float  # per match, on average
    largest_team: int
    equal_teams: bool  # all teams have the same number of players
    draws: float  # share of draws in the matches of two teams
    home: bool
    scored: bool  # nearly all matches have scores, which are more than results
    counts: bool  # scores are small whole numbers from 0 on, and vary as counts do
    score_step: float
    mean_score: float
    score_spread: float  # standard deviation of a team's score
    difference_spread: float  # standard deviation of the difference of two scores
    interval: float | None
    year: float
    season_gap: float | None
    spreads: tuple[tuple[str, float], ...] = ()  # the standard deviations of columns of numbers
    # Whether lower numbers are better, and the columns by which the scale differs, for columns of numbers.
    statistics: tuple[tuple[str, bool, tuple[str, ...]], ...] = ()
    named: tuple[Statistic, ...] = ()  # statistics that the model must have

    def spread_of(self, column: str) -> float:
        """Return the standard deviation of a column of numbers; 1 if it is not known."""
        return dict(self.spreads).get(column) or 1.0

    def statistic_of(self, column: str) -> Statistic:
        """Return a column as a statistic: the one that is named, or one with the direction and scale of its numbers.

        >>> facts = Facts.of(History.from_matches([{"teams": [["ann"], ["bob"]]}]), 1)
        >>> facts.statistic_of("kills").per
        ()
        """
        known = {one.column: one for one in self.named}
        lower, per = next(((lower, per) for name, lower, per in self.statistics if name == column), (False, ()))
        return known.get(column, Points(column, lower=lower, per=per))

    @classmethod
    def of(cls, history: History, matches: int) -> Facts:
        """Measure the facts about a history.

        Scores and draws are measured on the first `matches` matches. Teams, home teams, times and seasons are measured
        on the whole history; so is the share of known scores, which decides whether scores are used.

        >>> Facts.of(History.from_matches([{"teams": [["ann"], ["bob", "cat"]]}]), 1).largest_team
        2
        """
        early = history[:matches]
        sizes = np.diff(history.team_start)
        teams = np.diff(history.match_start)
        two = bool((teams == 2).all())
        scores = _scores(history)
        known = scores[: early.teams][~np.isnan(scores[: early.teams])]
        differences = _differences(early)
        whole = bool(len(known)) and bool((known == np.round(known)).all())
        mean = float(known.mean()) if len(known) else 0.0
        step = score_step(known)
        interval = usual_interval(history)
        return cls(
            two_teams=two,
            teams=float(teams.mean()),
            largest_team=int(sizes.max()),
            equal_teams=bool((sizes == sizes[0]).all()),
            draws=_share_of_draws(early),
            home=history.home is not None and bool((history.home >= 0).mean() >= 0.1),
            scored=bool(np.isnan(scores).mean() < 0.05)
            and len(np.setdiff1d(known, RESULTS)) > 0
            and bool(np.ptp(known)),
            counts=whole and float(known.min()) >= 0.0 and mean < COUNTS_BELOW and known.var() <= COUNTS_SPREAD * mean,
            score_step=step if step and _can_be_level(early, differences, step) else 0.0,
            mean_score=mean,
            score_spread=float(known.std()) if len(known) else 0.0,
            difference_spread=float(np.sqrt((differences**2).mean())) if len(differences) else 0.0,
            interval=interval,
            year=MATCHES_A_YEAR * (interval or 1.0) if history.time_kind == "number" else YEAR,
            season_gap=season_gap(history),
            spreads=tuple(_spreads(early)),
            statistics=tuple(_statistics(early)),
        )


def _spreads(history: History) -> Iterator[tuple[str, float]]:
    for context in (history.context, history.team_context, history.entry_context):
        for name, column in context.items():
            if column.kind == "number" and (column.code >= 0).any():
                yield name, float(np.nanstd(column.to_numpy()))


def _statistics(history: History) -> Iterator[tuple[str, bool, tuple[str, ...]]]:
    """Yield for every column of numbers whether winners have lower ones, and by which columns its scale differs."""
    team = owners(history.team_start)
    match = owners(history.match_start)[team]
    beaten = beaten_shares(history.place, history.match_start)[team] - 0.5
    kinds = {name: column for name, column in history.context.items() if column.kind == "category"}
    found = [
        (context, name, column)
        for context in (history.team_context, history.entry_context)
        for name, column in context.items()
        if column.kind == "number"
    ]
    # A column that contains the result explains much, but is no kind of match.
    for name in revealing_columns(history, kinds) if found else ():
        del kinds[name]
    for context, name, column in found:
        values = column.to_numpy()
        values = values if context is history.entry_context else values[team]
        relative = relative_values(values, match)
        shares = {kind: _explained(values, of.code[match]) for kind, of in kinds.items()}
        per = sorted((kind for kind in shares if shares[kind] > SCALED), key=lambda kind: -shares[kind])
        yield name, bool(np.nansum(relative * beaten) < 0.0), tuple(per[:MOST_KINDS])


def _explained(values: Floats, code: NDArray[Any]) -> float:
    """Return the share of the variance of values that a category explains, by its means or its spreads."""
    known = np.isfinite(values) & (code >= 0)
    number = np.bincount(code[known])
    if known.sum() < max(FEW_SCORES, MEAN_ROWS * (number > 0).sum()) or values[known].std() == 0.0:
        return 0.0
    mean = np.bincount(code[known], values[known]) / np.maximum(number, 1)
    spread = np.sqrt(np.bincount(code[known], (values[known] - mean[code[known]]) ** 2) / np.maximum(number, 1))
    share = number / number.sum()
    between = sum(float(share @ (of - share @ of) ** 2) for of in (mean, spread))
    return between / float(values[known].var())


def _scores(history: History) -> Floats:
    return np.full(history.teams, np.nan) if history.score is None else np.asarray(history.score, np.float64)


def _differences(history: History) -> Floats:
    first = history.match_start[:-1][np.diff(history.match_start) == 2]
    scores = _scores(history)
    differences = scores[first] - scores[first + 1]
    return np.asarray(differences[~np.isnan(differences)])


def score_step(scores: Floats) -> float:
    """Return the largest number of which all scores are multiples, such as 0.5 for half points; 0 if there is none.

    >>> score_step(np.array([4.5, 3.5, 4.0])), score_step(np.array([120.0, 90.0])), score_step(np.array([0.123]))
    (0.5, 1.0, 0.0)
    """
    for parts in STEPS:
        whole = np.round(scores * parts)
        if len(scores) and np.abs(whole).max() < EXACT and np.allclose(whole, scores * parts, rtol=1e-12, atol=1e-9):
            step = float(np.gcd.reduce(whole.astype(np.int64))) / parts
            # All scores of a small league may be even by chance.
            return min(step, 1.0) if len(scores) < FEW_SCORES else step
    return 0.0


def _can_be_level(history: History, differences: Floats, step: float) -> bool:
    """Return whether scores can be equal: some match was drawn, or there are too few matches to expect a draw.

    In tennis, for example, the scores are whole numbers of sets, but are never equal at the end.
    """
    if not len(differences) or _share_of_draws(history) > 0.0:
        return True
    # The density at 0 of a normally distributed difference is 0.4 / spread.
    expected = 0.4 * step * len(differences) / max(float(np.sqrt((differences**2).mean())), step)
    return expected < LEVEL_MATCHES


def _share_of_draws(history: History) -> float:
    first = history.match_start[:-1][np.diff(history.match_start) == 2]
    return float((history.place[first] == history.place[first + 1]).mean()) if len(first) else 0.0


def _times(history: History) -> Floats | None:
    """Return the times of the matches in days, or unchanged if they are plain numbers."""
    if history.time is None or not len(history):
        return None
    return np.asarray(history.time / (1 if history.time_kind == "number" else DAY), np.float64)


def usual_interval(history: History) -> float | None:
    """Return the mean time between consecutive matches of a player; None if there are no times or all are equal.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "time": f"2026-01-0{day}"} for day in (1, 3, 5)])
    >>> usual_interval(history)
    2.0
    """
    times = _times(history)
    if times is None:
        return None
    begins, ends = _pauses(history, times)
    passed = ends - begins
    mean = float(passed.mean()) if len(passed) else 0.0
    return mean if mean > 0.0 else None


def season_gap(history: History) -> float | None:
    """Return the length of time above which a break separates two seasons; None if there are no seasons.

    If a column names the season of each match, its values are the seasons. Otherwise, the longest break of a typical
    year must be clearly longer than the second longest. Times that are plain numbers shared by many matches, such as
    years, are taken as seasons.

    >>> days = [f"{year}-{month:02}-01" for year in (2024, 2025, 2026) for month in range(1, 9)]
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "time": day} for day in days])
    >>> season_gap(history) is not None, season_gap(history[:8]) is None
    (True, True)
    """
    times = _times(history)
    if times is None:
        return None
    if "season" in history.context:
        try:
            return find_season_break(history, "season").gap
        except Error:
            pass  # no length of a break separates the seasons in this column
    distinct = np.unique(times)
    if len(distinct) < 3:
        return None
    breaks = np.diff(distinct)
    if history.time_kind == "number":
        return float(breaks.min()) / 2.0 if 10 * len(distinct) <= len(history) else None
    year = (distinct[1:] // YEAR).astype(np.int64)
    ranked = [np.sort(breaks[year == one])[::-1] for one in np.unique(year)]
    longest = np.array([own[0] for own in ranked if len(own) > 1])
    second = np.array([own[1] for own in ranked if len(own) > 1])
    if len(longest) < 2:
        return None
    # A break may be cut in two by the end of a year, so medians over all years are compared instead of single years.
    long, short = float(np.median(longest)), float(np.median(second))
    gap = float(np.sqrt(long * short))
    found = long >= SEASON_DAYS and long >= 1.5 * short and _break_is_common(history, times, distinct, gap)
    return gap if found else None


def _break_is_common(history: History, times: Floats, distinct: Floats, gap: float) -> bool:
    """Return whether nearly all pauses of players longer than `gap` include a break of the whole league.

    A model with seasons treats every long pause of a player as the end of a season. In a league that plays all year
    round, such a model would move skills back towards the mean for no reason.
    """
    begins, ends = _pauses(history, times)
    long = ends - begins > gap
    if not long.any():
        return False
    breaks = np.diff(distinct) > gap
    # Count the breaks of the league that have ended by each time.
    ended = np.concatenate([[0], np.cumsum(breaks)])
    over = ended[np.searchsorted(distinct, ends[long])] - ended[np.searchsorted(distinct, begins[long])]
    return bool((over > 0).mean() >= COMMON)


def _pauses(history: History, times: Floats) -> tuple[Floats, Floats]:
    """Return the times before and after every pause, which is the time between two consecutive matches of a player."""
    match = owners(history.match_start)[owners(history.team_start)]
    order = np.argsort(history.player, kind="stable")
    player, time = history.player[order], times[match[order]]
    same = player[1:] == player[:-1]
    return time[:-1][same], time[1:][same]
