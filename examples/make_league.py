"""Write two invented leagues, league.csv and clubs.csv, with their true skills: league_truth.csv and clubs_truth.csv.

    python examples/make_league.py

Twenty-four players start with true skills around 25, which drift from week to week: some players improve fast, some get
weaker. A match is 1v1 or 2v2 (names separated by ";"). The performances decide the margin of the score, and the points
of the losing team are random.

In clubs.csv, twelve football clubs play six seasons, everybody against everybody at home and away. Home teams score
more, a quarter of the matches are drawn, and the clubs' strengths change from season to season.
"""

import csv
from datetime import date, timedelta
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
NAMES = (
    "Ada", "Björn", "Chidi", "Dmitri", "Eléonore", "Fatima", "Grzegorz", "Hana", "İpek", "João", "Keiko", "Liam",
    "Mbali", "Niamh", "Øyvind", "Priya", "Quentin", "Rosa María", "Søren", "Tomasz", "Uma", "Věra", "Wei", "Zoë",
)  # fmt: skip
START = date(2025, 9, 1)
WEEKS, MATCHES = 40, 400
BETA = 4.0  # standard deviation of one player's performance around the skill
POINT = 2.0  # a difference in performance of this size is worth one point

CLUBS = (
    "Ashford Park", "Bellmoor", "Carrick Vale", "Dunwich", "Eastholm", "Farley United", "Greywater", "Holloway Bridge",
    "Inverlea", "Juniper Hill", "Kingsmere", "Langdale",
)  # fmt: skip
SEASONS = 6
GOALS = 1.25  # goals of a team against an equal one, on neutral ground
HOME = 0.18  # added to the logarithm of the home team's expected goals, and subtracted from the away team's


def main() -> None:
    """Draw skills, play all matches, write the files."""
    rng = np.random.default_rng(1873)
    skills = draw_skills(rng)
    eagerness = rng.gamma(9, size=len(NAMES))
    days = np.sort(rng.integers(0, 7 * WEEKS, MATCHES))
    matches = [play(rng, int(day), skills[day // 7], eagerness / eagerness.sum()) for day in days]
    write("league.csv", ("date", "team1", "team2", "score1", "score2"), matches)
    truth = [
        (week + 1, START + timedelta(weeks=week), name, f"{skills[week, i]:.3f}")
        for week in range(WEEKS)
        for i, name in enumerate(NAMES)
    ]
    write("league_truth.csv", ("week", "date", "player", "skill"), truth)
    matches, truth = play_seasons(np.random.default_rng(1888))
    write("clubs.csv", ("date", "home", "away", "home_goals", "away_goals"), matches)
    write("clubs_truth.csv", ("season", "date", "club", "strength"), truth)


def draw_skills(rng: np.random.Generator) -> np.ndarray:
    """Return true skills by week and player: a start, a personal trend that levels off, and a slow random walk."""
    start = rng.normal(25, 5, len(NAMES))
    trend = rng.normal(0, 3, len(NAMES))
    trend[[2, 10, 17]] = 9, -7, 8  # two players improve a lot, and one gets weaker
    pace = 1 - np.exp(-np.arange(WEEKS) / 15)
    walk = rng.normal(0, 0.35, (WEEKS, len(NAMES))).cumsum(axis=0)
    return start + np.outer(pace, trend) + walk


def play(rng: np.random.Generator, day: int, skill: np.ndarray, chance: np.ndarray) -> tuple:
    """Play one match; return its date, the players of both teams, and the score."""
    size = 1 if rng.random() < 0.65 else 2
    players = rng.choice(len(NAMES), 2 * size, replace=False, p=chance)
    sides = players[:size], players[size:]
    one, two = (skill[side].mean() + rng.normal(0, BETA / np.sqrt(size)) for side in sides)
    margin, losing = round((one - two) / POINT), int(rng.poisson(2))
    scores = losing + max(margin, 0), losing + max(-margin, 0)
    return START + timedelta(days=day), *(";".join(NAMES[i] for i in side) for side in sides), *scores


def play_seasons(rng: np.random.Generator) -> tuple[list[tuple], list[tuple]]:
    """Return the matches of the clubs and their true strengths: in every season, all play all at home and away."""
    strength = rng.normal(0, 0.35, len(CLUBS))
    matches, truth = [], []
    for season in range(SEASONS):
        first = date(2020 + season, 8, 22)
        truth += [(season + 1, first, club, f"{value:.3f}") for club, value in zip(CLUBS, strength, strict=True)]
        for week, pairs in enumerate(rounds(rng)):
            day = first + timedelta(weeks=week)
            for home, away in pairs:
                lead = strength[home] - strength[away] + HOME
                goals = rng.poisson(GOALS * np.exp([lead, -lead])).tolist()
                matches.append((day, CLUBS[home], CLUBS[away], *goals))
        strength = 0.8 * strength + rng.normal(0, 0.2, len(CLUBS))
    return matches, truth


def rounds(rng: np.random.Generator) -> list[list[tuple[int, int]]]:
    """Return the pairs (home, away) of every round: one club keeps its seat, and the others move around the table."""
    table = rng.permutation(len(CLUBS)).tolist()
    first_half = []
    for number in range(len(table) - 1):
        pairs = list(zip(table[: len(table) // 2], reversed(table[len(table) // 2 :]), strict=True))
        first_half.append([pair if number % 2 else pair[::-1] for pair in pairs])
        table = [table[0], table[-1], *table[1:-1]]
    return first_half + [[(away, home) for home, away in pairs] for pairs in first_half]


def write(name: str, columns: tuple[str, ...], rows: list[tuple]) -> None:
    """Write a CSV file to the folder of this script."""
    with (HERE / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])
    print(f"{name}: {len(rows)} rows")


if __name__ == "__main__":
    main()
