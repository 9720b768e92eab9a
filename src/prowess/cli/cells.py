"""Text in the cells of a terminal, some of whose letters take two."""

from __future__ import annotations

__all__ = ["cut"]


def cut(text: str, width: int) -> str:
    """A text that takes at most so many cells; what is left out is marked.

    >>> cut("ann", 3), cut("annabel", 4), cut("王小明", 5)
    ('ann', 'ann…', '王小…')
    """
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "…"
