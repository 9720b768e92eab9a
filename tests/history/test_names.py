import numpy as np
import pytest

from prowess.errors import Error
from prowess.history import name_of


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("ann", "ann"),
        (" ann ", "ann"),
        (7, "7"),
        (np.int64(2726956381513258), "2726956381513258"),
        (np.str_("b"), "b"),
    ],
)
def test_names_may_be_text_or_whole_numbers_and_are_stripped(value: object, name: str) -> None:
    assert name_of(value) == name
    assert type(name_of(value)) is str


@pytest.mark.parametrize("value", ["", "  \t", None, 1.0, np.float64(3), True, ["ann"], b"ann", "\ud800"])
def test_error_for_an_invalid_name_shows_its_value(value: object) -> None:
    with pytest.raises(Error, match="a player's name must") as error:
        name_of(value)
    assert repr(value) in str(error.value)
