"""Boards for tests of single components, filled as the pipeline fills them, with team averages as performances."""

import prowess as pw


def lay_out(
    outcome, teams, places, *, beta=0.0, shares=None, offset=None, side=None, home=-1, memory=(0.0, 0.0), package=pw
):
    """Return the board of a match of players (mu, sigma) in teams; `side` is the home advantage (mu, sigma)."""
    board = package.Board(len(teams), sum(map(len, teams)), memory=len(outcome.remembers))
    board.beta = beta
    outcome.prepare(board)
    for number, value in enumerate(memory[: len(outcome.remembers)]):
        board.memory[number] = value
    entry = 0
    for j, team in enumerate(teams):
        own = shares[j] if shares else [1.0] * len(team)
        board.place[j] = places[j]
        board.offset[j] = board.mean[j] = offset[j] if offset else 0.0
        board.noise[j] = board.variance[j] = 0.0
        for (mu, sigma), share in zip(team, own, strict=True):
            alpha = share / sum(own)
            board.mu[entry], board.var[entry], board.alpha[entry], board.games[entry] = mu, sigma**2, alpha, 1.0
            board.mean[j] += alpha * mu
            board.noise[j] += alpha**2 * beta**2
            board.variance[j] += alpha**2 * (beta**2 + sigma**2)
            entry += 1
        board.start[j + 1] = entry
    if side:
        board.side = package.Board(1, 1)
        board.side.mu[0], board.side.var[0] = side[0], side[1] ** 2
        if home >= 0:
            board.mean[home] += side[0]
            board.variance[home] += side[1] ** 2
            board.added[home] = side[1] ** 2
    board.home = home
    if len(teams) == 2:
        outcome.forecast(board)
    return board


def gathered(outcome, absorb, mu, sigma, g1, g2, *, games=1.0, extra=(), beta=0.0):
    """Return a board with one player at the end of a rating period, with the sums gathered in the period."""
    board = pw.Board(1, 1, extras=len(absorb.extras), memory=len(outcome.remembers))
    board.beta = beta
    outcome.prepare(board)
    board.mu[0], board.var[0], board.g1[0], board.g2[0], board.games[0] = mu, sigma**2, g1, g2, games
    absorb.welcome(board, 0)
    for number, value in enumerate(extra):
        board.extra[number] = value
    absorb.absorb(board)
    return board


def ratings(board):
    """Return the means on a board, nested like the teams."""
    return [list(board.mu[board.start[j] : board.start[j + 1]]) for j in range(board.teams)]
