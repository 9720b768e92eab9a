"""The cookie of who is signed in: it holds the secret of her key, and no script can read it."""

from __future__ import annotations

from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie

__all__ = ["COOKIE", "Headers", "secret_of"]

COOKIE = "prowess_key"
Headers = Iterable[tuple[bytes, bytes]]


def secret_of(headers: Headers) -> str | None:
    """The secret of the key that a browser is signed in with.

    >>> secret_of([(b"cookie", b"other=1; prowess_key=pw_abc")]), secret_of([])
    ('pw_abc', None)
    """
    for name, value in headers:
        if name == b"cookie":
            try:
                found = SimpleCookie(value.decode("latin-1")).get(COOKIE)
            except CookieError:
                return None
            return found.value if found else None
    return None
