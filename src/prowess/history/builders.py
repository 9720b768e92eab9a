"""Histories from plain Python, and back: a match is a mapping with `teams`, and `ranks` or `scores`."""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from ..errors import Error, Remark
from .builders_list import Lists
from .builders_many import add_usual
from .builders_one import single
from .columns.build_history import build, faulty
from .history import History
from .times import show_time

__all__ = ["from_matches", "plain"]

CHUNK = 10_000  # matches that are looked at together


def from_matches(
    matches: Iterable[Mapping[str, Any]],
    *,
    time_format: str | None = None,
    utc: bool = False,
    where: Callable[[int], str] = lambda match: f"match {match + 1}: ",
    remarks: tuple[Remark, ...] = (Remark("plain-matches", ("plain Python matches",)),),
) -> History:
    """Make a history of mappings; `where` is the prefix of an error about the match of an index."""
    if not isinstance(matches, Iterable) or isinstance(matches, (str, bytes, Mapping)):
        raise Error(f"from_matches needs a list of matches, such as [{{'teams': [['ann'], ['bob']]}}], not {matches!r}")
    if type(matches) is list and len(matches) == 1 and (found := single(matches[0], remarks)) is not None:
        return found
    lists = Lists(time_format, utc)
    source, seen = iter(matches), 0
    while chunk := list(islice(source, CHUNK)):
        if not add_usual(lists, chunk):
            for match, mapping in enumerate(chunk, seen):
                try:
                    lists.add(mapping)
                except Error as error:
                    raise error.within(where(match), match=match) from None
        seen += len(chunk)
    draft = lists.draft(where, remarks)
    for fault in faulty(draft):
        raise Error(f"{where(fault.match)}{fault.text}", match=fault.match)
    return build(draft)


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
