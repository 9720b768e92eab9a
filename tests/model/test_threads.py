"""Models can be printed in every thread; the `__repr__` that Cython generates fails in all threads but one."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import prowess as pw
from prowess.model.presets import PRESETS
from prowess.model.registry import COMPONENTS


@pytest.mark.parametrize("name", PRESETS)
def test_models_are_printed_alike_in_all_threads(name):
    model = PRESETS[name]()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(repr, model).result() == repr(model)


def test_component_is_printed_as_in_python():
    shown = repr(pw.TrueSkill().replace(drift=pw.drift.Seasons(pw.drift.PerMatch(0.1), carry=0.8)).drift)
    assert shown == "Seasons(within=PerMatch(tau=0.1), gap=60.0, carry=0.8, season_tau=0.0)"
    assert eval(shown, dict(COMPONENTS)) == pw.drift.Seasons(pw.drift.PerMatch(0.1), carry=0.8)
