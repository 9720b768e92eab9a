"""Find rows that repeat a match: duplicate rows, and rows that show the same match from the other side."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Option
from ...text import count
from ..cells.dates.numeric import meaning_of
from ..names.spelling import plain_name
from ..ragged import Floats, Ints, mix_bits, starts
from ..read_context import Table
from .roles.aliases import PARTS
from .roles.layout import Layout

if TYPE_CHECKING:
    import polars as pl

_ROUNDS = frozenset(word for words in PARTS for word in words.split())
KEEP = ("; use ", Option("duplicates", "keep"), " to count every row")
BOTH_VIEWS = "whether matches are listed from both sides"  # the name of a decision (see `Table.decide`)
SMALL = 10_000  # maximum number of rows in which duplicates are searched if there is no time column
MOST = 0.9  # fraction of the rows that must agree to decide how the file is read
HALF = 0.5  # if rows have dates, a larger fraction of mirrored rows is no coincidence
LEAST = 3  # minimum number of mirrored matches without a time; fewer may be return matches
VARIED = 3  # with at most this many distinct results (win, draw, loss), equal results are often a coincidence


class Meetings:
    """Find the rows in which the same teams meet again at the same time; only these rows can repeat a match.

    Most files have few rows in which teams meet again, so every other search for duplicates is limited to these rows.

    >>> import polars as pl
    >>> table = Table(pl.DataFrame({"day": ["1 May", "2 May", "1 May"]}), "the file")
    >>> meetings = Meetings(table, size=np.ones((3, 2), np.int32), player=np.array([0, 1, 0, 1, 1, 0]))
    >>> meetings.repeated(["day"]), meetings.forward
    (array([0, 2]), array([ True,  True, False]))
    """

    def __init__(self, table: Table, size: Ints, player: Ints) -> None:
        """Prepare the search. `size` has a row of team sizes per match; `player` lists the players of all teams."""
        self._table, self._size, self._player = table, size, player
        self._rows: dict[tuple[str, ...], NDArray[np.intp]] = {}

    @cached_property
    def _team(self) -> NDArray[Any]:
        """A code for each team: a row per match, a column per team."""
        return self._player.reshape(-1, 2) if self._are_pairs else team_codes(self._size, self._player)

    @property
    def _are_pairs(self) -> bool:
        return self._size.shape[1] == 2 and len(self._player) == self._size.size and bool((self._size == 1).all())

    @cached_property
    def forward(self) -> NDArray[np.bool_]:
        """Whether the first team of each match has the smaller code; a mirrored row has the opposite value."""
        return self._team[:, 0] < self._team[:, 1]

    @cached_property
    def _teams(self) -> NDArray[np.uint64]:
        """A code for the teams of each match, which does not depend on the order of the teams."""
        if self._are_pairs:
            low, high = (choose(*self._team.T).astype(np.uint64) for choose in (np.minimum, np.maximum))
            teams: NDArray[np.uint64] = (low << np.uint64(32)) | high
        else:
            teams = mix_bits(self._team).sum(axis=1, dtype=np.uint64)
        return teams

    def codes(self, when: Sequence[str]) -> NDArray[np.uint64]:
        """Return a code for each match.

        Matches share a code if they have the same teams and equal cells in the columns `when`.
        """
        if not when:
            return self._teams
        codes: NDArray[np.uint64] = self._teams ^ self._table.frame.select(when).hash_rows().to_numpy()
        return codes

    def repeated(self, when: Sequence[str]) -> NDArray[np.intp]:
        """Return the rows whose teams also meet in another row with the same cells in the columns `when`."""
        key = tuple(when)
        if key not in self._rows:
            self._rows[key] = repeated_codes(self.codes(when))
        return self._rows[key]


def repeated_codes(codes: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Return the indices of the codes that occur more than once."""
    ordered = np.sort(codes)  # sorting is much faster than hashing; nearly always there are no duplicates
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    return np.flatnonzero(np.isin(codes, twice)) if len(twice) else np.zeros(0, np.intp)


def leave_out_repeated(table: Table, layout: Layout, meetings: Meetings) -> None:
    """Leave out duplicate rows, unless they are probably separate matches.

    Duplicate rows are left out only if a row holds more than a time and two players. Duplicate rows are kept if some
    players meet twice at the same time with different results, because the file then lists several matches of the same
    players at one time.
    """
    choice = table.choices.duplicates
    if choice == "keep" or len(table.frame) < 2:
        return
    when = time_columns(table, layout)
    if not when and choice is None:
        _note_pasted(table)
        return
    rows = meetings.repeated(when)
    same = ~table.frame[rows].hash_rows().is_first_distinct().to_numpy() if len(rows) else np.zeros(0, bool)
    repeated = rows[same]
    if not len(repeated):
        return
    if choice is None:
        usual = len(table.frame.columns) <= len(when) + 2 or len(repeated_codes(meetings.codes(when)[rows[~same]])) > 0
        if table.decide("whether rows that repeat are matches", lambda: usual):
            number = len(repeated)
            text = f"{count(number, 'duplicate row', 'duplicate rows')}; each is counted as a match; use "
            once = Option("duplicates", "once")
            table.note("repeated-rows-counted", text, once, " to count them once", number=number, row=int(repeated[0]))
            return
    table.leave_out(repeated, "repeated-rows", "duplicate row", "duplicate rows", KEEP)


def _note_pasted(table: Table) -> None:
    """Add a remark on rows that equal the row above, or on a file whose second half repeats its first half."""
    if len(table.frame) > SMALL:
        return  # among many matches without times, some rows are usually equal
    hashes = table.frame.hash_rows().to_numpy()
    repeated = np.append(False, hashes[1:] == hashes[:-1])
    half = len(hashes) // 2
    if 2 * half == len(hashes) and (hashes[:half] == hashes[half:]).all():
        repeated[half:] = True
    if number := int(np.count_nonzero(repeated)):
        text = f"{count(number, 'row repeats', 'rows repeat')} another row; each is counted as a match; use "
        once = Option("duplicates", "once")
        row = int(repeated.argmax())
        table.note("repeated-rows-counted", text, once, " to count them once", number=number, row=row)


def time_columns(table: Table, layout: Layout) -> list[str]:
    """Return the columns that identify a match: its id and its date, but not plain numbers such as weeks or rounds."""
    import polars as pl

    columns = [layout.roles[role] for role in ("id", "clock") if role in layout.roles]
    if "time" in layout.roles:
        day = table.frame[layout.roles["time"]]
        written = day.dtype == pl.String and bool(day.head(100).str.contains(r"[^0-9.]|\..*\.").any())
        if written or day.dtype.is_temporal() or _are_numeric_dates(day):
            columns.append(layout.roles["time"])
    return columns


def _are_numeric_dates(day: "pl.Series") -> bool:
    import polars as pl

    if day.dtype != pl.String and not day.dtype.is_numeric():
        return False
    values = day.head(1000).cast(pl.Float64, strict=False).drop_nulls().to_numpy()
    return len(values) > 0 and meaning_of(values, np.ones(len(values)), day.name) != "number"


def team_codes(size: Ints, player: Ints) -> NDArray[np.uint64]:
    """Return a code for each team, as an array with a row per match. Teams with the same players have the same code.

    >>> codes = team_codes(np.array([[2, 1], [1, 2]]), np.array([0, 1, 2, 2, 1, 0]))
    >>> bool((codes[0] == codes[1, ::-1]).all())
    True
    """
    # Mix the bits, so that the sums practically never collide.
    mixed = mix_bits(player.astype(np.uint64))
    if (size == 1).all():
        return mixed.reshape(size.shape)
    mixed = np.append(mixed, np.uint64(0))
    start = starts(size.reshape(-1))
    total = np.add.reduceat(mixed, start[:-1]) if len(start) > 1 else mixed[:0]
    return np.where(size.reshape(-1) > 0, total, np.uint64(0)).reshape(size.shape)


def leave_out_mirrored(table: Table, layout: Layout, meetings: Meetings, result: Floats | None) -> None:
    """If a file lists nearly every match twice, once from each side's view, leave out the second row of each match."""
    choice, matches = table.choices.duplicates, len(table.frame)
    if choice == "keep" or not matches:
        return
    when = _moments(table, layout)
    rows = meetings.repeated(when)
    if not len(rows):
        return
    forward, meeting = meetings.forward, meetings.codes(when)
    if result is not None:
        low, high = np.where(forward, result.T, result.T[::-1])
        meeting = meeting ^ (low * 31.0 + high * 1e6).view(np.uint64)
        rows = rows[repeated_codes(meeting[rows])]
    if not len(rows):
        return
    _, group = np.unique(meeting[rows], return_inverse=True)
    ahead, behind = np.bincount(group, forward[rows]), np.bincount(group, ~forward[rows])
    twin = np.zeros(matches, bool)
    twin[rows] = np.minimum(ahead, behind)[group] > 0
    usual = twin.mean() >= MOST and (bool(when) or _tells_views(twin, meeting, forward, result))
    if not table.decide(BOTH_VIEWS, lambda: usual or None) and choice != "once":
        _note_twins(table, when, twin, result)
        return
    first = np.zeros(len(ahead), bool)
    first[group[::-1]] = forward[rows[::-1]]  # in reverse, so that the direction of the first row remains
    kept = ~twin
    kept[rows] |= np.where(ahead == behind, first, ahead > behind)[group] == forward[rows]
    view = "a match from the other side's view and"
    words = f"row repeats {view} is", f"rows repeat {view} are"
    table.leave_out(np.flatnonzero(~kept), "mirrored-rows", *words, KEEP)


def _moments(table: Table, layout: Layout) -> list[str]:
    """Return the columns that must be equal in two rows of one match: the time, an id that recurs, or the round."""
    when = [column for column in time_columns(table, layout) if column != layout.roles.get("id")]
    if "id" in layout.roles and 2 * table.frame[layout.roles["id"]].n_unique() <= len(table.frame) + 1:
        when.append(layout.roles["id"])
    return when or [column for column in table.frame.columns if plain_name(column) in _ROUNDS]


def _tells_views(
    twin: NDArray[np.bool_], meeting: NDArray[np.uint64], forward: NDArray[np.bool_], result: Floats | None
) -> bool:
    """Return whether mirrored rows without a time show the same match, and not a match and its return match."""
    if len(twin) < 2 * LEAST:
        return False
    if result is not None and len(np.unique(np.sort(result, axis=1), axis=0)) > VARIED:
        return True
    half = len(twin) // 2
    pairs = (slice(0, 2 * half, 2), slice(1, 2 * half, 2)), (slice(half), slice(half, 2 * half))
    adjacent, stacked = ((meeting[a] == meeting[b]) & (forward[a] != forward[b]) for a, b in pairs)
    return bool(max(adjacent.mean(), stacked.mean()) >= MOST)


def _note_twins(table: Table, when: list[str], twin: NDArray[np.bool_], result: Floats | None) -> None:
    """Add a remark if some matches seem to be listed from both sides, unless this may be a coincidence."""
    rows = int(np.count_nonzero(twin))
    if not rows:
        return
    scored = result is not None and len(np.unique(result)) > VARIED
    if (when and scored) or (twin.mean() >= HALF and (when or scored)) or twin.mean() >= MOST:
        note_both_views(table, rows, int(twin.argmax()))


def note_both_views(table: Table, rows: int, row: int) -> None:
    """Add a remark on rows that look like matches listed from both sides."""
    text = f"{count(rows, 'row looks', 'rows look')} like matches listed from both sides; each is counted; use "
    once = Option("duplicates", "once")
    table.note("mirrored-rows-counted", text, once, " to count each match once", number=rows, row=row)
