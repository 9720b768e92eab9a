"""Lists that grow by plain matches, looked at one at a time, so that an error names the match and what is wrong."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import nan
from typing import Any

import numpy as np

from ..errors import Error, Remark
from ..validate import number, team_index
from .columns.raw_matches import Draft
from .names import name_of
from .ragged import Floats
from .times import OR_SAY, RIGHT, Kind, Stamp, Times, agree, parse_time

__all__ = ["KEYS", "Lists"]

KEYS = ("teams", "ranks", "scores", "time", "weights", "importance", "home", "id")


@dataclass
class Lists:
    """Columns of matches; what no match has given is filled with what says nothing, and left out in the end.

    >>> lists = Lists(time_format=None, utc=False)
    >>> lists.add({"teams": [["ann"], ["bob"]], "scores": [3, 1]})
    >>> lists.score, lists.weight, "weights" in lists.given
    ([3.0, 1.0], [1.0, 1.0], False)
    """

    time_format: str | None
    utc: bool
    teams: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    player: list[int] = field(default_factory=list)
    number: dict[str, int] = field(default_factory=dict)
    rank: list[float] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    time: list[float] = field(default_factory=list)
    stamp: Stamp | None = None
    weight: list[float] = field(default_factory=list)
    importance: list[float] = field(default_factory=list)
    home: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    given: set[str] = field(default_factory=set)  # keys that some match has

    def add(self, match: Mapping[str, Any]) -> None:
        """Add a match.

        >>> Lists(None, False).add({"teams": "ann"})
        Traceback (most recent call last):
        ...
        prowess.Error: teams must be a list of lists of names, not 'ann'
        """
        if not isinstance(match, Mapping):
            raise Error(f"a match is a mapping such as {{'teams': [['ann'], ['bob']], 'ranks': [1, 2]}}, not {match!r}")
        for key in match:
            if key not in KEYS:
                raise Error(f"there is no key {key!r}: a match has {', '.join(KEYS)}")
        teams = _listed(match.get("teams"), "teams", "a list of lists of names")
        for team, players in enumerate(teams, 1):
            self._add_team(team, players)
        self.teams.append(len(teams))
        self.rank += _results(match.get("ranks"), "ranks", len(teams))
        self.score += _results(match.get("scores"), "scores", len(teams))
        self._add_weights(match.get("weights"), [len(players) for players in teams])
        self._add_time(match.get("time"))
        importance = match.get("importance")
        self.importance.append(1.0 if importance is None else number("importance", importance))
        home = match.get("home")
        self.home.append(-1 if home is None else team_index("home", home, len(teams)))
        name = match.get("id")
        self.ids.append("" if name is None else name_of(name, "the id of a match"))
        self.given.update(key for key, value in match.items() if value is not None)

    def _add_team(self, team: int, players: Any) -> None:
        for name in _listed(players, f"team {team}", "a list of names"):
            try:
                key = name_of(name)
            except Error as error:
                raise Error(f"team {team}: {error}") from None
            self.player.append(self.number.setdefault(key, len(self.number)))
        self.sizes.append(len(players))

    def _add_weights(self, weights: Any, sizes: list[int]) -> None:
        if weights is None:
            self.weight += [1.0] * sum(sizes)
            return
        lists = _listed(weights, "weights", "a list of lists of numbers")
        if len(lists) != len(sizes):
            raise Error(f"{len(lists)} lists of weights for {len(sizes)} teams: give one for each team")
        for team, (one, size) in enumerate(zip(lists, sizes, strict=True), 1):
            self.weight += _numbers(one, f"weights of team {team}", size, "players")

    def _add_time(self, value: Any) -> None:
        if bool(self.time) != (value is not None) and len(self.teams) > 1:
            has, had = ("no time", "have") if value is None else (f"the time {value!r}", "have none")
            raise Error(f"it has {has} and the matches before {had}: give a time to every match, or to none")
        if value is None:
            return
        kind, zone, number = self._read_time(value)
        stamp = Stamp(kind, zone)
        try:
            self.stamp = agree(self.stamp or stamp, stamp, self.utc)
        except Error as error:
            raise Error(f"time {value!r}: {error}") from None
        self.time.append(number)

    def _read_time(self, value: Any) -> tuple[Kind, str | None, float | int]:
        """Read a time; what is none may be written as `time_format` says."""
        try:
            return parse_time(value, self.time_format)
        except Error as error:
            said = str(error)
            raise Error(said + OR_SAY if said.endswith(RIGHT) else said) from None

    def draft(self, where: Callable[[int], str], remarks: tuple[Remark, ...]) -> Draft:
        """Give the lists as columns.

        >>> lists = Lists(None, False)
        >>> lists.add({"teams": [["ann"], ["bob"]]})
        >>> lists.draft(str, ()).team_start
        array([0, 1, 2], dtype=int32)
        """
        return Draft(
            match_start=np.array([*accumulate(self.teams, initial=0)], np.int32),
            team_start=np.array([*accumulate(self.sizes, initial=0)], np.int32),
            player=np.array(self.player, np.int32),
            names=list(self.number),
            where=lambda match, entry: where(match).removesuffix(": "),
            rank=self._column("ranks", self.rank),
            score=self._column("scores", self.score),
            times=None if self.stamp is None else Times.of(self.time, self.stamp),
            weight=self._column("weights", self.weight),
            importance=self._column("importance", self.importance),
            home=np.array(self.home, np.int32) if "home" in self.given else None,
            ids=self.ids if "id" in self.given else None,
            listed=True,
            remarks=remarks,
            as_they_appear=True,
        )

    def _column(self, key: str, values: list[float]) -> Floats | None:
        return np.array(values, np.float64) if key in self.given else None


def _listed(value: Any, what: str, right: str) -> Sequence[Any]:
    """Take a list, a tuple or a NumPy array; a string would be a list of letters."""
    if isinstance(value, np.ndarray):
        return list(value)
    if isinstance(value, (list, tuple)):
        return value
    raise Error(f"{what} must be {right}, not {value!r}")


def _results(values: Any, what: str, teams: int) -> list[float]:
    """Read ranks or scores; NaN for each team where there are none."""
    return [nan] * teams if values is None else _numbers(values, what, teams, "teams")


def _numbers(values: Any, what: str, size: int, of: str) -> list[float]:
    """Read as many numbers as there are teams or players."""
    numbers = [number(f"each of the {what}", value) for value in _listed(values, what, "a list of numbers")]
    if len(numbers) != size:
        raise Error(f"{len(numbers)} {what} for {size} {of}: give one for each")
    return numbers
