"""A snapshot of a league's standings at one revision: ratings, ranking, and pages of the leaderboard."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.names.index import NameIndex
from ...history.times import DAY, show_time
from ...model.engine.buffers import Table
from ...model.engine.rate import settle_periods
from ...model.ladder.effects import matches_at, shifts
from ...model.ladder.ladder import Ladder
from ...model.ladder.leaderboard import Order, grain, largest, make_order, order_of, overall
from ...model.scale import Points
from .. import clock, facets
from ..errors import NotFound
from ..leagues import League, Settings

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Rows = NDArray[np.int32]
MAX_VALUES = 4  # standings at values of the context that a snapshot keeps
OVERHEAD = 4_096  # bytes of a snapshot besides its columns; they add up if a process caches many small leagues


@dataclass(frozen=True, eq=False)
class Ranking:
    """The players from best to worst, as row numbers in `Snapshot.state`; equal players are sorted by name.

    `down` holds the sort keys (`Order.keys`) of the players from best to worst. The array is ascending, so it can be
    searched. `grain`, the unit of the keys, depends on the `largest` rating.

    >>> import prowess as pw
    >>> state = np.array([[1480.0, 0.0, 9.0, 0.0], [1520.0, 0.0, 9.0, 0.0], [1480.0, 0.0, 9.0, 0.0]])
    >>> ranking = rank_all(make_order(pw.Elo(), "mean"), state, ["dan", "ann", "bob"])
    >>> ranking.order, ranking.ranks(state)
    (array([1, 2, 0], dtype=int32), array([2, 1, 2]))
    """

    by: Order
    order: Rows
    down: Floats
    grain: float
    largest: float  # the largest rating, which determines the rounding unit `grain`

    def ranks(self, cells: Floats) -> NDArray[np.intp]:
        """Return the ranks of some rows of the state; equal players share a rank."""
        return np.searchsorted(self.down, _keys(self.by, cells, self.grain)) + 1

    def among(self, kept: Flags) -> Ranking:
        """Return the ranking of only some players; `kept` has a flag for each row of the state."""
        chosen = kept[self.order]
        return replace(self, order=self.order[chosen], down=self.down[chosen])

    def updated(
        self, by: Order, before: Floats, state: Floats, names: Sequence[str], rows: NDArray[np.integer]
    ) -> Ranking:
        """Return the ranking after some rows of the state were changed or added; all other rows keep their order.

        `by` is the order now; what is a newcomer may have changed, if the prior of the model learns. Then only the
        players who cross the limit between established and provisional change their places.

        >>> import prowess as pw
        >>> before = np.array([[1480.0, 0.0, 9.0, 9.0], [1520.0, 0.0, 9.0, 9.0]])
        >>> after = np.array([[1520.0, 0.0, 9.0, 9.0], [1520.0, 0.0, 9.0, 9.0]])
        >>> ranking = rank_all(make_order(pw.Elo(), "mean"), before, ["ann", "bob"])
        >>> ranking.updated(ranking.by, before, after, ["ann", "bob"], np.array([0])).order
        array([0, 1], dtype=int32)
        """
        model = by.model
        if by != self.by:
            rows = np.union1d(rows, np.flatnonzero(_provisional(by, before) != _provisional(self.by, before)))
        old = rows[rows < len(before)]
        if largest(model, before[old]) == self.largest:  # the largest rating may have decreased
            top = largest(model, state)
        else:
            top = max(self.largest, largest(model, state[rows]))
        unit = grain(top)
        if unit != self.grain:
            return rank_all(by, state, names)
        kept = np.ones(len(self.order), bool)
        kept[self._positions(_keys(self.by, before[old], unit), old, names)] = False
        left = Ranking(by, self.order[kept], self.down[kept], unit, top)
        down = _keys(by, state[rows], unit)
        by_name = _by_name([names[row] for row in rows.tolist()])
        by_level = by_name[np.argsort(down[by_name], kind="stable")]
        rows, down = rows[by_level], down[by_level]
        places = left._positions(down, rows, names)
        return Ranking(by, np.insert(left.order, places, rows), np.insert(left.down, places, down), unit, top)

    def _positions(self, down: Floats, rows: NDArray[np.integer], names: Sequence[str]) -> NDArray[np.intp]:
        """Return the positions of rows in the ranking, or where to insert them; `down` holds their sort keys."""
        first, last = np.searchsorted(self.down, down), np.searchsorted(self.down, down, side="right")
        for k in np.flatnonzero(last > first).tolist():
            name = names[int(rows[k])]
            first[k] = bisect_left(self.order, name, int(first[k]), int(last[k]), key=lambda row: names[int(row)])
        return first


def rank_all(by: Order, state: Floats, names: Sequence[str]) -> Ranking:
    """Return the ranking of all rows of a state.

    >>> import prowess as pw
    >>> rank_all(make_order(pw.Elo(), "mean"), np.zeros((0, 4)), []).order
    array([], dtype=int32)
    """
    top = largest(by.model, state)
    unit = grain(top)
    down = _keys(by, state, unit)
    order = _by_name(names)
    order = order[np.argsort(down[order], kind="stable")]
    return Ranking(by, order, down[order], unit, top)


def _keys(by: Order, state: Floats, unit: float) -> Floats:
    return by.keys(state, unit, state[:, by.model.pipeline.layout.matches])


def _provisional(by: Order, state: Floats) -> Flags:
    return by.provisional(overall(by.model, state)[1], state[:, by.model.pipeline.layout.matches])


def _by_name(names: Sequence[str]) -> Rows:
    return np.array(sorted(range(len(names)), key=names.__getitem__), np.int32)


@dataclass(frozen=True)
class Page:
    """A page of leaderboard rows as plain mappings, and the total number of rows.

    >>> Page([], 0).total
    0
    """

    rows: list[dict[str, Any]]
    total: int


@dataclass(frozen=True, eq=False, repr=False)
class Snapshot:
    """The standings of a league at a revision; immutable. The next snapshot shares unchanged data.

    `state` has a row for each player in the model's own format. `settled` has the same rows after any open rating
    period is closed; these are the ratings that readers see. `rows` are the packed rows of facets of each player, and
    `shared` are those that all players share.

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
    names: NameIndex
    state: Floats
    settled: Floats
    memory: Floats
    ranking: Ranking
    rows: Mapping[str, bytes]
    shared: bytes
    listed: Flags | None = None  # at a value of the context: whether each player has played there; None lists everybody

    @classmethod
    def of_ladder(cls, ladder: Ladder, **about: Any) -> Snapshot:
        """Return the standings of a ladder; `about` has the league's name, clock, settings, revision and generation."""
        model, names, memory = ladder.model, NameIndex(ladder.names), ladder.memory.copy()
        state = ladder.state[: len(ladder)].copy()
        settled = state if model.period is None else ladder.settled
        settings = about["settings"]
        by = order_of(ladder, settings.ranked_by, few=settings.provisional_matches)
        ranking = rank_all(by, settled, names.names)
        rows = {ladder.names[row]: packed for row, packed in facets.pack_players(ladder).items()}
        shared = facets.pack_memory(ladder)[memory.nbytes :]
        beliefs: dict[str, Any] = {"state": state, "settled": settled, "memory": memory, "rows": rows, "shared": shared}
        return cls(**about, model=model, names=names, ranking=ranking, **beliefs)

    @classmethod
    def of(cls, league: League, ladder: Ladder, revision: int | None = None) -> Snapshot:
        """Return the standings of a league from a ladder, at the league's revision or at a given revision."""
        about = {name: getattr(league, name) for name in ("clock", "settings", "revision", "generation")}
        if revision is not None:
            about["revision"] = revision
        return cls.of_ladder(ladder, league=league.name, **about)

    def __len__(self) -> int:
        return len(self.state)

    @cached_property
    def nbytes(self) -> int:
        """Approximate size in bytes, without data shared with other snapshots."""
        columns = (self.state, self.ranking.order, self.ranking.down)
        settled = 0 if self.settled is self.state else self.settled.nbytes
        rows = sum(map(len, self.rows.values())) + 200 * len(self.rows) + len(self.shared)
        return OVERHEAD + sum(column.nbytes for column in columns) + settled + rows

    def updated(self, revision: int, rows: Sequence[tuple[str, bytes | None]], memory: bytes) -> Snapshot:
        """Return the standings after some players' rows have changed; a player whose row is None is removed."""
        removed = {name for name, cells in rows if cells is None and self.names.row(name) is not None}
        rated = [(name, cells) for name, cells in rows if cells is not None]
        if removed:
            return self._without(removed).updated(revision, rated, memory)
        names = self.names.extended([name for name, _ in rated if self.names.row(name) is None])
        at = np.array([names.row(name) for name, _ in rated], np.int32)
        size = 8 * self.state.shape[1]  # the packed rows of facets follow
        cells = np.frombuffer(b"".join([cells[:size] for _, cells in rated]), np.float64)
        cells = cells.reshape(-1, self.state.shape[1])
        packed = {**self.rows, **{name: cells[size:] for name, cells in rated}} if self.model.facets else self.rows
        learnt = np.frombuffer(memory[: self.memory.nbytes], np.float64).copy()  # a writable copy, which kernels need
        state = settled = _with_rows(self.state, len(names), at, cells)
        if self.model.period is not None:
            ended = cells.copy()
            settle_periods(self.model.pipeline, Table(ended, learnt.copy()), len(ended))
            settled = _with_rows(self.settled, len(names), at, ended)
        by = self._order(self.settings, learnt)
        ranking = self.ranking
        if rated or by != ranking.by:
            ranking = ranking.updated(by, self.settled, settled, names.names, at)
        return replace(
            self,
            revision=revision,
            names=names,
            state=state,
            settled=settled,
            memory=learnt,
            ranking=ranking,
            rows=packed,
            shared=memory[self.memory.nbytes :],
        )

    def _without(self, removed: set[str]) -> Snapshot:
        kept = [row for row, name in enumerate(self.names.names) if name not in removed]
        names = NameIndex([self.names.names[row] for row in kept])
        state = self.state[kept]
        settled = state if self.settled is self.state else self.settled[kept]
        ranking = rank_all(self.ranking.by, settled, names.names)
        rows = {name: packed for name, packed in self.rows.items() if name not in removed}
        return replace(self, names=names, state=state, settled=settled, ranking=ranking, rows=rows)

    def with_settings(self, settings: Settings) -> Snapshot:
        """Return the standings under other settings of the league, which may change their order."""
        if settings == self.settings:
            return self
        by = self._order(settings, self.memory)
        if by != self._other_ranking.by:
            self.__dict__["_other_ranking"] = rank_all(by, self.settled, self.names.names)
        return replace(self, settings=settings, ranking=self._other_ranking)

    @cached_property
    def _other_ranking(self) -> Ranking:
        """The ranking under the last other settings."""
        return self.ranking

    def _order(self, settings: Settings, memory: Floats) -> Order:
        return make_order(self.model, settings.ranked_by, memory.tolist(), few=settings.provisional_matches)

    @property
    def players(self) -> list[str]:
        """The names of all players, in row order."""
        return self.names.names

    @property
    def matches(self) -> Floats:
        """The number of matches of each player; at a value of the context, of the matches there."""
        return self.settled[:, self.model.pipeline.layout.matches]

    def played(self, players: Sequence[str]) -> list[int]:
        """Return the number of matches of some players, wherever they were played."""
        rows = [self.names.rows[name] for name in players]
        numbers: list[int] = self.state[rows, self.model.pipeline.layout.matches].astype(np.int64).tolist()
        return numbers

    @property
    def last_seen(self) -> Floats:
        """When each player last played; NaN if unknown."""
        return self.state[:, self.model.pipeline.layout.last_seen]

    @cached_property
    def ladder(self) -> Ladder:
        """All players as a ladder, which is shared: copy it before recording matches."""
        ladder = self._skills()
        if ladder.facets:
            self._unpack(ladder)
        return ladder

    def _skills(self) -> Ladder:
        """Return a ladder of all players without the rows of facets."""
        ladder = Ladder(self.model)
        ladder.names, ladder._rows = self.names.names, self.names.rows
        ladder.state, ladder.memory, ladder.stamp = self.state, self.memory, clock.STAMPS[self.clock]
        return ladder

    def _unpack(self, ladder: Ladder) -> None:
        rows = ((row, self.rows.get(name, b"")) for row, name in enumerate(ladder.names))
        facets.unpack_players(ladder, [*rows, (facets.SHARED, self.shared)])

    def ladder_of(self, players: Iterable[str]) -> Ladder:
        """Return a new ladder of the given players, in which matches can be recorded; unknown names are skipped."""
        rows = {name: row for name in players if (row := self.names.row(name)) is not None}
        ladder = Ladder(self.model)
        ladder.names, ladder.state = list(rows), self.state[list(rows.values())]
        ladder.memory, ladder.stamp = self.memory.copy(), clock.STAMPS[self.clock]
        if ladder.facets:
            self._unpack(ladder)
        return ladder

    def at_values(self, context: Mapping[str, Any], all: bool = False) -> Snapshot:
        """Return the standings at values of the context: players are rated and ranked as in matches with these values.

        Only players who have played there are listed, unless `all` is true. Numbers may be given as text. Raises
        `Error` for an unknown column or value.
        """
        if not context:
            return self
        values = {name: self._number(name, value) for name, value in context.items()}
        key = all, *sorted((name, str(value)) for name, value in values.items())
        if key not in self._at_values:
            mean, variance = shifts(self.ladder, values, list(range(len(self))))
            layout, settled = self.model.pipeline.layout, self.settled.copy()
            settled[:, layout.means] += mean
            settled[:, layout.variances] += variance
            played = matches_at(self.ladder, values)
            if played is not None:
                settled[:, layout.matches] = played
            listed = None if all or played is None else played > 0
            if len(self._at_values) >= MAX_VALUES:
                self._at_values.clear()
            by = order_of(self.ladder, self.settings.ranked_by, values, self.settings.provisional_matches)
            ranking = rank_all(by, settled, self.names.names)
            ranking = ranking if listed is None else ranking.among(listed)
            self._at_values[key] = replace(self, settled=settled, ranking=ranking, listed=listed)
        return self._at_values[key]

    @cached_property
    def _at_values(self) -> dict[tuple[Any, ...], Snapshot]:
        return {}

    def _number(self, name: str, value: Any) -> Any:
        weighted = any(facet.weighted for facet in self.model.facets if facet.column == name)
        with suppress(ValueError):
            return float(value) if weighted and isinstance(value, str) else value
        raise Error.in_field(name, f"a number is needed, not {value!r}", value=value)

    @cached_property
    def facet_values(self) -> dict[str, list[str]]:
        """The known values of each context column of which the model has a facet, sorted; columns of numbers excluded.

        >>> import prowess as pw
        >>> from prowess.store.leagues import Settings
        >>> ladder = pw.Ladder(pw.TrueSkill().replace(facets=(pw.facet.By("surface"),)))
        >>> _ = ladder.record([["ann"], ["bob"]], context={"surface": "clay"})
        >>> about = {"league": "x", "clock": "none", "settings": Settings(), "revision": 1, "generation": 1}
        >>> now = Snapshot.of_ladder(ladder, **about)
        >>> now.facet_values, now.at_values({"surface": "clay"}).row("ann")["mu"] > now.row("ann")["mu"]
        ({'surface': ['clay']}, True)
        """
        return facets.known_values(self.model, [*self.rows.values(), self.shared])

    @cached_property
    def effects(self) -> list[dict[str, Any]]:
        """What all players share: the learnt or given home advantage, and the effects of facets."""
        ladder = self._skills()
        if self.shared:
            facets.unpack_players(ladder, [(facets.SHARED, self.shared)])
        return self._in_points(ladder.effects.to_dicts())

    def deviations(self, player: str) -> list[dict[str, Any]]:
        """Return how a player differs from the skill at each value of the context, the largest deviation first."""
        rows = self.ladder_of([player]).deviations.to_dicts() if self.model.facets else []
        return self._in_points([{name: row[name] for name in row if name != "player"} for row in rows])

    def _in_points(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for row in rows:
            row["value"] = row["value"] or None
            if self.points is not None:
                sigma = row["sigma"]
                row["points"] = self.points.factor * row["mu"]
                row["points_sigma"] = None if sigma is None else self.points.factor * sigma
        return rows

    def as_time(self, number: float) -> Any:
        """Convert a time on the league's clock to the form that ladders accept."""
        stamp = clock.STAMPS[self.clock]
        return number if stamp is None else show_time(*stamp, number)

    @cached_property
    def points(self) -> Points | None:
        """The conversion of skills to points; None if the league has no scale, or the model has no points."""
        return points_on(self._skills(), self.settings)

    @cached_property
    def provisional(self) -> Flags:
        """Whether each player is provisional: too little is known in a ranking by the mean, else too few matches."""
        return self._provisional(self.settled)

    def _provisional(self, cells: Floats) -> Flags:
        by = self.ranking.by
        if by.has_provisional:
            return _provisional(by, cells)
        few: Flags = cells[:, self.model.pipeline.layout.matches] < self.settings.provisional_matches
        return few

    @cached_property
    def active_since(self) -> float:
        """The earliest time of an active player's last match. It is `inactive_days` before the league's last match."""
        unit = DAY if self.clock == "utc" else 1.0
        return -np.inf if np.isnan(self.last) else self.last - unit * self.settings.inactive_days

    @cached_property
    def active(self) -> Flags:
        """Whether each player is active; in a league without times, all players are."""
        return ~(self.last_seen < self.active_since)

    @cached_property
    def active_ranking(self) -> Ranking:
        """The ranking of the active players only."""
        return self.ranking.among(self.active)

    @cached_property
    def last(self) -> float:
        """The time of the league's last match; NaN without times."""
        return np.nan if self.clock == "none" else float(np.fmax.reduce(self.last_seen, initial=np.nan))

    def ranks(self, players: Sequence[str], ranking: Ranking | None = None) -> list[int | None]:
        """Return the ranks of some players in the ranking of all players, or in `ranking`; None if not listed."""
        rows = [self.names.row(name) for name in players]
        if self.listed is not None:
            rows = [None if row is None or not self.listed[row] else row for row in rows]
        rated = np.array([row for row in rows if row is not None], np.intp)
        ranks = iter((ranking or self.ranking).ranks(self.settled[rated]).tolist())
        return [None if row is None else next(ranks) for row in rows]

    def page(
        self,
        first: int,
        size: int,
        search: str | None = None,
        active: bool = False,
        min_matches: int = 0,
        provisional: bool | None = None,
    ) -> Page:
        """Return up to `size` players starting at index `first` (0 is the best), among those who match the filters.

        `search` is a part of the name, and `min_matches` is the least number of matches. With `active`, only active
        players are kept, and ranks are among active players; otherwise, ranks are among all players. If `provisional`
        is true, only provisional players are kept; if it is false, only established players; if it is None, both.
        """
        ranking = self.active_ranking if active else self.ranking
        order = ranking.order
        masks: list[Flags] = []
        if search is not None and search.strip():
            masks.append(self.names.search(search))
        if min_matches > 0:
            masks.append(self.matches >= min_matches)
        if provisional is not None:
            masks.append(self.provisional == provisional)
        if masks:
            order = order[np.logical_and.reduce(masks)[order]]
        return Page(self._rows(order[first : first + size], ranking), len(order))

    def row(self, player: str) -> dict[str, Any]:
        """Return the row of a player in the leaderboard."""
        row = self.names.row(player)
        if row is None:
            similar = self.names.similar(player)
            hint = f"; did you mean {similar[0]!r}?" if similar else ""
            text = f"{self.league} has no player named {player!r}{hint}"
            raise NotFound(text, field="player", value=player, suggestions={player: similar} if similar else None)
        return self._rows(np.array([row]), self.ranking)[0]

    def _rows(self, rows: NDArray[np.integer[Any]], ranking: Ranking) -> list[dict[str, Any]]:
        cells, model = self.settled[rows], self.model
        mu, sigma, shown = overall(model, cells)
        layout = model.pipeline.layout
        matches, last_seen = cells[:, layout.matches], cells[:, layout.last_seen]
        columns: dict[str, list[Any]] = {
            "rank": ranking.ranks(cells).tolist(),
            "player": [self.names.names[row] for row in rows.tolist()],
            "mu": mu.tolist(),
            "sigma": [None] * len(rows) if model.absorb.certain else sigma.tolist(),
            "shown": shown.tolist(),
            "matches": matches.astype(np.int64).tolist(),
            "last_seen": [clock.show(self.clock, seen) for seen in last_seen.tolist()],
            "provisional": self._provisional(cells).tolist(),
            "active": self.active[rows].tolist(),
        }
        if len(layout.traits) > 1:
            columns |= dict(zip(layout.traits, cells.T[layout.means].tolist(), strict=True))
        columns |= dict(zip(layout.extras, cells.T[layout.first_extra :].tolist(), strict=False))
        if self.points is not None:
            for name, column in self.points.columns(mu, sigma, shown).items():
                columns[name] = [None] * len(rows) if np.isnan(column).all() else column.tolist()
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def points_on(ladder: Ladder, settings: Settings) -> Points | None:
    """Return the conversion of a ladder's skills to points; None without a scale, or if the model has no points.

    >>> import prowess as pw
    >>> points_on(pw.Ladder(pw.Elo()), Settings(scale=None)) is None
    True
    """
    # The model of a plugin may have no points, but the league must still have standings.
    with suppress(Error):
        points = None if settings.scale is None else ladder.points_on(settings.scale)
        return order_of(ladder, settings.ranked_by).points(points)
    return None


def _with_rows(table: Floats, length: int, rows: NDArray[np.int32], cells: Floats) -> Floats:
    copy = np.empty((length, table.shape[1]))
    copy[: len(table)] = table
    copy[rows] = cells
    return copy
