"""How often 90 % intervals hold the true skills of leagues that follow each model's own process; prints a table.

    python tools/calibration.py [players]

In a round everybody plays once, against random others. The level of a league is not identified by its matches, so the
mean error of each skill is subtracted first. With 4,000 players the standard error of a coverage is half a percent.
"""

import sys

import numpy as np

import prowess as pw

PLAYERS = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
QUANTILE = 1.6448536269514722  # of the standard normal, at 95 %
HUGE = 1e15  # a rate from which a count is known to the last digit of a double


def rounds(rng, count, teams):
    """Who meets whom: matches × teams, round after round."""
    return np.concatenate(
        [rng.permutation(PLAYERS)[: PLAYERS // teams * teams].reshape(-1, teams) for _ in range(count)]
    )


def differences(points):
    """What decides a match of two: the one's points less the other's, against none."""
    return np.stack([points[:, 0, 0] - points[:, 1, 0], np.zeros(len(points))], axis=1)


def against(points):
    """Each offence less the other's defence."""
    return points[:, :, 0] - points[:, ::-1, 1]


def drawn(margin):
    """The better of two wins, unless they are nearer than the margin."""
    return lambda rng, shown: np.where(np.abs(differences(shown)) > margin, differences(shown), 0.0)


def placed(rng, shown):
    """By performance; ties do not occur."""
    return shown[:, :, 0]


def rounded(margin):
    """Performances are rounded to a grid of twice the margin, with another phase in each match."""
    return lambda rng, shown: np.floor(shown[:, :, 0] / (2 * margin) + rng.random((len(shown), 1)))


def bradley_terry(rng, shown):
    """Odds of ten to one for 400 points."""
    return differences(shown) + [400 / np.log(10), 0] * rng.logistic(size=(len(shown), 2))


def normal(gamma):
    """Scores of offence against defence with noise."""
    return lambda rng, shown: rng.normal(against(shown), gamma)


def normal_differences(gamma):
    """Differences of scores with noise."""
    return lambda rng, shown: differences(shown) + [gamma, 0] * rng.standard_normal((len(shown), 2))


def counts(rng, shown):
    """Poisson counts; the huge ones of the paper's priors have no visible spread."""
    rates = np.exp(against(shown))
    return np.where(rates < HUGE, rng.poisson(np.minimum(rates, HUGE)), np.floor(rates))


MODELS = [  # what it is called, the model, what its league sees of performances, teams in a match, rounds
    ("TrueSkill, margin 4", pw.TrueSkill(tau=0.0, margin=4.0), drawn(4.0), 2, 15),
    ("GaussianOD, gamma 6", pw.GaussianOD(gamma=6.0), normal(6.0), 2, 15),
    ("GaussianSD, gamma 6", pw.GaussianSD(gamma=6.0), normal_differences(6.0), 2, 15),
    ("PoissonOD, sigma 0.3", pw.PoissonOD(mu=0.5, sigma=0.3, beta=0.1), counts, 2, 15),
    ("PoissonOD, sigma 1", pw.PoissonOD(mu=0.5, sigma=1.0, beta=0.3), counts, 2, 15),
    ("PoissonOD, the paper's priors", pw.PoissonOD(), counts, 2, 15),
    ("TS2a, margin 0.001, no ties", pw.TS2a(margin=1e-3), placed, 8, 6),
    ("TS2a, margin 100, some ties", pw.TS2a(margin=100.0), rounded(100.0), 8, 6),
    ("TS2a, margin 400, many ties", pw.TS2a(margin=400.0), rounded(400.0), 8, 6),
    ("TS3, margin 100", pw.TS3(margin=100.0, discount=0.0), rounded(100.0), 8, 6),
    ("TS3, margin 400", pw.TS3(margin=400.0, discount=0.0), rounded(400.0), 8, 6),
    ("TS2c, margin 400", pw.TS2c(margin=400.0, discount=0.0), rounded(400.0), 8, 6),
    ("Glicko, a period a match", pw.Glicko(c=0.0, period=None), bradley_terry, 2, 15),
    ("Glicko, a period of 5 rounds", pw.Glicko(c=0.0, period=5.0), bradley_terry, 2, 15),
]


def errors(model, see, teams, count):
    """(truth − mean)/sigma of every player and skill after all rounds."""
    rng = np.random.default_rng(1)
    traits = model.pipeline.traits
    truth = rng.normal(model.prior.mu, model.prior.sigma, (PLAYERS, traits))
    pairs = rounds(rng, count, teams)
    scores = see(rng, rng.normal(truth[pairs], model.noise)).tolist()
    matches = [
        {"teams": [[f"p{player}"] for player in match], "scores": points, "time": float(n * teams // PLAYERS)}
        for n, (match, points) in enumerate(zip(pairs.tolist(), scores, strict=True))
    ]
    ladder = model.fit(pw.History.from_matches(matches), progress=False).ladder
    rows = [ladder.rows[f"p{player}"] for player in range(PLAYERS)]
    beliefs = ladder.settled[rows, : 2 * traits].reshape(PLAYERS, traits, 2)
    error = truth - beliefs[:, :, 0]
    return (error - error.mean(axis=0)) / np.sqrt(beliefs[:, :, 1])


def main():
    print(f"{'model':32}{'rounds':>6}{'of':>4}{'covered':>10}{'error/sigma':>14}")
    for number, (name, model, see, teams, count) in enumerate(MODELS, 1):
        print(f"{number} of {len(MODELS)}: {name} …", end="\r", file=sys.stderr, flush=True)
        found = errors(model, see, teams, count)
        covered, size = (np.abs(found) < QUANTILE).mean(), np.sqrt((found**2).mean())
        print(f"{name:32}{count:6}{teams:4}{covered:10.1%}{size:14.2f}", flush=True)


if __name__ == "__main__":
    main()
