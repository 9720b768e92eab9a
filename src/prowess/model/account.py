"""What one match did to its players, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..history import History
from .explanation import digits_of, odds, side
from .strength import performance, strength

if TYPE_CHECKING:
    from .passage import Passage

__all__ = ["Account", "account"]

Ints = NDArray[np.intp]
FEW = 16  # players who are looked for one by one
SURE = 1.5  # how many times as uncertain as another a rating must be, to be called so


@dataclass(frozen=True, eq=False, repr=False)
class Account:
    """What became of the players of one match, and why.

    `rows` has a mapping for each player, in the order of the teams: player, team (its index), partners, opponents,
    place, actual and expected (the share of the opposing teams that was beaten, and that was forecast to be), mu, sigma
    and shown before and after, moved, and whether it was her first match. `forecast` says what was expected of every
    team: mean and sigma of its performance, and for two teams `win` and `draw`. A match of importance 0 moves nobody.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"]]}])
    >>> told = pw.TrueSkill().fit(history).account(1)
    >>> [row["player"] for row in told.rows], round(told.rows[0]["expected"], 2)
    (['bob', 'ann'], 0.23)
    >>> told.sentences[0]
    'bob won against ann, where 23 % was expected: +6.04 to 26.64.'
    """

    rows: list[dict[str, Any]]
    forecast: dict[str, Any]
    counts: bool

    def __repr__(self) -> str:
        """Say who played."""
        return f"Account({', '.join(row['player'] for row in self.rows)})"

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each player: how it ended, what was expected, and what that moved.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "importance": 0}])
        >>> pw.Elo().fit(history).account(0).sentences[1]
        'bob lost against ann; the match does not count.'
        """
        digits = digits_of([row["moved"] for row in self.rows if row["moved"] is not None])
        return tuple(self._said(row, digits) for row in self.rows)

    def _said(self, row: dict[str, Any], digits: int) -> str:
        ended, expected = odds(row)
        verb = {"drawn": "drew", "place": "came to place"}
        first, _, rest = ended.partition(" ")
        began = f"{row['player']} {verb.get(first, first)}{f' {rest}' if rest else ''} against {side(row)}"
        if not self.counts:
            return f"{began}; the match does not count."
        moved = f"{row['moved']:+.{digits}f}".replace("-", "−")
        what = f"place {expected}" if first == "place" else expected
        said = f"{began}, where {what} was expected: {moved} to {row['mu_after']:.{digits}f}"
        return f"{said}{self._because(row)}."

    def _because(self, row: dict[str, Any]) -> str:
        """Why one match moves a rating far, or hardly."""
        own, (known, all_new) = row["sigma_before"], self._known
        others = len(known) - bool(own)  # who is not alone is looked at beside the surest and the least sure of them
        if own is None or not others:
            return ""
        if row["first"]:
            return "" if all_new else ", as nothing else was known of a newcomer"
        if own >= SURE * known[own == known[0]]:
            return ", as little was known of the rating before"
        return ", as much was known of the rating before" if known[-1 - (own == known[-1])] >= SURE * own else ""

    @cached_property
    def _known(self) -> tuple[list[float], bool]:
        """The uncertainties of all players before the match, in their order, and whether all of them were new."""
        sigmas = sorted(row["sigma_before"] for row in self.rows if row["sigma_before"])
        return sigmas, all(row["first"] for row in self.rows)


def account(passage: Passage, match: int, most: int | None = None) -> Account:
    """What a match of a passage, by its index, did to its players; of a large one, to so many of the best teams."""
    history = passage.history
    teams = history.match_start[match : match + 2]
    entry: Ints = np.arange(*history.team_start[teams])
    if most is not None and len(entry) > most:
        entry = _foremost(history, teams, most)
    told = passage.told(entry)
    team, _ = passage.places(entry)
    counts = bool(passage.counted(np.array([match]))[0])
    columns = {"player": [history.players[row] for row in history.player[entry]], "team": team - teams[0]} | told
    rows = [{key: plain(column[k]) for key, column in columns.items()} for k in range(len(entry))]
    for row, played in zip(rows, _played(history, entry, int(history.team_start[teams[0]])), strict=True):
        row["first"] = not played
        if not counts:
            row |= dict.fromkeys(("moved", "shown_moved"), 0.0)
    return Account(rows, _forecast(passage, match), counts)


def _foremost(history: History, teams: NDArray[np.int32], most: int) -> Ints:
    """The entries of the best teams of a match: one of each of so many teams, and so many of all players."""
    order = np.arange(*teams)[np.argsort(history.place[teams[0] : teams[1]], kind="stable")][:most]
    first, last = history.team_start[order], history.team_start[order + 1]
    players = np.concatenate([np.arange(*ends)[:most] for ends in zip(first, last, strict=True)])[:most]
    return np.union1d(first, players).astype(np.intp)


def _played(history: History, entry: Ints, start: int) -> list[bool]:
    """Whether the players of some entries of a match, whose first one is `start`, have earlier ones."""
    if len(entry) <= FEW:
        return [_met(history, one) for one in entry.tolist()]
    played: list[bool] = np.isin(history.player[entry], history.player[:start]).tolist()
    return played


def _met(history: History, entry: int) -> bool:
    """Whether the player of an entry has an earlier one; most have one that is not far."""
    end, reach = entry, 1 << 14
    while end > 0:
        if (history.player[max(end - reach, 0) : end] == history.player[entry]).any():
            return True
        end, reach = end - reach, 4 * reach
    return False


def _forecast(passage: Passage, match: int) -> dict[str, Any]:
    """What was expected of the teams of a match."""
    one = passage.forecasts.take(np.array([match]))
    mean, sigma = strength(one).tolist(), np.sqrt(performance(one)).tolist()
    win, draw = plain(one.win[0]), plain(one.draw[0])
    both = None if win is None else [win, max(0.0, 1.0 - win - draw)]
    return {"win": both, "draw": draw, "mean": mean, "sigma": sigma}


def plain(cell: Any) -> Any:
    """A cell of a column as plain Python; None for what is not known."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    return None if cell != cell else cell
