"""The history of a league: matches between teams of players, as immutable columns in chronological order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import Error, Remark
from ..text import count
from .context.columns import EMPTY, Context
from .lines import Lines
from .ragged import Floats, Ints
from .times import Kind, show_time

if TYPE_CHECKING:
    import os
    from typing import Unpack

    import polars as pl

    from .read_context import Findings
    from .read_options import Reading
    from .stream import Stream
    from .writers import Shape

_COLUMNS = ("match_start", "team_start", "player", "place", "score", "time", "weight", "importance", "home")


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """Matches in chronological order, as read-only columns; made by `read`, `from_frame` or `from_matches`.

    The teams of match `i` are `match_start[i]:match_start[i + 1]`, the entries of team `j` are
    `team_start[j]:team_start[j + 1]`, and an entry's player is an index into `players`.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob", "cat"]], "scores": [3, 1], "time": "2026-01-31"}])
    >>> history
    History(1 match, 3 players, 2026-01-31, scores)
    >>> history.place, [history.players[player] for player in history.player]
    (array([1, 2], dtype=int32), ['ann', 'bob', 'cat'])

    Everything else that is known about the matches is their context: `context` has a row per match, `team_context` a
    row per team and `entry_context` a row per entry. `lines` are the lines from which the matches were read.

    >>> match = {"teams": [["ann"], ["bob"]], "context": {"surface": "clay", "seed": [1, None]}}
    >>> history = History.from_matches([match])
    >>> history.context["surface"].to_list(), history.team_context.to_frame()["seed"].to_list()
    (['clay'], [1.0, None])
    """

    match_start: Ints
    team_start: Ints
    player: Ints
    place: Ints
    score: Floats | None = None
    time: Floats | NDArray[np.int64] | None = None
    time_kind: Kind | None = None
    time_zone: str | None = None
    weight: Floats | None = None
    importance: Floats | None = None
    home: NDArray[np.int16] | Ints | None = None
    ids: tuple[str, ...] | None = None
    players: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    context: Context = EMPTY
    team_context: Context = EMPTY
    entry_context: Context = EMPTY
    lines: Lines | None = None

    def __post_init__(self) -> None:
        """Make the columns read-only."""
        for name in _COLUMNS:
            value = getattr(self, name)
            if value is not None:
                value.setflags(write=False)
        if not self.context is self.team_context is self.entry_context is EMPTY:
            self._check_contexts()

    def _check_contexts(self) -> None:
        """Check that each context has a row for each match, team or entry."""
        sizes = {"context": len(self), "team_context": self.teams, "entry_context": self.entries}
        for name, rows in sizes.items():
            context = getattr(self, name)
            if context and context.rows != rows:
                raise Error(f"{name} has {context.rows} rows instead of {rows}", field="context")

    def __reduce__(self) -> tuple[type["History"], tuple[Any, ...]]:
        """Pickle through the constructor, because unpickled NumPy arrays are no longer read-only."""
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    @classmethod
    def from_matches(
        cls, matches: Iterable[Mapping[str, Any]], *, time_format: str | None = None, utc: bool = False
    ) -> "History":
        """Build a history from mappings with `teams`, and `ranks` or `scores`; without these, the best team is first.

        `time_format` is the strptime format of times that are text. With `utc`, times in different zones are converted
        to UTC; without it, they raise an `Error`.

        >>> matches = [{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"], ["cat"]], "ranks": [1, 2, 2]}]
        >>> History.from_matches(matches).place
        array([1, 2, 1, 2, 2], dtype=int32)
        """
        from .builders import from_matches

        return from_matches(matches, time_format=time_format, utc=utc)

    @classmethod
    def read(cls, path: "str | os.PathLike[str]", **reading: "Unpack[Reading]") -> "History":
        """Read a file: .csv .tsv .txt .jsonl .ndjson (each also .gz), .parquet or .xlsx.

        If the columns are not recognised, `columns` maps roles such as "winner" to the names of the columns; a role
        mapped to None has no column. `Choices` explains all keywords. An unreadable row raises an `Error`, or is
        skipped with `skip_problems=True`; `check` lists all unreadable rows.

        >>> from pathlib import Path; from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "games.csv")
        ...     _ = path.write_text("winner,loser\\nann,bob\\nbob,cat\\n")
        ...     History.read(path)
        History(2 matches, 3 players, places)
        """
        from .read_context import history_or_error

        return history_or_error(cls.check(path, **reading), reading.get("skip_problems", False))

    @classmethod
    def check(cls, path: "str | os.PathLike[str]", **reading: "Unpack[Reading]") -> "Findings":
        """Read a file as `read` does, but return all its problems together with the history of the usable rows.

        >>> from pathlib import Path; from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "games.csv")
        ...     _ = path.write_text("home,away,hg,ag\\nann,bob,1,0\\nbob,cat,x,2\\n")
        ...     findings = History.check(path)
        >>> len(findings.history), [str(problem) for problem in findings.problems]
        (1, ["line 3: column 'hg' holds 'x': this is not a number; correct it, or drop the row"])
        """
        from .names.renaming import choices_of, with_remarks
        from .readers import read_file

        choices = choices_of(reading)
        findings = read_file(path, choices)
        return replace(findings, history=with_remarks(findings.history, choices))

    @classmethod
    def stream(cls, path: "str | os.PathLike[str]", *, rows: int = 1_000_000, **reading: "Unpack[Reading]") -> "Stream":
        """Return an iterator that reads a chronological file in chunks of about `rows` rows, for `fit_stream`.

        The iterator yields a history for each chunk.

        >>> from pathlib import Path; from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "games.csv")
        ...     _ = path.write_text("day,winner,loser\\n1,ann,bob\\n2,bob,cat\\n3,cat,ann\\n")
        ...     [len(history) for history in History.stream(path, rows=2)]
        [2, 1]
        """
        from .names.renaming import choices_of
        from .stream import Stream

        return Stream(path, choices_of(reading), rows)

    @classmethod
    def read_groups(cls, path: "str | os.PathLike[str]", by: str, **reading: "Unpack[Reading]") -> "dict[str, History]":
        """Read a file of several leagues or seasons, and return a history for each value of the column `by`.

        >>> from pathlib import Path; from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "games.csv")
        ...     _ = path.write_text("season,winner,loser\\n2025,ann,bob\\n2026,bob,ann\\n2026,ann,cat\\n")
        ...     History.read_groups(path, "season")
        {'2025': History(1 match, 2 players, places), '2026': History(2 matches, 3 players, places)}
        """
        from .names.renaming import choices_of
        from .readers import read_groups

        return read_groups(path, by, choices_of(reading))

    @classmethod
    def from_frame(cls, frame: object, **reading: "Unpack[Reading]") -> "History":
        """Build a history from a Polars, pandas or Arrow frame; its layout is recognised by the column names.

        >>> import polars as pl
        >>> History.from_frame(pl.DataFrame({"home": ["ann"], "away": ["bob"], "hg": [0], "ag": [2]}))[0]["scores"]
        [0.0, 2.0]
        """
        from .names.renaming import choices_of, with_remarks
        from .read_context import history_or_error
        from .readers import from_frame

        choices = choices_of(reading)
        history = history_or_error(from_frame(frame, choices), reading.get("skip_problems", False))
        return with_remarks(history, choices)

    @classmethod
    def join(cls, histories: "Sequence[History]", *, once: bool = True) -> "History":
        """Join several histories into one, in chronological order.

        Histories without times are joined one after another.

        With `once`, a match in several histories (the same date or time, teams and result) counts once.

        >>> may = History.from_matches([{"teams": [["ann"], ["bob"]], "time": "2026-05-30"}])
        >>> june = History.from_matches([{"teams": [["bob"], ["cat"]], "time": "2026-06-06"}])
        >>> History.join([june, may])
        History(2 matches, 3 players, 2026-05-30 … 2026-06-06, places)
        """
        from .concat import join

        return join(histories, once)

    def to_frame(self) -> "pl.DataFrame":
        """Return a Polars frame with a row per player per match, from which `from_frame` builds an equal history.

        >>> History.from_matches([{"teams": [["ann"], ["bob"]]}]).to_frame().columns
        ['match', 'team', 'player', 'place']
        """
        from .writers import to_frame

        return to_frame(self)

    def write(self, path: "str | os.PathLike[str]", layout: "Shape | None" = None, *, raw_names: bool = False) -> None:
        """Write a file (.csv .tsv .parquet .jsonl) from which `read` builds an equal history.

        `layout` is "wide", a row per match, or "long", a row per player. The default is long if a match has more than
        eight teams or if wide is impossible, otherwise wide. In .csv and .tsv files, text that a spreadsheet would run
        as a formula gets an apostrophe, unless `raw_names` is true.

        >>> from pathlib import Path; from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     History.from_matches([{"teams": [["ann"], ["bob"]]}]).write(Path(folder, "games.csv"))
        ...     print(Path(folder, "games.csv").read_text())
        player1,rank1,player2,rank2
        ann,1,bob,2
        <BLANKLINE>
        """
        from .writers import write

        write(self, path, layout, raw_names=raw_names)

    @property
    def recognised(self) -> str:
        """What the reader found and decided: the `remarks` as text, one per line.

        >>> History.from_matches([{"teams": [["ann"], ["bob"]]}]).recognised
        'plain Python matches'
        """
        return "\n".join(map(str, self.remarks))

    def __len__(self) -> int:
        return len(self.match_start) - 1

    @property
    def teams(self) -> int:
        """The total number of teams in all matches.

        >>> History.from_matches([{"teams": [["ann"], ["bob", "cat"]]}]).teams
        2
        """
        return len(self.place)

    @property
    def entries(self) -> int:
        """The total number of entries: players in all teams of all matches.

        >>> History.from_matches([{"teams": [["ann"], ["bob", "cat"]]}]).entries
        3
        """
        return len(self.player)

    @property
    def nbytes(self) -> int:
        """The size of the columns in bytes, without names, ids and the text of categories.

        >>> History.from_matches([{"teams": [["ann"], ["bob"]]}]).nbytes
        36
        """
        columns = (getattr(self, field.name) for field in fields(self))
        return sum(column.nbytes for column in columns if isinstance(column, np.ndarray | Context | Lines))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterate over the matches, as the mappings that `from_matches` accepts."""
        return (self[index] for index in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> "History": ...
    def __getitem__(self, index: int | slice) -> "dict[str, Any] | History":
        """Return one match as a mapping, or a slice of matches as a history."""
        from .builders import plain
        from .slicing import take

        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            chosen = slice(first, max(first, last)) if step == 1 else np.arange(first, last, step)
            return take(self, chosen)
        if not -len(self) <= index < len(self):
            raise IndexError(f"match {index} is out of range for a history of {len(self)} matches")
        return plain(self, index % len(self))

    def take(self, chosen: ArrayLike) -> "History":
        """Select matches by indices or by a boolean mask; if they have times, the result is sorted by time.

        A match may be selected more than once; in this case, the match ids are dropped, because ids must be unique.

        >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["ann"]]}])
        >>> history.take([False, True])[0]["teams"]
        [['cat'], ['ann']]
        """
        from .slicing import indices, take

        return take(self, indices(np.asarray(chosen), len(self)))

    def between(self, start: object = None, end: object = None) -> "History":
        """Select the matches from `start` up to but excluding `end`; None means no limit on that side.

        >>> days = [{"teams": [["ann"], ["bob"]], "time": f"2026-01-0{day}"} for day in (1, 2, 3)]
        >>> History.from_matches(days).between("2026-01-02", "2026-01-03")
        History(1 match, 2 players, 2026-01-02, places)
        """
        from .slicing import span, take

        return take(self, slice(*span(self, start, end)))

    def within(self, start: object = None, end: object = None) -> "History":
        """Select the matches from `start` to `end`, both included.

        If `end` is a day, a month or a year, all of it is included.

        >>> days = [{"teams": [["ann"], ["bob"]], "time": f"2026-0{month}-15"} for month in (1, 2, 3)]
        >>> History.from_matches(days).within("2026-02", "2026-03-15")
        History(2 matches, 2 players, 2026-02-15 … 2026-03-15, places)
        """
        from .slicing import bounds, take

        return take(self, slice(*bounds(self, start, end)))

    def where(self, conditions: Mapping[str, object] | None = None, /, **values: object) -> "History":
        """Select the matches whose context has all the given values; a list of values means any of them.

        For a context column of teams or players, a match is selected if any of its teams or players has the value. None
        selects missing values. Use a mapping for column names that are not Python identifiers: `where({"best of": 5})`.

        >>> match = {"teams": [["ann"], ["bob"]]}
        >>> contexts = [{"surface": "clay"}, {"surface": "grass"}, {"surface": "clay", "seed": [1, None]}]
        >>> history = History.from_matches([match | {"context": context} for context in contexts])
        >>> len(history.where(surface="clay")), len(history.where(surface=["clay", "grass"], seed=1))
        (2, 1)
        """
        from .slicing import where

        return self.take(where(self, {**(conditions or {}), **values}))

    def rename(self, names: Mapping[str, str]) -> "History":
        """Rename players, and merge players who get the same name; every old name must exist.

        Chains of names are followed: {"JV": "Jeevo", "Jeevo": "Deevo"} renames both JV and Jeevo to Deevo. A merge that
        would put a player twice into a match raises an `Error` that names the match.

        >>> history = History.from_matches([{"teams": [["Jeevo"], ["ann"]]}, {"teams": [["Deevo"], ["ann"]]}])
        >>> history.rename({"Jeevo": "Deevo"}).players
        ('Deevo', 'ann')
        """
        from .names.renaming import rename

        return rename(self, names)

    def __eq__(self, other: object) -> bool:
        """Return whether two histories have equal matches; players are compared by name, and remarks may differ."""
        from .slicing import equal

        return equal(self, other) if isinstance(other, History) else NotImplemented

    def __repr__(self) -> str:
        """Return the number of matches and players, and the time span."""
        parts = [count(len(self), "match", "matches"), count(len(np.unique(self.player)), "player", "players")]
        if self.time is not None:
            assert self.time_kind is not None
            first, last = (show_time(self.time_kind, self.time_zone, self.time[i]) for i in (0, -1))
            parts.append(f"{first}" if first == last else f"{first} … {last}")
        return f"History({', '.join(parts)}, {'places' if self.score is None else 'scores'})"
