"""Convert Python mappings to histories and back. A match is a mapping with `teams`, and `ranks` or `scores`.

`_Lists.add` reads one match at a time; it knows all rules, and raises all errors that users see. Nearly all matches are
regular, which means dicts of lists, text and numbers. Regular matches have two fast paths. `_add_regular` reads
thousands of matches at once, column by column; a chunk with an irregular match is read by `add` instead. `_duel` reads
a single match of two teams.

Measured with matches of two players: `_add_regular` reads 100,000 matches in 0.2 s, 4.4 times as fast as `add`; `_duel`
reads a single match in 11 µs, five times as fast as `_add_regular`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import accumulate, chain, islice, repeat
from math import nan
from typing import Any

import numpy as np

from ..errors import Error, Remark
from ..validate import LARGEST, number, team_index
from .build_history import build
from .cells.dates.moments import parse_time
from .columns.match_rules import find_faults
from .columns.raw_matches import RawMatches
from .context.builder import ContextBuilder, plain_context, with_statistics
from .history import History
from .lines import Lines
from .names.spelling import name_of
from .ragged import Floats
from .slicing import stamp_of
from .times import Kind, Stamp, Times, agree, show_time

CHUNK = 10_000  # number of matches read together
KEYS = ("teams", "ranks", "scores", "time", "weights", "importance", "home", "id", "context", "statistics")
EXAMPLE = "{'teams': [['ann'], ['bob']], 'ranks': [1, 2]}"


def from_matches(
    matches: Iterable[Mapping[str, Any]],
    *,
    time_format: str | None = None,
    utc: bool = False,
    where: Callable[[int], str] = lambda match: f"match {match + 1}",
    remarks: tuple[Remark, ...] = (Remark("plain-matches", ("plain Python matches",)),),
    lines: Callable[[], Lines] | None = None,
) -> History:
    """Build a history from mappings. This is the implementation of `History.from_matches`.

    `where` maps the index of a match to its name in error messages. `remarks` become the remarks of the history.
    `lines` returns the lines of the matches; it is called after the last match.
    """
    if not isinstance(matches, Iterable) or isinstance(matches, (str, bytes, Mapping)):
        right = "from_matches needs a list of matches, such as [{'teams': [['ann'], ['bob']]}]"
        raise Error(f"{right}, not {matches!r}", field="matches", value=matches)
    is_single = type(matches) is list and len(matches) == 1 and lines is None
    if is_single and (history := _duel(matches[0], remarks)) is not None:  # type: ignore[index]
        return history
    lists = _Lists(time_format, utc)
    source, first = iter(matches), 0
    while chunk := list(islice(source, CHUNK)):
        if not _add_regular(lists, chunk):
            for match, mapping in enumerate(chunk, first):
                try:
                    lists.add(mapping)
                except Error as error:
                    raise error.within(_prefix(where(match)), match=match) from None
        try:
            lists.encode_context()
        except Error as error:
            raise error.within(_prefix(where(error.match or 0))) from None
        first += len(chunk)
    draft = lists.draft(where, remarks)
    draft.lines = None if lines is None else lines()
    for fault in find_faults(draft):
        broken = Error(fault.text, field=fault.field, match=fault.match, team=fault.team, value=fault.value)
        raise broken.within(_prefix(where(fault.match)))
    return build(draft)


def _prefix(name: str) -> str:
    return f"{name}: " if name else ""


@dataclass
class _Lists:
    """A history under construction, as columns. A match without an optional key gets the neutral value of its column.

    >>> lists = _Lists(time_format=None, utc=False)
    >>> lists.add({"teams": [["ann"], ["bob"]], "scores": [3, 1]})
    >>> lists.score, lists.weight, "weights" in lists.given
    ([3.0, 1.0], [1.0, 1.0], False)
    >>> lists.add({"teams": "ann"})
    Traceback (most recent call last):
    ...
    prowess.Error: teams must be a list of lists of names, not 'ann'
    """

    time_format: str | None
    utc: bool
    teams: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    player: list[int] = field(default_factory=list)
    code: dict[str, int] = field(default_factory=dict)
    rank: list[float] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    time: list[float] = field(default_factory=list)
    stamp: Stamp | None = None
    weight: list[float] = field(default_factory=list)
    importance: list[float] = field(default_factory=list)
    home: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    contexts: list[Any] = field(default_factory=list)  # of the matches added since the last `encode_context`
    encoded: ContextBuilder = field(default_factory=ContextBuilder)
    given: set[str] = field(default_factory=set)  # keys that at least one match has

    def add(self, match: Mapping[str, Any]) -> None:
        if not isinstance(match, Mapping):
            raise Error(f"a match must be a mapping such as {EXAMPLE}, not {match!r}", value=match)
        for key in match:
            if key not in KEYS:
                raise Error(f"unknown key {key!r}; the keys of a match are {', '.join(KEYS)}", field=str(key))
        teams = _list(match.get("teams"), "teams", "teams", "a list of lists of names")
        sizes = [self._add_team(team, players) for team, players in enumerate(teams)]
        self.teams.append(len(teams))
        self.sizes += sizes
        for key, column in (("ranks", self.rank), ("scores", self.score)):
            values = match.get(key)
            column += [nan] * len(teams) if values is None else _numbers(values, key, key, len(teams), "teams")
        self._add_weights(match.get("weights"), sizes)
        self._add_time(match.get("time"))
        importance, home, name = match.get("importance"), match.get("home"), match.get("id")
        self.importance.append(1.0 if importance is None else number("importance", importance))
        self.home.append(-1 if home is None else team_index("home", home, len(teams)))
        self.ids.append("" if name is None else name_of(name, "the id of a match", "id"))
        self.contexts.append(with_statistics(match.get("context"), match.get("statistics"), sizes))
        self.given.update(key for key, value in match.items() if value is not None)

    def _add_team(self, team: int, players: Any) -> int:
        names = _list(players, f"team {team + 1}", "teams", "a list of names", team)
        for name in names:
            try:
                key = name_of(name, field="teams")
            except Error as error:
                raise error.within(f"team {team + 1}: ", team=team) from None
            self.player.append(self.code.setdefault(key, len(self.code)))
        return len(names)

    def _add_weights(self, weights: Any, sizes: list[int]) -> None:
        if weights is None:
            self.weight += [1.0] * sum(sizes)
            return
        lists = _list(weights, "weights", "weights", "a list of lists of numbers")
        if len(lists) != len(sizes):
            message = f"{len(lists)} lists of weights for {len(sizes)} teams: give one list for each team"
            raise Error(message, field="weights", value=weights)
        for team, (values, size) in enumerate(zip(lists, sizes, strict=True)):
            self.weight += _numbers(values, f"weights of team {team + 1}", "weights", size, "players", team)

    def _add_time(self, value: Any) -> None:
        if bool(self.time) != (value is not None) and len(self.teams) > 1:
            has, others = ("no time", "do") if value is None else (f"the time {value!r}", "have none")
            message = f"it has {has}, but the earlier matches {others}: give a time to every match, or to none"
            raise Error(message, field="time", value=value)
        if value is None:
            return
        kind, zone, moment = parse_time(value, self.time_format, suggest_format=True)
        try:
            self.stamp = agree(self.stamp or Stamp(kind, zone), Stamp(kind, zone), self.utc)
        except Error as error:
            raise error.within(f"time {value!r}: ", value=value) from None
        self.time.append(moment)

    def encode_context(self) -> None:
        """Encode the context of the matches that were added since the last call."""
        contexts, self.contexts = self.contexts, []
        if contexts and self.given & {"context", "statistics"}:
            first = len(self.teams) - len(contexts)
            teams = self.teams[first:]
            self.encoded.add(contexts, teams, self.sizes[len(self.sizes) - sum(teams) :], first)

    def draft(self, where: Callable[[int], str], remarks: tuple[Remark, ...]) -> RawMatches:
        match_start = np.array([*accumulate(self.teams, initial=0)], np.int32)
        team_start = np.array([*accumulate(self.sizes, initial=0)], np.int32)
        context, team_context, entry_context = self.encoded.finish(match_start, team_start)
        return RawMatches(
            match_start=match_start,
            team_start=team_start,
            player=np.array(self.player, np.int32),
            names=list(self.code),
            where=lambda match, entry: where(match),
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
            context=context,
            team_context=team_context,
            entry_context=entry_context,
        )

    def _column(self, key: str, values: list[float]) -> Floats | None:
        return np.array(values, np.float64) if key in self.given else None


def _list(value: Any, what: str, key: str, right: str, team: int | None = None) -> Sequence[Any]:
    # A string is a sequence of letters, but never a list of players or numbers.
    if isinstance(value, np.ndarray):
        return list(value)
    if isinstance(value, (list, tuple)):
        return value
    raise Error(f"{what} must be {right}, not {value!r}", field=key, team=team, value=value)


def _numbers(values: Any, what: str, key: str, size: int, of: str, team: int | None = None) -> list[float]:
    listed = _list(values, what, key, "a list of numbers", team)
    numbers = [number(f"each of the {what}", value, field=key) for value in listed]
    if len(numbers) != size:
        message = f"{len(numbers)} {what} for {size} {of}: give one for each"
        raise Error(message, field=key, team=team, value=values)
    return numbers


_KEYS = frozenset(KEYS)
_NONE = type(None)
_LISTS = frozenset((list, tuple))
_NUMBERS = frozenset((int, float))


class _IrregularError(Exception):
    """Raised for a match that is not regular; `_Lists.add` then reads or rejects the match."""


def _add_regular(lists: _Lists, matches: list[Any]) -> bool:
    """Add matches column by column; if one of them is not regular, add nothing and return False.

    >>> lists = _Lists(None, False)
    >>> _add_regular(lists, [{"teams": [["ann"], ["bob"]]}]), _add_regular(lists, [{"teams": [["ann"], [None]]}])
    (True, False)
    >>> lists.teams
    [2]
    """
    if set(map(type, matches)) != {dict} or not (keys := set().union(*matches)) <= _KEYS:
        return False
    columns = {key: [match.get(key) for match in matches] for key in keys}
    columns = {key: column for key, column in columns.items() if set(map(type, column)) != {_NONE}}
    try:
        _add_columns(lists, len(matches), columns)
    except (_IrregularError, Error):
        return False
    return True


def _add_columns(lists: _Lists, matches: int, columns: dict[str, list[Any]]) -> None:
    # All columns are read before any is added, so that an irregular match leaves `lists` unchanged.
    teams = _of_types(_LISTS, columns.pop("teams", [None]))
    rosters = _of_types(_LISTS, list(chain.from_iterable(teams)))
    names = _of_types({str}, list(chain.from_iterable(rosters)))
    counts, sizes = list(map(len, teams)), list(map(len, rosters))
    times, stamp = _time_column(lists, columns.pop("time", None))
    rank = _result_column(columns.get("ranks"), counts)
    score = _result_column(columns.get("scores"), counts)
    weight = _weight_column(columns.get("weights"), teams, counts, sizes)
    importance = _match_column(columns.get("importance"), _NUMBERS, 1.0, matches)
    if "importance" in columns:
        _check_limits(importance)
    home = _match_column(columns.get("home"), {int}, -1, matches)
    homes = zip(columns.get("home", ()), counts, strict=False)
    if not all(index is None or 0 <= index < size for index, size in homes):
        raise _IrregularError
    ids = [name and name_of(name) for name in _match_column(columns.get("id"), {str}, "", matches)]
    if "" in columns.get("id", ()):
        raise _IrregularError
    contexts = columns.get("context", [])
    if "statistics" in columns:
        by_match = [sizes[end - size : end] for size, end in zip(counts, accumulate(counts), strict=True)]
        given = zip(contexts or repeat(None), columns["statistics"], by_match, strict=False)
        contexts = [with_statistics(*match) for match in given]
    keys = {name: name_of(name) for name in dict.fromkeys(names)}
    code = {name: lists.code.setdefault(key, len(lists.code)) for name, key in keys.items()}
    lists.player += [code[name] for name in names]
    lists.stamp = stamp
    added = {"teams": counts, "sizes": sizes, "rank": rank, "score": score, "time": times, "weight": weight}
    for name, values in {**added, "importance": importance, "home": home, "ids": ids}.items():
        getattr(lists, name).extend(values)
    lists.contexts = contexts
    lists.given |= columns.keys()


def _of_types(types: Collection[type], values: list[Any]) -> list[Any]:
    # Even a subclass makes the match irregular, because it may compare or convert in its own way.
    if not set(map(type, values)).issubset(types):
        raise _IrregularError
    return values


def _check_limits(values: list[Any]) -> None:
    if not all(map(LARGEST.__ge__, map(abs, values))):  # NaN fails, too
        raise _IrregularError


def _match_column(column: list[Any] | None, types: Collection[type], neutral: Any, matches: int) -> list[Any]:
    if column is None:
        return [neutral] * matches
    _of_types({*types, _NONE}, column)
    return [neutral if value is None else value for value in column]


def _result_column(column: list[Any] | None, counts: list[int]) -> list[Any]:
    if column is None:
        return [nan] * sum(counts)
    listed = _of_types(_LISTS, [values for values in column if values is not None])
    numbers = _of_types(_NUMBERS, list(chain.from_iterable(listed)))
    _check_limits(numbers)
    if len(listed) < len(column):
        column = [[nan] * count if values is None else values for values, count in zip(column, counts, strict=True)]
        numbers = list(chain.from_iterable(column))
    if list(map(len, column)) != counts:
        raise _IrregularError
    return numbers


def _weight_column(column: list[Any] | None, teams: list[Any], counts: list[int], sizes: list[int]) -> list[Any]:
    if column is None:
        return [1.0] * sum(sizes)
    if _NONE in map(type, column):
        column = [
            [[1.0] * len(roster) for roster in rosters] if values is None else values
            for values, rosters in zip(column, teams, strict=True)
        ]
    lists = _of_types(_LISTS, list(chain.from_iterable(_of_types(_LISTS, column))))
    if list(map(len, column)) != counts or list(map(len, lists)) != sizes:
        raise _IrregularError
    weights = _of_types(_NUMBERS, list(chain.from_iterable(lists)))
    _check_limits(weights)
    return weights


def _time_column(lists: _Lists, column: list[Any] | None) -> tuple[list[float], Stamp | None]:
    """Return the times as numbers, and their kind and zone, which must agree with the times of earlier matches."""
    if lists.teams and bool(lists.time) != (column is not None):
        raise _IrregularError
    if column is None:
        return [], None
    types = set(map(type, column))
    read: list[tuple[Kind, str | None, float]]
    if types == {str}:
        parsed = {text: parse_time(text, lists.time_format) for text in set(column)}
        read = [parsed[text] for text in column]
    elif types <= {int, float, date, datetime}:
        read = [parse_time(value, lists.time_format) for value in column]
    else:
        raise _IrregularError
    stamp = lists.stamp
    for kind, zone in dict.fromkeys((kind, zone) for kind, zone, _ in read):
        stamp = agree(stamp or Stamp(kind, zone), Stamp(kind, zone), lists.utc)
    return [moment for _, _, moment in read], stamp


_DUEL_KEYS = frozenset(("teams", "ranks", "scores"))
_DUEL_START = np.array([0, 2], np.int32)


def _duel(match: Any, remarks: tuple[Remark, ...]) -> History | None:
    """Build the history of one match between two teams; None if the match is not regular.

    A regular match here has only the keys `teams`, `ranks` and `scores`, and its names are ASCII.

    >>> _duel({"teams": [["ann"], ["bob", "cat"]], "scores": [1, 3]}, ())
    History(1 match, 3 players, scores)
    >>> _duel({"teams": [["ann"], ["ann"]]}, ()) is None
    True
    """
    if type(match) is not dict or not match.keys() <= _DUEL_KEYS:
        return None
    teams, ranks, scores = match.get("teams"), match.get("ranks"), match.get("scores")
    if type(teams) is not list or len(teams) != 2 or (ranks is not None and scores is not None):
        return None
    home, away = teams
    if type(home) is not list or type(away) is not list or not home or not away:
        return None
    players = (*home, *away)
    plain = all(type(name) is str and name.isascii() and name and name == name.strip() for name in players)
    if not plain or len(set(players)) < len(players):
        return None
    results = ranks if scores is None else scores
    first, second = 1, 2
    if results is not None:
        if type(results) is not list or len(results) != 2:
            return None
        first, second = results
        if not all(type(value) in _NUMBERS and -LARGEST <= value <= LARGEST for value in results):  # NaN fails, too
            return None
    if scores is not None:
        first, second = -first, -second
    return History(
        match_start=_DUEL_START,
        team_start=np.array([0, len(home), len(players)], np.int32),
        player=np.arange(len(players), dtype=np.int32),
        place=np.array([1 + (second < first), 1 + (first < second)], np.int32),
        score=None if scores is None else np.array(scores, np.float64),
        players=players,
        remarks=remarks,
    )


def plain(history: History, match: int) -> dict[str, Any]:
    """Return a match as the mapping that `from_matches` accepts, without keys that have their neutral value."""
    teams = range(history.match_start[match], history.match_start[match + 1])
    entries = [slice(history.team_start[team], history.team_start[team + 1]) for team in teams]
    mapping: dict[str, Any] = {"teams": [[history.players[player] for player in history.player[e]] for e in entries]}
    span = slice(teams.start, teams.stop)
    place, score = history.place[span].tolist(), None if history.score is None else history.score[span].tolist()
    if score is None or score[0] != score[0]:
        mapping["ranks"] = place
    else:
        if any(p != 1 + sum(other > mine for other in score) for p, mine in zip(place, score, strict=True)):
            mapping["ranks"] = place  # keep the ranks if they do not follow from the scores
        mapping["scores"] = score
    if history.time is not None:
        mapping["time"] = show_time(*stamp_of(history), history.time[match])
    if history.weight is not None and (history.weight[entries[0].start : entries[-1].stop] != 1).any():
        mapping["weights"] = [history.weight[e].tolist() for e in entries]
    if history.importance is not None and history.importance[match] != 1:
        mapping["importance"] = float(history.importance[match])
    if history.home is not None and history.home[match] >= 0:
        mapping["home"] = int(history.home[match])
    if history.ids is not None and history.ids[match]:
        mapping["id"] = history.ids[match]
    contexts = history.context, history.team_context, history.entry_context
    if any(contexts) and (context := plain_context(contexts, span, entries, match)):
        mapping["context"] = context
    return mapping
