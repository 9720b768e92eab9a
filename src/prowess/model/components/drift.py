"""Drifts: how much a skill may have moved since the player's last match."""

from __future__ import annotations

from typing import ClassVar

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from ... import validate
from ..engine.board import Board
from ..params import Range
from .interfaces import Drift, check_component

LONGEST = cython.declare(cython.double, float("inf"))

__all__ = ["Idle", "PerMatch", "PerPeriod", "PerTime", "Seasons", "Still"]


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Still(Drift):
    """Assume that skills do not move.

    >>> Still()
    Still()
    """

    blocks = True

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def transition(self, board: Board) -> cython.bint:
        """Set a = 1, c = 0 and q = 0."""
        return _set_step(board, 0.0)


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class PerMatch(Drift):
    """Let a skill move by N(0, tau²) before every match, regardless of the time since the last match (TrueSkill).

    >>> PerMatch(25 / 300).tau > 0
    True
    """

    tau: object

    tunable: ClassVar[dict[str, Range]] = {"tau": Range(1.0 / 3000, 1.0 / 3, log=True, unit="sigma")}
    blocks = True

    def __post_init__(self) -> None:
        validate.scale("tau", self.tau, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def widen(self, board: Board) -> cython.bint:
        """Add tau² to every variance."""
        tau: cython.double = self.tau
        if board.stride == 1:
            _add(board, tau * tau, 1, 1)
        else:
            _add(board, tau * tau, board.lanes, board.stride)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def transition(self, board: Board) -> cython.bint:
        """Set a = 1, c = 0 and q = tau²."""
        tau: cython.double = self.tau
        return _set_step(board, tau * tau)


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class PerTime(Drift):
    """Let a skill move by N(0, tau² t) in t units of time (days, if times are dates); sigma grows up to `cap`.

    A sigma that is already above `cap` stays unchanged.

    >>> PerTime(tau=0.5, cap=8.0)
    PerTime(tau=0.5, cap=8.0)
    """

    tau: object
    cap: object = float("inf")

    tunable: ClassVar[dict[str, Range]] = {
        "tau": Range(1.0 / 100_000, 1.0 / 3, log=True, unit="sigma"),  # wide: a unit of time may be a year or a minute
        "cap": Range(0.3, 3, log=True, unit="value"),
    }
    blocks = True
    by_time = True

    def __post_init__(self) -> None:
        validate.scale("tau", self.tau, zero=True)
        _check_cap(self.cap)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def widen(self, board: Board) -> cython.bint:
        """Add tau² times the elapsed time t to every variance, up to `cap`²: σ² ← max(σ², min(σ² + τ² t, cap²))."""
        tau: cython.double = self.tau
        cap: cython.double = self.cap
        for k in range(board.entries * board.traits):
            elapsed = k // board.traits * board.stride
            for lane in range(board.lanes):
                _widen(board, k * board.stride + lane, tau * tau * board.elapsed[elapsed + lane], cap)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def transition(self, board: Board) -> cython.bint:
        """Set a = 1, c = 0 and q = tau² times the elapsed time, if sigma is not limited."""
        _set_step(board, 0.0)
        return self.widen(board)

    @property
    def capped(self) -> bool:
        """Whether sigma is limited.

        >>> PerTime(0.5).capped
        False
        """
        return self.cap < LONGEST


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class PerPeriod(Drift):
    """Let a skill move by N(0, c²) in every rating period (Glicko: RD ← min(√(RD² + c²t), 350)).

    t is the number of periods since the player's last match, and at least 1. In a model without periods every match is
    a period. Sigma grows up to `cap`; as in Glicko, an initial sigma above `cap` is reduced to `cap`.

    >>> PerPeriod(c=34.6)
    PerPeriod(c=34.6, cap=350.0)
    """

    c: object
    cap: object = 350.0

    tunable: ClassVar[dict[str, Range]] = {
        "c": Range(1.0 / 300, 1, log=True, unit="sigma"),
        "cap": Range(0.3, 3, log=True, unit="value"),
    }
    blocks = True

    def __post_init__(self) -> None:
        validate.scale("c", self.c, zero=True)
        _check_cap(self.cap)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def widen(self, board: Board) -> cython.bint:
        """Add c² per elapsed period to every variance, up to `cap`²: σ² ← min(σ² + c² max(t, 1), cap²)."""
        c: cython.double = self.c
        cap: cython.double = self.cap
        longest = LONGEST if board.periods else 1.0
        for k in range(board.entries * board.traits):
            elapsed = k // board.traits * board.stride
            for lane in range(board.lanes):
                periods = min(max(board.elapsed[elapsed + lane], 1.0), longest)
                i = k * board.stride + lane
                board.var[i] = min(board.var[i] + c * c * periods, cap * cap)
        return False

    @property
    def capped(self) -> bool:
        """Whether sigma is limited.

        >>> PerPeriod(34.6).capped
        True
        """
        return self.cap < LONGEST


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Idle(Drift):
    """Let a skill move by the player's volatility in every rating period without a match (Glicko-2, step 6).

    The absorb rule `Volatile` maintains the volatility, and updates beliefs in periods with matches. With other absorb
    rules, or without periods, this drift does nothing. Sigma grows up to `cap`; Glicko-2 itself has no such limit.

    >>> Idle()
    Idle(cap=inf)
    """

    cap: object = float("inf")

    tunable: ClassVar[dict[str, Range]] = {"cap": Range(0.3, 3, log=True, unit="value")}
    blocks = True

    def __post_init__(self) -> None:
        _check_cap(self.cap)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def widen(self, board: Board) -> cython.bint:
        """Add the squared volatility for each period without a match to every variance, up to `cap`²."""
        cap: cython.double = self.cap
        if board.extras == 0 or not board.periods:
            return False
        for k in range(board.entries * board.traits):
            elapsed = k // board.traits * board.stride
            extra = k // board.traits * board.extras * board.stride
            for lane in range(board.lanes):
                volatility = board.extra[extra + lane] * board.unit
                idle = max(board.elapsed[elapsed + lane] - 1.0, 0.0)
                _widen(board, k * board.stride + lane, volatility * volatility * idle, cap)
        return False


@cython.cfunc
@cython.exceptval(check=False)
def _set_step(board: Board, variance: cython.double) -> cython.bint:
    """Describe a drift that adds `variance` to every variance, and changes nothing else (see `Drift.transition`)."""
    for k in range(board.entries * board.traits):
        for lane in range(board.lanes):
            i = k * board.stride + lane
            board.slope[i] = 1.0
            board.mu[i] = 0.0
            board.var[i] = variance
    return False


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _add(board: Board, more: cython.double, lanes: cython.Py_ssize_t, s: cython.Py_ssize_t) -> cython.void:
    """Add `more` to all variances."""
    for k in range(board.entries * board.traits):
        for lane in range(lanes):
            i = k * s + lane
            board.var[i] += more


def _check_cap(cap: object) -> None:
    if cap != float("inf"):
        validate.scale("cap", cap)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _widen(board: Board, cell: cython.Py_ssize_t, more: cython.double, cap: cython.double) -> cython.void:
    """Add `more` to a variance, up to cap². A variance that is already above cap² stays unchanged."""
    var = board.var[cell]
    board.var[cell] = max(var, min(var + more, cap * cap))


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Seasons(Drift):
    """Move every skill towards the mean during a break between seasons, and make the belief less certain.

    A break is a time without matches longer than `gap` (days, if times are dates). After a break, μ ← m + carry (μ − m)
    and σ² ← carry² σ² + season_tau², where m is the newcomers' mean in the model's prior, before anything was learnt.
    If `carry` is 1, skills do not regress. If `carry` is 0, all skills start a season at m. If `carry` is above 1,
    distances from m grow. `within` is the drift within a season.

    >>> import prowess as pw
    >>> model = pw.TrueSkill().replace(drift=Seasons(pw.drift.PerMatch(0.1), carry=0.8, season_tau=1.0))
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": f"202{k}-05-01"} for k in (5, 6)])
    >>> model.fit(history).forecasts.mean.round(2)
    array([25.  , 25.  , 28.52, 21.48])
    """

    within: object
    gap: object = 60.0
    carry: object = 1.0
    season_tau: object = 0.0

    tunable: ClassVar[dict[str, Range]] = {
        "carry": Range(0, 1),
        "season_tau": Range(0.003, 1, log=True, unit="sigma"),
    }
    reverts = True

    @property
    def inner(self) -> Drift:
        """The drift `within`.

        >>> Seasons(Still()).inner
        Still()
        """
        return self.within

    @property
    def by_time(self) -> bool:
        """The attribute `by_time` of the drift `within`.

        >>> Seasons(PerTime(0.1)).by_time
        True
        """
        return self.within.by_time

    @property
    def blocks(self) -> bool:
        """The attribute `blocks` of the drift `within`.

        >>> Seasons(Still()).blocks
        True
        """
        return self.within.blocks

    @property
    def capped(self) -> bool:
        """The attribute `capped` of the drift `within`.

        >>> Seasons(PerTime(0.5, cap=8.0)).capped
        True
        """
        return self.within.capped

    def __post_init__(self) -> None:
        check_component("within", self.within, Drift, "a drift, such as Still() or PerMatch(0.1)")
        validate.scale("gap", self.gap)
        validate.scale("season_tau", self.season_tau, zero=True)
        if not 0.0 <= validate.number("carry", self.carry) <= 2.0:
            raise validate.invalid("carry", "lie between 0 (every season starts afresh) and 2", self.carry)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def widen(self, board: Board) -> cython.bint:
        """Apply the break to every player who comes back from one (see `Seasons`); then apply the drift `within`."""
        gap: cython.double = self.gap
        carry: cython.double = self.carry
        tau: cython.double = self.season_tau
        within: Drift = self.within
        for e in range(board.entries):
            for lane in range(board.lanes):
                if board.elapsed[e * board.stride + lane] * board.span > gap:
                    for k in range(board.traits):
                        i = (e * board.traits + k) * board.stride + lane
                        board.mu[i] = board.centre[k] + carry * (board.mu[i] - board.centre[k])
                        board.var[i] = carry * carry * board.var[i] + tau * tau
        return within.widen(board)
