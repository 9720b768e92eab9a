"""Benchmark of every rating system on the same matches against other packages, and of tournaments of many teams."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import evalica
import glicko2
import numpy as np
import trueskillthroughtime
from riix.models import elo as riix_elo
from riix.models import glicko2 as riix_glicko2

import prowess as pw
from prowess.model.presets import PRESETS

from .figures import Figure
from .timing import interleaved, per_item
from .workloads import Workload, history

PLAYERS = 100_000
SCORES = ("GaussianOD", "GaussianSD", "PoissonOD")
# Targets in nanoseconds per 1v1 match, including forecasts.
LIMITS = {"Elo": 90.0, "Glicko2": 330.0, "GaussianOD": 200.0, "PoissonOD": 400.0}


def systems(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure `fit` of every preset on a history of 1v1 matches, including forecasts."""
    workload = Workload("1v1", int(1_000_000 * scale), PLAYERS)
    past = history(workload)
    points = np.random.default_rng(1).poisson(2.0, past.teams).astype(float)
    pasts = {name: replace(past, score=points) if name in SCORES else past for name in PRESETS}
    models = {name: preset() for name, preset in PRESETS.items()}
    clocks = {
        name: per_item(lambda model=model, past=pasts[name]: model.fit(past), len(past))
        for name, model in models.items()
    }
    rosters = workload.rosters()[:, :, 0]
    peers = {
        "evalica": ("Elo", play_evalica(rosters), len(rosters)),
        "riix Elo": ("Elo", play_riix(riix_elo.Elo, rosters), len(rosters)),
        "riix Glicko-2": ("Glicko2", play_riix(riix_glicko2.Glicko2, rosters[:20_000]), 20_000),
        "glicko2": ("Glicko2", play_glicko2(rosters[:5_000]), 5_000),
        "trueskillthroughtime": ("TrueSkill", play_through_time(rosters[:2_000]), 2_000),
    }
    clocks |= {name: per_item(run, count) for name, (_, run, count) in peers.items()}
    medians = interleaved(clocks, repeats)
    for name in PRESETS:
        yield Figure(f"{name}, per match of 1v1", medians[name], "ns", below=LIMITS.get(name))
    for peer, (name, _, _) in peers.items():
        yield Figure(f"{name}, per match of 1v1", medians[name], "ns", peer, medians[peer])


def play_evalica(rosters: np.ndarray) -> Callable[[], object]:
    """Return a function that runs Elo with evalica, a native library, without forecasts."""
    first, second = rosters[:, 0].tolist(), rosters[:, 1].tolist()
    winners = [evalica.Winner.X] * len(first)
    return lambda: evalica.elo(first, second, winners)


def play_riix(system: type, rosters: np.ndarray) -> Callable[[], object]:
    """Return a function that runs a rating system of riix, including predictions."""
    competitors, won = list(range(PLAYERS)), np.ones(len(rosters))

    def run() -> object:
        return system(competitors=competitors).fit_batch(rosters, won, time_step=0, return_pre_match_probs=True)

    return run


def play_glicko2(rosters: np.ndarray) -> Callable[[], None]:
    """Return a function that runs the package glicko2 with every match as a rating period."""
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
    pairs = rosters.tolist()

    def run() -> None:
        beliefs: dict[int, trueskillthroughtime.Gaussian] = {}
        newcomer = trueskillthroughtime.Gaussian(25.0, 25 / 3)
        for pair in pairs:
            teams = [[trueskillthroughtime.Player(beliefs.get(one, newcomer), 25 / 6, 25 / 300)] for one in pair]
            for one, [belief] in zip(pair, trueskillthroughtime.Game(teams).posteriors(), strict=True):
                beliefs[one] = belief

    return run


def tournaments(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure tournaments of 2,000 and of 20,000 teams of six; ten times as many teams may take 11 times as long."""
    rng = np.random.default_rng(2)
    few, many = 2_000, 20_000
    clocks = {}
    for name in ("TS2", "TS3", "TS2c", "Elo", "Glicko"):
        for count in (few, many):
            past = six_tournaments(rng, count)
            clocks[name, count] = per_item(lambda model=PRESETS[name](), past=past: model.fit(past), 6)  # noqa: B008
    medians = interleaved(clocks, repeats)
    for name in dict.fromkeys(name for name, _ in clocks):
        yield Figure(f"{name}: a tournament of {few:,} teams of six on 40 places", medians[name, few], "ms")
        against = {"peer": f"{few:,} teams", "peer_seconds": medians[name, few], "at_most": 11.0}
        yield Figure(f"{name}: a tournament of {many:,}", medians[name, many], "ms", **against)


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
