"""The trace of a history: the ratings of every entry before and after its match, and the forecasts.

Trajectories, explanations, accounts of matches and views of a league are all read from a trace. Computing a trace takes
one pass over the history.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...history import History, show_time
from ...history.context.columns import column_at
from ...history.ragged import holders
from ..engine.buffers import Record
from ..ladder.ladder import Ladder
from ..ladder.leaderboard import overall
from ..maths.normal import cdf
from ..model import Model
from ..prediction import scored_by
from ..registry import unique_keys
from .forecasts import Forecasts, performance, read_forecasts, strength
from .sweeps import run_sweep

if TYPE_CHECKING:
    from ..scale import Points
    from .account import Account

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

ROWS = 200_000  # number of teams whose expectations are computed at a time
NAMED = 20  # largest number of opponents listed for a match


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """A history with the ratings before and after every match, and the forecasts.

    `before` and `after` have a row per entry: mean and variance of every trait. `before` includes the drift up to the
    match. Within an open rating period, both ratings are computed as if the period ended at the match. All columns are
    in the order of the history.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["ann"]]}])
    >>> traced = trace(pw.Ladder(pw.TrueSkill()), history)
    >>> traced.moves(traced.entries("ann"))["moved"].round(2)
    array([ 4.4 , -4.44])
    """

    model: Model
    history: History
    forecasts: Forecasts
    before: Floats
    after: Floats
    rows_before: Floats | None = None  # the deviations of every entry, as mean and variance of each facet and trait
    rows_after: Floats | None = None
    shares: Floats | None = None  # the share of the change of every mean that comes from statistics, by trait

    def entries(self, name: str) -> Ints:
        """Return the entries of a player in chronological order.

        >>> import prowess as pw
        >>> trace(pw.Ladder(pw.Elo()), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])).entries("bob")
        array([1])
        """
        players = self.history.players
        return np.flatnonzero(self.history.player == (players.index(name) if name in players else -1))

    def locate(self, entry: Ints) -> tuple[Ints, Ints]:
        """Return the team and the match of each of the given entries.

        >>> import prowess as pw
        >>> traced = trace(pw.Ladder(pw.Elo()), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> traced.locate(np.array([1]))
        (array([1]), array([0]))
        """
        team = holders(self.history.team_start, entry)
        return team, holders(self.history.match_start, team)

    def counted(self, match: Ints) -> NDArray[np.bool_]:
        """Return whether each of the given matches counts, which means that its importance is above 0.

        >>> import prowess as pw
        >>> traced = trace(pw.Ladder(pw.Elo()), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> traced.counted(np.array([0]))
        array([ True])
        """
        importance = self.history.importance
        return np.ones(len(match), bool) if importance is None else importance[match] > 0.0

    def moves(self, entry: Ints) -> dict[str, Floats]:
        """Return the ratings before and after the matches of the given entries, and the changes; sigma may be NaN.

        >>> import prowess as pw
        >>> traced = trace(pw.Ladder(pw.Elo()), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> traced.moves(np.array([0]))["mu_after"]
        array([1516.])
        """
        moves: dict[str, Floats] = {}
        for when, beliefs in (("before", self.before), ("after", self.after)):
            columns = overall(self.model, beliefs[entry])
            moves |= {f"{what}_{when}": column for what, column in zip(("mu", "sigma", "shown"), columns, strict=True)}
        moves["moved"] = moves["mu_after"] - moves["mu_before"]
        return moves | {"shown_moved": moves["shown_after"] - moves["shown_before"]}

    def times(self, match: Ints) -> dict[str, list[Any]]:
        """Return the column "time" for the given matches; {} if the history has no times.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": "2026-01-31"}])
        >>> trace(pw.Ladder(pw.Elo()), history).times(np.array([0]))
        {'time': [datetime.date(2026, 1, 31)]}
        """
        history = self.history
        if history.time is None or history.time_kind is None:
            return {}
        return {"time": [show_time(history.time_kind, history.time_zone, when) for when in history.time[match]]}

    def describe(self, entry: Ints) -> dict[str, Any]:
        """Return the columns of `Explanation.matches` for entries in chronological order.

        >>> import prowess as pw
        >>> traced = trace(pw.Ladder(pw.Elo()), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> traced.describe(np.array([1]))["expected"]
        array([0.5])
        """
        team, match = self.locate(entry)
        columns = participants(self.history, entry, team, match) | results(self.history, team, match)
        columns |= self._expected(team, match) | self.moves(entry)
        return columns | self.deviations(entry) | self.statistics(entry)

    def deviations(self, entry: Ints) -> dict[str, Any]:
        """Return the values of the facets by player, such as a surface, and how far the match moved the deviations.

        A column and its moves are None where an entry has no value; {} without such facets.

        >>> import prowess as pw
        >>> match = {"teams": [["ann"], ["bob"]], "context": {"surface": "clay"}}
        >>> model = pw.TrueSkill().replace(facets=(pw.facet.By("surface", sigma=3.0),))
        >>> traced = trace(pw.Ladder(model), pw.History.from_matches([match]))
        >>> list(traced.deviations(np.array([0]))), traced.deviations(np.array([0]))["at_surface"]
        (['at_surface', 'moved_at_surface'], ['clay'])
        """
        columns: dict[str, Any] = {}
        facets = [facet for facet in self.model.facets if facet.personal]
        width = 2 * len(self.model.outcome.traits)
        for index, (key, facet) in enumerate(zip(unique_keys(facets), facets, strict=True)):
            if self.rows_before is None or self.rows_after is None:
                break
            part = slice(index * width, (index + 1) * width, 2)
            moved = (self.rows_after[entry, part] - self.rows_before[entry, part]).sum(axis=1)
            column = column_at(self.history, facet.column, "player")
            values: list[Any] = [None] * len(entry) if column is None else column.take(entry).to_list()
            columns[f"at_{key}"] = [None if value is None else str(value) for value in values]
            columns[f"moved_at_{key}"] = [None if x != x else x for x in moved.tolist()]
        return columns

    def statistics(self, entry: Ints) -> dict[str, Any]:
        """Return the values of the statistics, and how far they moved the rating; {} in models without statistics.

        The rest of a change comes from the result. A value is None where it is missing.

        >>> import prowess as pw
        >>> match = {"teams": [["ann", "bob"], ["cat", "dan"]], "statistics": {"kills": [[9, 2], [5, 4]]}}
        >>> model = pw.TrueSkill().replace(statistics=(pw.statistic.Points("kills", per=None),))
        >>> columns = trace(pw.Ladder(model), pw.History.from_matches([match])).statistics(np.array([0, 1]))
        >>> columns["statistic_kills"], columns["moved_by_statistics"] > 0
        ([9, 2], array([ True, False]))
        """
        columns: dict[str, Any] = {}
        if self.shares is None:
            return columns
        for key, statistic in zip(unique_keys(self.model.statistics), self.model.statistics, strict=True):
            column = column_at(self.history, statistic.column, "player")
            values: list[Any] = [None] * len(entry) if column is None else column.take(entry).to_list()
            columns[f"statistic_{key}"] = values
        told = self.before[entry].copy()
        told[:, ::2] += self.shares[entry] * (self.after[entry] - self.before[entry])[:, ::2]
        moved = overall(self.model, told)[0] - overall(self.model, self.before[entry])[0]
        return columns | {"moved_by_statistics": moved}

    def _expected(self, team: Ints, match: Ints) -> dict[str, Any]:
        # Work in chunks to limit memory, because the expectation of a team needs all teams of its match.
        start = self.history.match_start
        rows = np.cumsum(start[match + 1] - start[match], dtype=np.int64)
        parts = np.split(np.arange(len(match)), np.flatnonzero(np.diff(rows // ROWS)) + 1)
        chunks = [expectations(self.forecasts.take(match[part]), (team - start[match])[part]) for part in parts]
        return {key: np.concatenate([chunk[key] for chunk in chunks]) for key in chunks[0]}

    def account(self, match: int, most: int | None = None, points: Points | None = None) -> Account:
        """Describe how the match at index `match` changed the ratings of its players.

        If the match has more than `most` players, the account is limited to the best `most` teams, and to some of
        their players. By default, all players are included. With `points`, the sentences are in points.

        >>> import prowess as pw
        >>> traced = trace(pw.Ladder(pw.Elo()), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> len(traced.account(0).rows)
        2
        """
        from .account import account

        return account(self, match, most, points)


def trace(ladder: Ladder, history: History) -> Trace:
    """Rate a history and return the trace. The ladder is updated in place.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill())
    >>> len(trace(ladder, pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])).after), len(ladder)
    (2, 2)
    """
    record = run_sweep(ladder, history, False, beliefs=True)
    forecasts = read_forecasts(ladder.model.outcome, history, record)
    return trace_of(ladder.model, history, forecasts, record)


def trace_of(model: Model, history: History, forecasts: Forecasts, record: Record) -> Trace:
    """Return the trace of a sweep that has recorded beliefs."""
    rows = (record.rows_before, record.rows_after) if record.rows_before.size else (None, None)
    shares = record.shares if record.shares.size else None
    return Trace(model, history, forecasts, record.before, record.after, rows[0], rows[1], shares)


def participants(history: History, entry: Ints, team: Ints, match: Ints) -> dict[str, Any]:
    """Return the columns `partners`, `opponents` (at most `NAMED` for each entry) and `opponent_count`.

    `team` and `match` are the team and the match of each of the entries in `entry`.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob", "cat"]]}])
    >>> columns = participants(history, np.array([1]), np.array([1]), np.array([0]))
    >>> columns["partners"], columns["opponents"]
    ([['cat']], [['ann']])
    """
    names, of_team, of_match = history.players, history.team_start, history.match_start
    partners, opponents, counts = [], [], []
    for e, j, i in zip(entry, team, match, strict=True):
        own, whole = (of_team[j], of_team[j + 1]), (of_team[of_match[i]], of_team[of_match[i + 1]])
        partners.append([names[p] for p in [*history.player[own[0] : e], *history.player[e + 1 : own[1]]]])
        # Shorten the lists before looking up names, because a match may have thousands of players.
        against = [*history.player[whole[0] : own[0]][:NAMED], *history.player[own[1] : whole[1]][:NAMED]]
        opponents.append([names[p] for p in against[:NAMED]])
        counts.append(int(whole[1] - whole[0] - (own[1] - own[0])))
    return {"partners": partners, "opponents": opponents, "opponent_count": np.array(counts, np.int64)}


def results(history: History, team: Ints, match: Ints) -> dict[str, Any]:
    """Return the results of the given teams as columns; `match` is the match of each team.

    The columns are the number of `teams` in the match, the `place`, and `actual`, the share of opposing teams beaten
    (ties count half). If the history has scores, there are also the `score` and `against`, the best opposing score.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [3, 1]}])
    >>> {key: float(column[0]) for key, column in results(history, np.array([1]), np.array([0])).items()}
    {'teams': 2.0, 'place': 2.0, 'score': 1.0, 'against': 3.0, 'actual': 0.0}
    """
    first, last = history.match_start[match], history.match_start[match + 1]
    beaten, against = np.zeros(len(match)), np.full(len(match), np.nan)
    for index, (j, begin, end) in enumerate(zip(team, first, last, strict=True)):
        others = np.delete(history.place[begin:end], j - begin)
        beaten[index] = np.mean((others > history.place[j]) + 0.5 * (others == history.place[j]))
        if history.score is not None:
            against[index] = np.max(np.delete(history.score[begin:end], j - begin))
    columns: dict[str, Any] = {"teams": (last - first).astype(np.int64), "place": history.place[team].astype(np.int64)}
    if history.score is not None:
        columns |= {"score": history.score[team], "against": against}
    return columns | {"actual": beaten}


def expectations(forecasts: Forecasts, team: Ints) -> dict[str, Any]:
    """Return the columns `expected` and, in models of scores, `expected_lead` for one team of each match.

    `team` is the index of this team within each match. `expected` is the expected share of opposing teams that the team
    beats. For two teams, this share is the predicted P(win) + P(draw)/2. For more teams, it is the mean probability of
    finishing ahead of another team, computed from normal performances. `expected_lead` is the team's expected score
    minus the highest expected score of the others.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2)
    >>> expectations(pw.Elo().fit(history).forecasts, np.array([0, 1]))["expected"].round(3)
    array([0.5  , 0.454])
    """
    start = forecasts.history.match_start
    win = np.where(team == 0, forecasts.win, 1.0 - forecasts.win - forecasts.draw)
    expected = win + 0.5 * forecasts.draw
    mean, variance = strength(forecasts), performance(forecasts)
    for index in np.flatnonzero(np.diff(start) > 2):
        own, teams = start[index] + team[index], np.arange(start[index], start[index + 1])
        others = teams[teams != own]
        gap, spread = mean[own] - mean[others], np.sqrt(variance[own] + variance[others])
        # Models without uncertainty have a spread of 0: equal teams have an even chance, and other results are certain.
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(gap == 0.0, 0.0, gap / spread)
        expected[index] = np.mean([cdf(x) for x in np.clip(z, -40.0, 40.0).tolist()])
    scores = _expected_scores(forecasts)
    if scores is None:
        return {"expected": expected}
    own = start[:-1] + team
    others = np.delete(scores, own)
    best = np.maximum.reduceat(others, start[:-1] - np.arange(len(own))) if len(own) else others
    return {"expected": expected, "expected_lead": scores[own] - best}


def _expected_scores(forecasts: Forecasts) -> Floats | None:
    """Return the teams' expected scores, up to a constant common to all teams; None in models without scores."""
    if forecasts.mean.ndim == 1:
        return forecasts.mean if forecasts.outcome.scores == "difference" else None
    start = forecasts.history.match_start
    parts = [slice(*ends) for ends in pairwise(start.tolist())]
    pairs = [scored_by(forecasts.mean[part], forecasts.variance[part]) for part in parts]
    mean, variance = (np.concatenate([pair[k] for pair in pairs]) if pairs else np.zeros(0) for k in (0, 1))
    scores: Floats = forecasts.outcome.score.points(mean, variance)["median"]()  # type: ignore[attr-defined]
    return scores
