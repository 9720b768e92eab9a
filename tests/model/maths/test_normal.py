"""The special functions agree with tables by mpmath, which tests/golden/truncated.py generates."""

import csv
import math
from pathlib import Path

import mpmath
import pytest

from prowess.model.maths import normal

GOLDEN = Path(__file__).parents[2] / "golden"


def rows(name):
    with open(GOLDEN / name, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def relative(got, wanted):
    """Return the relative error; for values below the normal range of a double, only check that the result is tiny."""
    wanted = mpmath.mpf(wanted)
    if abs(wanted) < 1e-290:
        return 0.0 if abs(got) < 2e-290 else math.inf
    return float(abs(got - wanted) / abs(wanted))


@pytest.mark.parametrize("kind", ["win", "draw"])
def test_moments_of_truncated_normals_agree_with_the_reference_table(kind):
    """The table has exact values for (m, v, ε), but the kernel gets t = (m − ε)/√v, which is already rounded.

    In the upper tail, the relative error of the density φ(t) is t² times that of t; `shift` may have that error.
    """
    count, out = 0, normal.Truncated()
    for row in rows("truncated.csv"):
        if row["kind"] != kind:
            continue
        m, v, eps = (float(row[name]) for name in ("m", "v", "eps"))
        spread = math.sqrt(v)
        if kind == "win":
            t = (m - eps) / spread
            normal.above(t, out)
            mean = eps + spread * out.mean[0]
        else:
            t = max(eps - abs(m), 0.0) / spread
            normal.within(m / spread, eps / spread, out, 0)
            mean = spread * out.mean[0]
        tail = 1e-15 * t * t if t > 0 else 0.0
        assert relative(out.shift[0], row["shift"]) < 1e-12 + tail, row
        assert relative(out.left[0], row["variance_ratio"]) < 1e-12, row
        assert relative(mean, row["mean"]) < 1e-12, row
        assert relative(normal.log_z(out, 0), row["log_z"]) < 1e-12 + tail, row
        count += 1
    assert count > 1400


def test_truncated_mean_near_the_edge_keeps_full_precision():
    out = normal.Truncated()
    for t in (-1e12, -1e6, -300.0, -5.1, -4.9):
        normal.above(t, out)
        with mpmath.workdps(80):
            x = mpmath.mpf(-t)
            mills = mpmath.sqrt(mpmath.pi / 2) * mpmath.erfc(x / mpmath.sqrt(2)) * mpmath.exp(x * x / 2)
            assert relative(out.mean[0], 1 / mills - x) < 1e-13


@pytest.mark.parametrize("name", ["cdf", "mills"])
def test_special_functions_agree_with_mpmath(name):
    function = getattr(normal, name)
    checked = 0
    for row in rows("special.csv"):
        x = float(row["x"])
        if row["function"] != name or (name == "mills" and x < 0):
            continue
        assert relative(function(x), row["value"]) < 1e-12, row
        checked += 1
    assert checked > 100


def test_shares_of_the_variance_lost_and_left_by_truncation_add_up_to_one():
    out = normal.Truncated()
    for t in (-1e6, -20.0, -5.0, -1.0, 0.0, 2.0, 9.0, 30.0):
        normal.above(t, out)
        assert out.left[0] + out.lost[0] == pytest.approx(1.0, abs=1e-15)
        assert 0.0 <= out.left[0] <= 1.0
        for e in (1e-9, 0.1, 1.0, 3.0, 40.0):
            normal.within(t, e, out, 0)
            assert out.left[0] + out.lost[0] == pytest.approx(1.0, abs=1e-15)
            assert 0.0 <= out.left[0] <= 1.0


def test_normal_truncated_to_an_interval_of_width_zero_is_a_point():
    out = normal.Truncated()
    normal.within(3.0, 0.0, out, 0)
    assert normal.log_z(out, 0) == pytest.approx(normal.log_pdf(3.0))
    assert (out.mean[0], out.shift[0], out.left[0], out.lost[0]) == (0.0, -3.0, 0.0, 1.0)


@pytest.mark.parametrize("p", [0.0, 1e-300, 1e-12, 1e-4, 0.1, 0.5, 0.50001, 0.9, 1 - 1e-9, 1 - 2**-53])
def test_width_of_the_central_interval_of_a_normal_agrees_with_mpmath(p):
    with mpmath.workdps(40):
        wanted = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(p))
    assert relative(normal.central_width(p), wanted) < 1e-12
