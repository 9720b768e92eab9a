"""Call the kernels compiled and uncompiled, and compare the bits of all results.

A case is a function that takes a package (`prowess`, or its uncompiled copy) and yields results: numbers, texts,
arrays, and lists, tuples and dictionaries of them.
"""

import cProfile
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from types import CodeType, ModuleType
from typing import Any

import numpy as np

import prowess as pw
from tests.pure import SOURCES, load

Case = Callable[[ModuleType], Iterator[Any]]
OPTIMISED = 1  # a flag of the code objects of functions that class bodies do not have


def part(package: ModuleType, name: str) -> ModuleType:
    """Return a module of the package."""
    return import_module(f"{package.__name__}.{name}")


def raised(call: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[str, str]:
    """Return the type and the text of the error that a call raises."""
    try:
        call(*arguments, **options)
    except Exception as error:
        return type(error).__name__, str(error)
    raise AssertionError(f"no error from {call}{arguments}")


def leaves(value: Any, place: str = "result") -> Iterator[tuple[str, object]]:
    """Yield each number, text and array in nested results with its place; of numbers, the type and the bits."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{place}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        yield place, len(value)
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{place}[{number}]")
    elif value is None or isinstance(value, (str, bytes)):
        yield place, value
    else:
        array = np.asarray(value)
        assert array.dtype != object, f"{place} is a {type(value).__name__}, whose bits are unknown"
        yield place, (array.dtype.str, array.shape, array.tobytes())


@cache
def compare(case: Case) -> tuple[list[str], frozenset[CodeType]]:
    """Return the places of all results that differ, and the functions that were called in the uncompiled copy."""
    compiled = list(leaves(list(case(pw))))
    copy, profile = load(), cProfile.Profile(subcalls=False, builtins=False)
    with profile:
        results = list(case(copy))
    uncompiled = list(leaves(results))
    places = max(compiled, uncompiled, key=len)
    differ = [
        place
        for number, (place, _) in enumerate(places)
        if compiled[number : number + 1] != uncompiled[number : number + 1]
    ]
    return differ, frozenset(entry.code for entry in profile.getstats())


def functions(kernel: str) -> dict[CodeType, str]:
    """Return the code of all functions of a kernel, with their names."""
    file = SOURCES.joinpath(*kernel.split(".")[1:]).with_suffix(".py")
    whole = compile(file.read_text(encoding="utf-8"), str(file), "exec")
    return {code: f"{code.co_qualname}, line {code.co_firstlineno}" for code in _inner(whole)}


def _inner(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & OPTIMISED and not inner.co_name.startswith("<"):
                yield inner
            yield from _inner(inner)
