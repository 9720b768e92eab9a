"""The structure of the code does not get worse: the figures of `tools/house.py` stay below these ceilings.

If a change lowers a figure, lower its ceiling, too. If a change must raise one, say in the commit why.
"""

import re

import pytest

from tools import house

CEILINGS = {
    "long files": 5,
    "long functions": 15,
    "class tests": 0,
    "branches of the loop": 30,
    "attributes of Board": 94,
    "attributes of Effects": 64,
    "attributes of Pipeline": 60,
    "imports only for Python": 62,
    "modules in cycles": 0,
    "doorways": 22,
    "record classes twice": 14,
    "large folders": 1,
}


@pytest.mark.parametrize("name", house.FIGURES)
def test_figure_is_at_its_ceiling(name):
    counted = house.FIGURES[name]()
    assert len(counted) == CEILINGS[name], counted


def test_contracts_of_the_layers_ignore_only_doorways():
    text = (house.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    ignored = set(re.findall(r'"([\w.]+) -> ([\w.]+)"', text))
    assert ignored == {
        tuple(doorway.split(": ")) for doorway in house.doorways() if doorway.startswith("prowess.model.")
    }
