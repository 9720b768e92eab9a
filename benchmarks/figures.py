"""A benchmark result, and its row in a table."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from rich.markup import escape
from rich.table import Table

# Memory is measured in bytes; losses and numbers of visits are shown as they are.
UNITS = {"ns": 1e9, "µs": 1e6, "ms": 1e3, "s": 1.0, "MB": 1e-6, "kB": 1e-3, "bytes": 1.0, "nats": 1.0, "visits": 1.0}


@dataclass(frozen=True)
class Figure:
    """A measurement of prowess, in seconds per item or in bytes, and of a peer (something to compare with), if any.

    `at_least` and `at_most` are targets for the `ratio`; `below` is an upper limit for the measurement, in `unit`.
    """

    measure: str
    seconds: float
    unit: str
    peer: str = ""
    peer_seconds: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    below: float | None = None

    @property
    def ratio(self) -> float | None:
        """Return the peer's figure divided by that of prowess, or the inverse if there is a target `at_most`."""
        if self.peer_seconds is None:
            return None
        return self.seconds / self.peer_seconds if self.at_most else self.peer_seconds / self.seconds

    @property
    def target(self) -> str:
        """Return the target as text."""
        if self.below is not None:
            return f"< {self.below:g} {self.unit}"
        return f"≥ {self.at_least:g}×" if self.at_least else f"≤ {self.at_most:g}×" if self.at_most else ""

    @property
    def met(self) -> bool | None:
        """Return whether the target is met; None if there is no target."""
        if self.below is not None:
            return self.seconds * UNITS[self.unit] < self.below
        if self.ratio is None or not self.target:
            return None
        return self.ratio >= self.at_least if self.at_least else self.ratio <= self.at_most

    def record(self) -> dict:
        """Return all values as a dictionary for JSON."""
        return asdict(self) | {"ratio": self.ratio, "met": self.met}

    def cells(self) -> list[str]:
        """Return the cells of a table row."""
        ratio = "" if self.ratio is None else f"{self.ratio:.{1 + (self.ratio < 1)}f}×"
        if self.ratio is not None and self.ratio >= 100:
            ratio = f"{self.ratio:,.0f}×"
        met = {None: "", True: "[green]met[/]", False: "[red]missed[/]"}[self.met]
        return [
            escape(self.measure),
            self._show(self.seconds),
            self.peer,
            self._show(self.peer_seconds),
            ratio,
            self.target,
            met,
        ]

    def _show(self, seconds: float | None) -> str:
        if seconds is None:
            return ""
        number, digits = seconds * UNITS[self.unit], 4 if self.unit == "nats" else 3
        return f"{number:,.0f} {self.unit}" if number >= 1000 else f"{number:.{digits}g} {self.unit}"


def table(title: str, figures: Iterable[Figure]) -> Table:
    """Return a Rich table of the figures."""
    grid = Table(title=title, title_justify="left")
    for column in ("measure", "prowess", "against", "theirs", "ratio", "target", ""):
        grid.add_column(column, justify="right" if column in ("prowess", "theirs", "ratio", "target") else "left")
    for figure in figures:
        grid.add_row(*figure.cells())
    return grid
