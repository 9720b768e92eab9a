"""Histories from plain Python, and back: a match is a mapping with `teams`, and `ranks` or `scores`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

import numpy as np

from ..checks import number, team_index
from ..errors import Error
from .history import History
from .names import name_of
from .ragged import starts
from .tables.build import build, faulty
from .tables.draft import Draft
from .times import Stamp, Times, agree, parse_time, show_time

__all__ = ["from_matches", "plain"]

_KEYS = ("teams", "ranks", "scores", "time", "weights", "importance", "home", "id")


def from_matches(
    matches: Iterable[Mapping[str, Any]],
    *,
    time_format: str | None = None,
    utc: bool = False,
    where: Callable[[int], str] = lambda match: f"match {match + 1}",
    recognised: str = "plain Python matches",
) -> History:
    """Make a history of mappings; `where` says how an error calls the match of an index."""
    if not isinstance(matches, Iterable) or isinstance(matches, (str, bytes, Mapping)):
        raise Error(f"from_matches needs a list of matches, such as [{{'teams': [['ann'], ['bob']]}}], not {matches!r}")
    columns = _Columns(time_format, utc)
    for match, mapping in enumerate(matches):
        try:
            columns.add(mapping)
        except Error as error:
            raise Error(f"{where(match)}: {error}") from None
    draft = columns.draft(where, recognised)
    for fault in faulty(draft):
        raise Error(f"{draft.where(fault.match, fault.entry)}: {fault.text}")
    return build(draft)


@dataclass
class _Columns:
    """Lists that grow by a match at a time."""

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

    def add(self, match: Mapping[str, Any]) -> None:
        """Add a match."""
        if not isinstance(match, Mapping):
            raise Error(f"a match is a mapping such as {{'teams': [['ann'], ['bob']], 'ranks': [1, 2]}}, not {match!r}")
        for key in match:
            if key not in _KEYS:
                raise Error(f"there is no key {key!r}: a match has {', '.join(_KEYS)}")
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
        kind, zone, number = parse_time(value, self.time_format)
        stamp = Stamp(kind, zone)
        try:
            self.stamp = agree(self.stamp or stamp, stamp, self.utc)
        except Error as error:
            raise Error(f"time {value!r}: {error}") from None
        self.time.append(number)

    def draft(self, where: Callable[[int], str], recognised: str) -> Draft:
        """Give the lists as columns."""
        return Draft(
            match_start=starts(np.array(self.teams, np.int32)),
            team_start=starts(np.array(self.sizes, np.int32)),
            player=np.array(self.player, np.int32),
            names=list(self.number),
            where=lambda match, entry: where(match),
            rank=np.array(self.rank),
            score=np.array(self.score),
            times=None if self.stamp is None else Times.of(self.time, self.stamp),
            weight=np.array(self.weight),
            importance=np.array(self.importance),
            home=np.array(self.home, np.int32),
            ids=self.ids,
            listed=True,
            recognised=recognised,
        )


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


def plain(history: History, match: int) -> dict[str, Any]:
    """Give a match as the mapping that `from_matches` accepts, with those keys that say something."""
    teams = range(history.match_start[match], history.match_start[match + 1])
    entries = [slice(history.team_start[team], history.team_start[team + 1]) for team in teams]
    found: dict[str, Any] = {"teams": [[history.players[player] for player in history.player[e]] for e in entries]}
    span = slice(teams.start, teams.stop)
    found |= _outcome(history.place[span].tolist(), None if history.score is None else history.score[span].tolist())
    if history.time is not None and history.time_kind is not None:
        found["time"] = show_time(history.time_kind, history.time_zone, history.time[match])
    if history.weight is not None and (history.weight[entries[0].start : entries[-1].stop] != 1).any():
        found["weights"] = [history.weight[e].tolist() for e in entries]
    if history.importance is not None and history.importance[match] != 1:
        found["importance"] = float(history.importance[match])
    if history.home is not None and history.home[match] >= 0:
        found["home"] = int(history.home[match])
    if history.ids is not None and history.ids[match]:
        found["id"] = history.ids[match]
    return found


def _outcome(place: list[int], score: list[float] | None) -> dict[str, list[Any]]:
    """Give ranks or scores, and both where the places do not follow from the scores."""
    if score is None or score[0] != score[0]:
        return {"ranks": place}
    follows = all(p == 1 + sum(other > mine for other in score) for p, mine in zip(place, score, strict=True))
    return {"scores": score} if follows else {"ranks": place, "scores": score}
