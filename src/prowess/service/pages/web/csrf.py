"""CSRF protection: accept forms only from pages of this service, with the token of the signed-in key."""

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

RELOAD = "reload the page and send the form again"


def csrf_token(headers: Headers) -> str:
    """Return the form token for the signed-in key; other sites cannot compute it without the key.

    >>> len(csrf_token([(b"cookie", b"prowess_key=pw_abc")])), csrf_token([])
    (64, '')
    """
    secret = cookie_secret(headers)
    return hmac.new(secret.encode("latin-1"), b"form", sha256).hexdigest() if secret else ""


def check_origin(request: Request) -> None:
    """Refuse a form sent by a page of another site."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        same = site in ("same-origin", "none")
    else:
        same = _host(request.headers.get("origin", "")) == request.headers.get("host", "")
    if not same:
        raise Problem(403, f"this form came from another site; {RELOAD}")


def _host(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc or None  # the origin `null` has no host
    except ValueError:
        return None


async def _checked_form(request: Request) -> AsyncIterator[FormData]:
    check_origin(request)
    form = await request.form(max_files=1, max_fields=1_000, max_part_size=4 * 1024 * 1024)
    try:
        token, expected = form.get("token"), csrf_token(request.headers.raw)
        if not isinstance(token, str) or not hmac.compare_digest(token.encode(), expected.encode()):
            raise Problem(403, f"you have signed in or out since this form was opened; {RELOAD}")
        yield form
    finally:
        await form.close()  # deletes the temporary files of uploads


CheckedForm = Annotated[FormData, Depends(_checked_form)]
