"""Problems as HTML pages, for browsers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from .page import PageContext
from .templates import current_url, render_page

KEPT_HEADERS = ("Retry-After", "Allow", "Connection", "Location")


def problem_page(request: Request, problem: dict[str, Any], headers: Mapping[str, str]) -> Response:
    """Return the page that shows a problem; if a key is needed, redirect to the login page instead."""
    if problem["status"] == 401 and request.method == "GET":
        return RedirectResponse(f"/signin?{urlencode({'next': current_url(request.scope)})}", 303)
    kept = {name: headers[name] for name in KEPT_HEADERS if name in headers}
    return render_page(request, "error.html", PageContext({"problem": problem}, status=problem["status"]), kept)
