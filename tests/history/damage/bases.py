"""Undamaged files of different kinds, each with a strict line reader that shares no code with the package."""

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import NamedTuple

NAMES = ("Ann Lee", "Bob", "Café Noir", "Dan O'Neil", "Ёлка", "Fay-Rose", "Gus", "北京", "Ida", "Jörg")
_NAME = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*")

Key = tuple[str, frozenset[tuple[tuple[str, ...], int, float | None, bool]]]
Players = tuple[str, ...]


class Row(NamedTuple):
    """The content of a line: its match id (None if every line is a match), time, and teams with their results."""

    match: str | None
    time: str
    teams: tuple[tuple[Players, float, float | None, bool], ...]


@dataclass(frozen=True)
class Base:
    """A kind of file: its name, separator, header and lines, and how the cells of a line are read."""

    name: str
    separator: str
    header: str
    lines: tuple[str, ...]
    read: Callable[[list[str]], Row | None]
    grouped: bool = False  # whether a match has several lines

    def row(self, line: str) -> Row | None:
        """Read a line; return None if any part of it is unusual."""
        if line.count('"') % 2 or any(not letter.isprintable() and letter != "\t" for letter in line):
            return None
        try:
            [cells] = csv.reader([line], delimiter=self.separator, strict=True)
        except (csv.Error, ValueError):
            return None
        if '"' in "".join(cells) or ('"' in line and self.separator not in "".join(cells)):
            return None
        width = self.header.count(self.separator) + 1
        while len(cells) > width and not cells[-1].strip():
            cells.pop()
        return self.read([cell.strip(" ") for cell in cells]) if len(cells) == width else None

    def text(self) -> str:
        """Return the content of the file."""
        return "\n".join((self.header, *self.lines)) + "\n"


def key(time: str, teams: "list[tuple[Players, float, float | None, bool]]") -> Key:
    """Return a canonical form of a match: places are recounted, and the order of teams and players does not matter."""
    values = [value for _, value, _, _ in teams]
    return time, frozenset(
        (tuple(sorted(who)), 1 + sum(other < value for other in values), score, home)
        for who, value, score, home in teams
    )


def _day(text: str, pattern: str = r"(\d{4})-(\d\d)-(\d\d)", order: str = "ymd") -> str | None:
    found = re.fullmatch(pattern, text)
    if found is None:
        return None
    part = dict(zip(order, map(int, found.groups()), strict=True))
    try:
        day = date(part["y"], part["m"], part["d"])
    except ValueError:
        return None
    return day.isoformat() if 1990 <= day.year <= 2050 else None  # dates outside these years are treated as damage


def _score(text: str) -> float | None:
    return float(text) if re.fullmatch(r"0|[1-9]\d?", text) else None


def _names(*cells: str) -> bool:
    return all(_NAME.fullmatch(cell) for cell in cells)


def _scored(
    sides: list[Players], scores: tuple[float | None, ...], home: bool
) -> tuple[tuple[Players, float, float | None, bool], ...] | None:
    if None in scores:
        return None
    return tuple(
        (who, -float(score or 0), score, home and not index)
        for index, (who, score) in enumerate(zip(sides, scores, strict=True))
    )


def _football(cells: list[str]) -> Row | None:
    day, home, away, hg, ag, neutral = cells
    when, teams = _day(day), _scored([(home,), (away,)], (_score(hg), _score(ag)), neutral == "FALSE")
    good = when and teams and _names(home, away) and home != away and neutral in ("TRUE", "FALSE")
    return Row(None, when or "", teams or ()) if good else None


def _tennis(cells: list[str]) -> Row | None:
    day, winner, loser, _ = cells
    when = _day(day, r"(\d\d)\.(\d\d)\.(\d{4})", "dmy")
    teams = (((winner,), 1.0, None, False), ((loser,), 2.0, None, False))
    fine = re.fullmatch(r"\d-\d \d-\d", cells[3])
    return Row(None, when, teams) if when and _names(winner, loser) and winner != loser and fine else None


def _race(cells: list[str]) -> Row | None:
    race, day, driver, place = cells
    when = _day(day)
    value = 1000.0 if place == "DNF" else _score(place)
    good = when and value and _names(driver) and re.fullmatch(r"r\d+", race)
    return Row(race, when or "", (((driver,), value or 0.0, None, False),)) if good else None


def _vote(cells: list[str]) -> Row | None:
    left, right, winner = cells
    if winner not in ("left", "right", "tie") or not _names(left, right) or left == right:
        return None
    won = {"left": (1.0, 2.0), "right": (2.0, 1.0), "tie": (1.0, 1.0)}[winner]
    return Row(None, "-", (((left,), won[0], None, False), ((right,), won[1], None, False)))


def _roster(cells: list[str]) -> Row | None:
    match, team, player, score = cells
    value = _score(score)
    good = value is not None and _names(player) and re.fullmatch(r"m\d+", match) and team in ("red", "blue")
    return Row(match, "-", (((team, player), -(value or 0.0), value, False),)) if good else None


def _lists(cells: list[str]) -> Row | None:
    day, one, other, first, second = cells
    sides = [tuple(side.split(", ")) for side in (one, other)]
    when, teams = _day(day), _scored(sides, (_score(first), _score(second)), False)
    good = when and teams and _names(*sides[0], *sides[1]) and len({*sides[0], *sides[1]}) == 4
    return Row(None, when or "", teams or ()) if good and all(len(side) == 2 for side in sides) else None


def bases(rows: int = 18) -> tuple[Base, ...]:
    """Return the undamaged files of every kind."""
    random = Random(1)

    def two(count: int = 2) -> list[str]:
        return random.sample(NAMES, count)

    def day(index: int) -> date:
        return date(2024, 1 + index // 3, 1 + 5 * (index % 3) + random.randrange(13, 18) * (index % 2))

    def goals() -> str:
        return str(random.randrange(6))

    football, tennis, races, votes, rosters, lists = [], [], [], [], [], []
    for index in range(rows):
        when = day(index)
        football.append(",".join((f"{when}", *two(), goals(), goals(), random.choice(("TRUE", "FALSE")))))
        tennis.append(";".join((f"{when:%d.%m.%Y}", *two(), "6-4 6-3")))
        votes.append(",".join((*two(), random.choice(("left", "right", "tie")))))
        a, b, c, d = two(4)
        lists.append(f'{when},"{a}, {b}","{c}, {d}",{goals()},{goals()}')
    for index in range(rows // 4):
        when = day(index)
        drivers = two(5)
        races += [f"r{index}\t{when}\t{who}\t{place if place < 5 else 'DNF'}" for place, who in enumerate(drivers, 1)]
        red, blue = sorted((random.randrange(10, 60), random.randrange(60, 99)), key=lambda _: random.random())
        rosters += [
            f"m{index}|{'red' if k < 2 else 'blue'}|{who}|{red if k < 2 else blue}" for k, who in enumerate(two(4))
        ]
    return (
        Base("football.csv", ",", "date,home_team,away_team,home_score,away_score,neutral", tuple(football), _football),
        Base("tennis.csv", ";", "Datum;Sieger;Verlierer;Ergebnis", tuple(tennis), _tennis),
        Base("races.tsv", "\t", "race_id\tdate\tdriver\tposition", tuple(races), _race, grouped=True),
        Base("votes.csv", ",", "left,right,winner", tuple(votes), _vote),
        Base("rosters.txt", "|", "match|team|player|score", tuple(rosters), _roster, grouped=True),
        Base("lists.csv", ",", "date,team1,team2,score1,score2", tuple(lists), _lists),
    )
