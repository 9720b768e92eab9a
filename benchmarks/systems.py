"""Benchmark of every rating system on the same matches against other packages, and of tournaments of many teams."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

import prowess as pw
from prowess.model.presets import PRESETS

from .figures import Figure
from .peers import installed
from .timing import interleaved, per_item
from .workloads import Workload, history, scaled

PLAYERS = 100_000
SCORES = ("GaussianOD", "GaussianSD", "PoissonOD")
LEARNT = {
    "TrueSkill, learnt home": pw.TrueSkill().replace(home=pw.Home(0.0, home_sigma=1.0)),
    "TrueSkill, learnt draws": pw.TrueSkill(draw_probability="learnt"),
}
# Targets in nanoseconds per 1v1 match, including forecasts.
LIMITS = {"Elo": 90.0, "Glicko2": 330.0, "GaussianOD": 200.0, "PoissonOD": 400.0}
ON_DEMAND = 2_000  # matches; the win probabilities of Poisson-OD are integrals, computed when they are first used


def systems(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure `fit` of every preset on a history of 1v1 matches, including forecasts."""
    rosters = Workload("1v1", scaled(1_000_000, scale), PLAYERS).rosters()
    past = history(rosters)
    points = np.random.default_rng(1).poisson(2.0, past.teams).astype(float)
    scored, at_home = replace(past, score=points), replace(past, home=np.zeros(len(past), np.int16))
    models = {name: preset() for name, preset in PRESETS.items()} | LEARNT
    pasts = dict.fromkeys(SCORES, scored) | dict.fromkeys(LEARNT, at_home)
    clocks = {
        (name, ""): per_item(partial(model.fit, pasts.get(name, past)), len(past)) for name, model in models.items()
    }
    clocks |= {
        (system, peer): per_item(play(rosters[:count, :, 0]), min(count, len(rosters)))
        for system, peer, play, count in PEERS
        if installed(peer)
    }
    few = scored[: scaled(ON_DEMAND, scale, 10)]
    clocks["PoissonOD", "few"] = per_item(lambda: models["PoissonOD"].fit(few).forecasts.win, len(few))
    medians = interleaved(clocks, repeats)
    for name in models:
        yield Figure(name, medians[name, ""], "ns", below=LIMITS.get(name))
    for name, peer, *_ in PEERS:
        yield Figure(name, medians[name, ""], "ns", peer, medians.get((name, peer)))
    yield Figure("PoissonOD, with win probabilities", medians["PoissonOD", "few"], "µs")


def play_evalica(rosters: np.ndarray) -> Callable[[], object]:
    """Return a function that runs Elo with evalica, a native library, without forecasts."""
    import evalica

    first, second = rosters[:, 0].tolist(), rosters[:, 1].tolist()
    winners = [evalica.Winner.X] * len(first)
    return lambda: evalica.elo(first, second, winners)


def play_riix_elo(rosters: np.ndarray) -> Callable[[], object]:
    """Return a function that runs Elo with riix, including predictions."""
    from riix.models.elo import Elo

    return _riix(Elo, rosters)


def play_riix_glicko2(rosters: np.ndarray) -> Callable[[], object]:
    """Return a function that runs Glicko-2 with riix, including predictions."""
    from riix.models.glicko2 import Glicko2

    return _riix(Glicko2, rosters)


def _riix(system: type, rosters: np.ndarray) -> Callable[[], object]:
    competitors, won = list(range(PLAYERS)), np.ones(len(rosters))

    def run() -> object:
        return system(competitors=competitors).fit_batch(rosters, won, time_step=0, return_pre_match_probs=True)

    return run


def play_glicko2(rosters: np.ndarray) -> Callable[[], None]:
    """Return a function that runs the package glicko2 with every match as a rating period."""
    import glicko2

    pairs = rosters.tolist()

    def run() -> None:
        players: dict[int, glicko2.Player] = {}
        for winner, loser in pairs:
            a, b = (players.setdefault(player, glicko2.Player()) for player in (winner, loser))
            before = (a.rating, a.rd)
            a.update_player([b.rating], [b.rd], [1])
            b.update_player([before[0]], [before[1]], [0])

    return run


def play_through_time(rosters: np.ndarray) -> Callable[[], None]:
    """Return a function that rates match by match with trueskillthroughtime (filtering only)."""
    from trueskillthroughtime import Game, Gaussian, Player

    pairs = rosters.tolist()

    def run() -> None:
        beliefs: dict[int, Gaussian] = {}
        newcomer = Gaussian(25.0, 25 / 3)
        for pair in pairs:
            teams = [[Player(beliefs.get(one, newcomer), 25 / 6, 25 / 300)] for one in pair]
            for one, [belief] in zip(pair, Game(teams).posteriors(), strict=True):
                beliefs[one] = belief

    return run


# The system, the package, how it plays, and how many of the matches, because some packages are slow.
PEERS = (
    ("Elo", "evalica", play_evalica, 1_000_000),
    ("Elo", "riix", play_riix_elo, 200_000),
    ("Glicko2", "riix", play_riix_glicko2, 20_000),
    ("Glicko2", "glicko2", play_glicko2, 5_000),
    ("TrueSkill", "trueskillthroughtime", play_through_time, 2_000),
)


def tournaments(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure tournaments of 2,000 and of 20,000 teams of six; ten times as many teams may take 11 times as long."""
    rng, clocks = np.random.default_rng(2), {}
    pasts = {count: six_tournaments(rng, scaled(count, scale, 20)) for count in (2_000, 20_000)}
    for name in ("TS2", "TS3", "TS2c", "Elo", "Glicko"):
        for count, past in pasts.items():
            clocks[name, count] = per_item(partial(PRESETS[name]().fit, past), 6)
    medians = interleaved(clocks, repeats)
    few, many = pasts
    for name in dict.fromkeys(name for name, _ in clocks):
        yield Figure(f"{name}, {few:,} teams", medians[name, few], "ms")
        against = {"peer": f"for {few:,} teams", "theirs": medians[name, few], "at_most": 11.0}
        yield Figure(f"{name}, {many:,} teams", medians[name, many], "ms", **against)


def six_tournaments(rng: np.random.Generator, teams: int) -> pw.History:
    """Return six tournaments of the same teams, with ties."""
    skill = rng.normal(0, 1, teams)
    names = [[f"{team}-{member}" for member in range(6)] for team in range(teams)]
    matches = []
    for _ in range(6):
        shown = skill + rng.normal(0, 0.5, teams)
        places = np.digitize(shown, np.linspace(shown.min(), shown.max(), 40)[:-1])
        matches.append({"teams": names, "scores": places.astype(float).tolist()})
    return pw.History.from_matches(matches)
