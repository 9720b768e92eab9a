"""What was found in a file: a history of what can be used, and all that cannot, with its place."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import Error
from ..text import count
from .columns.layout import Layout
from .history import History
from .problems import Problem

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Findings", "Located", "settled"]


class Located(NamedTuple):
    """A problem and where it stands."""

    where: str
    problem: Problem

    def __str__(self) -> str:
        """Say where, and what is wrong."""
        return f"{self.where}: {self.problem}"


@dataclass(frozen=True)
class Findings:
    """A history of all that can be used, and the problems that were left out of it, in the order of the file.

    >>> import polars as pl
    >>> from .choices import Choices
    >>> from .frames import from_frame
    >>> found = from_frame(pl.DataFrame({"winner": ["ann", ""], "loser": ["bob", "cat"]}), Choices())
    >>> found.history, found.to_frame()["where"].to_list()
    (History(1 match, 2 players, places), ['row 2'])
    """

    history: History
    title: str
    problems: tuple[Located, ...] = ()
    layout: Layout | None = None
    columns: tuple[str, ...] = ()
    decisions: Mapping[str, Any] = field(default_factory=dict)  # for all rows, also of later parts of the file

    @property
    def roles(self) -> dict[str, str | None]:
        """The role of each column of the file; None for those that are not used.

        >>> import polars as pl
        >>> from .choices import Choices
        >>> from .frames import from_frame
        >>> from_frame(pl.DataFrame({"winner": ["ann"], "loser": ["bob"], "town": ["Bath"]}), Choices()).roles
        {'winner': 'winner', 'loser': 'loser', 'town': None}
        """
        used = {} if self.layout is None else {column: role for role, column in self.layout.roles.items()}
        for side in () if self.layout is None else self.layout.sides:
            used |= dict.fromkeys(side.more, used[side.column])  # players of a side in columns of their own
        return {column: used.get(column) for column in self.columns}

    def to_frame(self) -> "pl.DataFrame":
        """Give a frame with a row per problem: where, column, value, problem."""
        import polars as pl

        rows = [
            (
                one.where,
                one.problem.column,
                None if one.problem.value is None else str(one.problem.value),
                one.problem.right,
            )
            for one in self.problems
        ]
        names = ("where", "column", "value", "problem")
        return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def settled(findings: Findings, skip_problems: bool) -> History:
    """Give the history, if nothing is wrong or what is may be skipped; else raise an Error at the first problem."""
    if not findings.problems:
        return findings.history
    first, rest = findings.problems[0], len(findings.problems) - 1
    if skip_problems:
        said = f"left out: {count(rest + 1, 'problem', 'problems')}, the first: {first}"
        return replace(findings.history, recognised=f"{findings.history.recognised}\n{said}".strip())
    others = f"{count(rest, 'more problem', 'more problems')}; " if rest else ""
    skip = f"{others}`skip_problems=True` leaves {'them' if rest else 'it'} out"
    raise Error(f"{findings.title}, {first} ({skip})")
