"""What somebody typed into the fields of a form, and what is wrong with it."""

from __future__ import annotations

from math import isfinite

from starlette.datastructures import FormData

from ...errors import Error
from ..fields import field_of

__all__ = ["fault_of", "number_in", "texts_of"]


def texts_of(form: FormData) -> dict[str, str]:
    """The fields of a form as text, without what only says who sends it.

    >>> texts_of(FormData([("title", "Darts"), ("token", "abc")]))
    {'title': 'Darts'}
    """
    return {name: str(value) for name, value in form.items() if name != "token"}


def number_in(text: str) -> float | None:
    """A number as people write it, with a point or a comma and any minus; None where it is none, or has no end.

    >>> number_in(" 2,5 "), number_in("−3"), number_in("soon"), number_in("inf")
    (2.5, -3.0, None, None)
    """
    try:
        value = float(text.strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        return None
    return value if isfinite(value) else None


def fault_of(error: Error) -> tuple[str, str]:
    """The field that an error is about, empty if it names none, and what it says of it.

    >>> fault_of(Error("title: give the league a title"))
    ('title', 'give the league a title')
    """
    field = field_of(str(error)) or ""
    return field, str(error).removeprefix(f"{field}: ")
