"""What is expected of a match: bars, a table of places, scores, how fair it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.prediction import RESULTS, Prediction
from .console import get_console, printable
from .tables import cut

if TYPE_CHECKING:
    from rich.table import Table

WIDTH = 30  # cells for a certain result
LEAST = 0.01  # a single result that is rarer is not worth a word


def team_name(team: Sequence[str], width: int | None = None) -> str:
    """The players of a team; where there is not room for all, the first of them and how many more.

    >>> team_name(["ann", "bob", "cat"]), team_name(["ann", "bob", "cat"], 14), team_name(["annabella", "bob"], 13)
    ('ann + bob + cat', 'ann + 2 more', 'ann… + 1 more')
    """
    from rich.cells import cell_len

    whole = printable(" + ".join(team))
    for kept in range(len(team) - 1, 0, -1):
        if width is None or cell_len(whole) <= width:
            return whole
        whole = printable(" + ".join(team[:kept])) + f" + {len(team) - kept} more"
    if width is None or cell_len(whole) <= width:
        return whole
    more = f" + {len(team) - 1} more" if len(team) > 1 else ""
    return cut(printable(team[0]), max(width - len(more), 4)) + more


def print_forecast(teams: Sequence[Sequence[str]], prediction: Prediction, quality: float | None = None) -> None:
    """Print how probable each result is, where the teams may finish, and which scores are expected."""
    console = get_console()
    room = console.width - WIDTH - 9 if console.is_terminal else None
    console.print(_bars(teams, prediction, room))
    if len(teams) > 2:
        console.print()
        console.print(_places(teams, prediction, room))
    for line in _remarks(teams, prediction, quality):
        console.print(f"  {line}", style="dim", soft_wrap=True)


def _bars(teams: Sequence[Sequence[str]], prediction: Prediction, room: int | None) -> Table:
    """A bar for each team that may win, and for a draw between two of them."""
    from rich.bar import Bar
    from rich.table import Table
    from rich.text import Text

    results = [
        (f"{team_name(team, room and room - 6)} win{'s' * (len(team) == 1)}", p, "green")
        for team, p in zip(teams, prediction.win, strict=True)
    ]
    if len(teams) == 2:
        results.insert(1, ("draw", prediction.draw, "yellow"))
    elif prediction.draw > 0.0:
        results.append(("first place is shared", prediction.draw, "yellow"))
    table = Table.grid(padding=(0, 1))
    table.add_column(min_width=34 if room is None else min(34, room), no_wrap=True)
    for label, chance, colour in results:
        bar = Bar(1.0, 0.0, float(chance), width=WIDTH, color=colour)
        table.add_row(Text("  " + label), bar, percent(chance))
    return table


def percent(chance: float) -> str:
    """A probability as people read it.

    >>> percent(0.5), percent(0.9999), percent(0.00001), percent(0)
    (' 50 %', '>99 %', ' <1 %', '  0 %')
    """
    if 0.0 < chance < 0.005:
        return " <1 %"
    return ">99 %" if 0.995 <= chance < 1.0 else f"{100 * chance:3.0f} %"


def _places(teams: Sequence[Sequence[str]], prediction: Prediction, room: int | None) -> Table:
    """Where each team may finish: a row a team, a column a place, darker where it is likelier."""
    from rich.table import Table
    from rich.text import Text

    console = get_console()
    label = 34 if room is None else min(46, room)
    fitting = len(teams) if room is None else max(2, (console.width - label - 8) // 6)
    cut_off = len(teams) > fitting
    table = Table.grid(padding=(0, 1))
    table.add_column(min_width=min(34, label + 4) if room is None else label, no_wrap=True)
    heads = [f"{place}." for place in range(1, min(fitting, len(teams)) + 1)]
    for _ in heads:
        table.add_column(justify="right", no_wrap=True)
    table.add_row(Text("  place", style="dim"), *(Text(head, style="dim") for head in heads), "…" if cut_off else "")
    order = np.argsort(prediction.ranks @ np.arange(len(teams)), kind="stable")
    for i in order:
        cells = [Text(percent(p)[:-2] + "%", style=_heat(p)) for p in prediction.ranks[i, : len(heads)]]
        table.add_row(Text("  " + team_name(teams[i], None if room is None else label - 2)), *cells)
    return table


def _heat(chance: float) -> str:
    """The colour of a cell of the table of places."""
    shades = ("dim", "", "black on color(194)", "black on color(157)", "black on color(114)", "white on color(28)")
    return shades[sum(chance >= level for level in (0.05, 0.15, 0.3, 0.5, 0.75))]


def _remarks(teams: Sequence[Sequence[str]], prediction: Prediction, quality: float | None) -> list[str]:
    lines = []
    if prediction.scores is not None and len(teams) > 2:
        lines.append("expected scores: " + ", ".join(f"{score:.3g}" for score in prediction.scores))
    elif prediction.scores is not None:
        lines.append("expected score: " + " : ".join(f"{score:.3g}" for score in prediction.scores))
    likely = [f"{a}:{b} {percent(p).strip()}" for a, b, p in prediction.likeliest(RESULTS) if p >= LEAST]
    if likely:
        lines.append(f"most probable: {', '.join(likely)}")
    if prediction.score_difference is not None:
        lead, (low, high) = prediction.score_difference.mean, prediction.score_difference.interval(0.9)
        first = team_name(teams[0] if lead >= 0 else teams[1], 30)
        ends = sorted((low, high) if lead >= 0 else (-low, -high))
        lines.append(f"{first}: expected lead {abs(lead):.3g} (90 %: {ends[0]:.3g} to {ends[1]:.3g})")
    if quality is not None:
        lines.append(f"fairness {quality:.2f}{' (1: as even as it gets)' * (len(teams) == 2)}")
    return lines


def forecast_dict(teams: Sequence[Sequence[str]], prediction: Prediction, quality: float) -> dict[str, Any]:
    """A forecast as plain data, with the match itself and how fair it is."""
    return {"teams": [list(team) for team in teams]} | prediction.to_dict() | {"quality": quality}
