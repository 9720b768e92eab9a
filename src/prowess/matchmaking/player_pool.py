"""The players available for matchmaking, with their ratings, and the performances of teams made from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from ..history import name_of
from ..model.engine.board import Board
from ..model.engine.rate import build_board, read_memory
from ..model.fit.fit import Fit
from ..model.ladder.effects import ratings_in_match
from ..model.ladder.facet_rows import UNKNOWN
from ..model.ladder.ladder import Ladder
from ..model.match_input import MatchDetails
from ..model.model import Model
from ..model.prediction import Prediction
from ..model.rating import Rating
from ..validate import invalid

Floats = NDArray[np.float64]
Source = Ladder | Fit | Model
Players = Iterable[str] | Mapping[str, Rating]


@dataclass(frozen=True, eq=False)
class PlayerPool:
    """Players by name with their ratings, their model, and the league's memory.

    The memory holds the numbers that the model has learnt about the league. The ratings are those at the values of the
    `context`; then the model has no facets. Forecasts are made by the `ladder` that the players come from: it knows
    them by the names or ratings in `known`.
    """

    model: Model
    memory: list[float]
    names: list[str]
    ratings: list[Rating]
    newcomers: tuple[str, ...]
    ladder: Ladder
    known: list[str | Rating]
    context: Mapping[str, Any] | None

    def __len__(self) -> int:
        return len(self.names)

    def predict(self, teams: Sequence[Sequence[int]]) -> Prediction:
        """Return the forecast of a match between players of the pool, given by their positions."""
        if self.ladder.model.facets:
            return self.ladder.predict(self._known(teams), context=self.context)
        return self.model.predict_from(self.memory, self._rated(teams), None)

    def quality(self, teams: Sequence[Sequence[int]]) -> float:
        """Return the quality of a match between players of the pool, given by their positions."""
        if self.context:
            return self.ladder.quality(self._known(teams), context=self.context)
        return self.model.quality_from(self.memory, self._rated(teams), None)

    def _known(self, teams: Sequence[Sequence[int]]) -> list[list[str | Rating]]:
        return [[self.known[player] for player in team] for team in teams]

    def _rated(self, teams: Sequence[Sequence[int]]) -> list[list[Rating]]:
        return [[self.ratings[player] for player in team] for team in teams]

    @property
    def is_exact(self) -> bool:
        """Whether ratings describe the players completely; a learning curve has a variance that players share."""
        return not (self.context and any(facet.counts_matches for facet in self.ladder.model.facets))

    def beliefs(self) -> tuple[Floats, Floats]:
        """Return the means and the variances of the players' skills: a row for each player, a column for each trait."""
        pipeline = self.model.pipeline
        board = self.board()
        cells = len(self) * pipeline.traits
        mu, var = (np.array(column[:cells]).reshape(len(self), -1) for column in (board.mu, board.var))
        return mu, var

    def board(self) -> Board:
        """Return a board with one large match in which each player is a team."""
        alone = [[rating] for rating in self.ratings]
        # A match needs at least two teams.
        return self.board_of(alone if len(alone) > 1 else alone * 2)

    def board_of(self, teams: Sequence[Sequence[Rating]], details: MatchDetails | None = None) -> Board:
        """Return a board for a match between these teams, with the league's memory."""
        board = build_board(self.model.pipeline, teams, details)
        self.load_memory(board)
        return board

    def load_memory(self, board: Board) -> None:
        """Copy the league's memory to a board."""
        for index, number in enumerate(self.memory):
            board.memory[index] = number


def make_pool(source: Source, players: Players | None = None, context: Mapping[str, Any] | None = None) -> PlayerPool:
    """Return the pool of all players of a source, or only of the given players; unknown names are rated as newcomers.

    With a `context`, the ratings are those at its values.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)})
    >>> pool = make_pool(ladder, ["ann", "bob"])
    >>> pool.ratings[0], pool.newcomers
    (Rating(mu=30.0, sigma=4.0), ('bob',))
    """
    ladder = _ladder_of(source)
    if players is None:
        players = ladder.names
    if isinstance(players, str) or not isinstance(players, Iterable):
        raise invalid("players", "be a list of names, or ratings by name", players)
    pairs = players.items() if isinstance(players, Mapping) else ((name, None) for name in players)
    newcomer = ladder.newcomer
    known: dict[str, str | Rating] = {}
    newcomers = []
    for label, rating in pairs:
        name = name_of(label)
        if name in known:
            raise Error(f"{name} is listed twice; a player can only play once", field="players", value=name)
        if rating is not None and not isinstance(rating, Rating):
            raise Error(f"{name} must have a Rating, not {rating!r}", field="players", value=name)
        if rating is None and name not in ladder.rows:
            newcomers.append(name)
            rating = newcomer
        known[name] = name if rating is None else rating
    ratings = ratings_of(ladder, list(known.values()), context)
    model = ladder.model.replace(facets=(), statistics=()) if context else ladder.model
    memory = read_memory(model.pipeline, ladder.table)
    return PlayerPool(model, memory, list(known), ratings, tuple(newcomers), ladder, list(known.values()), context)


def ratings_of(ladder: Ladder, players: Sequence[str | Rating], context: Mapping[str, Any] | None) -> list[Rating]:
    """Return the ratings of players, given by name or by rating, in a match with a context.

    >>> import prowess as pw
    >>> ratings_of(pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)}), ["ann", pw.Rating(20, 1)], None)
    [Rating(mu=30.0, sigma=4.0), Rating(mu=20.0, sigma=1.0)]
    """
    ratings = [player if isinstance(player, Rating) else ladder[player] for player in players]
    if not context:
        return ratings
    for name, value in context.items() if isinstance(context, Mapping) else ():
        if isinstance(value, list | tuple | np.ndarray):
            message = f"context {name!r}: give one value for the whole match, because nobody is in a team yet"
            raise Error(message, field="context", value=value)
    rows = [UNKNOWN if isinstance(player, Rating) else ladder.rows[player] for player in players]
    return ratings_in_match(ladder, ratings, rows, context)


def _ladder_of(source: Source) -> Ladder:
    if isinstance(source, Ladder):
        return source
    if isinstance(source, Fit):
        return source._after  # not `source.ladder`, which may have rated more matches since the fit
    if isinstance(source, Model):
        return Ladder(source)
    raise Error(f"matchmaking needs a Ladder, a Fit or a Model, not {source!r}", field="source", value=source)


Ints = NDArray[np.intp]

ENTRIES = 200_000  # largest number of players on a board at a time


class Performances:
    """Computes the performances of teams from a pool, in matches with given team sizes.

    A performance has a mean, a variance and a noise. All teams are put on one board, as if they met in one large match,
    and the model's own team function combines the players of each team. A team's performance does not depend on the
    other teams, with one exception: until the model has learnt the noise of scores, that noise depends on the sizes of
    all teams in the match. Therefore the noise is computed for a match with the given `sizes`.

    >>> import prowess as pw
    >>> from prowess.matchmaking.player_pool import make_pool
    >>> ratings = {"ann": pw.Rating(30, 4), "bob": pw.Rating(25, 3), "cat": pw.Rating(20, 2)}
    >>> Performances(make_pool(pw.TrueSkill(beta=1), ratings), (2, 2)).of(np.array([[0, 1], [1, 2]]))
    array([[55., 45.],
           [27., 15.],
           [ 2.,  2.]])
    """

    def __init__(self, group: PlayerPool, sizes: Sequence[int]) -> None:
        self.group, self.among = group, len(sizes)
        self.mu, self.var = group.beliefs()
        self._board: Board | None = None
        board = group.board_of([[group.ratings[0]] * size for size in sizes])
        group.model.pipeline.pool_teams(board)
        self.scatter = group.model.outcome.scatter(board)

    def of(self, members: Ints) -> Floats:
        """Return the mean, variance and noise of each team, as three rows.

        Each row of `members` lists the players of one team, in the order in which the team function combines them.
        """
        columns = np.empty((3, len(members)))
        at_once = max(ENTRIES // members.shape[1] // self.among, 1) * self.among
        for first in range(0, len(members), at_once):
            some = members[first : first + at_once]
            columns[:, first : first + len(some)] = self._pool(some)
        return columns

    def _pool(self, members: Ints) -> Floats:
        pipeline = self.group.model.pipeline
        teams, size = members.shape
        board = self._fill_board(members)
        pipeline.pool_teams(board)
        if pipeline.traits == 1:
            return self._performances(board)
        # The weight of a trait may depend on the number of teams, so compute match by match.
        cells, width = teams * pipeline.traits, self.among * pipeline.traits
        # Repeat the first teams, so that the last match is complete, too.
        columns = [np.resize(np.asarray(c)[:cells], cells + width) for c in (board.mean, board.variance, board.noise)]
        match: Any = pipeline.board(self.among, self.among * size)
        self.group.load_memory(match)
        parts = []
        for first in range(0, cells, width):
            match.mean, match.variance, match.noise = (column[first : first + width] for column in columns)
            parts.append(self._performances(match))
        return np.concatenate(parts, axis=1)[:, :teams]

    def _performances(self, board: Board) -> Floats:
        # Replace the noise of scores on this board by the noise in a match of the given sizes.
        columns = np.array(self.group.model.outcome.performances(board))
        columns[1:] += self.scatter - self.group.model.outcome.scatter(board)
        return columns

    def _fill_board(self, members: Ints) -> Board:
        pipeline = self.group.model.pipeline
        teams, size = members.shape
        cells = members.size * pipeline.traits
        board = self._board
        if board is None or not board.holds(teams, members.size):
            board = self._board = pipeline.board(teams, members.size)
            self.group.load_memory(board)
        board.teams, board.entries = teams, members.size
        np.asarray(board.start)[: teams + 1] = np.arange(0, members.size + 1, size)
        np.asarray(board.alpha)[:cells] = 1.0
        np.asarray(board.mu)[:cells] = self.mu[members].ravel()
        np.asarray(board.var)[:cells] = self.var[members].ravel()
        return board
