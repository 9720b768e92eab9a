"""Simulated tennis in which every player is much better on some surfaces than on others."""

import random

SURFACES = ("clay", "grass", "hard")


def tennis(number, seed=1, deviation=1.5, **more):
    """Return `number` matches with ids; `deviation` says how much players differ by surface, compared with skills.

    Each of `more` is a column: a function of the number of the match and of a source of chance.
    """
    chance = random.Random(seed)
    names = [f"player {letter}" for letter in "abcdefghijkl"]
    skills = {name: chance.gauss(0.0, 1.0) for name in names}
    deviations = {(name, surface): chance.gauss(0.0, deviation) for name in names for surface in SURFACES}
    matches = []
    for at in range(number):
        pair, surface = chance.sample(names, 2), chance.choice(SURFACES)
        first, second = (skills[name] + deviations[name, surface] + chance.gauss(0.0, 1.0) for name in pair)
        context = {"surface": surface} | {name: column(at, chance) for name, column in more.items()}
        ranks = [1, 2] if first > second else [2, 1]
        matches.append({"id": f"m{at}", "teams": [[name] for name in pair], "ranks": ranks, "context": context})
    return matches
