"""Outcomes of two teams that are defined by one function: the log-likelihood of a lead, given a difference in skill.

With the prior D ~ N(m, v) of the difference of the performances, the evidence of a lead y and the new belief are
integrals of p(y | D) over D. Nodes of Gauss and Hermite follow the posterior, so a likelihood may be much sharper than
the prior. Forecasts need P(y > 0 | D), an integral over y as well: it is tabulated once for each outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ..engine.board import Board
from ..prediction import Prediction, ScorePrediction
from .interfaces import Outcome, missing

__all__ = ["FromLogLikelihood"]

Floats = NDArray[np.float64]

LEADS = ("reals", "integers", "places")
NODES = 48
ROUNDS = 40  # most steps of the nodes towards the posterior
NEAR, ALIKE = 0.5, 0.5  # nodes stay if the posterior is this near, and if its width is at least this share of theirs
SHRINK = 0.25  # how much narrower the nodes may become in a step: a posterior between two nodes seems too narrow
SMALLEST, LARGEST = 2.0**-16, 2.0**26  # the table of forecasts is even in arsinh(difference / SMALLEST)
COARSEST, FINEST = 2**9, 2**16  # cells of the table
CHUNK, MOST_LEADS = 256, 2**17  # numbers of leads that are added up at first, and at most
EXACT = 1e-9  # error of the table
NORMALISED = 1e-6  # how far the sum of all probabilities may be from 1
DISTANCES = np.exp2(np.arange(-40.0, 71.0, 2.0))  # from a peak; the panels between them are integrated
PANEL = 16  # nodes of a panel
SPACED = np.exp2(np.arange(-20.0, 40.0, 0.1))  # distances of leads from the difference, in simulations
# Panels of a forecast, in units of √v: short near an even match, where chances may change fast, and none beyond REACH.
REACH = 9.0
STEPS = np.concatenate([np.exp2(np.arange(-10.0, 0.0)), np.arange(1.0, 2.0 * REACH + 1.0)])
STEPS = np.concatenate([-STEPS[::-1], [0.0], STEPS])
FEW = 6  # nodes of such a panel


class _Beliefs(NamedTuple):
    """The posterior of D in units of the prior, u = (D − m)/√v, and the log-evidence; an element for each match."""

    mean: Floats
    variance: Floats
    log_evidence: Floats


class FromLogLikelihood(Outcome):
    """An outcome of two teams from its log-likelihood. Subclasses define `log_likelihood`, and `leads` unless it fits.

    `leads` says what a lead is: the difference of the scores of the first and the second team, which are real numbers
    ("reals") or whole numbers ("integers"), or only the result ("places": 1, 0 for a draw, and −1). The likelihoods of
    all leads must add up to 1 (as densities, if leads are real numbers), for every difference in skill.

    Rating a match takes about 50 microseconds, some hundred times as long as with a compiled outcome. If you know the
    probabilities of a win and of a draw, define `win_and_draw`; otherwise a table of them is computed before the first
    match, in a few tenths of a second.

    >>> import numpy as np
    >>> import prowess as pw
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Heavy(pw.outcome.FromLogLikelihood):
    ...     "Score differences with Student noise (4 degrees of freedom), so that a rout counts less."
    ...     gamma: float = 3.0
    ...     def log_likelihood(self, lead, difference):  # arrays
    ...         return -2.5 * np.log1p(((lead - difference) / self.gamma) ** 2 / 4) - np.log(self.gamma * 8 / 3)
    >>> model = pw.TrueSkill().replace(outcome=Heavy())
    >>> for scores in ([3, 0], [60, 0]):
    ...     [[ann], [bob]] = model.rate([[model.rating()], [model.rating()]], scores=scores)
    ...     print(f"{ann.mu:.1f}")  # 26.1 and 47.8 with normal noise
    26.1
    38.6
    """

    leads: ClassVar[str] = "reals"
    blocks = True
    reads_entries = False
    blind: ClassVar[tuple[str, ...]] = ("origin",)

    def log_likelihood(self, lead: Any, difference: Any) -> Any:
        """Return log p(lead | difference of the performances); both are arrays that are broadcast.

        >>> class Sign(FromLogLikelihood):
        ...     leads = "places"
        ...     def log_likelihood(self, lead, difference):
        ...         return -np.logaddexp(0.0, -lead * difference) + np.where(lead == 0, -np.inf, 0.0)
        >>> Sign().log_likelihood(np.array([1.0, -1.0]), np.array([2.0, 2.0])).round(3)
        array([-0.127, -2.127])
        """
        raise missing(self, "log_likelihood")

    def win_and_draw(self, difference: Any) -> tuple[Any, Any]:
        """Return the probabilities that the first team wins and that nobody wins, for an array of differences.

        >>> class Normal(FromLogLikelihood):
        ...     def log_likelihood(self, lead, difference):
        ...         return -0.5 * (lead - difference) ** 2 - 0.5 * np.log(2 * np.pi)
        >>> won, drawn = Normal().win_and_draw(np.array([0.0, 1.0]))
        >>> won.round(4), drawn
        (array([0.5   , 0.8413]), array([0., 0.]))
        """
        table: _Table | None = getattr(self, "_table", None)
        if table is None:
            table = _Table(self)
            object.__setattr__(self, "_table", table)
        return table.at(difference)

    def draw_leads(self, difference: Any, rng: np.random.Generator) -> Floats:
        """Draw a lead for each difference of performances, for simulations.

        >>> import numpy as np
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Coin(FromLogLikelihood):
        ...     leads = "integers"
        ...     def log_likelihood(self, lead, difference):
        ...         return np.where(np.abs(lead) == 1, np.log(0.5), -np.inf)
        >>> np.unique(Coin().draw_leads(np.zeros(100), np.random.default_rng(0)))
        array([-1.,  1.])
        """
        if self.leads == "integers":
            most = 64
            while most < MOST_LEADS and _density(self, np.array([[-most], [most]]), difference).max() > 1e-12:
                most *= 2
            lead = np.arange(-most, most + 1.0)[:, None] + 0.0 * difference
            total = _density(self, lead, difference).cumsum(axis=0)
        else:
            lead = difference + np.concatenate([-SPACED[::-1], [0.0], SPACED])[:, None]
            density = _density(self, lead, difference)
            total = (np.diff(lead, axis=0) * 0.5 * (density[1:] + density[:-1])).cumsum(axis=0)
        cell = np.minimum((total < rng.random(len(difference)) * total[-1]).sum(axis=0), len(total) - 1)
        column = np.arange(len(difference))
        drawn: Floats = lead[cell, column]
        if self.leads != "integers":
            drawn += (lead[cell + 1, column] - drawn) * rng.random(len(difference))
        return drawn

    @property
    def scores(self) -> str:  # type: ignore[override]
        """What the outcome reads beside places: nothing, or scores whose relation to skills is not known."""
        return "none" if self.leads == "places" else "unknown"

    def forecast(self, board: Board) -> bool:
        """Set `win`, `draw` and `loss` to their means over the prior of the difference."""
        mean, variance = self._prior(board)
        lanes = slice(board.lanes)
        win, draw = self._mean_chances(mean, np.sqrt(variance))
        columns = board.wins, board.draws, board.losses
        for column, chance in zip(columns, (win, draw, 1.0 - win - draw), strict=True):
            np.asarray(column)[lanes] = np.clip(chance, 0.0, 1.0)
        return False

    def evidence(self, board: Board) -> float:
        """Learn from the lead: the moments of the posterior of the difference give `d1`, `d2` and `left`."""
        mean, variance = self._prior(board)
        lead = self._lead(board)
        found = self._posterior(lead, mean, variance)
        one, lanes = board.stride, board.lanes
        parts = np.asarray(board.variance)[:lanes], np.asarray(board.variance)[one : one + lanes]
        for team, sign in ((0, 1.0), (1, -1.0)):
            cells = slice(team * one, team * one + lanes)
            np.asarray(board.d1)[cells] = sign * found.mean / np.sqrt(variance)
            np.asarray(board.d2)[cells] = (found.variance - 1.0) / variance
            np.asarray(board.left)[cells] = (parts[1 - team] + parts[team] * found.variance) / variance
        np.asarray(board.evidences)[:lanes] = found.log_evidence
        return float(board.evidences[0])

    def derive(self, board: Board) -> bool:
        """Learn without a forecast."""
        self.evidence(board)
        return False

    def performances(self, board: Board) -> tuple[list[float], list[float], list[float]]:
        """Return mean, variance and noise of each team's performance; the last two include the noise of a result."""
        half = self.scatter(board)
        means, variances, noises = super().performances(board)
        return means, [variance + half for variance in variances], [noise + half for noise in noises]

    def scatter(self, board: Board) -> float:
        """Return half the variance of a normal noise of leads that decides near an even match as this one does."""
        step = 1e-3 * float(np.sqrt(np.asarray(board.variance)[: board.teams].sum()) or 1.0)
        won, drawn = self.win_and_draw(np.array([-step, step]))
        slope = float(np.diff(won + 0.5 * drawn)[0]) / (2.0 * step)
        return 0.25 / (np.pi * slope * slope) if slope > 0.0 else 0.0

    def predict(self, board: Board) -> Prediction:
        """Predict a match of two teams."""
        self._prior(board)
        mean, variance = np.array(board.mean[:2]), np.array(board.variance[:2])
        win = np.array([board.win, board.loss])
        return ScorePrediction(mean=mean, sigma=np.sqrt(variance), win=win, draw=board.draw, margins=[])

    def _prior(self, board: Board) -> tuple[Floats, Floats]:
        """Return mean and variance of the difference of the performances of all lanes."""
        if board.teams != 2:
            kind = type(self).__name__
            raise Error(f"{kind} compares two teams, but the match has {board.teams}", field="teams")
        one, lanes = board.stride, board.lanes
        mean, variance = np.asarray(board.mean), np.asarray(board.variance)
        total = variance[:lanes] + variance[one : one + lanes]
        return mean[:lanes] - mean[one : one + lanes], np.maximum(total, SMALLEST**2)  # performances may be known

    def _lead(self, board: Board) -> Floats:
        one, lanes = board.stride, board.lanes
        if self.leads == "places":
            place = np.asarray(board.place, np.float64)
            lead: Floats = np.sign(place[one : one + lanes] - place[:lanes])
            return lead
        score = np.asarray(board.score)
        lead = score[:lanes] - score[one : one + lanes]
        if np.isnan(lead).any():
            raise Error(f"{type(self).__name__} needs the scores of both teams", field="scores")
        return lead

    def _mean_chances(self, mean: Floats, sigma: Floats) -> tuple[Floats, Floats]:
        """Return the chances of a win and of a draw, for normal differences of performances."""
        nodes, weights = _legendre(FEW)
        even = np.clip(-mean / sigma, -REACH, REACH)
        edges = np.clip(even + STEPS[:, None], -REACH, REACH)
        half, middle = 0.5 * np.diff(edges, axis=0)[:, None], 0.5 * (edges[1:] + edges[:-1])[:, None]
        u = (middle + half * nodes[:, None]).reshape(-1, len(mean))
        part = (half * weights[:, None]).reshape(u.shape) * np.exp(-0.5 * u * u) / np.sqrt(2.0 * np.pi)
        won, drawn = self.win_and_draw(mean + sigma * u)
        return _add_up(part * won), _add_up(part * drawn)

    def _posterior(self, lead: Floats, mean: Floats, variance: Floats, count: int = NODES) -> _Beliefs:
        """Return the posterior of each difference; the nodes move until they are where the posterior is."""
        nodes, weights = _hermite(count)
        nodes, weights = nodes[:, None], weights[:, None]
        sigma = np.sqrt(variance)
        centre, width = np.zeros(len(lead)), np.ones(len(lead))
        settled = np.zeros(len(lead), bool)
        found = np.empty((3, len(lead)))
        for step in range(ROUNDS):
            u = centre + width * nodes
            # The density of the prior at u, divided by that of the nodes.
            log_part = _log_density(self, lead, mean + sigma * u) - 0.5 * u * u + 0.5 * nodes * nodes + np.log(width)
            top = log_part.max(axis=0)
            self._check(lead, top)
            part = weights * np.exp(log_part - top)
            total = _add_up(part)
            u_mean = _add_up(part * u) / total
            spread = _add_up(part * (u - u_mean) ** 2) / total
            new = np.stack([u_mean, spread, top + np.log(total)])
            found = np.where(settled, found, new)
            ratio = np.sqrt(spread) / width
            near = (np.abs(u_mean - centre) < NEAR * width) & (ratio > ALIKE) & (ratio < 1.0 / ALIKE)
            settled |= near | (step == ROUNDS - 1)
            if settled.all():
                break
            centre = np.where(settled, centre, u_mean)
            width = np.where(settled, width, width * np.clip(ratio, SHRINK, 1.0 / SHRINK))
        return _Beliefs(*found)

    def _check(self, lead: Floats, top: Floats) -> None:
        if not np.isfinite(top).all():
            kind, odd = type(self).__name__, float(lead[~np.isfinite(top)][0])
            raise Error(f"{kind}.log_likelihood is not finite for a lead of {odd:g} at any likely difference")


class _Table:
    """The chances of a win and of a draw, for cubic interpolation; the grid is finer near an even match."""

    def __init__(self, outcome: FromLogLikelihood) -> None:
        cells = COARSEST
        end = float(np.arcsinh(LARGEST / SMALLEST))
        chances = _chances(outcome, SMALLEST * np.sinh(np.linspace(-end, end, cells + 1)))
        while True:
            self.end, self.step = end, 2.0 * end / cells
            self.chances = np.pad(chances, ((0, 0), (1, 1)), mode="edge")
            middle = SMALLEST * np.sinh(-end + self.step * (np.arange(cells) + 0.5))
            new = _chances(outcome, middle)
            if np.abs(new - self.at(middle)).max() < EXACT:
                return
            if cells >= FINEST:
                kind = type(outcome).__name__
                text = f"the chances of {kind} change too fast with the difference to be tabulated; define "
                raise Error(f"{text}{kind}.win_and_draw(difference)")
            both = np.empty((2, 2 * cells + 1))
            both[:, ::2], both[:, 1::2] = chances, new
            chances, cells = both, 2 * cells

    def at(self, difference: Any) -> tuple[Floats, Floats]:
        """Interpolate between the four nearest points; beyond the grid, use its end."""
        place = (np.arcsinh(np.asarray(difference) / SMALLEST) + self.end) / self.step
        place = np.clip(place, 0.0, self.chances.shape[1] - 3.0)
        cell = np.minimum(place.astype(np.intp), self.chances.shape[1] - 4)
        t = place - cell
        a, b, c, d = (self.chances[:, cell + k] for k in range(4))
        down, up = t * (t - 1.0), (t + 1.0) * (t - 2.0)
        won, drawn = down * ((2.0 - t) * a + (t + 1.0) * d) / 6.0 + up * (0.5 * (t - 1.0) * b - 0.5 * t * c)
        return won, drawn


def _chances(outcome: FromLogLikelihood, difference: Floats) -> Floats:
    """Return the chances of a win and of a draw for each difference, in two rows."""
    sums = {"places": _place_chances, "integers": _integer_chances, "reals": _real_chances}
    if outcome.leads not in sums:
        raise Error(f"{type(outcome).__name__}.leads must be one of {', '.join(LEADS)}, not {outcome.leads!r}")
    density = partial(_density, outcome)
    won, drawn, lost = sums[outcome.leads](density, difference)
    total = won + drawn + lost
    # Far from an even match, leads are too large for their distance from the difference to be exact.
    wrong = np.flatnonzero(~(np.abs(total - 1.0) < NORMALISED) & (np.abs(difference) < 1.0))
    if len(wrong):
        kind, at = type(outcome).__name__, wrong[0]
        text = f"the likelihoods of all leads must add up to 1; those of {kind}.log_likelihood add up to "
        raise Error(f"{text}{total[at]:.6g} at a difference of {difference[at]:g}")
    known = total > 0.5
    total = np.where(known, total, 1.0)
    return np.stack([np.where(known, won / total, difference > 0.0), np.where(known, drawn / total, 0.0)])


def _log_density(outcome: FromLogLikelihood, lead: Any, difference: Any) -> Floats:
    with np.errstate(all="ignore"):  # differences may be as unlikely as they like
        found = outcome.log_likelihood(lead, difference)
    return np.where(np.isnan(found), -np.inf, found)


def _density(outcome: FromLogLikelihood, lead: Any, difference: Any) -> Floats:
    return np.exp(_log_density(outcome, lead, difference))


Density = Callable[[Any, Floats], Floats]
Chances = tuple[Floats, Floats, Floats]


def _place_chances(density: Density, difference: Floats) -> Chances:
    won, drawn, lost = (density(np.full(len(difference), lead), difference) for lead in (1.0, 0.0, -1.0))
    return won, drawn, lost


def _integer_chances(density: Density, difference: Floats) -> Chances:
    """Add up leads in chunks, each as long as all before it, until a chunk adds nothing."""
    drawn = density(np.zeros((1, len(difference))), difference)[0]
    sides = []
    for sign in (1.0, -1.0):
        total, first, open_ = np.zeros(len(difference)), 1, np.arange(len(difference))
        while first < MOST_LEADS and len(open_):
            chunk = sign * np.arange(first, 2 * first + CHUNK)[:, None]
            more = density(chunk, difference[open_]).sum(axis=0)
            total[open_] += more
            first += len(chunk)
            open_ = open_[more > 1e-14]
        sides.append(total)
    return sides[0], drawn, sides[1]


def _real_chances(density: Density, difference: Floats) -> Chances:
    """Integrate over leads in panels that are short near the difference and near 0, where a density may be sharp."""
    nodes, weights = _legendre(PANEL)
    sides = []
    for sign in (1.0, -1.0):
        total = np.zeros(len(difference))
        own = np.maximum(sign * difference, 0.0)  # the peak, if it is on this side
        edges = [np.zeros_like(own)]
        edges += [np.minimum(distance, 0.5 * own) for distance in DISTANCES]
        edges += [np.maximum(own - distance, 0.5 * own) for distance in DISTANCES[::-1]]
        edges += [own, *(own + distance for distance in DISTANCES)]
        for low, high in pairwise(edges):
            wide = np.flatnonzero(high > low)
            if len(wide):
                half = 0.5 * (high - low)[wide]
                lead = sign * ((low + high)[wide] * 0.5 + half * nodes[:, None])
                total[wide] += half * (weights[:, None] * density(lead, difference[wide])).sum(axis=0)
        sides.append(total)
    return sides[0], np.zeros(len(difference)), sides[1]


@cache
def _hermite(count: int) -> tuple[Floats, Floats]:
    """Return nodes and weights for means over a standard normal variable."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return nodes, weights / np.sqrt(2.0 * np.pi)


@cache
def _legendre(count: int) -> tuple[Floats, Floats]:
    """Return nodes and weights for integrals from −1 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return nodes, weights


def _add_up(values: Floats) -> Floats:
    """Add up the rows one after the other, so that a sum does not depend on the number of matches."""
    total: Floats = np.add.accumulate(values, axis=0)[-1]
    return total
