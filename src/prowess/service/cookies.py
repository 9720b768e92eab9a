"""The cookie of who is signed in: it holds the secret of her key, and no script can read it."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["COOKIE", "LONGEST", "Headers", "only_ours", "secret_of"]

COOKIE = "prowess_key"
LONGEST = 200  # letters of a secret: ours are shorter, and what was looked up is remembered for a while
Headers = Iterable[tuple[bytes, bytes]]


def secret_of(headers: Headers) -> str | None:
    """The secret of the key that a browser is signed in with.

    Cookies of other services of the same host are sent along: whatever is in them, ours is found, in linear time.

    >>> secret_of([(b"cookie", b'other={"a": 1}; prowess_key=pw_abc')]), secret_of([])
    ('pw_abc', None)
    """
    for name, value in headers:
        if name == b"cookie":
            for pair in value.split(b";"):
                key, _, secret = pair.partition(b"=")
                if key.strip() == COOKIE.encode():
                    return secret.strip().decode("latin-1")
    return None


def only_ours(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Headers without the cookies of others, which the framework would read, and not in linear time.

    >>> only_ours([(b"host", b"a"), (b"cookie", b'x="; prowess_key=pw_abc')])
    [(b'host', b'a'), (b'cookie', b'prowess_key=pw_abc')]
    """
    secret = secret_of(headers)
    ours = [(b"cookie", f"{COOKIE}={secret}".encode("latin-1"))] if secret and len(secret) <= LONGEST else []
    return [*(one for one in headers if one[0] != b"cookie"), *ours]
