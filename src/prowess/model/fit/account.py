"""Accounts of matches: how a match changed the ratings of its players, and why."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ...text import join_words
from ..scale import Points
from .explain import digits_of, opponents_of, plain, result_and_odds, statistics_of
from .forecasts import performance, strength

if TYPE_CHECKING:
    from .trace import Trace

Ints = NDArray[np.intp]

FEW = 16  # for at most this many players, a separate search for each one is faster
UNCERTAIN = 1.5  # ratio of sigmas from which a rating counts as more uncertain than another


@dataclass(frozen=True, eq=False, repr=False)
class Account:
    """An account of one match: how the match changed the ratings of its players, and why.

    `rows` has a mapping for each player, in the order of the teams. The keys are player, team (an index), partners,
    opponents, place, actual, expected, moved and first, and mu, sigma and shown, each before and after the match.
    `actual` and `expected` are the actual and the predicted share of opposing teams beaten. `first` is true if it was
    the player's first match. `forecast` has the predicted mean and sigma of every team's performance, and for two teams
    `win` and `draw`. A match of importance 0 changes no rating. With `points`, the sentences are in points.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"]]}])
    >>> described = pw.TrueSkill().fit(history).account(1)
    >>> [row["player"] for row in described.rows], round(described.rows[0]["expected"], 2)
    (['bob', 'ann'], 0.23)
    >>> described.sentences[0]
    'bob won against ann (21 % chance): +6.04, giving 26.64.'
    """

    rows: list[dict[str, Any]]
    forecast: dict[str, Any]
    counts: bool
    points: Points | None = None

    def __repr__(self) -> str:
        return f"Account({', '.join(row['player'] for row in self.rows)})"

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each player: the result, its probability, and the rating change.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "importance": 0}])
        >>> pw.Elo().fit(history).account(0).sentences[1]
        'bob lost against ann; the match does not count.'
        """
        unit, scale = (1.0, None) if self.points is None else (self.points.factor, self.points.scale)
        digits = digits_of([unit * row["moved"] for row in self.rows if row["moved"] is not None], scale=scale)
        return tuple(self._sentence(row, digits) for row in self.rows)

    def _sentence(self, row: dict[str, Any], digits: int) -> str:
        ended, expected = result_and_odds(row)
        verb = {"drawn": "drew", "place": "finished in place"}
        first, _, rest = ended.partition(" ")
        began = f"{row['player']} {verb.get(first, first)}{f' {rest}' if rest else ''} against {opponents_of(row)}"
        if not self.counts:
            return f"{began}; the match does not count."
        moved, after = row["moved"], row["mu_after"]
        if self.points is not None:
            moved, after = self.points.factor * moved, self.points.of(after)
        change = f"{moved:+.{digits}f}".replace("-", "−")
        if first == "place":
            expectation = f", expected place {expected}"
        elif "expected_lead" in row or self.forecast["win"] is None:
            expectation = f", expected {expected}"
        else:
            expectation = f" ({100 * self._chance(row):.0f} % chance)"
        change += self._statistics(row, digits) + self._deviations(row, digits)
        return f"{began}{expectation}: {change}, giving {after:.{digits}f}{self._reason(row)}."

    def _statistics(self, row: dict[str, Any], digits: int) -> str:
        """Say how much of the change came from the result, and how much from the statistics."""
        if row.get("moved_by_statistics") is None:
            return ""
        unit = 1.0 if self.points is None else self.points.factor
        told = unit * row["moved_by_statistics"]
        result, told = (f"{part:+.{digits}f}".replace("-", "−") for part in (unit * row["moved"] - told, told))
        values = statistics_of(row)
        return f" ({result} from the result, {told} from {join_words(values)})" if values else ""

    def _deviations(self, row: dict[str, Any], digits: int) -> str:
        """Say how far the match moved the player's deviations, such as the one on clay."""
        unit = 1.0 if self.points is None else self.points.factor
        parts = []
        for name, value in row.items():
            moved = row.get(f"moved_{name}")
            if name.startswith("at_") and moved is not None:
                parts.append(f"{unit * moved:+.{digits}f} at {name.removeprefix('at_')} {value}".replace("-", "−", 1))
        return f" (and {join_words(parts)})" if parts else ""

    def _chance(self, row: dict[str, Any]) -> float:
        team, win = row["team"], self.forecast["win"]
        chance: float = {1.0: win[team], 0.5: self.forecast["draw"], 0.0: win[1 - team]}[row["actual"]]
        return chance

    def _reason(self, row: dict[str, Any]) -> str:
        own, (sigmas, all_new) = row["sigma_before"], self._sigmas
        others = len(sigmas) - bool(own)
        if own is None or not others:
            return ""
        if row["first"]:
            return "" if all_new else " (a large change: this was a first match)"
        if own >= UNCERTAIN * sigmas[own == sigmas[0]]:
            return " (a large change: the rating was still uncertain)"
        certain = sigmas[-1 - (own == sigmas[-1])] >= UNCERTAIN * own
        return " (a small change: the rating was already well established)" if certain else ""

    @cached_property
    def _sigmas(self) -> tuple[list[float], bool]:
        """Return all players' sigmas before the match, sorted, and whether it was the first match of all players."""
        sigmas = sorted(row["sigma_before"] for row in self.rows if row["sigma_before"])
        return sigmas, all(row["first"] for row in self.rows)


def account(trace: Trace, match: int, most: int | None = None, points: Points | None = None) -> Account:
    """Describe how the match at index `match` changed the ratings of its players.

    If the match has more than `most` players, the account is limited to the best `most` teams: it includes the first
    player of each team, and further players of the best teams until `most` players are included. By default, all
    players are included. With `points`, the sentences are in points.
    """
    history = trace.history
    teams = history.match_start[match : match + 2]
    entry: Ints = np.arange(*history.team_start[teams])
    if most is not None and len(entry) > most:
        entry = _best_teams(history, teams, most)
    team, _ = trace.locate(entry)
    counts = bool(trace.counted(np.array([match]))[0])
    columns: dict[str, Any] = {
        "player": [history.players[row] for row in history.player[entry]],
        "team": team - teams[0],
    }
    columns |= trace.describe(entry)
    rows = [{key: plain(column[k]) for key, column in columns.items()} for k in range(len(entry))]
    for row, played in zip(rows, _have_played(history, entry, int(history.team_start[teams[0]])), strict=True):
        row["first"] = not played
        if not counts:
            row |= dict.fromkeys(("moved", "shown_moved"), 0.0)
    return Account(rows, _forecast(trace, match), counts, points)


def _best_teams(history: History, teams: NDArray[np.int32], most: int) -> Ints:
    """Return the entries to show for the `most` best teams of a match.

    These entries are the first player of each of these teams, and the first `most` players when the teams are listed
    from the best to the worst.
    """
    order = np.arange(*teams)[np.argsort(history.place[teams[0] : teams[1]], kind="stable")][:most]
    first, last = history.team_start[order], history.team_start[order + 1]
    players = np.concatenate([np.arange(*ends)[:most] for ends in zip(first, last, strict=True)])[:most]
    return np.union1d(first, players).astype(np.intp)


def _have_played(history: History, entry: Ints, start: int) -> list[bool]:
    if len(entry) <= FEW:
        return [_has_played(history, e) for e in entry.tolist()]
    played: list[bool] = np.isin(history.player[entry], history.player[:start]).tolist()
    return played


def _has_played(history: History, entry: int) -> bool:
    # most players have a recent match, so search backwards in growing steps
    end, reach = entry, 1 << 14
    while end > 0:
        if (history.player[max(end - reach, 0) : end] == history.player[entry]).any():
            return True
        end, reach = end - reach, 4 * reach
    return False


def _forecast(trace: Trace, match: int) -> dict[str, Any]:
    forecasts = trace.forecasts.take(np.array([match]))
    mean, sigma = strength(forecasts).tolist(), np.sqrt(performance(forecasts)).tolist()
    win, draw = plain(forecasts.win[0]), plain(forecasts.draw[0])
    both = None if win is None else [win, max(0.0, 1.0 - win - draw)]
    return {"win": both, "draw": draw, "mean": mean, "sigma": sigma}
