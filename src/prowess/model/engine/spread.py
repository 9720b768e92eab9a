"""Divides what a match has taught: the results of teams among their players, and those of players among their rows.

The share of a variance that remains after a match is never computed by a subtraction that could lose digits.
"""

from __future__ import annotations

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from .board import Board


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _kept(own: cython.double, rest: cython.double, whole: cython.double, left: cython.double) -> cython.double:
    kept = (rest + own * left) / (whole if own > 0.0 else 1.0)
    kept = kept if kept < 1.0 else 1.0
    return kept if own > 0.0 else 1.0


def kept_share(own: cython.double, rest: cython.double, whole: cython.double, left: cython.double) -> cython.double:
    """Return the share of a variance that remains, if the share `left` of the variance of a sum remains.

    `own` is what the variance contributes to the `whole` of the sum, and `rest` what all others contribute.

    >>> kept_share(1.0, 3.0, 4.0, 0.5)
    0.875
    """
    return _kept(own, rest, whole, left)


def keep_shares(
    own: cython.double[::1],
    rest: cython.double[::1],
    whole: cython.double[::1],
    left: cython.double[::1],
    lanes: cython.Py_ssize_t,
) -> cython.void:
    """Replace the shares `left` of the sums in all lanes by the shares of the single variances (see `kept_share`)."""
    for lane in range(lanes):
        left[lane] = _kept(own[lane], rest[lane], whole[lane], left[lane])


def spread(board: Board) -> cython.void:
    """Derive `g1`, `g2` and `kept` of every player from the team's results: g₁ = α d₁ and g₂ = α² d₂.

    v is the variance of the team's performance, and u the share of v that remains after the outcome. With r = α²σ²/v,
    the share (1 − r) + r u of the variance of a player's skill is kept. If a player has most of the team's variance,
    1 − r is computed as a sum over the other players, because a subtraction would lose digits. At most one player per
    team has most of the variance, so the cost stays linear.
    """
    if board.stride == 1:
        _spread(board, 1, 1)
    else:
        _spread(board, board.lanes, board.stride)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _spread(board: Board, lanes: cython.Py_ssize_t, s: cython.Py_ssize_t) -> cython.void:
    for j in range(board.teams):
        alone = 1.0 if board.start[j + 1] - board.start[j] == 1 else 0.0
        for k in range(board.traits):
            team = (j * board.traits + k) * s
            for e in range(board.start[j], board.start[j + 1]):
                entry = (e * board.traits + k) * s
                heavy = 0
                for lane in range(lanes):
                    alpha = board.alpha[entry + lane]
                    own = alpha * alpha * board.var[entry + lane]
                    whole = board.variance[team + lane]
                    # Without team-mates, noise and the uncertainty of home advantage and effects are all that remains.
                    bare = board.noise[team + lane] + board.added[team + lane]
                    rest = alone * bare + (1.0 - alone) * (whole - own)
                    kept = _kept(own, rest, whole, board.left[team + lane])
                    heavy += 1 if own * (1.0 - alone) > rest else 0
                    board.g1[entry + lane] = alpha * board.d1[team + lane]
                    board.g2[entry + lane] = alpha * alpha * board.d2[team + lane]
                    board.kept[entry + lane] = kept
                if heavy > 0:
                    _keep_heavy(board, j, k, e)


@cython.cfunc
@cython.exceptval(check=False)
def _keep_heavy(board: Board, j: cython.Py_ssize_t, k: cython.Py_ssize_t, e: cython.Py_ssize_t) -> cython.void:
    """Set `kept` of a player who has most of the variance of the team."""
    s = board.stride
    for n in range(board.lanes):
        i = (e * board.traits + k) * s + n
        t = (j * board.traits + k) * s + n
        own = board.alpha[i] * board.alpha[i] * board.var[i]
        if own > board.variance[t] - own:
            rest = board.noise[t]
            for f in range(board.start[j], board.start[j + 1]):
                if f != e:
                    other = (f * board.traits + k) * s + n
                    rest += board.alpha[other] * board.alpha[other] * board.var[other]
            board.kept[i] = _kept(own, rest + board.added[t], board.variance[t], board.left[t])


def divide(board: Board, rows: Board, rest: cython.double[::1]) -> cython.void:
    """Derive `g1`, `g2` and `kept` of rows from those of the sums on the board.

    The weights of the rows are in `rows.alpha`; `rest` is what all other rows contribute to the variances of the sums.
    """
    for k in range(board.entries * board.traits):
        for lane in range(board.lanes):
            i = k * board.stride + lane
            weight = rows.alpha[i]
            own = weight * weight * rows.var[i]
            kept = _kept(own, rest[i], board.var[i], board.kept[i])
            rows.g1[i] = weight * board.g1[i]
            rows.g2[i] = weight * weight * board.g2[i]
            # Rounding must not change a row without company.
            rows.kept[i] = board.kept[i] if rest[i] == 0.0 and own > 0.0 else kept


def add_variances(rows: Board, total: cython.double[::1]) -> cython.void:
    """Add what the rows contribute to the variances of the sums."""
    for k in range(rows.entries * rows.traits):
        for lane in range(rows.lanes):
            i = k * rows.stride + lane
            total[i] += rows.alpha[i] * rows.alpha[i] * rows.var[i]
