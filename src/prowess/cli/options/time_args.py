"""Matches of a span of time: the options --since and --until, and what they choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from ... import History
from ...text import count
from ..output.console import note

__all__ = ["WHICH", "Since", "Until", "within"]

WHICH = "Which matches and players"  # a panel of --help

Since = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        show_default=False,
        rich_help_panel=WHICH,
        help="Only matches from then on: 2026, 2026-06, 2026-06-30.",
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        show_default=False,
        rich_help_panel=WHICH,
        help="Only matches up to then; a day, month or year is whole.",
    ),
]


def within(groups: Mapping[str, History], since: str | None, until: str | None) -> dict[str, History]:
    """The matches of a span of time, of every group; how many they are is said."""
    if since is None and until is None:
        return dict(groups)
    chosen = {name: history.within(since, until) for name, history in groups.items()}
    total = count(sum(map(len, groups.values())), "match", "matches")
    note(f"chosen by time: {sum(map(len, chosen.values())):,} of {total}")
    return chosen
