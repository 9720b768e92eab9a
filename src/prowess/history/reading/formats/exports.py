"""Collect the matches in the exports of tournament programs and play logs, as a table with a row per player."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ....errors import Option, Piece, Remark
from ....text import count
from ...read_context import Problems, Table, left_out
from ...read_options import Choices

JsonObject = dict[str, Any]
_NOTHING: Mapping[str, object] = {}

# The reasons for leaving out matches, by the code of the remark: the words for one match and for several.
_REASONS = {
    "not-played": ("unplayed match", "unplayed matches"),
    "walkovers": ("walkover", "walkovers"),
    "byes": ("bye", "byes"),
    "repeated-matches": ("duplicate match", "duplicate matches"),
    "unknown-players": ("match with an unknown player", "matches with unknown players"),
    "cooperative-plays": ("cooperative play", "cooperative plays"),
    "solo-plays": ("play with a single player", "plays with a single player"),
    "unfinished-plays": ("ignored or incomplete play", "ignored or incomplete plays"),
    "no-result": ("play without a winner or scores", "plays without a winner or scores"),
}


@dataclass(frozen=True)
class Entry:
    """A team of a match, with its place (1 is the best), its score if it has one, and the context of its players."""

    players: tuple[str, ...]
    place: int
    score: float | None = None
    context: Sequence[Mapping[str, object]] = ()  # the context of each player


class ExportedMatches:
    """Collects the matches of a file, the remarks on matches left out, and the problems of invalid matches."""

    def __init__(self, title: str, choices: Choices, program: str, unit: str = "match") -> None:
        """Create an empty collection; `program` wrote the file, and messages call a match `unit`."""
        self.title, self.choices, self.unit = title, choices, unit
        self.remarks = [Remark("export", (f"a file from {program}",))]
        self.skipped: dict[str, list[int]] = {}
        self.problems = Problems()
        self.rows: list[tuple[str, str, str, str, str, str, str]] = []
        self.context: list[Mapping[str, object]] = []  # the context of each row
        self.lines: list[int] = []
        self.ids = set[str]()
        self.contradicting: list[int] = []  # matches whose scores contradict the places

    def add(
        self,
        number: int,
        entries: Sequence[Entry],
        time: str = "",
        id: object = "",
        game: str = "",
        context: Mapping[str, object] = _NOTHING,
    ) -> bool:
        """Add match `number`; return False, and leave it out, if it was added before.

        A match is identified by its `id`, or by `number` without an id. Scores that contradict the places are dropped.
        """
        self.choices.read_limits.check_table(self.title, len(self.rows) + len(entries), 7)
        key = str(id or number)
        if key in self.ids:
            self.skip(number, "repeated-matches")
            return False
        self.ids.add(key)
        scored = all(entry.score is not None for entry in entries)
        if scored and not _agree(entries):
            scored = False
            self.contradicting.append(number)
        for team, entry in enumerate(entries, 1):
            score = f"{entry.score:g}" if scored else ""
            for seat, player in enumerate(entry.players):
                self.rows.append((key, player, str(team), str(entry.place), score, time, game))
                self.context.append({**context, **entry.context[seat]} if entry.context else context)
                self.lines.append(number)
        return True

    def skip(self, number: int, code: str) -> None:
        """Leave out match `number`; `code` gives the reason."""
        self.skipped.setdefault(code, []).append(number)

    def skip_walkover(self, number: int) -> bool:
        """Leave out match `number`, a walkover, unless walkovers count; return whether the match was left out."""
        if self.choices.walkovers == "count":
            return False
        self.skip(number, "walkovers")
        return True

    def reject(self, number: int, *message: Piece) -> None:
        """Report a problem of match `number`."""
        self.problems.add([len(self.rows)], None, None, message)
        self.rows.append((str(number), "", "1", "", "", "", ""))
        self.context.append(_NOTHING)
        self.lines.append(number)

    def table(self) -> Table:
        """Return the table of all matches that were added."""
        import polars as pl

        names = ("match_id", "player", "team", "rank", "score", "time", "game")
        schema = dict.fromkeys(names, pl.String)
        frame = pl.DataFrame(self.rows, schema=schema, orient="row")
        alone = not (frame.select("match_id", "team").is_duplicated().any())
        empty = [name for name in ("score", "time", "game") if (frame[name] == "").all()]
        frame = frame.drop(*empty, *(["team"] if alone else []))
        context = list(dict.fromkeys(name for cells in self.context for name in cells))
        cells = [pl.Series(name, [_cell(row.get(name)) for row in self.context], pl.String) for name in context]
        frame = frame.with_columns(cell for cell in cells if cell.count())
        for code, numbers in self.skipped.items():
            more: tuple[Piece, ...] = ()
            if code == "walkovers":
                more = ("; use ", Option("walkovers", "count"), " to count them as matches")
            text = left_out(len(numbers), *_REASONS[code], f"{self.unit} {numbers[0]}")
            self.remarks.append(Remark(code, (text, *more), count=len(numbers), line=numbers[0]))
        if self.contradicting:
            number, first = len(self.contradicting), self.contradicting[0]
            words = "match has a score that contradicts its places", "matches have scores that contradict their places"
            text = f"{count(number, *words)}; these matches are rated by their places (first: {self.unit} {first})"
            self.remarks.append(Remark("unused-scores", (text,), "score", number, first))
        return Table(
            frame,
            self.title,
            np.array(self.lines, np.int64).__getitem__,
            self.choices,
            self.remarks,
            self.problems,
            unit=self.unit,
            reserved=dict.fromkeys(context, True),
        )


def _cell(value: object) -> str | None:
    """Convert a JSON value to the text of a cell; None if the value is missing, a list or an object.

    >>> _cell(3), _cell(True), _cell(" "), _cell([1])
    ('3', 'true', None, None)
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float, str)) and str(value).strip() else None


def choose_keys(value: JsonObject, names: Mapping[str, str]) -> dict[str, object]:
    """Return some values of an object under other names; `names` maps keys of the object to the new names.

    >>> choose_keys({"id": 7, "fullRoundText": "Final"}, {"fullRoundText": "round", "totalGames": "best_of"})
    {'round': 'Final'}
    """
    return {name: value[key] for key, name in names.items() if value.get(key) is not None}


def _agree(entries: Sequence[Entry]) -> bool:
    return [entry.place for entry in entries] == places([entry.score for entry in entries if entry.score is not None])


def places(values: Sequence[float]) -> list[int]:
    """Return the place of each value; the highest is best, and equal values share a place.

    >>> places([3, 7, 3])
    [2, 1, 2]
    """
    return [1 + sum(other > value for other in values) for value in values]


def find_objects(document: Any, key: str) -> Iterator[JsonObject]:
    """Yield the objects of a JSON document that have the given key, at any depth, in the order of the file.

    >>> list(find_objects({"data": [{"sets": [{"slots": []}]}, {"slots": [1]}]}, "slots"))
    [{'slots': []}, {'slots': [1]}]
    """
    pending = [document]
    while pending:
        value = pending.pop()
        if isinstance(value, dict) and key in value:
            yield value
        elif isinstance(value, (dict, list)):
            pending += reversed(list(value.values()) if isinstance(value, dict) else value)


def unix_time(seconds: object) -> str:
    """Return a Unix time in seconds as ISO 8601 text in UTC; "" if it is missing, not a number or out of range.

    >>> unix_time(1700000000), unix_time(None)
    ('2023-11-14T22:13:20Z', '')
    """
    if not isinstance(seconds, (int, float)) or not 0 < seconds < 1e11:
        return ""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def number_or_none(value: object) -> float | None:
    """Convert a value, which may be text, to a number; None if it is not a number, or not between -1e15 and 1e15.

    >>> number_or_none("54"), number_or_none(3), number_or_none("won"), number_or_none(True)
    (54.0, 3.0, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if abs(number) < 1e15 else None


def time_reader(objects: Sequence[JsonObject], keys: Sequence[str]) -> Callable[[JsonObject], str]:
    """Return a function that reads the time of an object.

    The function uses the first of the `keys` that all objects have. If no key is in all objects, the function uses the
    first key that the given object has. The time is "" if the object has none of the keys.
    """
    used = [key for key in keys if all(value.get(key) for value in objects)][:1] or keys
    return lambda value: next((str(value[key]) for key in used if value.get(key)), "")
