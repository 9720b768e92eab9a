"""What the kernels need of the `cython` module when it is not installed: names that do next to nothing.

Cython is needed to build prowess, never to run it. Uncompiled, the kernels are ordinary Python: decorators return what
they decorate, and types are seen by casts alone.
"""

import builtins
import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = [
    "Py_ssize_t",
    "address",
    "annotation_typing",
    "cast",
    "ccall",
    "cclass",
    "cfunc",
    "compiled",
    "dataclasses",
    "declare",
    "double",
    "exceptval",
    "final",
    "inline",
    "int",
    "longlong",
    "prefetch",
    "ulonglong",
]

T = TypeVar("T")

compiled = False


class _Type:
    """A C type, or an array of it: `double[::1]`."""

    def __init__(self, convert: Callable[[Any], Any]) -> None:
        self.convert = convert

    def __getitem__(self, _: Any) -> "_Type":
        return self


double = _Type(float)
int = longlong = ulonglong = Py_ssize_t = _Type(builtins.int)


def cclass(decorated: T) -> T:
    """Mark a class that becomes an extension type."""
    return decorated


ccall = cfunc = final = inline = cclass


def exceptval(*_: Any, **__: Any) -> Callable[[T], T]:
    """Mark the value by which a compiled function tells of an exception."""
    return cclass


def annotation_typing(_: bool) -> Callable[[T], T]:
    """Say whether annotations are C types; where not, arguments are checked by the function itself."""
    return cclass


def declare(_type: _Type, value: Any) -> Any:
    """Declare a module's variable."""
    return value


def cast(kind: _Type, value: Any) -> Any:
    """See a number as another type."""
    return kind.convert(value)


def address(value: T) -> T:
    """Point at a value."""
    return value


def prefetch(_: Any) -> None:
    """Ask for memory that is needed soon."""
