"""A slow and simple TS2: expectation propagation on one dense joint normal of all teams and places.

The papers' graph is a tree, so message passing on the graph and EP on the joint distribution have the same fixed
points. The factors are updated one at a time, in a new random order in every iteration.
"""

import math

import numpy as np

from tests.oracles.dense_ep import Posterior, dense_log_mass, joint, log_mass
from tests.oracles.truncated import truncated


def factors(places, epsilon: float) -> list:
    """Return (a, lo, hi) for each condition lo < a·x < hi, where x has the performances of all teams and places.

    A team's performance t and the performance l of its place satisfy |t − l| ≤ ε. The performances of neighbouring
    places satisfy l − l' > 2ε.
    """
    distinct = sorted(set(places))
    size = len(places) + len(distinct)
    rows = []
    for team, place in enumerate(places):
        a = np.zeros(size)
        a[team], a[len(places) + distinct.index(place)] = 1, -1
        rows.append((a, -epsilon, epsilon))
    for k in range(len(distinct) - 1):
        a = np.zeros(size)
        a[len(places) + k], a[len(places) + k + 1] = 1, -1
        rows.append((a, 2 * epsilon, np.inf))
    return rows


def places_ep(means, variances, places, epsilon: float, seed=0, sweeps: int = 2000, tolerance=1e-11) -> Posterior:
    """Run EP for TS2; the log-evidence is log(Z/(2ε)^(number of places)), where every place has a flat prior."""
    teams, distinct = len(places), len(set(places))
    known = factors(places, epsilon)
    rows = [a for a, _, _ in known]
    precision0 = np.diag(np.append(1 / np.asarray(variances, float), np.zeros(distinct)))
    shift0 = np.append(np.divide(means, variances), np.zeros(distinct))
    # The first message of an interval is uniform on [−ε, ε].
    sites = np.array([[3 / epsilon**2, 0.0]] * teams + [[0.0, 0.0]] * (distinct - 1))
    parts = np.zeros(len(known))
    rng = np.random.default_rng(seed)
    for _ in range(sweeps):
        moved = 0.0
        for f in rng.permutation(len(known)):
            a, lo, hi = known[f]
            covariance = np.linalg.inv(joint(precision0, shift0, rows, sites)[0])
            v, m = a @ covariance @ a, a @ covariance @ joint(precision0, shift0, rows, sites)[1]
            cavity = np.array([1 / v, m / v]) - sites[f]
            if cavity[0] <= 1e-12 / v:  # no information: the site stays uniform, and Z is 2ε
                parts[f] = math.log(hi - lo) - log_mass(*sites[f]) - math.log(2 * math.pi) / 2
                continue
            found = truncated(cavity[1] / cavity[0], 1 / cavity[0], lo, hi)
            whole = np.array([float(1 / found.variance), float(found.mean / found.variance)])
            parts[f] = float(found.log_z) - log_mass(*whole) + log_mass(*cavity)
            moved = max(moved, np.max(np.abs(whole - cavity - sites[f]) / (np.abs(whole) + np.abs(cavity) + 1e-9)))
            sites[f] = whole - cavity
        if moved <= tolerance:
            break
    else:
        raise ArithmeticError(f"the sites have not converged after {sweeps} sweeps; the last change is {moved}")
    precision, shift = joint(precision0, shift0, rows, sites)
    log_z = parts.sum() + dense_log_mass(precision, shift)
    log_z -= dense_log_mass(precision0[:teams, :teams], shift0[:teams])
    log_z += distinct * math.log(math.sqrt(2 * math.pi) / (2 * epsilon))
    covariance = np.linalg.inv(precision)
    return Posterior((covariance @ shift)[:teams], np.diag(covariance)[:teams].copy(), float(log_z))
