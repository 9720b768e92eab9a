"""Cases for the special functions, and for kernels that work on columns of numbers."""

from array import array
from itertools import product

import numpy as np

from tests.modes.comparing import part

NAN, INFINITY = float("nan"), float("inf")


def numbers(seed, count, low, high):
    """Return random numbers of both signs, whose sizes are between 10 to the powers of `low` and `high`."""
    rng = np.random.default_rng(seed)
    return [float(x) for x in rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(low, high, count)]


def columns(*rows):
    return [array("d", row) for row in rows]


def elementary(package):
    module = part(package, "model.maths.elementary")
    limits = [0.0, 5e-324, 2.3e-308, 1.7976931348623157e308, INFINITY, NAN]
    near = [709.0, 709.8, -745.0, -745.2, 1.0 - 1e-16, 1.0 + 2e-16, 1e-3, 0.29, 0.42]
    found = numbers(1, 300, -18.0, 3.0) + limits + near
    signed = [*found, *(-x for x in limits)]
    above = [x for x in signed if not -INFINITY < x <= -1.0]
    for name, where in (("exp", signed), ("expm1", signed), ("log", signed), ("log1p", above)):
        yield [getattr(module, name)(x) for x in where]
        column = array("d", where)
        getattr(module, f"{name}_all")(column, 3, len(column) - 7)
        yield column


def normal(package):
    module = part(package, "model.maths.normal")
    where = [*numbers(2, 150, -12.0, 2.0), 0.0, 5.0, -5.0, 1e100, -1e100]
    yield [[module.mills(abs(x)), module.log_pdf(x), module.cdf(x)] for x in where]
    yield [module.central_width(p) for p in (0.0, 1e-300, 1e-9, 0.1, 0.5, 0.51, 0.9, 0.999999)]
    cut, out = module.Truncated(len(where)), array("d", bytes(8 * len(where)))
    cut.t[:] = array("d", where)
    module.above_all(cut, len(where))
    module.log_z_all(cut, out, len(where))
    yield [out, [module.probability(cut, lane) for lane in range(len(where))]]
    yield [cut.t, cut.mean, cut.shift, cut.left, cut.lost]
    for t, e in product([0.0, -0.3, 0.9, 4.0, -7.0, 30.0, 1e6, *where[:5]], [0.0, 1e-9, 0.1, 0.3, 0.9, 2.0, 6.0, 40.0]):
        cut = module.Truncated()
        module.within(t, e, cut, 0)
        yield [cut.mean[0], cut.shift[0], cut.left[0], cut.lost[0], module.log_z(cut, 0), module.probability(cut, 0)]
        module.above(t - e, cut)
        yield [cut.mean[0], cut.shift[0], cut.left[0], cut.lost[0], module.log_z(cut, 0), module.probability(cut, 0)]


def poisson(package):
    module = part(package, "model.maths.poisson")
    counts = [0.0, 1.0, 7.0, 255.0, 256.0, 1e3, 1e30]
    yield [module.log_factorial(n) for n in counts]
    yield [module.log_pmf(n, np.log(rate), rate) for n in counts for rate in (0.3, 6.7, 250.0, 256.5, 1e3, 1e29)]
    means = [-1e30, -30.0, -2.0, 0.0, 0.45, 4.0, 6.5, 60.0, 1e3]
    variances = [1e-60, 1e-9, 0.05, 0.3, 2.5, 40.0, 1e6, 1e60]
    given = list(product(means, variances, counts))
    yield [module.tilt(*one) for one in given]
    width = len(given)
    work = array("d", bytes(64 * width))
    for lane, (mean, variance, count) in enumerate(given):
        work[lane], work[width + lane] = mean + variance * count + np.log(variance), 0.5 * variance
    module.tilt_all(work, width, width - 2)
    yield work
    given = list(product((0.0, 1.0, 7.0, 300.0), (-3.0, 0.45, 5.6, 800.0), (0.0, 1e-14, 1e-6, 0.4, 170.0)))
    yield [[module.mixed_pmf(*one), module.mixed_cdf(*one)] for one in given]
    out = array("d", bytes(8 * 6))
    module.medians(*columns([0.5, 0.51, 2.0, 0.98, 1e4, -40.0], [0.0, 0.4, 3.0, 0.2, 1.0, 1.0]), out)
    yield out


def poisson_pairs(package):
    module = part(package, "model.maths.poisson_pairs")
    means = [-1e30, -30.0, -3.0, 0.45, 3.5, 4.5, 7.0, 60.0]
    given = list(product(means[1:6], (0.0, 1e-9, 0.3, 40.0), (0.0, 4.5, 7.0), (0.0, 0.01, 6.0)))
    given += product(means, (0.0, 1e60), means, (0.0, 1e-60))
    given += [(4.5, 1e-5, 4.6, 0.003), (50.0, 0.0, 50.0, 0.0), (41.0, 1.0, 40.0, 0.1), (7.0, 1e-3, 6.8, 1e-4)]
    one, variance, other, variance_1 = (np.array(column) for column in zip(*given, strict=True))
    win, draw = np.empty(len(given)), np.empty(len(given))
    sides = np.column_stack([one, other]).ravel(), np.column_stack([variance, variance_1]).ravel()
    module.chances(*sides, win, draw)
    yield win, draw
    for mean, spread, x in product((3.9, 4.5, 9.0, 60.0), (0.0, 1e-6, 1e-3, 0.3), (4.0, 4.6, 9.1, 41.0)):
        ridge = module.Ridge()
        ridge.mean, ridge.variance = mean, spread
        module.add_high_rate(ridge, x, 0.7)
        yield ridge.win, ridge.draw, ridge.loss


def logistic_normal(package):
    module = part(package, "model.maths.logistic_normal")
    rng = np.random.default_rng(4)
    for lanes, draws in product((1, 6), (False, True)):
        work = array("d", bytes(8 * 19 * lanes))
        for lane in range(lanes):
            work[lane], work[lanes + lane] = rng.normal(0.0, 5.0), [0.0, 0.1, 3.0, 15.0, 17.0, 800.0][lane]
        module.add_nodes(work, lanes, lanes, draws)
        yield work
    gaps = [0.0, 0.4, -7.0, 30.0, -30.0, 700.0, -2500.0, 1e8]
    for gap, variance, result in product(gaps, (1.0, 20.0, 1000.0, 1e14), (1.0, 0.5, 0.0)):
        out = array("d", bytes(8 * module.CELLS))
        module.measure_wide(gap, variance, result, out)
        yield out[:4]


def rank_probabilities(package):
    module = part(package, "model.maths.rank_probabilities")
    rng = np.random.default_rng(5)
    for n, cell in product((3, 40), (0.0, 1e-4, 0.7)):
        means, deviations = rng.normal(0, 30, n), rng.uniform(0.01, 9, n)
        margins, wanted = rng.choice([0.0, 0.5, 2.0], n), rng.integers(0, 2, n).astype(np.int32)
        grid = np.linspace(-60, 60, 33), rng.normal(0, 0.1, 33), rng.uniform(0, 1, 33)
        given = [np.ascontiguousarray(column) for column in (means, deviations, margins, wanted, *grid)]
        ahead, count, span = np.zeros(n + 1), np.zeros(n + 2), np.zeros(2, np.int32)
        first, ranks = np.zeros(n), np.zeros((n, n))
        module.first_alone(*given, cell, ahead, first)
        yield first, ahead
        module.rank_matrix(*given, cell, ahead, count, span, ranks)
        yield ranks


def pair_counts(package):
    module = part(package, "model.fit.pairs")
    rng = np.random.default_rng(5)
    start = np.array([0, 2, 5, 45], np.int32)
    place, strength, variance = rng.integers(1, 9, 45).astype(np.int32), rng.normal(size=45).round(1), rng.random(45)
    variance[:5], variance[7:12] = 0.0, 0.0
    wrong, drawn, loss, decided = (np.empty(3) for _ in range(4))
    ahead, level = np.empty(45, np.int32), np.empty(45, np.int32)
    module.count_wrong(start, place, strength, 0.5, wrong, drawn)
    module.count_losses(start, place, strength, variance, 1e-6, loss, decided)
    module.count_ahead(start, strength, ahead, level)
    yield wrong, drawn, loss, decided, ahead, level


def hash_table(package):
    module = part(package, "history.cells.hash_table")
    rng = np.random.default_rng(6)
    keys = rng.integers(0, 2**64, 2500, np.uint64)
    keys[::3] &= np.uint64(0xFFF00000000)  # many keys share their lower bits
    yield module.numbered(keys)
    yield module.numbered(rng.choice(keys, 4000))
    yield module.numbered(np.array([], np.uint64))
