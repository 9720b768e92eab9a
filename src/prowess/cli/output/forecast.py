"""Match forecasts on the console: chances as bars, a table of places, expected scores, fairness."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.prediction import RESULTS, Prediction
from .console import get_console, printable
from .tables import cut

if TYPE_CHECKING:
    from rich.table import Table

BAR_WIDTH = 30  # length of the bar for a certain result
LABEL_WIDTH = 34
RARE = 0.01  # less probable results are not listed


def team_name(team: Sequence[str], width: int | None = None) -> str:
    """Join the names of a team's players; if they do not fit, show the first few and count the others.

    >>> team_name(["ann", "bob", "cat"]), team_name(["ann", "bob", "cat"], 14), team_name(["annabella", "bob"], 13)
    ('ann + bob + cat', 'ann + 2 more', 'ann… + 1 more')
    """
    from rich.cells import cell_len

    if width is None:
        return printable(" + ".join(team))
    for shown in range(len(team), 0, -1):
        more = f" + {len(team) - shown} more" if shown < len(team) else ""
        text = printable(" + ".join(team[:shown])) + more
        if cell_len(text) <= width:
            return text
    return cut(printable(team[0]), max(width - len(more), 4)) + more


def ordinal(number: int) -> str:
    """Return an ordinal number.

    >>> ordinal(1), ordinal(12), ordinal(103)
    ('1st', '12th', '103rd')
    """
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def percent(chance: float) -> str:
    """Format a probability in five characters.

    >>> percent(0.5), percent(0.9999), percent(0.00001), percent(0)
    (' 50 %', '>99 %', ' <1 %', '  0 %')
    """
    if 0.0 < chance < 0.005:
        return " <1 %"
    return ">99 %" if 0.995 <= chance < 1.0 else f"{100 * chance:3.0f} %"


def win_chances(chances: Iterable[float]) -> str:
    """Format the chances of all teams.

    >>> win_chances([0.25, 0.75])
    '25 – 75 %'
    """
    return " – ".join(percent(chance).strip(" %") for chance in chances) + " %"


def print_forecast(teams: Sequence[Sequence[str]], prediction: Prediction, quality: float | None = None) -> None:
    """Print the chances of each result, the probable places, and the expected scores."""
    console = get_console()
    room = console.width - BAR_WIDTH - 9 if console.is_terminal else None
    console.print(_bars(teams, prediction, room))
    if len(teams) > 2:
        console.print()
        console.print(_places(teams, prediction, room))
    for line in _details(teams, prediction, quality):
        console.print(f"  {line}", style="dim", soft_wrap=True)


def _bars(teams: Sequence[Sequence[str]], prediction: Prediction, room: int | None) -> Table:
    from rich.bar import Bar
    from rich.table import Table
    from rich.text import Text

    results = [
        (f"{team_name(team, room and room - 6)} win{'s' * (len(team) == 1)}", chance, "green")
        for team, chance in zip(teams, prediction.win, strict=True)
    ]
    if len(teams) == 2:
        results.insert(1, ("draw", prediction.draw, "yellow"))
    elif prediction.draw > 0.0:
        results.append(("tie for first place", prediction.draw, "yellow"))
    table = Table.grid(padding=(0, 1))
    table.add_column(min_width=LABEL_WIDTH if room is None else min(LABEL_WIDTH, room), no_wrap=True)
    for label, chance, colour in results:
        bar = Bar(1.0, 0.0, float(chance), width=BAR_WIDTH, color=colour)
        table.add_row(Text("  " + label), bar, percent(chance))
    return table


def _places(teams: Sequence[Sequence[str]], prediction: Prediction, room: int | None) -> Table:
    from rich.table import Table
    from rich.text import Text

    # More probable places have darker cells.
    label = LABEL_WIDTH if room is None else min(46, room)
    fitting = len(teams) if room is None else max(2, (get_console().width - label - 8) // 6)
    places = range(1, min(fitting, len(teams)) + 1)
    table = Table.grid(padding=(0, 1))
    table.add_column(min_width=label, no_wrap=True)
    for _ in places:
        table.add_column(justify="right", no_wrap=True)
    heads = ["  place", *map(ordinal, places)]
    table.add_row(*(Text(head, style="dim") for head in heads), "…" if len(teams) > fitting else "")
    for i in np.argsort(prediction.ranks @ np.arange(len(teams)), kind="stable"):
        cells = [Text(percent(p)[:-2] + "%", style=_shade(p)) for p in prediction.ranks[i, : len(places)]]
        table.add_row(Text("  " + team_name(teams[i], None if room is None else label - 2)), *cells)
    return table


def _shade(chance: float) -> str:
    shades = ("dim", "", "black on color(194)", "black on color(157)", "black on color(114)", "white on color(28)")
    return shades[sum(chance >= level for level in (0.05, 0.15, 0.3, 0.5, 0.75))]


def _details(teams: Sequence[Sequence[str]], prediction: Prediction, quality: float | None) -> list[str]:
    lines = []
    if prediction.scores is not None:
        label, separator = ("expected scores: ", ", ") if len(teams) > 2 else ("expected score: ", " : ")
        lines.append(label + separator.join(f"{score:.3g}" for score in prediction.scores))
    likely = [f"{a}:{b} {percent(p).strip()}" for a, b, p in prediction.likeliest(RESULTS) if p >= RARE]
    if likely:
        lines.append(f"most probable: {', '.join(likely)}")
    if prediction.score_difference is not None:
        lead, (low, high) = prediction.score_difference.mean, prediction.score_difference.interval(0.9)
        leader = team_name(teams[0] if lead >= 0 else teams[1], 30)
        ends = sorted((low, high) if lead >= 0 else (-low, -high))
        lines.append(f"{leader}: expected lead {abs(lead):.3g} (90 % interval: {ends[0]:.3g} to {ends[1]:.3g})")
    if quality is not None:
        lines.append(f"fairness {quality:.2f}{' (1 = perfectly even)' * (len(teams) == 2)}")
    return lines


def forecast_dict(teams: Sequence[Sequence[str]], prediction: Prediction, quality: float) -> dict[str, Any]:
    """Return a forecast as plain data, including the teams and the match's fairness."""
    return {"teams": [list(team) for team in teams]} | prediction.to_dict() | {"quality": quality}
