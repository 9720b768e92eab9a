"""What reading carries along: the table and how its rows are called, remarks, problems, and the result of reading.

A remark says what was found out or decided. Its code never changes with the wording; these are the codes:

- of the source: `plain-matches`, `json-matches`, `empty-file`, `simulated`, `journal`, `sheet`, `encoding`,
  `separator`, `no-header`, `above-table`, `below-table`, `repeated-header`, `comments`, `repeated-column-names`,
  `row-numbers`, `unnamed-columns`, `stray-quotes`
- of the columns: `layout`, `ignored-columns`, `inferred-columns`, `player-columns`, `other-reading`, `match-columns`,
  `order-of-rows`, `everybody-alone`, `summed-scores`, `unused-scores`, `contradicting-results`, `unused-time-column`,
  `unused-clock-column`
- of the cells: `decimal-mark`, `bracketed-numbers`, `rosters`, `single-name`, `result-words`, `overtime`,
  `winner-first`, `sets`, `shoot-out`, `clock`, `retired`, `words-for-places`, `places-below-1`, `missing-places`,
  `missing-durations`, `numbers-as-dates`, `months`, `short-years`, `several-zones`, `earliest-time`,
  `day-month-order`, `empty-clock`
- of what is left out or counted: `not-played`, `walkovers`, `byes`, `absent`, `repeated-players`, `single-team`,
  `repeated-rows`, `repeated-rows-counted`, `mirrored-rows`, `repeated-matches`, `problems`
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

    from .columns.layout import Layout
    from .history import History

Rows = NDArray[np.intp]
Decision = TypeVar("Decision")
Message = str | tuple[Piece, ...]  # a sentence, in pieces where it names an option


def pieces_of(message: Message) -> tuple[Piece, ...]:
    """Return a message as the pieces of an error or of a remark."""
    return (message,) if isinstance(message, str) else message


@dataclass(frozen=True)
class Problem:
    """A row that cannot be used, the column and the value at fault if there are any, and what would be right."""

    row: int
    column: str | None
    value: object
    message: Message

    def detail(self, option: Callable[[Option], str] = str) -> str:
        """Say what would be right, without the column and the value."""
        return join_pieces(pieces_of(self.message), option)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces of the whole sentence."""
        if self.column is None:
            return pieces_of(self.message)
        empty = self.value is None or str(self.value) == ""
        held = "is empty" if empty else f"holds {quote_value(self.value)}"
        return (f"column {self.column!r} {held}: ", *pieces_of(self.message))

    def __str__(self) -> str:
        """Write the sentence.

        >>> str(Problem(3, "score", "x", "a number is needed"))
        "column 'score' holds 'x': a number is needed"
        """
        return join_pieces(self.pieces)


@dataclass
class Problems:
    """The problems of a table: rows as arrays, and a sentence only for those that are shown.

    >>> problems = Problems()
    >>> problems.add(np.array([4, 2]), "score", ["x", "y"], "a number is needed")
    >>> [str(problem) for problem in problems]
    ["column 'score' holds 'y': a number is needed", "column 'score' holds 'x': a number is needed"]
    """

    groups: list[tuple[Rows, str | None, Any, Message | Callable[[int], Message]]] = field(default_factory=list)
    others: list[Rows] = field(default_factory=list)

    def add(self, rows: Any, column: str | None, values: Any, message: Message | Callable[[int], Message]) -> None:
        """Add rows, what their cells hold, and what would be right: one message, or one for each by its index."""
        rows = np.asarray(rows, np.intp)
        if len(rows):
            self.groups.append((rows, column, values, message))

    def take_along(self, rows: Any) -> None:
        """Add rows that cannot be used without one that has a problem: the rest of its match."""
        self.others.append(np.asarray(rows, np.intp))

    def copy_to(self, target: "Problems", place: Callable[[int], int | None]) -> None:
        """Add the problems to others, at the row that `place` gives for theirs; None leaves one out."""
        for rows, column, values, message in self.groups:
            for index, row in enumerate(rows.tolist()):
                if (new := place(row)) is not None:
                    value = None if values is None else [values[index]]
                    target.add([new], column, value, message(index) if callable(message) else message)

    def __len__(self) -> int:
        """Count the problems."""
        return sum(len(rows) for rows, *_ in self.groups)

    def rows(self) -> Rows:
        """Return the rows that cannot be used, in order, each once."""
        return np.unique(np.concatenate([np.zeros(0, np.intp), *(rows for rows, *_ in self.groups), *self.others]))

    def __iter__(self) -> Iterator[Problem]:
        """Iterate over the problems in the order of the rows."""
        places = [
            (int(row), group, index) for group, (rows, *_) in enumerate(self.groups) for index, row in enumerate(rows)
        ]
        for row, group, index in sorted(places):
            _, column, values, message = self.groups[group]
            value = None if values is None else values[index]
            yield Problem(row, column, value, message(index) if callable(message) else message)


LONGEST = 80  # letters of a cell
MOST = 30  # names in a list


def quote_value(value: object) -> str:
    """Quote a value, cut off where it is long.

    >>> quote_value("3x"), len(quote_value("x" * 1000))
    ("'3x'", 84)
    """
    if not isinstance(value, str):
        return repr(value)
    return repr(value) if len(value) <= LONGEST else f"{value[:LONGEST]!r} …"


def list_names(names: Iterable[str]) -> str:
    """List names, the first of them where there are many.

    >>> list_names(["date", "winner"]), list_names(map(str, range(1000)))[-9:]
    ('date, winner', '28, 29, …')
    """
    names = list(names)
    return ", ".join([*names[:MOST], *["…"] * (len(names) > MOST)])


def _from_one(row: int) -> int:
    return row + 1


@dataclass(frozen=True)
class Table:
    """A frame, its title, and how its rows are counted: by `line`, in the `unit` "line", "row" or "item".

    `line` is called only when something is to be said about a row. `remarks` gathers what a reader should know.
    `problems` gathers the rows that cannot be used; whoever finds one adds it and goes on. `left_out` are rows that are
    no matches, with the remark that says so: they are no problem. `decisions` are those that hold for all rows, such as
    whether the day or the month stands first; `decided` are those that earlier parts of the same file led to.
    """

    frame: "pl.DataFrame"
    title: str
    line: Callable[[int], int] = _from_one
    choices: Choices = field(default_factory=Choices)
    remarks: list[Remark] = field(default_factory=list)
    problems: Problems = field(default_factory=Problems)
    left_out: list[tuple[Rows, Remark]] = field(default_factory=list)
    decisions: dict[str, Any] = field(default_factory=dict)
    decided: Mapping[str, Any] = field(default_factory=dict)
    unit: str = "row"
    origin: Rows | None = None  # of each row, which it was before others were taken out

    def row_name(self, row: int) -> str:
        """Return what a row is called, such as "line 3"."""
        return f"{self.unit} {self.line(row)}"

    def where(self, row: int) -> str:
        """Return the title and what a row is called."""
        return f"{self.title}, {self.row_name(row)}"

    def error(self, row: int, *pieces: Piece, column: str | None = None, value: object = None) -> Error:
        """Make an error about a row."""
        return Error(f"{self.where(row)}: ", *pieces, field=column, line=self.line(row), value=value)

    def kind_error(self, column: str, right: str) -> Error:
        """Make an error about the type of a column."""
        kind = self.frame[column].dtype
        return Error(f"{self.title}: column {column!r} holds {kind}: {right}", field=column, value=str(kind))

    def note(
        self, code: str, *pieces: Piece, column: str | None = None, number: int | None = None, row: int | None = None
    ) -> None:
        """Add a remark, once; `number` is how many rows or matches it is about, `row` the first of them."""
        remark = Remark(code, pieces, column, number, None if row is None else self.line(row))
        if remark not in self.remarks:
            self.remarks.append(remark)

    def decide(self, what: str, find: Callable[[], Decision]) -> Decision:
        """Return what earlier parts of the file decided, or else decide by the rows; None leaves it to later parts.

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
        """Add a problem for each row that is not good (false or null), which shows what the column holds there."""
        if not good.all(ignore_nulls=False):
            self.reject(np.flatnonzero(~good.fill_null(False).to_numpy()), column, right)

    def reject(self, rows: Any, column: str | None, right: Message | Callable[[int], Message]) -> None:
        """Add a problem for rows; a message that differs from row to row is made from the row's place in `rows`."""
        values = None if column is None else self.frame[column][np.asarray(rows, np.intp)].to_list()
        self.problems.add(rows, column, values, right)

    def leave_out(
        self,
        rows: Any,
        code: str,
        why: str,
        one: str = "row is",
        many: str = "rows are",
        more: Message = "",
        number: int = 0,
    ) -> None:
        """Leave out rows that are no matches, and say why, how many they are (or something else is) and where.

        >>> import polars as pl
        >>> table = Table(pl.DataFrame({"score": ["", "1-0"]}), "the frame")
        >>> table.leave_out([0], "not-played", "not played: ")
        >>> str(table.left_out[0][1])
        'not played: 1 row is left out, on row 1'
        """
        rows = np.asarray(rows, np.intp)
        if len(rows) and self.left_out:  # each row for one reason: a bye without a result is a bye
            rows = np.setdiff1d(rows, np.concatenate([before for before, _ in self.left_out]))
        if len(rows):
            number, first = number or len(rows), int(rows.min())
            where = f"{'the first ' * (number > 1)}on {self.row_name(first)}"
            text = f"{why}{count(number, one, many)} left out, {where}"
            remark = Remark(code, (text, *pieces_of(more)), count=number, line=self.line(first))
            self.left_out.append((rows, remark))

    def unusable(self) -> Rows:
        """Return the rows that have a problem, or are left out, in order."""
        return np.unique(np.concatenate([self.problems.rows(), *(rows for rows, _ in self.left_out)]))

    def without(self, rows: Any) -> "Table":
        """Return the table without some rows; the others keep their names, and all findings begin anew."""
        kept = np.delete(np.arange(len(self.frame)), rows)
        line = self.line
        return Table(
            self.frame[kept],
            self.title,
            lambda row: line(int(kept[row])),
            self.choices,
            decided=self.decided,
            unit=self.unit,
            origin=kept if self.origin is None else self.origin[kept],
        )

    def place(self, row: int) -> int:
        """Return which row of the file a row is, counted before any was taken out."""
        return row if self.origin is None else int(self.origin[row])


class Located(NamedTuple):
    """A problem and where it stands; `line` counts from 1, in lines, rows or items as the source does."""

    where: str
    problem: Problem
    line: int | None = None

    def __str__(self) -> str:
        """Say where, and what is wrong."""
        return f"{self.where}: {self.problem}"

    def render(self, option: Callable[[Option], str]) -> str:
        """Say the same with options as `option` renders them."""
        return f"{self.where}: {join_pieces(self.problem.pieces, option)}"


@dataclass(frozen=True)
class Findings:
    """A history of all that can be used, and the problems that were left out of it, in the order of the file.

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
    decisions: Mapping[str, Any] = field(default_factory=dict)  # for all rows, also of later parts of the file

    @property
    def roles(self) -> dict[str, str | None]:
        """The role of each column of the file; None for those that are not used.

        >>> import polars as pl
        >>> from .readers import from_frame
        >>> from_frame(pl.DataFrame({"winner": ["ann"], "loser": ["bob"], "town": ["Bath"]}), Choices()).roles
        {'winner': 'winner', 'loser': 'loser', 'town': None}
        """
        used = {} if self.layout is None else {column: role for role, column in self.layout.roles.items()}
        for side in () if self.layout is None else self.layout.sides:
            used |= dict.fromkeys(side.more, used[side.column])  # players of a side in columns of their own
        return {column: used.get(column) for column in self.columns}

    def to_frame(self) -> "pl.DataFrame":
        """Return a frame with a row per problem: where, column, value, problem."""
        import polars as pl

        rows = [
            (where, problem.column, None if problem.value is None else str(problem.value), problem.detail())
            for where, problem, _ in self.problems
        ]
        names = ("where", "column", "value", "problem")
        return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def history_or_error(findings: Findings, skip_problems: bool) -> "History":
    """Return the history if nothing is wrong, or if problems may be skipped; else raise an Error at the first one."""
    if not findings.problems:
        return findings.history
    first, rest = findings.problems[0], len(findings.problems) - 1
    where, problem, line = first
    if skip_problems:
        total = count(rest + 1, "problem", "problems")
        pieces = (f"left out: {total}, the first: {where}: ", *problem.pieces)
        remark = Remark("problems", pieces, problem.column, rest + 1, line)
        return replace(findings.history, remarks=(*findings.history.remarks, remark))
    others = f"{count(rest, 'more problem', 'more problems')}; " if rest else ""
    raise Error(
        f"{findings.title}, {where}: ",
        *problem.pieces,
        f" ({others}",
        Option("skip_problems", True),
        f" leaves {'them' if rest else 'it'} out)",
        field=problem.column,
        line=line,
        value=problem.value,
    )
