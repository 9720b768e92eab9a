"""Matches in which the home team nearly always wins, so that a better model than TrueSkill is easily found."""

from itertools import permutations

NAMES = ("Ann Arbour", "Bob Brook", "Cat Castle", "Dan Dune", "Eve Estuary")


def home_wins(number, first=0):
    """Return `number` matches with ids that count from `first`; the home team loses one match in ten."""
    pairs = list(permutations(NAMES, 2))
    return [
        {
            "id": f"m{at}",
            "teams": [[home] for home in pairs[7 * at % len(pairs)]],
            "home": 0,
            "ranks": [2, 1] if at % 10 == 3 else [1, 2],
        }
        for at in range(first, first + number)
    ]
