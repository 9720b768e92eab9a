from typing import Any

import polars as pl
import pytest

from prowess.history.cells.text import yes_no

from .tables import table, wrong


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["true", "FALSE", "Yes", "no", "Y", "n", "1", "0", "t", "f"], [True, False] * 5),
        (["ja", "nein"], [True, False]),
        (["Oui", "non"], [True, False]),
        (["да", "нет"], [True, False]),
        (["on", "off"], [True, False]),
        (["1.0", "0.0"], [True, False]),
        (["x", "", None], [True, False, False]),
        (["✓", None, "✗"], None),
        (["✓", None], [True, False]),
        (["x", "-"], [True, False]),
        ([True, False], [True, False]),
        ([True, None], [True, False]),
        ([1, 0], [True, False]),
        ([1.0, 0.0], [True, False]),
    ],
)
def test_common_words_for_yes_and_no_are_read(cells: list[Any], values: list[bool] | None) -> None:
    read = table(cells)
    found = yes_no(read, "a")
    if values is None:
        assert wrong(read) == [None]
    else:
        assert found.tolist() == values
        assert not wrong(read)


def test_words_other_than_yes_and_no_are_problems() -> None:
    cells = table(["yes", "maybe", None])
    assert yes_no(cells, "a").tolist() == [True, False, False]
    assert wrong(cells) == ["maybe"]
    for column in ([None, None], [True, False, None]):
        cells = table(column)
        yes_no(cells, "a")
        assert wrong(cells) == [None] * cells.frame["a"].null_count()
    cells = table(["yes"])
    cells.frame.replace_column(0, cells.frame["a"].cast(pl.Categorical))
    assert yes_no(cells, "a").tolist() == [True]
