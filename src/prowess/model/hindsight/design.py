"""The linear part of a joint fit: what is unknown, and how the results of matches depend on it.

All skills, effects and deviations of a league form one vector of unknowns. A match tells something about a few
**contrasts**, which are weighted sums of unknowns:

==========  ========================================================================================================
kind        contrasts of a match
==========  ========================================================================================================
`PAIR`      one: the difference of the performances of two teams
`SCORES`    one for each score: the offence of the team minus the mean defence of the others
`FIELD`     one for each of three or more teams: its performance. Only differences between them count
`TEAMS`     one for each team and trait: its performance, which counts by itself
==========  ========================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...history.ragged import gather, owners
from ..components.facet import Facet
from ..engine.board import PADDING, Board
from ..engine.buffers import FacetColumn
from .merge import Merged, matches_before

if TYPE_CHECKING:
    from ...history import History
    from ..ladder.facet_rows import FacetRows
    from ..model import Model

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

LANES = 1024  # matches on a board: enough that the calls from Python take little of the time


class Kind(Enum):
    """What the results of a match depend on; see the module."""

    PAIR = "pair"
    SCORES = "scores"
    FIELD = "field"
    TEAMS = "teams"


@dataclass(frozen=True)
class Effect:
    """An unknown that is not a skill: the home advantage, a shared effect, or the deviation of a player.

    `facet` is "home" or the column of the facet, `value` the value of the column, if there are several, and `player`
    the name of the player whose deviation it is.
    """

    facet: str
    value: str
    player: str | None
    trait: str


@dataclass(frozen=True, eq=False)
class Unknowns:
    """The prior of all unknowns, which are independent: N(`mean`, `scale`²).

    The skills come first, those of the first player in all traits, then those of the second player, and so on. The
    `effects` follow.
    """

    mean: Floats
    scale: Floats
    effects: tuple[Effect, ...]

    def __len__(self) -> int:
        return len(self.mean)


@dataclass(frozen=True, eq=False)
class Terms:
    """The weights of unknowns in the performances of teams: `unknown` has this `weight` in a `team` and a `trait`."""

    team: Indices
    trait: Indices
    unknown: Indices
    weight: Floats

    def take(self, chosen: Any) -> Terms:
        """Return the chosen terms."""
        return Terms(self.team[chosen], self.trait[chosen], self.unknown[chosen], self.weight[chosen])


@dataclass(frozen=True, eq=False)
class Batch:
    """Matches of one kind with equally many teams, and their contrasts c = `constant` + `weight` · u.

    u are the unknowns at `index`, as distances from their prior means in prior standard deviations. `noise` has the
    noise of the performance of each team and trait. `rows` says which of these, in the order of the board's rows, each
    contrast belongs to. `prior` is the prior variance of each contrast.
    """

    kind: Kind
    teams: int
    matches: Indices
    index: Indices
    weight: Floats
    constant: Floats
    noise: Floats
    rows: Indices

    @property
    def prior(self) -> Floats:
        """The prior variance of every contrast."""
        variance: Floats = (self.weight**2).sum(2)
        return variance

    @property
    def is_separate(self) -> bool:
        """Whether each contrast has a likelihood of its own."""
        return self.kind in (Kind.PAIR, Kind.SCORES)


def cells(column: Any, board: Board) -> NDArray[Any]:
    """Return a column of a board as a table with a row for each of its rows, in which lanes are columns.

    >>> board = Board(teams=2, lanes=4)
    >>> cells(board.mean, board)[1, :2] = 5.0
    >>> list(board.mean[board.stride : board.stride + 3])
    [5.0, 5.0, 0.0]
    """
    return np.asarray(column).reshape(-1, board.stride)


def new_board(model: Model, teams: int, entries: int) -> Any:
    """Return a board for many matches of this size, on which parts of a model that take single matches work, too."""
    lanes = int(np.clip(32 * LANES // max(teams, entries), 2, LANES))
    board: Any = model.pipeline.new_board(teams, entries, lanes)
    board.single = model.pipeline.board(teams, entries)
    board.side = board.single.side
    return board


def blocks(count: int, board: Board) -> Iterator[slice]:
    """Yield slices of `count` matches that fit on the board, and set the number of matches on the board."""
    lanes = board.stride - PADDING
    for first in range(0, count, lanes):
        last = min(first + lanes, count)
        board.matches = board.lanes = last - first
        yield slice(first, last)


# --- the unknowns and their weights ---------------------------------------------------------------------------------


def list_unknowns(model: Model, players: Sequence[str], facets: Sequence[FacetRows]) -> Unknowns:
    """Return the prior of the skills of all players, and of the effects of the model."""
    traits = model.outcome.traits
    board = model.pipeline.board(1, 1)
    model.prior.welcome(board, 0)
    newcomer = [board.mu[k] for k in range(len(traits))], [board.var[k] ** 0.5 for k in range(len(traits))]
    model.pipeline.release(board)
    mean, scale = (list(column) * len(players) for column in newcomer)
    effects: list[Effect] = []
    if model.home is not None and model.home.learnt:
        effects.extend(Effect("home", "", None, trait) for trait in traits)
        mean.extend([model.home.home_mu] * len(traits))
        scale.extend([model.home.home_sigma] * len(traits))
    for rows in facets:
        facet = rows.facet
        for owner, code in zip(rows.owners, rows.codes, strict=True):
            player = players[owner] if owner >= 0 else None
            effects.extend(Effect(facet.column, rows.values[code], player, trait) for trait in facet.traits or traits)
        used = len(rows) * len(facet.traits or traits)
        mean.extend([facet.mu] * used)
        scale.extend([facet.sigma or 0.0] * used)
    return Unknowns(np.array(mean, np.float64), np.array(scale, np.float64), tuple(effects))


def find_terms(
    model: Model,
    original: History,
    merged: Merged,
    columns: Sequence[FacetColumn],
    facets: Sequence[FacetRows],
    alpha: Floats,
) -> Terms:
    """Return the weights of all unknowns in the performances of the teams of the merged history.

    `alpha` are the weights of the entries, with a column for each trait.
    """
    history = merged.history
    traits = model.outcome.traits
    team = owners(history.team_start)
    skill = history.player.astype(np.intp) * len(traits)
    found: list[tuple[Any, int, Any, Any]] = [(team, k, skill + k, alpha[:, k]) for k in range(len(traits))]
    base = len(original.players) * len(traits)
    if model.home is not None and model.home.learnt:
        if history.home is not None:
            hosts = np.flatnonzero(history.home >= 0)
            seats = history.match_start[hosts] + history.home[hosts]
            found.extend((seats, k, np.full(len(hosts), base + k), np.ones(len(hosts))) for k in range(len(traits)))
        base += len(traits)
    played = matches_before(original)[merged.entry] if any(facet.counts_matches for facet in model.facets) else None
    for column, rows in zip(columns, facets, strict=True):
        used = rows.facet.traits or traits
        for at, row, weight in _facet_rows(rows.facet, column, merged, team, played):
            for position, trait in enumerate(used):
                k = traits.index(trait)
                # A team's own value counts once; a player's value counts as much as the player's skill.
                share = 1.0 if column.by_team else alpha[at, k]
                owner = at if column.by_team else team[at]
                found.append((owner, k, base + row * len(used) + position, weight * share))
        base += len(rows) * len(used)
    sizes = [len(unknown) for _, _, unknown, _ in found]
    trait_of = np.repeat([k for _, k, _, _ in found], sizes)
    parts = [np.concatenate([term[part] for term in found]) for part in (0, 2, 3)]
    return Terms(parts[0].astype(np.intp), trait_of.astype(np.intp), parts[1].astype(np.intp), parts[2])


def _facet_rows(
    facet: Facet, column: FacetColumn, merged: Merged, team: NDArray[np.int32], played: NDArray[np.int64] | None
) -> Iterator[tuple[Indices, Indices, Floats]]:
    """Yield the teams or entries that have rows of a facet, with the rows and their weights."""
    if facet.counts_matches:
        assert played is not None
        every = np.arange(len(team))
        for number, scale in enumerate(facet.arguments):
            yield every, np.full(len(team), number), np.exp(-played / scale)
        return
    chosen = merged.team if column.by_team else merged.entry
    row = np.asarray(column.row)[chosen]
    weight = np.asarray(column.weight)[chosen] if column.has_weight else np.ones(len(row))
    present = np.flatnonzero(row >= 0)
    yield present, row[present].astype(np.intp), weight[present]


def weigh_teams(model: Model, history: History, entry_means: Floats | None) -> tuple[Floats, Floats, Floats]:
    """Return the weights of all entries, and the offsets and the noise of all teams, with a column for each trait.

    `entry_means` are the prior means of the entries, if the weights depend on them.
    """
    pipeline = model.pipeline
    traits = pipeline.traits
    sizes = np.diff(history.team_start)
    alpha = np.ones((history.entries, traits))
    offset, noise = np.zeros((history.teams, traits)), np.zeros((history.teams, traits))
    for size in np.unique(sizes):
        teams = np.flatnonzero(sizes == size)
        board = new_board(model, 1, int(size))
        board.start[1] = int(size)
        for block in blocks(len(teams), board):
            chosen = teams[block]
            entries = (history.team_start[chosen] + np.arange(size)[:, None]).ravel()
            lanes, rows = len(chosen), int(size) * traits
            share = 1.0 if history.weight is None else history.weight[entries].reshape(int(size), 1, lanes)
            cells(board.alpha, board)[:rows, :lanes] = (np.ones((int(size), traits, lanes)) * share).reshape(-1, lanes)
            if entry_means is not None:
                means = entry_means[entries].reshape(int(size), lanes, traits).transpose(0, 2, 1)
                cells(board.mu, board)[:rows, :lanes] = means.reshape(-1, lanes)
            pipeline.pool_teams(board)
            weights = cells(board.alpha, board)[:rows, :lanes].reshape(int(size), traits, lanes)
            alpha[entries] = weights.transpose(0, 2, 1).reshape(-1, traits)
            offset[chosen] = cells(board.offset, board)[:traits, :lanes].T
            noise[chosen] = cells(board.noise, board)[:traits, :lanes].T
        pipeline.release(board.single)
    return alpha, offset, noise


# --- contrasts ------------------------------------------------------------------------------------------------------


def find_batches(
    model: Model, history: History, unknowns: Unknowns, terms: Terms, offset: Floats, noise: Floats
) -> list[Batch]:
    """Return the contrasts of all matches of a history, in batches of similar matches."""
    kinds = _kinds(model, history)
    counts = np.diff(history.match_start)
    match_of_term = owners(history.match_start)[terms.team]
    batches: list[Batch] = []
    for kind in Kind:
        for teams in np.unique(counts[kinds == kind]):
            chosen = (kinds == kind) & (counts == teams)
            part = terms.take(chosen[match_of_term])
            batches.extend(_batches(model, history, unknowns, part, kind, int(teams), chosen, offset, noise))
    return batches


def _kinds(model: Model, history: History) -> NDArray[Any]:
    """Return the kind of every match."""
    outcome = model.outcome
    kinds = np.full(len(history), Kind.TEAMS, object)
    counts = np.diff(history.match_start)
    scored = outcome.scores == "each"
    if (scored or model.pipeline.traits == 1) and "origin" in outcome.blind:
        kinds[counts == 2], kinds[counts > 2] = Kind.PAIR, Kind.FIELD
    if scored:
        # Where a score is missing, the order of the teams is all that is known.
        unscored = np.ones(history.teams, bool) if history.score is None else np.isnan(history.score)
        kinds[~np.logical_or.reduceat(unscored, history.match_start[:-1])] = Kind.SCORES
    return kinds


def _batches(
    model: Model,
    history: History,
    unknowns: Unknowns,
    terms: Terms,
    kind: Kind,
    teams: int,
    chosen: NDArray[np.bool_],
    offset: Floats,
    noise: Floats,
) -> Iterator[Batch]:
    """Yield the batches of one kind and number of teams, each with about equally many unknowns in a match."""
    traits = model.pipeline.traits
    matches = np.flatnonzero(chosen)
    local = np.cumsum(chosen) - 1  # the number of each match among these
    match = local[owners(history.match_start)[terms.team]]
    seat = terms.team - history.match_start[matches][match]
    # Every unknown of a match has one slot, although it may have weights in several teams.
    pairs, slot_of = np.unique(match * len(unknowns) + terms.unknown, return_inverse=True)
    owner, unknown = pairs // len(unknowns), pairs % len(unknowns)
    sizes = np.bincount(owner, minlength=len(matches))
    slot = np.arange(len(pairs)) - (np.cumsum(sizes) - sizes)[owner]
    widths = 2 ** np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.intp)
    term, contrast, factor = _factors(kind, teams, traits, seat, terms.trait)
    rows = _contrast_rows(kind, teams, traits)
    _, members = gather(history.match_start, matches)
    levels = offset[members].reshape(len(matches), teams * traits) + _given_home(model, history, matches, teams)
    seats, parts = np.divmod(np.arange(teams * traits), traits)
    level, target, share = _factors(kind, teams, traits, seats, parts)
    constant = np.zeros((len(matches), len(rows)))
    for row, contrast_row, part in zip(level, target, share, strict=True):
        constant[:, contrast_row] += part * levels[:, row]
    np.add.at(constant, (match[term], contrast), factor * (terms.weight * unknowns.mean[terms.unknown])[term])
    for width in np.unique(widths):
        group = np.flatnonzero(widths == width)
        place = np.full(len(matches), -1)
        place[group] = np.arange(len(group))
        index = np.zeros((len(group), width), np.intp)
        inside = place[owner] >= 0
        index[place[owner[inside]], slot[inside]] = unknown[inside]
        weight = np.zeros((len(group), len(rows), width))
        here = place[match[term]] >= 0
        at = term[here]
        value = factor[here] * terms.weight[at] * unknowns.scale[terms.unknown[at]]
        np.add.at(weight, (place[match[at]], contrast[here], slot[slot_of[at]]), value)
        noises = noise[members].reshape(len(matches), -1)[group]
        yield Batch(kind, teams, matches[group], index, weight, constant[group], noises, rows)


def _contrast_rows(kind: Kind, teams: int, traits: int) -> Indices:
    """Return the row of the board, of a team and a trait, on which each contrast of a match is placed."""
    if kind is Kind.PAIR:
        return np.zeros(1, np.intp)
    return np.arange(teams) * traits if kind is not Kind.TEAMS else np.arange(teams * traits)


def _factors(kind: Kind, teams: int, traits: int, seat: Indices, trait: Indices) -> tuple[Indices, Indices, Floats]:
    """Return by which factor the performance in a seat and a trait counts in which contrast.

    The three columns are the index of the performance, the contrast, and the factor.
    """
    every = np.arange(len(seat))
    # A team's defence is worth 1/(k − 1) of its offence, because it is met by k − 1 offences.
    share = np.where(trait == 0, 1.0, 1.0 / max(teams - 1, 1))
    if kind is Kind.PAIR:
        return every, np.zeros(len(seat), np.intp), np.where(seat == 0, 1.0, -1.0) * share
    if kind is Kind.FIELD:
        return every, seat, share
    if kind is Kind.TEAMS:
        return every, seat * traits + trait, np.ones(len(seat))
    offences, defences = np.flatnonzero(trait == 0), np.flatnonzero(trait == 1)
    others = (seat[defences][:, None] + np.arange(1, teams)) % teams
    index = np.concatenate([offences, np.repeat(defences, teams - 1)])
    factor = np.concatenate([np.ones(len(offences)), np.full(others.size, -1.0 / (teams - 1))])
    return index, np.concatenate([seat[offences], others.ravel()]), factor


def _given_home(model: Model, history: History, matches: Indices, teams: int) -> Floats:
    """Return what a given home advantage adds to each team and trait of matches; a learnt one is an unknown."""
    traits = model.pipeline.traits
    levels = np.zeros((len(matches), teams, traits))
    if model.home is not None and not model.home.learnt and history.home is not None:
        hosts = np.flatnonzero(history.home[matches] >= 0)
        levels[hosts, history.home[matches[hosts]]] = model.home.home_mu
    return levels.reshape(len(matches), -1)
