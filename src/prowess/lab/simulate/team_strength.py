"""The performances of a simulated league's teams, by the model's own team function."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.ragged import Floats, owners, starts
from ...model.engine.board import Board, Margin
from ...model.model import Model
from ...progress import steps
from .lineup import Ints, Lineup

CHUNK = 50_000  # number of teams on a board
PROGRESS_STEP = 10_000  # matches between two updates of the progress bar


@dataclass(frozen=True, eq=False)
class Field:
    """Mean and variance of every team's performance, given the true skills.

    Both arrays have shape (teams, traits), for the teams of all matches. The variance includes only the noise of
    performances. `draws` is the draw rate δ for models that forecast only an expected score (see `simulate`).

    >>> import prowess as pw
    >>> start = np.array([0, 2], np.int32), np.array([0, 1, 2], np.int32)
    >>> field = Field(pw.TrueSkill(), *start, mean=np.array([[30.0], [25.0]]), variance=np.zeros((2, 1)))
    >>> field.performances(np.random.default_rng(1)).ravel(), field.counts
    (array([30., 25.]), array([2], dtype=int32))
    """

    model: Model
    match_start: NDArray[np.int32]
    team_start: NDArray[np.int32]
    mean: Floats
    variance: Floats
    draws: float = 0.0
    progress: bool | None = None

    def each(self) -> Iterator[int]:
        """Yield the match numbers, with a progress bar."""
        for begin in steps(range(0, len(self.counts), PROGRESS_STEP), "playing", self.progress):
            yield from range(begin, min(begin + PROGRESS_STEP, len(self.counts)))

    @cached_property
    def match(self) -> NDArray[np.int32]:
        """The match of every team."""
        return owners(self.match_start)

    @cached_property
    def counts(self) -> NDArray[np.int32]:
        """The number of teams of every match."""
        return np.diff(self.match_start)

    def performances(self, rng: np.random.Generator) -> Floats:
        """Draw the performances of the teams: teams × traits."""
        return self.mean + np.sqrt(self.variance) * rng.standard_normal(self.mean.shape)

    def part(self, chosen: NDArray[np.bool_]) -> Field:
        """Return a field with only the given matches."""
        teams = chosen[self.match]
        match_start, team_start = starts(self.counts[chosen]), starts(np.diff(self.team_start)[teams])
        mean, variance = self.mean[teams], self.variance[teams]
        return replace(self, match_start=match_start, team_start=team_start, mean=mean, variance=variance)

    def lay_out(self, first: int, last: int, batch: BatchBoard | None = None) -> BatchBoard:
        """Put the teams of the matches from `first` up to, but not including, `last` on a board.

        `batch` is reused if it is large enough.
        """
        teams = slice(int(self.match_start[first]), int(self.match_start[last]))
        count = teams.stop - teams.start
        if batch is None or not batch.board.holds(count, 1):
            batch = BatchBoard(self.model, count, 1)
        cells = count * self.mean.shape[1]
        batch.board.teams = count
        batch.start[: count + 1] = self.team_start[teams.start : teams.stop + 1] - self.team_start[teams.start]
        batch.mean[:cells] = self.mean[teams].ravel()
        batch.variance[:cells] = batch.noise[:cells] = self.variance[teams].ravel()
        return batch

    def margins(self, upper: Ints, lower: Ints) -> Floats:
        """Return the draw margins between neighbouring teams `upper` and `lower`: n − 1 margins for a match of n teams.

        If the margin is measured once for a whole match, every match needs its own board; otherwise many matches share
        a board.
        """
        single = type(BatchBoard(self.model, 2, 1).board.margin).measure is not Margin.measure
        margins = np.empty(len(upper))
        batch: BatchBoard | None = None
        for first, last in blocks(self.match_start, 1 if single else CHUNK):
            batch = self.lay_out(first, last, batch)
            board, begin = batch.board, self.match_start[first]
            board.margin.measure(board, False)
            some = slice(begin - first, self.match_start[last] - last)
            pairs = zip((upper[some] - begin).tolist(), (lower[some] - begin).tolist(), strict=True)
            margins[some] = [board.margin.between(board, i, j) for i, j in pairs]
        return margins


def blocks(start: NDArray[np.int32], size: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of consecutive matches with at most `size` teams in total; a larger match gets its own range.

    >>> list(blocks(np.array([0, 2, 4, 9, 10], np.int32), 4))
    [(0, 2), (2, 3), (3, 4)]
    """
    first = 0
    while first < len(start) - 1:
        last = max(int(np.searchsorted(start, start[first] + size, side="right")) - 1, first + 1)
        yield first, last
        first = last


def make_field(
    model: Model, lineup: Lineup, skill: Floats, advantage: Floats, draws: float, progress: bool | None
) -> Field:
    """Compute every team's performance from its players' skills, on boards of many matches.

    A team function that uses prior means, for example to find the team's leader, gets the true skills instead.
    `advantage` (matches × traits) is the home advantage of the first team of every match.
    """
    traits = model.pipeline.traits
    teams = len(lineup.team_start) - 1
    mean, variance = np.empty((teams, traits)), np.empty((teams, traits))
    cuts = list(blocks(lineup.match_start, CHUNK))
    for number in steps(range(len(cuts)), "simulating", progress):
        first, last = cuts[number]
        some = slice(int(lineup.match_start[first]), int(lineup.match_start[last]))
        mean[some], variance[some] = _pool(model, lineup, skill, first, last)
    mean[lineup.match_start[:-1]] += advantage
    return Field(model, lineup.match_start, lineup.team_start, mean, variance, draws, progress)


def _pool(model: Model, lineup: Lineup, skill: Floats, first: int, last: int) -> tuple[Floats, Floats]:
    # An error is traced to the match that caused it.
    begin, end = lineup.match_start[first], lineup.match_start[last]
    start = lineup.team_start[begin : end + 1]
    batch = BatchBoard(model, int(end - begin), int(start[-1] - start[0]))
    board = batch.board
    shape = board.teams, model.pipeline.traits
    cells, own = board.teams * shape[1], board.entries * shape[1]
    batch.start[: board.teams + 1] = start - start[0]
    batch.mu[:own] = skill[start[0] : start[-1]].ravel()
    # True skills are known exactly, so performances vary only by their noise.
    batch.var[:own] = 0.0
    batch.alpha[:own] = 1.0
    batch.offset[:cells] = 0.0
    try:
        model.pipeline.pool_teams(board)
    except Error as error:
        if last - first == 1:
            raise error.within(f"match {first + 1} of {len(lineup)}: ", match=first) from None
        # An error does not say in which match of the batch it occurred, so bisection finds it.
        middle = (first + last) // 2
        halves = (_pool(model, lineup, skill, *half) for half in ((first, middle), (middle, last)))
        mean, variance = map(np.concatenate, zip(*halves, strict=True))
        return mean, variance
    return batch.mean[:cells].reshape(shape).copy(), batch.variance[:cells].reshape(shape).copy()


class BatchBoard:
    """A model's board with room for many teams.

    The columns of the board are available as arrays that share its memory.

    The drift handles every player separately, and the team function every team. Therefore one board can hold the teams
    of many matches, and the code that was compiled for a single match processes a whole league.

    >>> import prowess as pw
    >>> batch = BatchBoard(pw.TrueSkill(), teams=2, entries=2)
    >>> batch.mu[:] = 30.0
    >>> batch.board.mu[1]
    30.0
    """

    def __init__(self, model: Model, teams: int, entries: int) -> None:
        """Create a board; it is never returned to the model's pool, which would keep a large board in memory."""
        self.board: Board = model.pipeline.board(teams, entries)
        self.board.start[0] = 0

    def __getattr__(self, column: str) -> NDArray[Any]:
        """Return a column of the board as an array. The array is cached, because loops over matches use it often."""
        if column == "board":  # without this check, unpickling, which runs before `board` exists, would never end
            raise AttributeError(column)
        array = np.asarray(getattr(self.board, column))
        setattr(self, column, array)
        return array
