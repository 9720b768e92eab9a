"""How a league of a service is asked: paths, queries and bodies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ...errors import Error
from .calling import Calling

__all__ = ["Asking", "match_of", "plain", "segment"]


class Asking:
    """A league at an address, to which requests go."""

    def __init__(self, calling: Calling, league: str) -> None:
        self.league = league
        self._call = calling
        self._path = f"/api/leagues/{segment(league)}"

    def _get(self, path: str = "", **query: Any) -> Any:
        known = {name: value for name, value in query.items() if value is not None}
        return self._call.json("GET", f"{self._path}{path}", params=known)

    def _send(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        known = {name: value for name, value in query.items() if value not in (None, "")}
        content = None if body is None else _written(body)
        headers = {"content-type": "application/json"} if content else {}
        return self._call.json(method, f"{self._path}{path}", params=known, content=content, headers=headers)


def _written(body: Any) -> str:
    try:
        return json.dumps(body, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Error(f"this cannot be sent as JSON: {error}") from None


def segment(text: str) -> str:
    """Text as a part of a path; dots alone would be a way upwards."""
    return quote(text, safe="") if set(text) != {"."} else text.replace(".", "%2E")


def match_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a match that were given, as JSON has them."""
    return {name: plain(part) for name, part in given.items() if name not in ("self", "id") and part is not None}


def plain(value: Any) -> Any:
    """A value as JSON has it: times as text, arrays as lists."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "tolist"):  # of NumPy
        return plain(value.tolist())
    return [plain(one) for one in value] if isinstance(value, (list, tuple)) else value
