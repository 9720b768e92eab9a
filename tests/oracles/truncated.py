"""Moments of a truncated Gaussian from its closed form, in high precision."""

from typing import NamedTuple

import mpmath as mp


class Moments(NamedTuple):
    """The moments of N(m, v) truncated to an interval; `shift` and `variance_ratio` are in units of √v and v."""

    mean: mp.mpf
    variance: mp.mpf
    variance_ratio: mp.mpf
    shift: mp.mpf
    log_z: mp.mpf


def truncated(m: float, v: float, lo: float, hi: float, dps: int = 60) -> Moments:
    """Return the moments of x ~ N(m, v) given lo < x < hi.

    The formula loses digits by cancellation, so arguments of very different sizes need a large number of digits `dps`.
    """
    with mp.workdps(dps):
        m, v, lo, hi = mp.mpf(m), mp.mpf(v), mp.mpf(lo), mp.mpf(hi)
        if lo + hi < 2 * m:  # reflect, so that Φ is always a difference of small numbers
            mirror = truncated(-m, v, -hi, -lo, dps)
            return mirror._replace(mean=-mirror.mean, shift=-mirror.shift)
        a, b = (lo - m) / mp.sqrt(v), (hi - m) / mp.sqrt(v)
        z = upper(a) - upper(b)
        shift = (density(a) - density(b)) / z
        ratio = 1 + (a * density(a) - (b * density(b) if mp.isfinite(b) else 0)) / z - shift**2
        outside = upper(-a) + upper(b)
        log_z = log1m(outside) if outside < 0.5 else mp.log(z)
        return Moments(m + mp.sqrt(v) * shift, v * ratio, ratio, shift, log_z)


def density(x: mp.mpf) -> mp.mpf:
    """Return the standard normal density."""
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi) if mp.isfinite(x) else mp.mpf(0)


def upper(x: mp.mpf) -> mp.mpf:
    """Return the standard normal upper tail, 1 − Φ(x)."""
    return mp.erfc(x / mp.sqrt(2)) / 2


def log1m(q: mp.mpf) -> mp.mpf:
    """Return log(1 − q), accurate even if q is far below the working precision."""
    return mp.log1p(-q) if q > mp.mpf(10) ** (-2 * mp.mp.dps) else -q
