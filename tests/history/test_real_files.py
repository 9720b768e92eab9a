"""Real files of all kinds, read without options, give the same matches as a plain Python reader."""

import csv
import gzip
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path

import pytest

from prowess.history import History

Teams = list[tuple[str, float]]  # names and keys, where the lowest key wins: places, or negated scores
Reader = Callable[[list[dict[str, str]]], list[tuple[str, Teams, bool]]]


def rows_of(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def scored(home: str, away: str, hg: str, ag: str) -> Reader:
    """Read files of home and away teams with their scores."""
    return lambda rows: [
        (row["date"], [(row[home], -float(row[hg])), (row[away], -float(row[ag]))], row.get("neutral") != "TRUE")
        for row in rows
    ]


def votes(rows: list[dict[str, str]]) -> list[tuple[str, Teams, bool]]:
    won = {"left": (1, 2), "right": (2, 1), "tie": (1, 1)}
    return [
        ("None", [(row[side], won[row["winner"]][place]) for place, side in enumerate(("left", "right"))], False)
        for row in rows
    ]


def tournaments(rows: list[dict[str, str]]) -> list[tuple[str, Teams, bool]]:
    found: dict[str, tuple[str, Teams, bool]] = {}
    for row in rows:
        _, teams, _ = found.setdefault(row["tournament_id"], (row["date"], [], False))
        teams.append((row["team_id"], float(row["position"])))
    return [match for match in found.values() if len(match[1]) > 1]


def races(rows: list[dict[str, str]]) -> list[tuple[str, Teams, bool]]:
    found: dict[str, tuple[str, dict[str, float]]] = {}
    for row in rows:
        if row["position"] in ("DNS", "DNQ", "DNPQ", "DNP"):
            continue
        _, best = found.setdefault(row["race_id"], (row["date"], {}))
        place = float(row["position"]) if row["position"].isdigit() else 1000.0
        best[row["driverId"]] = min(place, best.get(row["driverId"], 1000.0))
    return [(date, list(best.items()), False) for date, best in found.values()]


FILES: dict[str, Reader] = {
    "premier_league_1995_2009.csv": scored("home", "away", "hg", "ag"),
    "afl_1999_2009.csv": scored("home", "away", "home_points", "away_points"),
    "international_football.csv": scored("home_team", "away_team", "home_score", "away_score"),
    "llm_comparisons.csv": votes,
    "chgk_team_results.csv.gz": tournaments,
    "f1_race_results.csv": races,
}


@pytest.mark.parametrize("name", FILES)
def test_every_match_of_a_real_file_is_read_without_options(data: Path, name: str) -> None:
    history = History.read(data / name)
    expected = sorted(FILES[name](rows_of(data / name)), key=lambda match: match[0])  # stable, as in `History`
    assert len(history) == len(expected)
    for number, (date, teams, at_home) in enumerate(expected):
        match = history[number]
        values = sorted(value for _, value in teams)
        first = int(history.match_start[number])
        places = {who[0]: int(history.place[first + index]) for index, who in enumerate(match["teams"])}
        assert places == {who: 1 + bisect_left(values, value) for who, value in teams}
        assert (str(match.get("time")), match.get("home") == 0) == (date, at_home)
        if "scores" in match and values[-1] <= 0:
            assert match["scores"] == [-value for _, value in teams]
