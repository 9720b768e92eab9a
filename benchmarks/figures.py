"""A benchmark result, and its row in a table."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from rich import box
from rich.markup import escape
from rich.table import Table

TIMES = {"s": 1.0, "ms": 1e3, "µs": 1e6, "ns": 1e9}
# Memory is measured in bytes; losses and numbers of visits are shown as they are.
UNITS = TIMES | {"MB": 1e-6, "kB": 1e-3, "bytes": 1.0, "nats": 1.0, "visits": 1.0}


@dataclass(frozen=True)
class Figure:
    """A measurement of prowess, in seconds per item or in bytes, and of a peer (something to compare with), if any.

    A peer without a measurement is not installed. `at_least` and `at_most` are targets for the `ratio`; `below` is an
    upper limit for the measurement, in `unit`.
    """

    measure: str
    ours: float
    unit: str
    peer: str = ""
    theirs: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    below: float | None = None

    @property
    def ratio(self) -> float | None:
        """Return the peer's figure divided by that of prowess, or the inverse if there is a target `at_most`."""
        if self.theirs is None:
            return None
        return self.ours / self.theirs if self.at_most else self.theirs / self.ours

    @property
    def target(self) -> str:
        """Return the target as text."""
        if self.below is not None:
            return f"< {self.below:,g} {self.unit}"
        return f"≥ {self.at_least:,g}×" if self.at_least else f"≤ {self.at_most:,g}×" if self.at_most else ""

    @property
    def met(self) -> bool | None:
        """Return whether the target is met; None if there is no target, or no peer to reach it with."""
        if self.below is not None:
            return self.ours * UNITS[self.unit] < self.below
        if self.ratio is None or not self.target:
            return None
        return self.ratio >= self.at_least if self.at_least else self.ratio <= self.at_most

    @property
    def missing(self) -> bool:
        """Return whether the peer is not installed."""
        return bool(self.peer) and self.theirs is None

    def record(self) -> dict:
        """Return all values that there are as a dictionary for JSON."""
        values = asdict(self) | {"ratio": self.ratio, "met": self.met}
        return {name: value for name, value in values.items() if value not in (None, "")}

    def cells(self) -> list[str]:
        """Return the cells of a table row."""
        theirs = f"{self.peer} not installed" if self.missing else self.peer and f"{self.show(self.theirs)} {self.peer}"
        ratio = "" if self.ratio is None or self.unit == "nats" else f"{digits(self.ratio)}×"
        met = {None: "", True: " [green]met[/]", False: " [red]missed[/]"}[self.met]
        return [escape(self.measure), self.show(self.ours), escape(theirs), ratio, self.target + met]

    def show(self, number: float) -> str:
        """Return a measurement with three digits and a unit in which it is at least 1."""
        unit = self.unit
        if unit == "nats":
            return f"{round(number, 4) + 0.0:.4f} {unit}"  # never -0.0000
        if unit in TIMES:
            unit = next((unit for unit, size in TIMES.items() if number * size >= 1), "ns")
        return f"{digits(number * UNITS[unit])} {unit}"


def digits(number: float) -> str:
    """Return a number with three significant digits, or rounded to an integer.

    >>> digits(2747.3), digits(20.41), digits(0.0731), digits(0.0)
    ('2,747', '20.4', '0.0731', '0')
    """
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def table(figures: Iterable[Figure]) -> Table:
    """Return a Rich table of the figures; only the names of measures may take more than one line."""
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in ("measure", "ours", "theirs", "ratio", "target"):
        grid.add_column(column, justify="right" if column in ("ours", "ratio") else "left", no_wrap=column != "measure")
    for figure in figures:
        grid.add_row(*figure.cells())
    return grid
