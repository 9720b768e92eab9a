"""No change of the code changes a bit of a rating: all presets and variants give the stored results."""

import json
import platform

import pytest

import prowess as pw
from tests.golden import bits

pytestmark = pytest.mark.skipif(pw.kernel_mode() == "pure", reason="uncompiled kernels are compared in tests/modes")
STORED = json.loads(bits.FILE.read_text(encoding="utf-8"))
SAME_BITS = platform.machine() in ("x86_64", "AMD64") and platform.libc_ver()[0] == "glibc"


def test_every_model_has_stored_results():
    assert STORED.keys() == bits.blocks.MODELS.keys()


@pytest.mark.parametrize("name", STORED)
def test_results_have_the_stored_bits(name):
    found = bits.results(name)
    assert found["numbers"] == pytest.approx(STORED[name]["numbers"], rel=1e-12)
    if SAME_BITS:
        assert found["bits"] == STORED[name]["bits"]
