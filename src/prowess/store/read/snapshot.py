"""The standings of a league at one revision: columns that do not change, and pages of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...history.times import DAY, show_time
from ...model.engine.buffers import Table
from ...model.engine.rate import settle
from ...model.fit.leaderboard import overall
from ...model.ladder.ladder import Ladder
from .. import clock
from ..errors import NotFound
from ..leagues import League
from .name_index import Roll
from .ranking import Ranking, ranked

__all__ = ["Page", "Snapshot"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
OBJECTS = 4_096  # bytes that a snapshot takes beside its columns: of small leagues a process may keep very many


@dataclass(frozen=True)
class Page:
    """Some rows of a leaderboard, as plain mappings, and how many there are in all.

    >>> Page([], 0).total
    0
    """

    rows: list[dict[str, Any]]
    total: int


@dataclass(frozen=True, eq=False, repr=False)
class Snapshot:
    """Where everybody stands in a league at a revision; it does not change, and the next one shares what it can.

    `state` has a row for each player as the model keeps it, `settled` as it is shown: the open rating periods ended.

    >>> import prowess as pw
    >>> from prowess.store.leagues import Settings
    >>> ladder = pw.Ladder(pw.Elo(), {"ann": pw.Rating(1500), "bob": pw.Rating(1600)})
    >>> now = Snapshot.of_ladder(ladder, league="darts", clock="utc", settings=Settings(), revision=1, generation=1)
    >>> [(row["rank"], row["player"], row["mu"]) for row in now.page(0, 10).rows]
    [(1, 'bob', 1600.0), (2, 'ann', 1500.0)]
    """

    league: str
    clock: clock.Clock
    settings: Any
    revision: int
    generation: int
    model: Any
    roll: Roll
    state: Floats
    settled: Floats
    memory: Floats
    ranking: Ranking

    @classmethod
    def of_ladder(cls, ladder: Ladder, **said: Any) -> Snapshot:
        """The standings of all players of a ladder; `said` are the league, its clock, settings and counters."""
        state, settled = ladder.state[: len(ladder)].copy(), ladder.settled
        settled = state if ladder.model.period is None else settled
        roll, model = Roll(ladder.names), ladder.model
        ranking = ranked(model, settled, roll.names)
        return cls(
            **said, model=model, roll=roll, state=state, settled=settled, memory=ladder.memory.copy(), ranking=ranking
        )

    @classmethod
    def of(cls, league: League, ladder: Ladder, revision: int | None = None, generation: int | None = None) -> Snapshot:
        """The standings of a league when its ladder is this one."""
        return cls.of_ladder(
            ladder,
            league=league.name,
            clock=league.clock,
            settings=league.settings,
            revision=league.revision if revision is None else revision,
            generation=league.generation if generation is None else generation,
        )

    def __len__(self) -> int:
        """Count the players."""
        return len(self.state)

    @cached_property
    def nbytes(self) -> int:
        """About how much memory it takes that others do not share."""
        columns = (self.state, self.ranking.order, self.ranking.down)
        settled = 0 if self.settled is self.state else self.settled.nbytes
        return OBJECTS + sum(column.nbytes for column in columns) + settled

    def followed(self, revision: int, rows: Sequence[tuple[str, bytes | None]], memory: bytes) -> Snapshot:
        """The standings after some players' rows of the state have become others; without one, the player goes."""
        gone = {name for name, cells in rows if cells is None and self.roll.row(name) is not None}
        known = [(name, cells) for name, cells in rows if cells is not None]
        if gone:
            return self._without(gone).followed(revision, known, memory)
        roll = self.roll.joined([name for name, _ in known if self.roll.row(name) is None])
        at = np.array([roll.row(name) for name, _ in known], np.int32)
        cells = np.frombuffer(b"".join([cells for _, cells in known]), np.float64).reshape(-1, self.state.shape[1])
        learnt = np.frombuffer(memory, np.float64).copy()  # which kernels may write to
        state = settled = _with(self.state, len(roll), at, cells)
        if self.model.period is not None:
            shown = cells.copy()
            settle(self.model.pipeline, Table(shown, learnt.copy()), len(shown))
            settled = _with(self.settled, len(roll), at, shown)
        ranking = self.ranking.moved(self.model, self.settled, settled, roll.names, at) if known else self.ranking
        return replace(self, revision=revision, roll=roll, state=state, settled=settled, memory=learnt, ranking=ranking)

    def _without(self, gone: set[str]) -> Snapshot:
        """The standings of those who are left."""
        kept = [row for row, name in enumerate(self.roll.names) if name not in gone]
        roll = Roll([self.roll.names[row] for row in kept])
        state = self.state[kept]
        settled = state if self.settled is self.state else self.settled[kept]
        ranking = ranked(self.model, settled, roll.names)
        return replace(self, roll=roll, state=state, settled=settled, ranking=ranking)

    @property
    def players(self) -> list[str]:
        """The names of all players, in the order of the columns."""
        return self.roll.names

    @property
    def matches(self) -> Floats:
        """How many matches each player has."""
        return self.state[:, self.model.pipeline.layout.matches]

    @property
    def last_seen(self) -> Floats:
        """When each player last played; NaN where that is not known."""
        return self.state[:, self.model.pipeline.layout.last_seen]

    @cached_property
    def ladder(self) -> Ladder:
        """All players as a ladder to ask; it is shared, so take a copy to go on from it."""
        ladder = Ladder(self.model)
        ladder.names, ladder._rows = self.roll.names, self.roll.rows
        ladder.state, ladder.memory, ladder.stamp = self.state, self.memory, clock.stamp(self.clock)
        return ladder

    def part(self, players: Iterable[str]) -> Ladder:
        """A ladder of some players alone, to go on from; of names that are not there nothing is known."""
        known = {name: row for name in players if (row := self.roll.row(name)) is not None}
        ladder = Ladder(self.model)
        ladder.names, ladder.stamp = list(known), clock.stamp(self.clock)
        ladder.state = self.state[list(known.values())]
        ladder.memory = self.memory.copy()
        return ladder

    def moment(self, number: float) -> Any:
        """A time on the clock of the league, as ladders take it."""
        stamp = clock.stamp(self.clock)
        return number if stamp is None else show_time(*stamp, number)

    @cached_property
    def since(self) -> float:
        """From when on somebody must have played to be active: so many days before the last match of all."""
        unit = DAY if self.clock == "utc" else 1.0
        return -np.inf if np.isnan(self.last) else self.last - unit * self.settings.inactive_days

    @cached_property
    def last(self) -> float:
        """When the last match of all was; NaN where there are no times."""
        return np.nan if self.clock == "none" else float(np.fmax.reduce(self.last_seen, initial=np.nan))

    def ranks(self, players: Sequence[str]) -> list[int | None]:
        """The ranks of some players; None of who is not there."""
        rows = [self.roll.row(name) for name in players]
        known = np.array([row for row in rows if row is not None], np.intp)
        found = iter(self.ranking.ranks(self.model, self.settled[known]).tolist())
        return [None if row is None else next(found) for row in rows]

    def page(
        self,
        first: int,
        size: int,
        search: str | None = None,
        active_since: float | None = None,
        min_matches: int = 0,
        provisional: bool | None = None,
    ) -> Page:
        """Players from the `first` on (0 is the best), of those whose names hold `search` and who played enough.

        Ranks are those among all. `active_since` leaves out who has not played since then, `provisional=False` who has
        too few matches for the league's settings; True leaves only them.
        """
        order = self.ranking.order
        asked = self._asked(search, active_since, min_matches, provisional)
        if asked is not None:
            order = order[asked[order]]
        return Page(self._shown(order[first : first + size]), len(order))

    def _asked(
        self, search: str | None, active_since: float | None, min_matches: int, provisional: bool | None
    ) -> Flags | None:
        """Which rows are asked for; None if all are."""
        masks: list[Flags] = []
        if search is not None and search.strip():
            masks.append(self.roll.search(search))
        if active_since is not None and self.clock != "none":
            masks.append(~(self.last_seen < active_since))
        if min_matches > 0:
            masks.append(self.matches >= min_matches)
        if provisional is not None:
            masks.append((self.matches < self.settings.provisional_matches) == provisional)
        return np.logical_and.reduce(masks) if masks else None

    def row(self, player: str) -> dict[str, Any]:
        """A player of the leaderboard, by name."""
        row = self.roll.row(player)
        if row is None:
            raise NotFound(f"{self.league} has no player called {player!r}{self.roll.hint(player)}")
        return self._shown(np.array([row]))[0]

    def _shown(self, rows: NDArray[np.integer[Any]]) -> list[dict[str, Any]]:
        """Rows of the leaderboard as plain mappings."""
        cells, model = self.settled[rows], self.model
        mu, sigma, shown = overall(model, cells)
        layout = model.pipeline.layout
        matches, last_seen = cells[:, layout.matches], cells[:, layout.last_seen]
        columns: dict[str, list[Any]] = {
            "rank": self.ranking.ranks(model, cells).tolist(),
            "player": [self.roll.names[row] for row in rows.tolist()],
            "mu": mu.tolist(),
            "sigma": [None] * len(rows) if model.absorb.certain else sigma.tolist(),
            "shown": shown.tolist(),
            "matches": matches.astype(np.int64).tolist(),
            "last_seen": [clock.show(self.clock, seen) for seen in last_seen.tolist()],
            "provisional": (matches < self.settings.provisional_matches).tolist(),
            "active": (~(last_seen < self.since)).tolist(),
        }
        if len(layout.traits) > 1:
            columns |= dict(zip(layout.traits, cells.T[layout.means].tolist(), strict=True))
        columns |= dict(zip(layout.extras, cells.T[layout.first_extra :].tolist(), strict=False))
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _with(table: Floats, length: int, rows: NDArray[np.int32], cells: Floats) -> Floats:
    """A copy of a table of this length, with some rows changed."""
    copy = np.empty((length, table.shape[1]))
    copy[: len(table)] = table
    copy[rows] = cells
    return copy
