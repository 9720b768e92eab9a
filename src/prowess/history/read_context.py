"""The state of reading a file: the table and the names of its rows, remarks, problems, and the result.

A remark records something that the reader found or decided. The code of a remark does not change with its wording. The
codes are:

- of the source: `plain-matches`, `json-matches`, `empty-file`, `simulated`, `journal`, `sheet`, `sheets`, `encoding`,
  `separator`, `no-header`, `above-table`, `below-table`, `repeated-header`, `other-order`, `round-headings`,
  `comments`, `repeated-column-names`, `row-numbers`, `unnamed-columns`, `short-rows`, `stray-quotes`, `garbled-text`
- of the formats of other programs: `export`, `player-ids`, `partial-dates`, `unknown-players`, `anonymous-players`,
  `repeated-matches`, `cooperative-plays`, `solo-plays`, `unfinished-plays`, `no-result`, `play-quantity`,
  `play-log`, `partners`
- of the columns: `layout`, `context`, `context-left-out`, `context-numbers`, `ignored-columns`, `ignored-names`,
  `ignored-rosters`, `rosters-beside-names`, `uneven-sides`, `single-number`, `odd-match`,
  `unnamed-ignored`, `names-for-places`, `no-teams`, `unfilled-teams`, `half-scores`, `inferred-columns`,
  `player-columns`, `other-reading`, `match-columns`, `order-of-rows`, `everybody-alone`, `summed-scores`,
  `unused-scores`, `contradicting-results`, `unused-time-column`, `unused-clock-column`, `inferred-time`, `no-times`,
  `order-of-rounds`, `order-of-numbers`, `pairs`, `home-by-neutral`, `no-home-team`, `one-match`, `parts-of-names`,
  `cross-table`, `cross-table-home`, `swiss-table`, `unread-rounds`, `race-columns`, `tie-cells`, `filled-down`,
  `players-of-clubs`, `unknown-draws`, `win-columns`, `teammates`, `lowest-wins`, `handicap`, `unused-handicap`,
  `summary-columns`, `doubtful-sums`, `distant-scores`
- of the cells: `decimal-mark`, `bare-decimals`, `negative-scores`, `bracketed-numbers`, `unread-scores`,
  `partial-scores`, `rosters`, `partners`, `single-name`, `smaller-teams`, `result-words`, `overtime`,
  `winner-first`, `sets`, `shoot-out`, `clock`, `retired`, `words-for-places`, `places-below-1`, `missing-places`,
  `missing-durations`, `numbers-as-dates`, `months`, `short-years`, `several-zones`, `earliest-time`, `day-month-order`,
  `empty-clock`, `distant-times`, `seeds`, `similar-names`
- of rows left out or counted: `not-played`, `late-draw`, `summary-rows`, `walkovers`, `byes`, `placeholders`, `absent`,
  `par`, `repeated-players`, `single-team`, `repeated-rows`, `repeated-rows-counted`, `mirrored-rows`,
  `mirrored-rows-counted`, `repeated-matches`, `problems`
- of joined files: `mixed-context`
- of aliases: `aliases`, `unused-aliases`, `new-name`
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import Error, Option, Piece, Remark, join_pieces
from ..text import count
from .read_options import Choices

if TYPE_CHECKING:
    import polars as pl

    from .columns.roles.layout import Layout
    from .history import History

Rows = NDArray[np.intp]
Decision = TypeVar("Decision")
Message = str | tuple[Piece, ...]  # a sentence; given in pieces if it names an option


def _pieces(message: Message) -> tuple[Piece, ...]:
    return (message,) if isinstance(message, str) else message


@dataclass(frozen=True)
class Problem:
    """A row that cannot be used: the column and value at fault, if any, and a message about what would be valid."""

    row: int
    column: str | None
    value: object
    message: Message

    def detail(self, option: Callable[[Option], str] = str) -> str:
        """Return the part of the message about what would be valid, without the column and the value."""
        return join_pieces(_pieces(self.message), option)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces of the whole message."""
        if self.column is None:
            return _pieces(self.message)
        empty = self.value is None or str(self.value) == ""
        held = "is empty" if empty else f"holds {quote_value(self.value)}"
        return (f"column {self.column!r} {held}: ", *_pieces(self.message))

    def __str__(self) -> str:
        """Return the whole message.

        >>> str(Problem(3, "score", "x", "a number is needed"))
        "column 'score' holds 'x': a number is needed"
        """
        return join_pieces(self.pieces)


@dataclass
class Problems:
    """The problems of a table, as arrays of rows; messages are built only when they are shown.

    >>> problems = Problems()
    >>> problems.add(np.array([4, 2]), "score", ["x", "y"], "a number is needed")
    >>> [str(problem) for problem in problems]
    ["column 'score' holds 'y': a number is needed", "column 'score' holds 'x': a number is needed"]
    """

    groups: list[tuple[Rows, str | None, Any, Message | Callable[[int], Message]]] = field(default_factory=list)
    others: list[Rows] = field(default_factory=list)

    def add(self, rows: Any, column: str | None, values: Any, message: Message | Callable[[int], Message]) -> None:
        """Add a problem for each of the rows, with the value of its cell and a message about what would be valid.

        The message is a text for all rows, or a function that returns the text for an index into `rows`.
        """
        rows = np.asarray(rows, np.intp)
        if len(rows):
            self.groups.append((rows, column, values, message))

    def take_along(self, rows: Any) -> None:
        """Add rows that cannot be used because another row of the same match has a problem."""
        self.others.append(np.asarray(rows, np.intp))

    def copy_to(self, target: "Problems", place: Callable[[int], int | None]) -> None:
        """Copy the problems to `target`.

        `place` maps a row to its row in `target`, or to None to drop its problems.
        """
        for rows, column, values, message in self.groups:
            for index, row in enumerate(rows.tolist()):
                if (new := place(row)) is not None:
                    value = None if values is None else [values[index]]
                    target.add([new], column, value, message(index) if callable(message) else message)

    def __len__(self) -> int:
        return sum(len(rows) for rows, *_ in self.groups)

    def rows(self) -> Rows:
        """Return the rows that cannot be used, in order and without duplicates."""
        return np.unique(np.concatenate([np.zeros(0, np.intp), *(rows for rows, *_ in self.groups), *self.others]))

    def __iter__(self) -> Iterator[Problem]:
        """Iterate over the problems in the order of the rows."""
        groups = enumerate(self.groups)
        places = [(int(row), group, index) for group, (rows, *_) in groups for index, row in enumerate(rows)]
        for row, group, index in sorted(places):
            _, column, values, message = self.groups[group]
            value = None if values is None else values[index]
            yield Problem(row, column, value, message(index) if callable(message) else message)


FEW_ROWS = 20  # number of unusable rows that may be left out of any file
SHOWN = 3  # number of problems in a remark
LONGEST = 80  # maximum length of a quoted cell
MOST = 30  # number of names in a list


def _kind_name(dtype: "pl.DataType") -> str:
    """Return a short name for the type of a column, without the fields of nested types.

    >>> import polars as pl
    >>> _kind_name(pl.List(pl.Struct({"name": pl.String}))), _kind_name(pl.List(pl.String))
    ('lists of objects', 'List(String)')
    """
    if "Struct(" not in str(dtype):
        return str(dtype)
    return "objects" if str(dtype).startswith("Struct") else "lists of objects"


def quote_value(value: object) -> str:
    """Quote a value, truncated if it is long.

    >>> quote_value("3x"), len(quote_value("x" * 1000))
    ("'3x'", 84)
    """
    return f"{value[:LONGEST]!r} …" if isinstance(value, str) and len(value) > LONGEST else repr(value)


def list_names(names: Iterable[str]) -> str:
    """Join names with commas; of a long list, only the first names are shown.

    >>> list_names(["date", "winner"]), list_names(map(str, range(1000)))[-9:]
    ('date, winner', '28, 29, …')
    """
    names = list(names)
    return ", ".join([*names[:MOST], *["…"] * (len(names) > MOST)])


def left_out(number: int, one: str, many: str, first: str) -> str:
    """Return a sentence that says how many rows are left out, and names the first of them.

    >>> left_out(2, "bye", "byes", "line 3")
    '2 byes left out (first: line 3)'
    """
    return f"{count(number, one, many)} left out ({'first: ' * (number > 1)}{first})"


@dataclass(frozen=True)
class Table:
    """A frame that is being read, with its title, the reading options, and everything found so far.

    `lines` returns the numbers of rows for messages, in the `unit` "line", "row" or "item"; it takes an array of rows
    or a single row. `problems` collects the rows
    that cannot be used; reading continues after a problem. `left_out` holds valid rows that are not matches, such as
    byes, with the remark about them. `decisions` are valid for all rows, such as whether the day or the month is first;
    `decided` holds the decisions made in earlier chunks of the file.
    """

    frame: "pl.DataFrame"
    title: str
    lines: Callable[[Any], Any] = field(default=lambda rows: rows + 1)
    choices: Choices = field(default_factory=Choices)
    remarks: list[Remark] = field(default_factory=list)
    problems: Problems = field(default_factory=Problems)
    left_out: list[tuple[Rows, Remark]] = field(default_factory=list)
    decisions: dict[str, Any] = field(default_factory=dict)
    decided: Mapping[str, Any] = field(default_factory=dict)
    unit: str = "row"
    origin: Rows | None = None  # the original index of each row, before other rows were removed
    heading: str = ""  # the title above the table
    sheets: tuple[str, ...] = ()  # the names of all sheets of a workbook
    open_sheet: "Callable[[str], Table] | None" = None  # reads another sheet, if the user has not chosen one
    reserved: Mapping[str, bool] = field(default_factory=dict)  # columns without a role; true if they may be context

    def line(self, row: int) -> int:
        """Return the number of a row for messages."""
        return int(self.lines(row))

    def row_name(self, row: int) -> str:
        """Return the name of a row, such as "line 3"."""
        return f"{self.unit} {self.line(row)}"

    def where(self, row: int) -> str:
        """Return the title of the table and the name of a row, as in "games.csv, line 3"."""
        return f"{self.title}, {self.row_name(row)}"

    def error(self, row: int, *pieces: Piece, column: str | None = None, value: object = None) -> Error:
        """Return an error about a row."""
        return Error(f"{self.where(row)}: ", *pieces, field=column, line=self.line(row), value=value)

    def kind_error(self, column: str, right: str) -> Error:
        """Return an error that says which type a column must have."""
        kind = _kind_name(self.frame[column].dtype)
        return Error(f"{self.title}: column {column!r} holds {kind}: {right}", field=column, value=kind)

    def note(
        self, code: str, *pieces: Piece, column: str | None = None, number: int | None = None, row: int | None = None
    ) -> None:
        """Add a remark, unless the table already has it.

        `number` is the number of rows or matches concerned, and `row` is the first row.
        """
        remark = Remark(code, pieces, column, number, None if row is None else self.line(row))
        if remark not in self.remarks:
            self.remarks.append(remark)

    def decide(self, what: str, find: Callable[[], Decision]) -> Decision:
        """Return a decision made in earlier chunks of the file, or call `find` to make it.

        If `find` returns None, a later chunk decides.

        >>> import polars as pl
        >>> table = Table(pl.DataFrame({"score": [1]}), "the frame", decided={"decimal mark": ","})
        >>> table.decide("decimal mark", lambda: "."), table.decide("separator", lambda: ";"), table.decisions
        (',', ';', {'separator': ';'})
        """
        if what in self.decided:
            earlier: Decision = self.decided[what]
            return earlier
        decision = find()
        if decision is not None:
            self.decisions[what] = decision
        return decision

    def require(self, good: "pl.Series", column: str, right: Message) -> None:
        """Add a problem, with the value in the column, for each row where `good` is false or null."""
        if not good.all(ignore_nulls=False):
            self.reject(np.flatnonzero(~good.fill_null(False).to_numpy()), column, right)

    def reject(self, rows: Any, column: str | None, right: Message | Callable[[int], Message]) -> None:
        """Add a problem for each row.

        `right` is the message, or a function that returns the message for an index into `rows`.
        """
        values = None if column is None else self.frame[column][np.asarray(rows, np.intp)].to_list()
        self.problems.add(rows, column, values, right)

    def leave_out(self, rows: Any, code: str, one: str, many: str, more: Message = "", number: int = 0) -> None:
        """Leave out rows that are not matches.

        Add a remark that names the first of the rows and says how many there are. `number` replaces this count, for
        example if several rows are one match.

        >>> import polars as pl
        >>> table = Table(pl.DataFrame({"score": ["", "1-0"]}), "the frame")
        >>> table.leave_out([0], "not-played", "unplayed match", "unplayed matches")
        >>> str(table.left_out[0][1])
        '1 unplayed match left out (row 1)'
        """
        rows = np.asarray(rows, np.intp)
        if len(rows) and self.left_out:
            # A row is left out for one reason only: a bye without a result is counted as a bye, not as unplayed.
            rows = np.setdiff1d(rows, np.concatenate([before for before, _ in self.left_out]))
        if len(rows):
            number, first = number or len(rows), int(rows.min())
            text = left_out(number, one, many, self.row_name(first))
            self.left_out.append((rows, Remark(code, (text, *_pieces(more)), count=number, line=self.line(first))))

    def unusable(self) -> Rows:
        """Return the rows that have a problem or are left out, in order."""
        return np.unique(np.concatenate([self.problems.rows(), *(rows for rows, _ in self.left_out)]))

    def without(self, rows: Any) -> "Table":
        """Return a table without the given rows and without remarks or problems; other rows keep their numbers."""
        kept = np.delete(np.arange(len(self.frame)), rows)
        lines = self.lines
        return Table(
            self.frame[kept],
            self.title,
            lambda rows: lines(kept[rows]),
            self.choices,
            decided=self.decided,
            unit=self.unit,
            origin=kept if self.origin is None else self.origin[kept],
            heading=self.heading,
            reserved=self.reserved,
        )

    def place(self, row: int) -> int:
        """Return the index of a row in the original table, before any row was removed."""
        return row if self.origin is None else int(self.origin[row])


class Located(NamedTuple):
    """A problem and its place in the source; `line` counts from 1, in lines, rows or items."""

    where: str
    problem: Problem
    line: int | None = None

    def __str__(self) -> str:
        """Return the place and the message."""
        return f"{self.where}: {self.problem}"


@dataclass(frozen=True)
class Findings:
    """The history of all usable rows, and the problems of the other rows, in file order.

    >>> import polars as pl
    >>> from .readers import from_frame
    >>> findings = from_frame(pl.DataFrame({"winner": ["ann", ""], "loser": ["bob", "cat"]}), Choices())
    >>> findings.history, findings.to_frame()["where"].to_list()
    (History(1 match, 2 players, places), ['row 2'])
    """

    history: "History"
    title: str
    problems: tuple[Located, ...] = ()
    layout: "Layout | None" = None
    columns: tuple[str, ...] = ()
    decisions: Mapping[str, Any] = field(default_factory=dict)  # decisions that also apply to later chunks of the file
    rows: int = 0  # number of rows or items in the file, including unusable ones
    context: Mapping[str, str] = field(default_factory=dict)  # the level of each file column that is kept as context

    def unusable_rows(self) -> int:
        """Count the rows with a problem; a row may have several."""
        return len({one.where for one in self.problems})

    @property
    def roles(self) -> dict[str, str | None]:
        """The role of each column of the file; None if a column is not used.

        >>> import polars as pl
        >>> from .readers import from_frame
        >>> from_frame(pl.DataFrame({"winner": ["ann"], "loser": ["bob"], "town": ["Bath"]}), Choices()).roles
        {'winner': 'winner', 'loser': 'loser', 'town': None}
        """
        used = {} if self.layout is None else {column: role for role, column in self.layout.roles.items()}
        for side in () if self.layout is None else self.layout.sides:
            players = (*side.more, *([side.lineup] if side.lineup is not None else []))
            used |= dict.fromkeys(players, used[side.column])
        for joined in used.keys() - set(self.columns):  # such as the sets of a match, each in a column
            used |= dict.fromkeys(joined.split("+"), used[joined])
        return {column: used.get(column) for column in self.columns}

    def to_frame(self) -> "pl.DataFrame":
        """Return a frame with a row per problem and the columns where, column, value and problem."""
        import polars as pl

        rows = [
            (where, problem.column, None if problem.value is None else str(problem.value), problem.detail())
            for where, problem, _ in self.problems
        ]
        names = ("where", "column", "value", "problem")
        return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def few_rows(rows: int) -> int:
    """Return how many unusable rows may be skipped by default in a file of `rows` rows.

    >>> [few_rows(rows) for rows in (10, 99, 500, 10_000)]
    [1, 1, 5, 20]
    """
    return min(max(1, rows // 100), FEW_ROWS)


def history_or_error(findings: Findings, skip_problems: bool | None, *, part: bool = False) -> "History":
    """Return the history if there are no problems, or if the problems may be skipped; otherwise raise an `Error`.

    If `skip_problems` is None, a few rows may be skipped (see `few_rows`), but not all rows. Unless the findings are
    `part` of a file, at least one of the rows must be a match.
    """
    if not findings.problems:
        if findings.rows and not len(findings.history) and not part:
            reasons = [str(remark) for remark in findings.history.remarks if "left out" in str(remark)]
            raise Error(f"{findings.title}: no row is a match{': ' * bool(reasons)}{'; '.join(reasons)}")
        return findings.history
    number = len(findings.problems)
    where, problem, line = findings.problems[0]
    few = findings.unusable_rows() <= few_rows(findings.rows) and len(findings.history) > 0
    if skip_problems or (skip_problems is None and few):
        pieces: tuple[Piece, ...] = (
            f"{count(findings.unusable_rows(), 'unusable row', 'unusable rows')} left "
            f"out{', such as' * (number > SHOWN)}: {where}: ",
            *problem.pieces,
        )
        for one in findings.problems[1:SHOWN]:
            pieces += (f"; {one.where}: ", *one.problem.pieces)
        remark = Remark("problems", pieces, problem.column, number, line)
        return replace(findings.history, remarks=(*findings.history.remarks, remark))
    others = f" ({count(number - 1, 'more problem', 'more problems')}; " if number > 1 else " ("
    which = f" to skip {'such rows' if number > 1 else 'this row'})"
    skip: tuple[Piece, ...] = ("use ", Option("skip_problems", True), which)
    if number > SHOWN and 2 * findings.unusable_rows() >= findings.rows:
        skip = ("at least half of the rows have one, so check the roles of the columns)",)
    place = f"{findings.title}, {where}: "
    raise Error(place, *problem.pieces, others, *skip, field=problem.column, line=line, value=problem.value)
