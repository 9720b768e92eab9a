"""Why a rating is what it is: one player's way through a history, match by match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...history import History, name_of, show_time
from ...history.ragged import owners
from ...history.times import DAY
from ...progress import steps
from ..engine.buffers import Columns, Record
from ..engine.rate import look_up
from ..engine.sweep import sweep
from ..ladder.idle import since
from ..ladder.ladder import Ladder
from ..rating import Rating, put, taken
from .explanation import Explanation
from .match_summary import expectations, people, results

if TYPE_CHECKING:
    import polars as pl

    from .fit import Fit
from dataclasses import dataclass
from functools import cached_property

from .explanation import digits_of, odds, side
from .forecasts import performance, strength

if TYPE_CHECKING:
    from .trace import Passage

__all__ = ["Account", "account", "explain"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

CHUNK = 200_000  # matches between two looks at the keyboard


def explain(fit: Fit, name: str, before: Ladder, rows: NDArray[np.int32]) -> Explanation:
    """Go through the history once more, and stop at every match of one player.

    `before` is the ladder with which the fit began, `rows` are the rows of the entries in it.
    """
    now = fit[name]  # an unknown name is an error, with a hint
    key, history = name_of(name), fit.history
    entry = _entries(history, key)
    team = np.searchsorted(history.team_start, entry, side="right") - 1
    match = np.searchsorted(history.match_start, team, side="right") - 1
    known = key in before
    start = before[key] if known else now
    beliefs: list[tuple[Rating, Rating]] = []
    if len(entry):
        start, beliefs = _walk(fit, before.copy(), rows, int(rows[entry[0]]), match)
    frame = _frame(fit, entry, team, match, start, beliefs)
    return Explanation(key, fit.model, start, now, not known, frame)


def _entries(history: History, name: str) -> Ints:
    """The entries of a player in matches that count."""
    player = history.players.index(name) if name in history.players else -1
    entry = np.flatnonzero(history.player == player)
    if history.importance is None:
        return entry
    match = owners(history.match_start)[owners(history.team_start)[entry]]
    return entry[history.importance[match] > 0]


def _walk(
    fit: Fit, ladder: Ladder, rows: NDArray[np.int32], row: int, matches: Ints
) -> tuple[Rating, list[tuple[Rating, Rating]]]:
    """What was believed at the start, and before and after each of some matches."""
    history, pipeline = fit.history, fit.model.pipeline
    columns = Columns(history, rows)
    record = Record(columns, pipeline.traits)
    ladder.reserve(int(rows.max()) + 1)
    sizes = np.diff(history.match_start), np.diff(history.team_start[history.match_start])
    board = pipeline.board(int(sizes[0].max()), int(sizes[1].max()))
    table = ladder.table
    stops = np.union1d(np.union1d(matches, matches + 1), np.arange(0, matches[-1] + 1, CHUNK))
    wanted = set(matches.tolist())
    last = _belief(ladder, row)
    start = last
    found: list[tuple[Rating, Rating]] = []
    for index in steps(range(len(stops) - 1), "explaining"):
        first = int(stops[index])
        if first not in wanted:
            sweep(pipeline, board, columns, table, record, first, int(stops[index + 1]))
            continue
        if not found:
            start = last = _belief(ladder, row)  # newcomers may be another level by now
        waited = _waited(ladder, history, row, first)
        sweep(pipeline, board, columns, table, record, first, first + 1)
        drifted = last if waited is None else _drifted(ladder, last, waited)
        last = look_up(pipeline, table, row)
        found.append((drifted, last))
    pipeline.put_back(board)
    return start, found


def _belief(ladder: Ladder, row: int) -> Rating:
    """What is believed of a player, or of a newcomer."""
    unseen = np.isnan(ladder.state[row, 0])
    return ladder.newcomer if unseen else look_up(ladder.model.pipeline, ladder.table, row)


def _waited(ladder: Ladder, history: History, row: int, match: int) -> float | None:
    """The time since the last match, as boards have it; None within a rating period, in which nobody drifts."""
    now = np.nan if history.time is None else float(history.time[match])
    waited = since(ladder, row, 1.0 if history.time_kind == "number" else DAY, now)
    if ladder.model.period is None:
        return waited
    then = ladder.state[row, ladder.layout.last_seen]
    still_open = ladder.state[row, ladder.layout.games] > 0.0 and now >= then and waited == 0.0
    return None if still_open else waited


def _drifted(ladder: Ladder, rating: Rating, waited: float) -> Rating:
    """What a drift makes of a rating until the next match: wider, and where seasons end another mean."""
    pipeline = ladder.model.pipeline
    board = pipeline.board(1, 1)
    for index, known in enumerate(ladder.memory.tolist()):
        board.memory[index] = known
    pipeline.absorb.welcome(board, 0)
    put(rating, pipeline.kind, board, 0)
    board.elapsed[0] = waited
    pipeline.drift.widen(board)
    found = taken(pipeline.kind, board, 0)
    pipeline.put_back(board)
    return found


def _frame(
    fit: Fit, entry: Ints, team: Ints, match: Ints, start: Rating, beliefs: list[tuple[Rating, Rating]]
) -> pl.DataFrame:
    """A row for every match: who, how it ended, what was expected, what it moved."""
    import polars as pl

    history = fit.history
    columns: dict[str, Any] = {"match": match}
    if history.ids is not None:
        columns["id"] = [history.ids[index] for index in match]
    if history.time is not None and history.time_kind is not None:
        columns["time"] = [show_time(history.time_kind, history.time_zone, when) for when in history.time[match]]
    columns |= people(history, entry, team, match)
    columns |= results(history, team, match)
    columns |= expectations(fit.forecasts.take(match), team - history.match_start[match])
    columns |= _moves(start, beliefs)
    schema = {"partners": pl.List(pl.String), "opponents": pl.List(pl.String)}
    floats = ["expected", "sigma_before", "sigma_after"]
    return pl.DataFrame(columns, schema_overrides=schema).with_columns(pl.col(floats).cast(pl.Float64).fill_nan(None))


def _moves(start: Rating, beliefs: list[tuple[Rating, Rating]]) -> dict[str, Any]:
    """What was believed before and after each match, what it moved, and what had moved since the match before."""
    before, after = ([pair[k] for pair in beliefs] for k in (0, 1))
    found: dict[str, Any] = {}
    for what in ("mu", "shown"):
        then, now = (np.array([getattr(one, what) for one in some], np.float64) for some in (before, after))
        previous = np.concatenate([[getattr(start, what)], now])[:-1]
        prefix = "" if what == "mu" else "shown_"
        found |= {f"{what}_before": then, f"{what}_after": now}
        found |= {f"{prefix}drifted": then - previous, f"{prefix}moved": now - then}
    for key, some in (("sigma_before", before), ("sigma_after", after)):
        found[key] = np.array([np.nan if one.sigma is None else one.sigma for one in some], np.float64)
    return found


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
