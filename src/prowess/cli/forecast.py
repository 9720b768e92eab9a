"""What is expected of a match, as bars."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.prediction import Prediction
from .screen import screen, shown

__all__ = ["print_forecast"]

WIDTH = 30  # cells for a certain result


def print_forecast(teams: Sequence[Sequence[str]], prediction: Prediction) -> None:
    """Print how probable it is that each team wins, or that the match is drawn."""
    from rich.bar import Bar
    from rich.table import Table
    from rich.text import Text

    names = [shown(" + ".join(team)) for team in teams]
    results = [
        (f"{name} win{'s' * (len(team) == 1)}", p, "green")
        for name, team, p in zip(names, teams, prediction.win, strict=True)
    ]
    results.insert(1, ("draw", prediction.draw, "yellow"))
    table = Table.grid(padding=(0, 1))
    table.add_column(min_width=34)
    for label, chance, colour in results:
        bar = Bar(1.0, 0.0, float(chance), width=WIDTH, color=colour)
        table.add_row(Text("  " + label), bar, f"{100 * chance:3.0f} %")
    screen().print(table)
