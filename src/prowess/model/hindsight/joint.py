"""A joint fit: one Gaussian with all covariances for all skills of a league that do not drift.

Expectation propagation (EP) approximates the likelihood of every match by a Gaussian site (see `sites`). Every sweep
shows the beliefs without a match to the outcome of the model, for all matches, and then combines the prior and all
sites by one Cholesky factorisation. In contrast to a fit with independent beliefs, the standard deviations of skills
and of differences between skills are honest, also where players share most of their matches.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...history.names.spelling import nearest
from ...history.ragged import gather, owners
from ...progress import track
from ...text import count
from ..engine.buffers import columns_of
from ..engine.smoothing import find_pools as find_connected
from ..fit.forecasts import Forecasts
from ..ladder.facet_rows import check_columns, enter_facets
from ..ladder.ladder import Ladder
from ..ladder.record import enter_players
from .counts import count_deviations
from .design import Batch, Effect, Kind, Unknowns, find_batches, find_terms, list_unknowns, weigh_teams
from .merge import Merged, keep_matches, merge_matches
from .observe import Observer, Seen
from .sites import Sites
from .support import check_model, moves_skills, run_online

if TYPE_CHECKING:
    import polars as pl

    from ..model import Model
    from ..rating import Rating

Floats = NDArray[np.float64]

MOST_PLAYERS = 2_000  # a sweep takes time in proportion to the cube of their number
MOST_UNKNOWNS = 6_000  # skills in all traits, effects and deviations
CELLS = 4_000_000  # numbers in a temporary table
PATIENCE = 5  # after so many sweeps in which the beliefs move more than in the one before, sites are damped


@dataclass(frozen=True, eq=False, repr=False)
class Joint:
    """The joint belief about all skills, given all matches of a history.

    `mean` has a row for each player, in the order of `players`, and a column for each trait. `covariance` is the matrix
    of all unknowns: the skills (for several traits, all traits of the first player, then those of the second, …), and
    then the `effects`, whose means are `effect_mean`. `log_evidence` estimates the log-probability of all results, each
    counted by its importance. `left_out` are the forecasts of every match from all others, past and future. Their means
    and variances are right relative to each other, not by themselves: results tell about differences. `moved` is the
    largest move of a belief in the last of the `sweeps`: of a mean in standard deviations, or of the logarithm of a
    variance. `unconverged` are the matches in which the outcome itself did not converge.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["cat"]]}])
    >>> joint = fit_joint(pw.TrueSkill(tau=0), history)
    >>> joint.mean[:, 0].round(2)
    array([31.01, 25.  , 18.99])
    >>> joint
    Joint(2 matches, 3 players, log-evidence -1.815)
    """

    model: Model
    history: History
    mean: Floats
    covariance: Floats
    effects: tuple[Effect, ...]
    effect_mean: Floats
    log_evidence: float
    left_out: Forecasts
    sweeps: int
    moved: float
    converged: bool
    unconverged: list[int]
    scale: tuple[float, float] | None = None

    def __repr__(self) -> str:
        matches, players = count(len(self.history), "match", "matches"), count(len(self.players), "player", "players")
        return f"Joint({matches}, {players}, log-evidence {self.log_evidence:.3f})"

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the players, in the order of the rows."""
        return self.history.players

    @property
    def sigma(self) -> Floats:
        """The standard deviations of all skills, in the shape of `mean`.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> fit_joint(pw.TrueSkill(tau=0), history).sigma[:, 0].round(3)
        array([7.171, 7.171])
        """
        variances: Floats = np.diagonal(self.covariance)[: self.mean.size]
        return np.sqrt(variances).reshape(self.mean.shape)

    def row(self, player: str, trait: int = 0) -> int:
        """Return the row of a skill in the covariance matrix; raise an `Error` for an unknown player.

        >>> import prowess as pw
        >>> fit_joint(pw.TrueSkill(tau=0), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])).row("bob")
        1
        """
        number = self._number.get(player)
        if number is None:
            similar = nearest(player, self.players) if isinstance(player, str) else []
            hint = f"; did you mean {similar[0]!r}?" if similar else ""
            raise Error(f"player {player!r} not found{hint}", field="player", value=player)
        return number * len(self.model.outcome.traits) + trait

    @cached_property
    def _number(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.players)}

    def difference(self, player: str, other: str, trait: int = 0) -> tuple[float, float]:
        """Return the mean and the standard deviation of the difference between the skills of two players.

        >>> import prowess as pw
        >>> joint = fit_joint(pw.TrueSkill(tau=0), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> [round(number, 2) for number in joint.difference("ann", "bob")]
        [8.79, 8.17]
        """
        i, j = self.row(player, trait), self.row(other, trait)
        skill = self.mean.ravel()
        variance = self.covariance[i, i] - 2.0 * self.covariance[i, j] + self.covariance[j, j]
        return float(skill[i] - skill[j]), float(max(variance, 0.0) ** 0.5)

    @cached_property
    def ladder(self) -> Ladder:
        """A ladder that continues online from these ratings; it forgets the covariances between players.

        >>> import prowess as pw
        >>> joint = pw.TrueSkill(tau=0).hindsight(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]), joint=True)
        >>> round(joint.ladder["ann"].sigma, 3), joint.sigma.round(3).tolist()
        (7.171, [[7.171], [7.171]])
        """
        ladder = Ladder(self.model, scale=self.scale)
        rows = enter_players(ladder, self.history)
        layout = ladder.layout
        order = [self._number[name] for name in ladder.names]
        state = ladder.state[: len(ladder)]
        state[:, layout.means], state[:, layout.variances] = self.mean[order], self.sigma[order] ** 2
        match = owners(self.history.match_start)[owners(self.history.team_start)]
        if self.history.importance is not None:
            counted = self.history.importance[match] > 0.0
            rows, match = rows[counted], match[counted]
        state[:, layout.matches] = np.bincount(rows, minlength=len(ladder))[: len(ladder)]
        if self.history.time is not None:
            state[rows, layout.last_seen] = self.history.time[match]  # in the order of time, so that the last one stays
        self._add_effects(ladder)
        return ladder

    def _add_effects(self, ladder: Ladder) -> None:
        """Give a ladder the home advantage, the effects and the deviations."""
        variances = np.diagonal(self.covariance)[self.mean.size :]
        found: dict[str, dict[tuple[int, str], list[float]]] = {}
        traits = self.model.outcome.traits
        home = self.model.pipeline.home_memory
        for effect, mean, variance in zip(self.effects, self.effect_mean.tolist(), variances.tolist(), strict=True):
            k = 2 * traits.index(effect.trait)
            if effect.facet == "home" and self.model.pipeline.learns_home and not effect.value and not effect.player:
                ladder.memory[home + k : home + k + 2] = mean, variance
                continue
            player = -1 if effect.player is None else ladder.rows.get(effect.player, -1)
            key = player, effect.value
            cells = found.setdefault(effect.facet, {}).setdefault(key, [0.0] * (2 * len(traits)) + [np.nan, 0.0])
            cells[k : k + 2] = mean, variance
        for rows in ladder.facets:
            rows.set_beliefs(found.get(rows.facet.column, {}))
        count_deviations(ladder, self.history)

    def __getitem__(self, name: str) -> Rating:
        """Return a player's rating; its sigma includes the uncertainty of the common level of all players."""
        return self.ladder[name]

    def leaderboard(
        self, *, min_matches: int = 0, ranking: str | None = None, all: bool = False, **context: Any
    ) -> pl.DataFrame:
        """Return the players, best first, with the columns and rankings of `Ladder.leaderboard`.

        >>> import prowess as pw
        >>> joint = pw.TrueSkill(tau=0).hindsight(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]), joint=True)
        >>> joint.leaderboard()["player"].to_list()
        ['ann', 'bob']
        """
        return self.ladder.leaderboard(min_matches=min_matches, ranking=ranking, all=all, **context)

    @cached_property
    def pools(self) -> NDArray[np.int32]:
        """The pool of each player: players of different pools were never compared, not even through others.

        The pools are numbered in the order of their first players.

        >>> import prowess as pw
        >>> matches = [{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["dan"]]}, {"teams": [["bob"], ["eve"]]}]
        >>> fit_joint(pw.TrueSkill(tau=0), pw.History.from_matches(matches)).pools
        array([0, 0, 1, 1, 0], dtype=int32)
        """
        return find_pools(self.history)

    def relative(self, trait: int = 0) -> tuple[Floats, Floats]:
        """Return the skills relative to the mean skill of their pools, and the covariance matrix of these.

        Results do not tell the common level of a pool, so a relative skill is known better than the skill itself.

        >>> import prowess as pw
        >>> joint = fit_joint(pw.TrueSkill(tau=0), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
        >>> mean, covariance = joint.relative()
        >>> mean.round(2), np.sqrt(np.diagonal(covariance)).round(2)
        (array([ 4.4, -4.4]), array([4.09, 4.09]))
        """
        traits = self.mean.shape[1]
        skills = slice(trait, self.mean.size, traits)
        covariance = self.covariance[skills, skills]
        pools, sizes = self.pools, np.bincount(self.pools)
        averages = np.zeros((len(sizes), len(pools)))
        averages[pools, np.arange(len(pools))] = 1.0 / sizes[pools]
        mean: Floats = self.mean[:, trait] - (averages @ self.mean[:, trait])[pools]
        half = covariance - (averages @ covariance)[pools]
        relative: Floats = half - (averages @ half.T)[pools].T
        return mean, relative


def find_pools(history: History) -> NDArray[np.int32]:
    """Return the pool of each player: two players are in one pool if matches connect them, directly or through others.

    Matches of importance 0 connect nobody.

    >>> find_pools(History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["dan"]]}]))
    array([0, 0, 1, 1], dtype=int32)
    """
    size = len(history.players) or int(history.player.max(initial=-1)) + 1
    pool = find_connected(columns_of(history, history.player), size, len(history))
    numbers: NDArray[np.int32] = np.unique(pool, return_inverse=True)[1].astype(np.int32)
    return numbers


def fit_joint(
    model: Model,
    history: History,
    *,
    tolerance: float = 1e-8,
    sweeps: int = 200,
    merge: bool = True,
    progress: bool | None = None,
) -> Joint:
    """Fit all matches of a history at once, with all covariances between skills.

    Skills must not drift, and there may be at most 2,000 players; otherwise an `Error` is raised. The fit ends when no
    belief moves by more than `tolerance` (see `Joint.moved`), or with a warning after `sweeps` sweeps. Equal matches
    are merged unless `merge` is false; this changes nothing but the time that the fit takes.

    >>> import prowess as pw
    >>> votes = [{"teams": [["a"], ["b"]]}, {"teams": [["b"], ["c"]]}, {"teams": [["c"], ["a"]]}] * 10
    >>> joint = fit_joint(pw.TrueSkill(mu=0, sigma=1, beta=1, tau=0), pw.History.from_matches(votes))
    >>> round(joint.difference("a", "b")[1], 2), joint.sigma[0].round(2), joint.converged
    (0.43, array([0.63]), True)
    """
    _check(model, history)
    online = run_online(model, history, progress)
    ladder = Ladder(model)
    columns: Any = enter_facets(ladder, history, history.player)
    unknowns = list_unknowns(model, history.players, ladder.facets)
    if len(unknowns) > MOST_UNKNOWNS:
        message = f"joint=True is for up to {MOST_UNKNOWNS:,} skills and deviations, but there are {len(unknowns):,}; "
        raise Error(f"{message}use joint=False, or fewer facets", field="facets", value=len(unknowns))
    follows = online.entry_means is not None
    merged = merge_matches(history, model, columns) if merge and not follows else keep_matches(history)
    # With such means, no matches are merged, so these have a row for each entry and each team.
    alpha, offset, noise = weigh_teams(model, merged.history, online.entry_means)
    terms = find_terms(model, history, merged, columns, ladder.facets, alpha)
    batches = find_batches(model, merged.history, unknowns, terms, offset, noise)
    solver = _Solver(batches, unknowns, merged, Observer(online, merged.history))
    solver.run(tolerance, sweeps, progress)
    if not solver.converged:
        warnings.warn(
            f"the joint fit did not converge in {sweeps} sweeps: beliefs still move by {solver.moved:.2g} "
            "standard deviations; allow more sweeps",
            stacklevel=2,
        )
    return _result(model, history, merged, unknowns, solver)


def _check(model: Model, history: History) -> None:
    """Raise an `Error` unless the model and the history are suited to a joint fit."""
    check_model(model)
    if not isinstance(history, History):
        raise Error(f"a joint fit needs a History, not {type(history).__name__}; use History.read", field="history")
    check_columns(model, history)
    still = "joint=True is for skills that do not move"
    if moves_skills(model):
        message = f"{still}, but the drift is {model.drift!r}; use drift=Still(), or joint=False"
        raise Error(message, field="drift", value=model.drift)
    if model.home is not None and model.home.home_tau > 0.0:
        message = f"{still}, but the home advantage drifts; set home_tau=0, or use joint=False"
        raise Error(message, field="home_tau", value=model.home.home_tau)
    for facet in model.facets:
        if facet.tau > 0.0:
            message = f"{still}, but {facet!r} drifts; set {facet.key}_tau=0, or use joint=False"
            raise Error(message, field="facets", value=facet)
    if model.prior.learns:
        message = "joint=True needs a prior that is given, but this one learns the level of newcomers; use its prior "
        raise Error(f"{message}`first`, or joint=False", field="prior", value=model.prior)
    if model.statistics:
        message = "joint=True cannot use individual statistics; use statistics=(), or joint=False"
        raise Error(message, field="statistics", value=model.statistics)
    if model.outcome.reads_entries:
        message = f"{model.outcome!r} reads the beliefs about single players, but joint=True knows only teams; if it "
        raise Error(f"{message}reads none, set reads_entries = False in its class", field="outcome")
    if len(history.players) > MOST_PLAYERS:
        message = f"joint=True is for up to {MOST_PLAYERS:,} players, but there are {len(history.players):,}; "
        raise Error(f"{message}use joint=False", field="history", value=len(history.players))
    if not model.outcome.likelihood:
        name = type(model.outcome).__name__
        warnings.warn(f"{name} has no likelihood: the log-evidence of its joint fit means little", stacklevel=3)


class _Solver:
    """The sites of all matches, and the belief N(mean, covariance) that follows from them.

    The unknowns are measured from their prior means, in prior standard deviations. Their prior is therefore N(0, I),
    and an unknown whose prior variance is 0 needs no special case.
    """

    def __init__(self, batches: list[Batch], unknowns: Unknowns, merged: Merged, observer: Observer) -> None:
        self.sites = [Sites(batch) for batch in batches]
        self.merged = merged
        self.observer = observer
        self.is_free = unknowns.scale > 0.0
        self.mean, self.covariance = np.zeros(len(unknowns)), np.eye(len(unknowns))
        self.prior_term = 0.0  # of the log-evidence
        self.sweeps, self.moved, self.converged = 0, np.inf, False

    def run(self, tolerance: float, most: int, progress: bool | None) -> None:
        """Sweep until nothing moves by more than `tolerance`, at most `most` times."""
        growing, damped = 0, False
        for _ in track(range(most), "fitting", lambda: self.sweeps / most, progress):
            before, last = (self.mean, np.diagonal(self.covariance)), self.moved
            for sites in self.sites:
                mean, variance = self.cavities(sites)
                sites.update(self.observer.observe(sites.batch, mean, variance), mean, variance, damped)
            self._combine()
            self.sweeps += 1
            self.moved = self._distance(*before)
            if self.moved <= tolerance:
                self.converged = True
                break
            growing = growing + 1 if self.moved > last else 0
            damped = damped or growing >= PATIENCE

    def cavities(self, sites: Sites, whole: bool = False) -> tuple[Floats, Floats]:
        """Return the means and variances of the contrasts of a batch without their matches (see `leave_out`)."""
        batch = sites.batch
        mean = np.einsum("bfe,be->bf", batch.weight, self.mean[batch.index])
        covariance = np.empty((*batch.constant.shape, batch.constant.shape[1]))
        for part in _parts(batch):
            index, weight = batch.index[part], batch.weight[part]
            gathered = self.covariance[index[:, :, None], index[:, None, :]]
            covariance[part] = weight @ gathered @ weight.transpose(0, 2, 1)
        return sites.leave_out(mean, covariance, self.merged.removed[batch.matches], whole)

    def _combine(self) -> None:
        """Compute the belief from the prior and all sites."""
        size = len(self.mean)
        precision, shift = np.eye(size), np.zeros(size)
        cells = precision.reshape(-1)
        for sites in self.sites:
            batch = sites.batch
            importance = self.merged.importance[batch.matches]
            if not sites.shift.size:
                continue
            parts = np.einsum("bfe,bf,b->be", batch.weight, sites.shift, importance)
            shift += np.bincount(batch.index.ravel(), parts.ravel(), size)
            for part in _parts(batch):
                index, weight = batch.index[part], batch.weight[part]
                matrices = sites.matrices[part] * importance[part, None, None]
                block = weight.transpose(0, 2, 1) @ matrices @ weight
                np.add.at(cells, (index[:, :, None] * size + index[:, None, :]).ravel(), block.ravel())
        self.covariance, log_determinant = _invert(precision)
        self.mean = self.covariance @ shift
        self.prior_term = 0.5 * float(shift @ self.mean) - 0.5 * log_determinant

    def _distance(self, mean: Floats, variance: Floats) -> float:
        """Return the largest move of a belief: of a mean in standard deviations, or of the logarithm of a variance."""
        now = np.diagonal(self.covariance)[self.is_free]
        if not len(now):
            return 0.0
        means = np.abs(self.mean - mean)[self.is_free] / np.sqrt(now)
        return float(max(means.max(), np.abs(np.log(now / variance[self.is_free])).max()))

    def log_evidence(self) -> tuple[float, list[Seen]]:
        """Return the log-evidence of all results, and what was seen without each of the matches."""
        total, seen = self.prior_term, []
        for sites in self.sites:
            mean, variance = self.cavities(sites)
            seen.append(self.observer.observe(sites.batch, mean, variance))
            gains = seen[-1].log_evidence - sites.log_integrals(mean, variance)
            total += float(self.merged.importance[sites.batch.matches] @ gains)
        return total, seen

    def leave_out(self, seen: list[Seen]) -> list[Seen]:
        """Return what is seen without the whole of each match; `seen` is what was seen without single sites."""
        return [
            self._see_whole(sites) if sites.batch.kind is Kind.SCORES else one
            for one, sites in zip(seen, self.sites, strict=True)
        ]

    def _see_whole(self, sites: Sites) -> Seen:
        return self.observer.observe(sites.batch, *self.cavities(sites, whole=True))


def _parts(batch: Batch) -> Iterator[slice]:
    """Yield slices of a batch for which the tables of all pairs of unknowns are small enough."""
    step = max(1, CELLS // batch.index.shape[1] ** 2)
    for first in range(0, len(batch.matches), step):
        yield slice(first, first + step)


def _invert(precision: Floats) -> tuple[Floats, float]:
    """Return the inverse of a precision matrix, and the logarithm of its determinant.

    The prior is N(0, I), so no eigenvalue is below 1, except by rounding if results of huge precision contradict each
    other; then the eigenvalues are corrected.
    """
    try:
        root = np.linalg.cholesky(precision)
        inverse = np.linalg.inv(root)
        return inverse.T @ inverse, 2.0 * float(np.log(np.diagonal(root)).sum())
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(precision)
        values = np.maximum(values, 1.0)
        return (vectors / values) @ vectors.T, float(np.log(values).sum())


def _result(model: Model, history: History, merged: Merged, unknowns: Unknowns, solver: _Solver) -> Joint:
    """Return the joint belief in the units of the model."""
    traits = model.pipeline.traits
    log_evidence, seen = solver.log_evidence()
    mean = unknowns.mean + unknowns.scale * solver.mean
    covariance = unknowns.scale[:, None] * solver.covariance * unknowns.scale
    skills = len(history.players) * traits
    left_out, unconverged = _forecasts(model, history, merged, solver, solver.leave_out(seen))
    return Joint(
        model,
        history,
        mean[:skills].reshape(-1, traits),
        covariance,
        unknowns.effects,
        mean[skills:],
        log_evidence,
        left_out,
        solver.sweeps,
        solver.moved,
        solver.converged,
        unconverged,
    )


def _forecasts(
    model: Model, history: History, merged: Merged, solver: _Solver, seen: list[Seen]
) -> tuple[Forecasts, list[int]]:
    """Return the forecasts of all matches of the original history, and the matches that did not converge."""
    part = merged.history
    traits = model.pipeline.traits
    mean, variance = np.empty((part.teams, traits)), np.empty((part.teams, traits))
    evidence, win, draw = (np.full(len(part), np.nan) for _ in range(3))
    failed = np.zeros(len(part), bool)
    for sites, one in zip(solver.sites, seen, strict=True):
        matches = sites.batch.matches
        _, teams = gather(part.match_start, matches)
        mean[teams], variance[teams] = one.mean.reshape(-1, traits), one.variance.reshape(-1, traits)
        evidence[matches], failed[matches] = one.log_evidence, one.unconverged
        if sites.batch.teams == 2:
            win[matches], draw[matches] = one.win, one.draw
    shape = (-1, traits) if traits > 1 else (-1,)
    columns = mean.reshape(shape), variance.reshape(shape)
    forecasts = Forecasts(part, model.outcome, *columns, evidence, (win, draw))
    return merged.forecasts(history, forecasts), merged.originals(np.flatnonzero(failed).tolist())
