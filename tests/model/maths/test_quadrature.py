"""The grid integrates every density that it was made for."""

import numpy as np
import pytest
from scipy.stats import norm

from prowess.model.maths.quadrature import grid


@pytest.mark.parametrize("widest", [0.001, 1.0])
def test_narrow_distribution_between_two_bases_has_the_integral_1(widest):
    # Bases are 1,000 of the smallest standard deviations apart: 0 and 1.001 are bases, and 0.9 is close to the second.
    means, deviations = np.array([0.0, 0.9, 1.001]), np.array([0.001, 0.001, widest])
    bases, offsets, weights = grid(means, deviations, np.zeros(3))
    for mean, deviation in zip(means, deviations, strict=True):
        density = norm.pdf((bases - mean + offsets) / deviation) / deviation
        assert weights @ density == pytest.approx(1.0, abs=1e-12)
