"""Text in the cells of a terminal, some of whose letters take two."""

from __future__ import annotations

from datetime import date, datetime

__all__ = ["cut", "when"]


def cut(text: str, width: int) -> str:
    """A text that takes at most so many cells; what is left out is marked.

    >>> cut("ann", 3), cut("annabel", 4), cut("王小明", 5)
    ('ann', 'ann…', '王小…')
    """
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "…"


def when(value: date | float | None) -> str:
    """A time as a table shows it.

    >>> from datetime import date
    >>> when(date(2026, 1, 31)), when(3.0), when(None)
    ('2026-01-31', '3', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}" + (" UTC" if str(value.tzinfo) == "UTC" else "")
    return str(value) if isinstance(value, date) else f"{value:.15g}"
