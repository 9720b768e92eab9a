"""Substitutes for those names of the `cython` module that the kernels use, for installations without Cython.

Cython is needed to build prowess, but not to run prowess. Without compilation the kernels are ordinary Python:
decorators return their argument, and types matter only in casts.
"""

import builtins
import dataclasses as dataclasses  # the kernels use this as `cython.dataclasses`
import math
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

compiled = False


class _Type:
    """A C type such as `double`, or an array type such as `double[::1]`."""

    def __init__(self, convert: Callable[[Any], Any]) -> None:
        self.convert = convert

    def __getitem__(self, _: Any) -> "_Type":
        return self


double = _Type(float)
int = longlong = ulonglong = Py_ssize_t = _Type(builtins.int)


def cclass(decorated: T) -> T:
    """Mark a class that Cython compiles to an extension type; without compilation, do nothing."""
    return decorated


ccall = cfunc = final = inline = cclass


def exceptval(*_: Any, **__: Any) -> Callable[[T], T]:
    """Return a decorator that declares by which return value a compiled function signals an exception."""
    return cclass


def annotation_typing(_: bool) -> Callable[[T], T]:
    """Return a decorator that declares whether the annotations of a compiled function are C types."""
    return cclass


def declare(_type: _Type, value: Any) -> Any:
    """Declare a module variable of a C type, and return its initial value."""
    return value


def cast(kind: _Type, value: Any) -> Any:
    """Convert a number to another type."""
    return kind.convert(value)


def address(value: T) -> T:
    """Return a pointer to a value; without compilation, return the value itself."""
    return value


def prefetch(_: Any) -> None:
    """Prefetch memory that is needed soon; without compilation, do nothing."""


def power_of_two(shifted: float) -> float:
    """Return 2ᵏ for a whole number k between −1022 and 1023, given as k + 1.5 · 2⁵²."""
    return math.ldexp(1.0, builtins.int(shifted - 6755399441055744.0)) if math.isfinite(shifted) else shifted


def exponent(x: float) -> float:
    """Return k for |x| = 2ᵏ m with 1 ≤ m < 2, as a number."""
    return math.frexp(x)[1] - 1.0


def mantissa(x: float) -> float:
    """Return m for |x| = 2ᵏ m with 1 ≤ m < 2."""
    return 2.0 * abs(math.frexp(x)[0])


def has_avx2() -> bool:
    """Return whether the processor has AVX2, which matters only to compiled kernels: here False."""
    return False
