"""Errors and remarks as data: the cause, the place, and the option that would help.

Python, the command line, web pages and the HTTP API each render the text in their own way. Code that needs details
reads the attributes; no code matches on the wording of a message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

AnyError = TypeVar("AnyError", bound="Error")


@dataclass(frozen=True)
class Option:
    """An option of the library and the value that a message suggests for it.

    >>> str(Option("draw_probability", 0.02))
    '`draw_probability=0.02`'
    """

    name: str
    value: object = True

    def __str__(self) -> str:
        """Return the option as a Python keyword argument; the command line and web pages render it in their own way."""
        return f"`{self.name}={self.value!r}`"


Piece = str | Option


def join_pieces(pieces: tuple[Piece, ...], render: Callable[[Option], str] = str) -> str:
    """Join the pieces of a message, with its options rendered by `render`.

    >>> join_pieces(("try ", Option("k", 20)), lambda option: f"--set {option.name}={option.value}")
    'try --set k=20'
    """
    return "".join(piece if isinstance(piece, str) else render(piece) for piece in pieces)


class Error(ValueError):
    """Raised if prowess cannot carry out a request. Nothing was changed.

    The message is given in pieces: text, and options that would help. `field` is the parameter or key at fault, `match`
    and `team` are indices counted from 0, `line` is the line of a file counted from 1, `value` is the value at fault.
    `hint` is the option that would help, by default the first option among the pieces. `suggestions` maps each unknown
    name to the known names that may be meant.

    >>> import prowess as pw
    >>> pw.Rating(25, -1)
    Traceback (most recent call last):
    ...
    prowess.Error: sigma must be a finite number of at least 0, not -1
    """

    def __init__(
        self,
        *pieces: Piece,
        field: str | None = None,
        match: int | None = None,
        team: int | None = None,
        line: int | None = None,
        value: object = None,
        hint: Option | None = None,
        suggestions: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(*pieces)
        self.pieces = pieces
        self.prefixes = 0  # number of leading pieces that `within` added
        self.field = field
        self.match = match
        self.team = team
        self.line = line
        self.value = value
        self.suggestions = dict(suggestions or {})
        self.hint = hint or next((piece for piece in pieces if isinstance(piece, Option)), None)

    @classmethod
    def in_field(cls: type[AnyError], field: str, *pieces: Piece, **where: Any) -> AnyError:
        """Return an error whose message starts with the name of the field.

        >>> error = Error.in_field("title", "give the league a title")
        >>> str(error), error.field, error.detail()
        ('title: give the league a title', 'title', 'give the league a title')
        """
        return cls(*pieces, **where).within(f"{field}: ", field=field)

    def __str__(self) -> str:
        """Return the message, with options written as Python keyword arguments."""
        return join_pieces(self.pieces)

    def render(self, option: Callable[[Option], str]) -> str:
        """Return the message with options rendered by `option`; a hint that is not in the message follows in brackets.

        >>> Error("give ", Option("home", 0)).render(lambda option: f"--{option.name}")
        'give --home'
        """
        hint = (" (", self.hint, ")") if self.hint is not None and self.hint not in self.pieces else ()
        return join_pieces((*self.pieces, *hint), option)

    def detail(self, option: Callable[[Option], str] = str) -> str:
        """Return the message without the prefixes of `within`, for pages that show the message beside the field.

        >>> Error("it must be a number").within("carry: ", field="carry").within("season: ").detail()
        'it must be a number'
        """
        return join_pieces(self.pieces[self.prefixes :], option)

    def within(self: AnyError, prefix: str, **where: Any) -> AnyError:
        """Return the same error with a prefix that says where it occurred, and with attributes that locate it.

        >>> error = Error("ranks must be numbers", field="ranks").within("match 3: ", match=2)
        >>> str(error), error.match, error.field
        ('match 3: ranks must be numbers', 2, 'ranks')
        """
        located = self.__class__.__new__(self.__class__)
        located.__dict__.update(self.__dict__, pieces=(prefix, *self.pieces), prefixes=self.prefixes + 1, **where)
        located.args = located.pieces
        return located

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the attributes too, because errors travel between processes."""
        return _restore, (self.__class__, self.pieces, self.__dict__)


def _restore(kind: type[Error], pieces: tuple[Piece, ...], attributes: dict[str, Any]) -> Error:
    error = kind.__new__(kind)
    error.args = pieces
    error.__dict__.update(attributes)
    return error


@dataclass(frozen=True)
class Remark:
    """Something that was found or decided while reading a file; `str(remark)` is a sentence about it.

    `code` names the kind of remark, and does not change with the wording. `column` is the affected column,
    and `count` the number of affected rows or matches. `line` is the number of the first affected line, counted from 1.
    `option` is the option that would change the decision.

    >>> pieces = ("6 duplicate rows; use ", Option("repeated", "once"), " to count them once")
    >>> remark = Remark("duplicate-rows", pieces, count=6)
    >>> str(remark), remark.option.name
    ("6 duplicate rows; use `repeated='once'` to count them once", 'repeated')
    """

    code: str
    pieces: tuple[Piece, ...]
    column: str | None = None
    count: int | None = None
    line: int | None = None

    def __str__(self) -> str:
        """Return the sentence, with options written as Python keyword arguments."""
        return join_pieces(self.pieces)

    def render(self, option: Callable[[Option], str]) -> str:
        """Return the sentence with its options rendered by `option`."""
        return join_pieces(self.pieces, option)

    @property
    def option(self) -> Option | None:
        """The option that would change the decision, if there is one."""
        return next((piece for piece in self.pieces if isinstance(piece, Option)), None)


Error.__module__ = "prowess"
