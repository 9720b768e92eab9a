"""Make small tables for tests that read cells."""

from typing import Any

import polars as pl

from prowess.history.read_context import Table
from prowess.history.read_options import Choices


def table(*columns: list[Any], **choices: Any) -> Table:
    """Make a table whose columns are called a, b and so on."""
    frame = pl.DataFrame({chr(ord("a") + number): cells for number, cells in enumerate(columns)}, strict=False)
    return Table(frame, "cells", choices=Choices(**choices))


def wrong(table: Table) -> list[Any]:
    """Return the cells that were reported as problems."""
    return [problem.value for problem in table.problems]
