"""Context: further columns of matches, teams and entries, such as surface, side or kills.

Columns are typed and dictionary-encoded: a column has a list of its distinct values and, for each row, the index of its
value. A column with few distinct values takes a byte per row. A history has three contexts, one for each level: match,
team and player.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...validate import LARGEST, number
from ..names.spelling import is_unicode
from ..ragged import Floats, owners

if TYPE_CHECKING:
    import polars as pl

    from ..history import History

Kind = Literal["category", "number"]
Level = Literal["match", "team", "player"]
Value = str | float | None

LEVELS: tuple[Level, ...] = ("match", "team", "player")  # from coarse to fine
FIELDS: dict[Level, str] = {"match": "context", "team": "team_context", "player": "entry_context"}  # in `History`
LONGEST_NAME = 100  # characters in the name of a column
MOST_COLUMNS = 100
EXACT = 2**53  # up to here a float represents every whole number


@dataclass(frozen=True, eq=False, repr=False)
class ContextColumn:
    """A column of categories or numbers. Row `i` holds `values[code[i]]`; if `code[i]` is -1, the value is missing.

    `values` are the distinct values: a tuple of text if the column holds categories, an array if it holds numbers.

    >>> column = ContextColumn.of(["clay", "grass", None, "clay"])
    >>> column.kind, column.values, column.code, column[1]
    ('category', ('clay', 'grass'), array([ 0,  1, -1,  0], dtype=int8), 'grass')
    >>> ContextColumn.of([3, None, 2.5]).to_numpy()
    array([3. , nan, 2.5])
    """

    code: NDArray[np.signedinteger[Any]]
    values: tuple[str, ...] | Floats

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        self.code.setflags(write=False)
        if not isinstance(self.values, tuple):
            self.values.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle through the constructor, because unpickled NumPy arrays are no longer read-only."""
        return type(self), (self.code, self.values)

    @classmethod
    def of(cls, values: pl.Series | Iterable[object]) -> ContextColumn:
        """Encode a Polars series, or text, numbers, booleans and dates; None, NaN and empty text are missing.

        Booleans become the categories "true" and "false", and dates become text. Python values must not mix text and
        numbers.

        >>> import polars as pl
        >>> ContextColumn.of(pl.Series([True, None, False])).to_list()
        ['true', None, 'false']
        """
        if not isinstance(values, list | tuple) and hasattr(values, "to_physical"):
            return _encode_series(values)  # type: ignore[arg-type]
        encoder = Encoder("values")
        try:
            codes = encoder.encode([None if _is_nan(value) else value for value in values])
        except BadValueError as bad:
            raise bad.error from None
        return encoder.column(codes)

    @property
    def kind(self) -> Kind:
        """Whether the values are categories or numbers."""
        return "category" if isinstance(self.values, tuple) else "number"

    @property
    def nbytes(self) -> int:
        """The size in bytes, without the text of categories."""
        return self.code.nbytes + (0 if isinstance(self.values, tuple) else self.values.nbytes)

    def __len__(self) -> int:
        return len(self.code)

    @overload
    def __getitem__(self, row: int) -> Value: ...
    @overload
    def __getitem__(self, row: slice) -> ContextColumn: ...
    def __getitem__(self, row: int | slice) -> Value | ContextColumn:
        """Return the value of a row (None if it is missing), or a slice of the rows as a column."""
        if isinstance(row, slice):
            return self.take(row)
        code = self.code[row]
        return None if code < 0 else _plain(self.values[code])

    def __iter__(self) -> Iterator[Value]:
        return iter(self.to_list())

    def take(self, index: Any) -> ContextColumn:
        """Return a column with the rows that a NumPy index selects; a slice shares memory."""
        return ContextColumn(self.code[index], self.values)

    def holds(self, wanted: object, what: str = "a value") -> NDArray[np.bool_]:
        """Return a mask of the rows that hold a value, or one of a list of values; None means a missing value.

        Numbers may be given as text, and text as numbers. Text that is not a number raises an `Error` if the column
        holds numbers; `what` names the value in the message.

        >>> ContextColumn.of([3, 5, None, 3]).holds([3, "5"])
        array([ True,  True, False,  True])
        """
        values = list(wanted) if isinstance(wanted, list | tuple | set | frozenset | np.ndarray) else [wanted]
        chosen = {self._comparable(value, what) for value in values}
        held = [value in chosen for value in self.values]
        rows: NDArray[np.bool_] = np.array([*held, None in chosen], bool)[self.code]  # code -1 selects the last item
        return rows

    def _comparable(self, wanted: object, what: str) -> Value:
        value = _simplify(wanted, what)
        if value is None or isinstance(self.values, tuple):
            return clean_text(value) if isinstance(value, str) else value if value is None else str(_plain(value))
        try:
            return float(value)
        except ValueError:
            message = f"{what} is a number in every match; give a number, not {wanted!r}"
            raise Error(message, field="context", value=wanted) from None

    def as_text(self) -> ContextColumn:
        """Return the column as categories; numbers become text.

        >>> ContextColumn.of([3, None, 2.5]).as_text().to_list()
        ['3', None, '2.5']
        """
        if isinstance(self.values, tuple):
            return self
        return ContextColumn(self.code, tuple(str(_plain(value)) for value in self.values))

    def to_list(self) -> list[Value]:
        """Return the values as a list of text or numbers, with None for missing values. Whole numbers are ints.

        >>> ContextColumn.of([3.0, None, 0.5]).to_list()
        [3, None, 0.5]
        """
        if len(self.code) < len(self.values):  # a few values, such as the values of one match
            return [None if code < 0 else _plain(self.values[code]) for code in self.code.tolist()]
        values = [*map(_plain, self.values), None]  # code -1 selects the last item
        return [values[code] for code in self.code.tolist()]

    def to_numpy(self) -> NDArray[Any]:
        """Return the values as an array; missing values are NaN among numbers, and None among categories."""
        categories = isinstance(self.values, tuple)
        values: NDArray[Any] = np.array([*self.values, None], object) if categories else np.append(self.values, np.nan)
        decoded: NDArray[Any] = values[self.code]
        return decoded

    def to_series(self, name: str = "") -> pl.Series:
        """Return a Polars series of type Enum or Float64, with null for missing values.

        >>> ContextColumn.of(["clay", None]).to_series().dtype
        Enum(categories=['clay'])
        """
        import polars as pl

        if not isinstance(self.values, tuple):
            return pl.Series(name, self.to_numpy(), pl.Float64).fill_nan(None)
        code = pl.Series(self.code).replace(-1, None)
        return pl.Series(name, self.values, pl.Enum(self.values)).gather(code)

    def __eq__(self, other: object) -> bool:
        """Return whether all rows hold equal values. The order of the distinct values does not matter."""
        if not isinstance(other, ContextColumn):
            return NotImplemented
        if self.kind != other.kind or len(self) != len(other):
            return False
        if not isinstance(self.values, tuple):
            return np.array_equal(self.to_numpy(), other.to_numpy(), equal_nan=True)
        if self.values == other.values:
            return np.array_equal(self.code, other.code)
        number = {value: code for code, value in enumerate(self.values)}
        translate = np.array([*(number.get(str(value), -2) for value in other.values), -1])
        return np.array_equal(self.code, translate[other.code])

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Return the kind, and the numbers of rows and distinct values."""
        return f"ContextColumn({self.kind}, {len(self)} rows, {len(self.values)} values)"


class Context(Mapping[str, ContextColumn]):
    """Columns by name, all of the same length: a row for each match, for each team, or for each entry of a history.

    >>> context = Context({"surface": ContextColumn.of(["clay", "grass"]), "best of": ContextColumn.of([3, 5])})
    >>> list(context), context["best of"].to_numpy(), context.rows
    (['surface', 'best of'], array([3., 5.]), 2)
    """

    __slots__ = ("_columns",)

    def __init__(self, columns: Mapping[str, ContextColumn]) -> None:
        self._columns = dict(columns)
        if len(set(map(len, self._columns.values()))) > 1:
            lengths = ", ".join(f"{name!r} {len(column)}" for name, column in self._columns.items())
            raise Error(f"the columns of a context must have the same length, not {lengths}", field="context")

    @classmethod
    def of(cls, columns: Mapping[str, ContextColumn]) -> Context:
        """Make a context of the columns that have at least one value; return `EMPTY` if there are none."""
        kept = {name: column for name, column in columns.items() if _has_value(column.code)}
        return cls(kept) if kept else EMPTY

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle through `of`, so that all empty contexts are one object."""
        return _restore, (self._columns,)

    @property
    def rows(self) -> int:
        """The length of the columns; 0 if there are none."""
        return next((len(column) for column in self._columns.values()), 0)

    @property
    def nbytes(self) -> int:
        """The size of all columns in bytes, without the text of categories."""
        return sum(column.nbytes for column in self._columns.values())

    def __getitem__(self, name: str) -> ContextColumn:
        """Return a column."""
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def take(self, index: Any) -> Context:
        """Return the rows that a NumPy index selects, without columns that have no value in these rows."""
        if not self._columns:
            return self
        return Context.of({name: column.take(index) for name, column in self._columns.items()})

    def to_frame(self) -> pl.DataFrame:
        """Return a Polars frame: categories as Enum, numbers as Float64, missing values as null.

        >>> Context({"surface": ContextColumn.of(["clay", None])}).to_frame().to_dict(as_series=False)
        {'surface': ['clay', None]}
        """
        import polars as pl

        return pl.DataFrame([column.to_series(name) for name, column in self._columns.items()])

    def __eq__(self, other: object) -> bool:
        """Return whether two contexts have the same column names and equal columns."""
        return self._columns == other._columns if isinstance(other, Context) else NotImplemented

    def __hash__(self) -> int:
        """Hash the names of the columns."""
        return hash(frozenset(self._columns))

    def __repr__(self) -> str:
        """Return the names and kinds of the columns."""
        return f"Context({', '.join(f'{name}: {column.kind}' for name, column in self._columns.items())})"


EMPTY = Context({})


def _restore(columns: Mapping[str, ContextColumn]) -> Context:
    # A function of the module, because cloudpickle copies the code of a class method without its globals.
    return Context.of(columns)


def concatenate(columns: Sequence[ContextColumn | None], rows: Sequence[int]) -> ContextColumn:
    """Concatenate columns. None stands for a column of missing values, whose length is in `rows`.

    If some columns hold numbers and others categories, all values become text.

    >>> concatenate([ContextColumn.of(["clay"]), None, ContextColumn.of([3, 2.5])], [1, 1, 2]).to_list()
    ['clay', None, '3', '2.5']
    """
    present = [column for column in columns if column is not None]
    values: list[str] | Floats
    if all(column.kind == "number" for column in present):
        values = np.unique(np.concatenate([column.values for column in present]))
        translations = [np.searchsorted(values, column.values) for column in present]
    else:
        code: dict[str, int] = {}
        texts = (column.as_text().values for column in present)
        translations = [np.array([code.setdefault(str(text), len(code)) for text in part]) for part in texts]
        values = list(code)
    parts, following = [], iter(translations)
    for column, size in zip(columns, rows, strict=True):
        if column is None:
            parts.append(np.full(size, -1, np.int32))
        else:
            parts.append(np.append(next(following), -1).astype(np.int32)[column.code])
    together = _smallest(np.concatenate(parts), len(values))
    return ContextColumn(together, tuple(values) if isinstance(values, list) else values)


def _has_value(code: NDArray[Any]) -> bool:
    return bool(len(code)) and (code[0] >= 0 or bool((code >= 0).any()))


def _plain(value: str | float) -> str | float:
    if isinstance(value, str):
        return value
    return int(value) if value == int(value) and abs(value) < EXACT else float(value)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and value != value


def _smallest(code: NDArray[Any], values: int) -> NDArray[np.signedinteger[Any]]:
    fits = (kind for kind in (np.int8, np.int16) if values <= np.iinfo(kind).max + 1)
    return code.astype(next(fits, np.int32), copy=False)


def clean_text(text: str) -> str:
    """Normalise a value or a name: remove surrounding spaces, and compose characters (Unicode NFC).

    >>> clean_text(" Jose\\u0301 ")
    'José'
    """
    return str(text.strip() if text.isascii() else unicodedata.normalize("NFC", text).strip())


def clean_name(name: str) -> str:
    """Normalise the name of a column: clean text on one line, with single spaces.

    >>> clean_name(" best\\n of  sets")
    'best of sets'
    """
    return " ".join(clean_text(name).split())


def _encode_series(series: pl.Series) -> ContextColumn:
    import polars as pl

    kind = series.dtype
    if kind.is_nested() or kind in (pl.Object, pl.Binary, pl.Duration):
        raise Error(f"a column of context holds text or numbers, not {kind}", field="context")
    if kind.is_numeric():
        numbers = series.cast(pl.Float64).to_numpy()
        numbers = np.where(np.abs(numbers) <= LARGEST, numbers, np.nan) + 0.0  # + 0.0 turns -0.0 into 0.0
        present = ~np.isnan(numbers)
        # Finding the distinct values by hashing is faster than sorting all of them.
        values = pl.Series(numbers[present]).unique().sort().to_numpy().copy()
        code = np.where(present, np.searchsorted(values, numbers), -1)
        return ContextColumn(_smallest(code, len(values)), values)
    text = series.cast(pl.String)
    spelt = text.drop_nulls().unique(maintain_order=True)
    number: dict[str, int] = {}
    clean = [clean_text(value) for value in spelt.to_list()]
    same = [number.setdefault(value, len(number)) if value else -1 for value in clean]
    physical = text.cast(pl.Enum(spelt)).to_physical().cast(pl.Int32).fill_null(-1).to_numpy()
    code = np.array([*same, -1], np.int32)[physical]
    return ContextColumn(_smallest(code, len(number)), tuple(number))


_PLAIN_TYPES = frozenset((str, int, float, type(None)))


def _simplify(value: Any, what: str) -> Value:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, np.bool_ | bool):
        return "true" if value else "false"
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, Real):
        number: Any = value
        return float(number) if abs(number) <= LARGEST else number  # a huge int cannot be converted to a float
    raise Error(f"{what} must be text, a number, true or false, not {value!r}", field="context", value=value)


class BadValueError(Exception):
    """Raised for a value that a column cannot hold; `index` is the position of the value."""

    def __init__(self, index: int, error: Error) -> None:
        self.index, self.error = index, error


class Encoder:
    """Numbers the distinct values of one column in order of appearance."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.kind: Kind | None = None
        self.number: dict[str | float, int] = {}  # the code of each distinct value, after cleaning
        self.code: dict[Value, int] = {None: -1}  # the code of each value as given

    def encode(self, values: list[Any]) -> list[int]:
        """Return the code of each value, and give every new value the next code; the code of a missing value is -1.

        Raise `BadValueError` if a value is invalid, or if text and numbers are mixed.
        """
        if not set(map(type, values)) <= _PLAIN_TYPES:
            values = [self._simplify(index, value) for index, value in enumerate(values)]
        for value in dict.fromkeys(values):
            if value not in self.code:
                try:
                    self.code[value] = self._number(value)
                except Error as error:
                    raise BadValueError(values.index(value), error) from None
        return list(map(self.code.__getitem__, values))

    def _simplify(self, index: int, value: object) -> Value:
        try:
            return _simplify(value, self.what)
        except Error as error:
            raise BadValueError(index, error) from None

    def _number(self, value: str | float) -> int:
        kind: Kind
        if isinstance(value, str):
            if not is_unicode(value):
                raise Error(f"{self.what} must be valid Unicode text, not {value!r}", field="context", value=value)
            kind, value = "category", clean_text(value)
            if not value:
                return -1
        else:
            kind, value = "number", number(self.what, value, field="context")
        if kind != (self.kind or kind):
            other = "text" if kind == "number" else "a number"
            message = f"{self.what} is {value!r} here and {other} elsewhere: give only numbers, or only text"
            raise Error(message, field="context", value=value)
        self.kind = kind
        return self.number.setdefault(value, len(self.number))

    def column(self, codes: list[int] | NDArray[Any]) -> ContextColumn:
        """Build a column from the code of each row; its distinct values are all values that were encoded so far."""
        values: Any = np.array(list(self.number), np.float64) if self.kind == "number" else tuple(self.number)
        return ContextColumn(_smallest(np.asarray(codes), len(self.number)), values)


def column_names(history: History) -> tuple[str, ...]:
    """Return the names of all columns of a history's context.

    If the history is a part of another history, columns that have no values in this part are included.

    >>> from prowess.history import History
    >>> matches = [{"teams": [["ann"], ["bob"]], "context": context} for context in ({"surface": "clay"}, {})]
    >>> column_names(History.from_matches(matches)[1:])
    ('surface',)
    """
    names = (*history.context, *history.team_context, *history.entry_context)
    kept: tuple[str, ...] = history.__dict__.get("_column_names", ())
    return tuple(dict.fromkeys((*names, *kept)))


def column_at(history: History, name: str, level: Level) -> ContextColumn | None:
    """Return a context column of a history, expanded to `level` if that is finer than the column's own level.

    Return None if the history does not have the column.
    """
    column = history.context.get(name)
    if column is not None and level != "match":
        column = column.take(owners(history.match_start))
    column = history.team_context.get(name, column)
    if column is not None and level == "player":
        column = column.take(owners(history.team_start))
    return history.entry_context.get(name, column)


class MarkedHeader(NamedTuple):
    """A header that states the level of its context column; `kind` is None if the reader infers it from the cells.

    In a file with a row per match, `number` is the team to which the cells belong, counted from 1.
    """

    name: str
    level: Level
    kind: Kind | None = None
    number: int | None = None


_MARK = re.compile(r"(.*\S)\s*\[(match|team|player)(?: ([1-9][0-9]{0,4}))?(?:, (text|number))?\]", re.DOTALL)
_KINDS: dict[str | None, Kind] = {"text": "category", "number": "number"}


def marked_header(name: str, level: Level, kind: Kind | None = None, number: int | None = None) -> str:
    """Return a header that states the level and, if given, the kind of a context column.

    With the kind "category", every cell that is not empty is text, even if it looks like a number. In a file with a row
    per match, each team has its own column, whose header has the number of the team. A name that a spreadsheet would
    run as a formula gets an apostrophe.

    >>> marked_header("map", "match", "category"), marked_header("side", "team"), marked_header("side", "team", None, 2)
    ('map [match, text]', 'side [team]', 'side [team 2]')
    """
    from ...frames import escape_formula

    team = "" if number is None else f" {number}"
    cells = "" if kind is None else ", text" if kind == "category" else ", number"
    return f"{escape_formula(name)} [{level}{team}{cells}]"


def parse_marked_header(header: str) -> MarkedHeader | None:
    """Parse a header with a mark such as `[team]`; return None if the header has no mark.

    >>> parse_marked_header("map [match, text]")
    MarkedHeader(name='map', level='match', kind='category', number=None)
    >>> parse_marked_header("side [team 2]").number, parse_marked_header("rate [%]")
    (2, None)
    """
    if not header.endswith("]") or (parts := _MARK.fullmatch(header)) is None:
        return None
    name, number, kind = parts[1], parts[3], parts[4]
    from ...frames import unescape_formula

    level: Any = parts[2]
    if level == "match" and number is not None:
        return None
    return MarkedHeader(
        clean_name(unescape_formula(name)), level, _KINDS.get(kind), None if number is None else int(number)
    )
