"""Forms that only our own pages can send, and only for who is signed in."""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends
from starlette.datastructures import FormData
from starlette.requests import Request

from ...auth import Headers, cookie_secret
from ...errors import Problem

AGAIN = "open the page anew, and send its form from there"


def csrf_token(headers: Headers) -> str:
    """What the forms of who is signed in carry: other sites cannot know it, as they do not know the key.

    >>> len(csrf_token([(b"cookie", b"prowess_key=pw_abc")])), csrf_token([])
    (64, '')
    """
    secret = cookie_secret(headers)
    return hmac.new(secret.encode("latin-1"), b"form", sha256).hexdigest() if secret else ""


def check_origin(request: Request) -> None:
    """Refuse a form that a page of another site has sent."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        same = site in ("same-origin", "none")
    else:
        same = _host(request.headers.get("origin", "")) == request.headers.get("host", "")
    if not same:
        raise Problem(403, f"this form was not sent by a page of this service: {AGAIN}")


def _host(origin: str) -> str | None:
    """The host of an origin; None if it is none, such as `null`."""
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None


async def _fields(request: Request) -> AsyncIterator[FormData]:
    """What was filled in; refused unless it comes from a page of ours, for who is signed in now."""
    check_origin(request)
    form = await request.form(max_files=1, max_fields=1_000, max_part_size=4 * 1024 * 1024)
    try:
        token, ours = form.get("token"), csrf_token(request.headers.raw)
        if not isinstance(token, str) or not hmac.compare_digest(token.encode(), ours.encode()):
            raise Problem(403, f"this form is of somebody else, or was opened before you signed in: {AGAIN}")
        yield form
    finally:
        await form.close()  # a file that was sent lies on the disk


CheckedForm = Annotated[FormData, Depends(_fields)]
