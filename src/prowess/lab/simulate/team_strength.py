"""The teams of a simulated league before they play: how each performs, by the model's own team function."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.ragged import owners, starts
from ...model.engine.board import Board, Margin
from ...model.model import Model
from ...progress import steps
from .lineup import Lineup
from .options import Floats, Ints

CHUNK = 50_000  # teams on one board
PART = 10_000  # matches between two looks at the progress bar


@dataclass(frozen=True, eq=False)
class Field:
    """All teams of all matches: mean and variance of their performances, teams × traits, where skills are known.

    The variance is the noise alone. `draws` is δ, by which systems that only know an expected score forecast draws.

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
        """The matches by number; a bar is shown where it takes long to go through them."""
        for begin in steps(range(0, len(self.counts), PART), "playing", self.progress):
            yield from range(begin, min(begin + PART, len(self.counts)))

    @cached_property
    def match(self) -> NDArray[np.int32]:
        """The match of every team."""
        return owners(self.match_start)

    @cached_property
    def counts(self) -> NDArray[np.int32]:
        """The number of teams of every match."""
        return np.diff(self.match_start)

    def performances(self, rng: np.random.Generator) -> Floats:
        """What the teams show: teams × traits."""
        return self.mean + np.sqrt(self.variance) * rng.standard_normal(self.mean.shape)

    def part(self, chosen: NDArray[np.bool_]) -> Field:
        """Some of the matches, as a field of their own."""
        teams = chosen[self.match]
        start = starts(self.counts[chosen]), starts(np.diff(self.team_start)[teams])
        return replace(
            self, match_start=start[0], team_start=start[1], mean=self.mean[teams], variance=self.variance[teams]
        )

    def lay_out(self, first: int, last: int, batch: BatchBoard | None = None) -> BatchBoard:
        """The teams of these matches laid out, on a batch that lies about or on a new one."""
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
        """The margins between neighbours, which are listed match by match: one pair fewer than a match has teams.

        A margin that is measured once for a match has a batch for each match; else there are many matches on one.
        """
        single = type(BatchBoard(self.model, 2, 1).board.margin).measure is not Margin.measure
        found = np.empty(len(upper))
        batch: BatchBoard | None = None
        for first, last in blocks(self.match_start, 1 if single else CHUNK):
            batch = self.lay_out(first, last, batch)
            board, begin = batch.board, self.match_start[first]
            board.margin.measure(board, False)
            some = slice(begin - first, self.match_start[last] - last)
            pairs = zip((upper[some] - begin).tolist(), (lower[some] - begin).tolist(), strict=True)
            found[some] = [board.margin.between(board, i, j) for i, j in pairs]
        return found


def blocks(start: NDArray[np.int32], size: int) -> Iterator[tuple[int, int]]:
    """Cut lists into blocks of about this many elements, of one list at least.

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
    """Let every team's performance be made of its players' skills, by `Pipeline.pool`, on boards of many matches.

    What a team function asks of prior means (who leads the team) is answered by the true skills. `advantage` (matches ×
    traits) is what the first team of every match has because it is at home.
    """
    traits = model.pipeline.traits
    teams = len(lineup.team_start) - 1
    mean, variance = np.empty((teams, traits)), np.empty((teams, traits))
    cuts = list(blocks(lineup.match_start, CHUNK))
    for number in steps(range(len(cuts)), "simulating", progress):
        first, last = cuts[number]
        some = slice(int(lineup.match_start[first]), int(lineup.match_start[last]))
        mean[some], variance[some] = _pooled(model, lineup, skill, first, last)
    mean[lineup.match_start[:-1]] += advantage
    return Field(model, lineup.match_start, lineup.team_start, mean, variance, draws, progress)


def _pooled(model: Model, lineup: Lineup, skill: Floats, first: int, last: int) -> tuple[Floats, Floats]:
    """Performances of the teams of some matches; an error is narrowed down to the match that it is about."""
    begin, end = lineup.match_start[first], lineup.match_start[last]
    start = lineup.team_start[begin : end + 1]
    batch = BatchBoard(model, int(end - begin), int(start[-1] - start[0]))
    board = batch.board
    shape = board.teams, model.pipeline.traits
    cells, own = board.teams * shape[1], board.entries * shape[1]
    batch.start[: board.teams + 1] = start - start[0]
    batch.mu[:own] = skill[start[0] : start[-1]].ravel()
    batch.var[:own] = 0.0
    batch.alpha[:own] = 1.0
    batch.offset[:cells] = 0.0
    try:
        model.pipeline.pool_teams(board)
    except Error as error:
        if last - first == 1:
            raise error.within(f"match {first + 1} of {len(lineup)}: ", match=first) from None
        middle = (first + last) // 2
        halves = [_pooled(model, lineup, skill, *half) for half in ((first, middle), (middle, last))]
        return np.concatenate([half[0] for half in halves]), np.concatenate([half[1] for half in halves])
    return batch.mean[:cells].reshape(shape).copy(), batch.variance[:cells].reshape(shape).copy()


class BatchBoard:
    """A board of a model that has room for many teams, and its columns as arrays that share its memory.

    Drift and team function look at one player, or one team, at a time: the board they work on may hold the teams of
    many matches. So a whole league goes through the same compiled code as a single match.

    >>> import prowess as pw
    >>> batch = BatchBoard(pw.TrueSkill(), teams=2, entries=2)
    >>> batch.mu[:] = 30.0
    >>> batch.board.mu[1]
    30.0
    """

    def __init__(self, model: Model, teams: int, entries: int) -> None:
        """The board is the batch's own: it is not given back, so that no model keeps a large one."""
        self.board: Board = model.pipeline.board(teams, entries)
        self.board.start[0] = 0

    def __getattr__(self, column: str) -> NDArray[Any]:
        """Return a column of the board as an array; it is made once, because the loops over matches use it often."""
        if column == "board":  # not made yet: an unpickled or half-built batch
            raise AttributeError(column)
        array = np.asarray(getattr(self.board, column))
        setattr(self, column, array)
        return array
