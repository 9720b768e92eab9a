"""Read small frames that tests write as text."""

from typing import Any

import polars as pl

from prowess.history import History


def read(text: str, **options: Any) -> History:
    """Read a frame from lines such as "home away hg ag"; a dash is an empty cell, and an underscore is a space."""
    header, *rows = [line.split() for line in text.strip().splitlines()]
    cells = [[None if cell == "-" else cell.replace("_", " ") for cell in row] for row in rows]
    return History.from_frame(pl.DataFrame(cells, schema=dict.fromkeys(header, pl.String), orient="row"), **options)
