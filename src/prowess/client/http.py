"""Calls of the service that may be repeated: after a lost connection or a busy server, with growing pauses."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..errors import Error
from ..optional import import_extra
from ..validate import scale

if TYPE_CHECKING:
    import httpx
import json
from urllib.parse import quote

AGAIN = (429, 502, 503, 504)  # too many requests, and a server or a proxy that cannot answer now
FIRST, LONGEST = 0.1, 10.0  # seconds: the longest first pause, and the longest of all


class ServiceError(Error):
    """What the service refused, or why it could not be asked: `status` is that of HTTP, 0 where nothing came back.

    `problem` is the whole answer (RFC 9457): type, title, status, detail and, where fields are wrong, `errors`.

    >>> error = ServiceError("no player is called 'ana'", 422, {"title": "Unprocessable"})
    >>> error.status, error.problem["title"]
    (422, 'Unprocessable')
    """

    def __init__(self, detail: str, status: int = 0, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.problem = dict(problem or {})


def pause(attempt: int, asked: str | None, chance: float) -> float:
    """How long to wait after so many attempts: what the server asked for, or a random part of a doubling time.

    The randomness (`chance`, 0 to 1) keeps clients that failed together from coming back together.

    >>> pause(1, None, 1.0), pause(4, None, 0.5), pause(30, None, 1.0), pause(1, "3", 0.0)
    (0.1, 0.4, 10.0, 3.0)
    """
    wanted = 0.0 if asked is None else _seconds(asked)
    return wanted or chance * min(LONGEST, FIRST * 2.0 ** min(attempt - 1, 20))


def _seconds(asked: str) -> float:
    """A Retry-After: seconds, or a date; 0 if it is neither."""
    if asked.strip().isdecimal():
        return float(asked)
    try:
        return max(parsedate_to_datetime(asked).timestamp() - time.time(), 0.0)
    except ValueError:
        return 0.0


@dataclass(frozen=True)
class Calling:
    """A connection to a service: requests that are tried again until `patience` seconds have passed.

    Only what may be done twice is asked through it: reading, and changes that carry an id.

    >>> Calling.to("127.0.0.1:8000")
    Traceback (most recent call last):
    ...
    prowess.Error: the address of a service is a URL such as http://127.0.0.1:8000, not '127.0.0.1:8000'
    """

    http: httpx.Client
    patience: float

    @classmethod
    def to(
        cls,
        address: str,
        key: str | None = None,
        timeout: float = 30.0,
        patience: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> Calling:
        """Make ready to call a service; nothing is asked yet."""
        if not isinstance(address, str) or not address.startswith(("http://", "https://")):
            raise Error(f"the address of a service is a URL such as http://127.0.0.1:8000, not {address!r}")
        client: type[httpx.Client] = import_extra("httpx", "httpx", "service").Client
        headers = {"user-agent": f"prowess/{__version__}"}
        if key is not None:
            headers["authorization"] = f"Bearer {_secret(key)}"
        timeout, patience = scale("timeout", timeout), scale("patience", patience, zero=True)
        http = client(base_url=address.rstrip("/"), headers=headers, timeout=timeout, transport=transport)
        return cls(http, patience)

    def json(self, method: str, path: str, **request: Any) -> Any:
        """Ask for what is told in JSON."""
        answer = self(method, path, **request)
        try:
            return answer.json()
        except ValueError:
            where = f"{self.http.base_url} is no rating service"
            raise ServiceError(f"{where}: what it answers at {path} is no JSON", answer.status_code) from None

    def __call__(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Ask, as often as it takes; an answer that is no success is a ServiceError."""
        end = time.monotonic() + self.patience
        attempt = 0
        while True:
            attempt += 1
            try:
                answer = self.http.request(method, path, **request)
            except self._lost as error:
                failure, asked = ServiceError(f"{self.http.base_url}: {_said(error)}"), None
            else:
                if answer.is_success:
                    return answer
                failure, asked = refusal(answer), answer.headers.get("retry-after")
                if answer.status_code not in AGAIN:
                    raise failure
            self._wait(attempt, asked, end, failure)

    @property
    def _lost(self) -> type[Exception]:
        """What is raised where no answer comes, or half of one."""
        error: type[Exception] = import_extra("httpx", "httpx", "service").TransportError
        return error

    def _wait(self, attempt: int, asked: str | None, end: float, failure: ServiceError) -> None:
        """Wait before the next attempt, or give up where that would be too late."""
        seconds = pause(attempt, asked, random.random())
        if time.monotonic() + seconds > end:
            raise failure
        time.sleep(seconds)

    @contextmanager
    def stream(self, path: str, **request: Any) -> Iterator[httpx.Response]:
        """An answer that comes bit by bit, for as long as it takes; tried once."""
        try:
            with self.http.stream("GET", path, **request) as answer:
                if not answer.is_success:
                    answer.read()
                    raise refusal(answer)
                yield answer
        except self._lost as error:
            raise ServiceError(f"{self.http.base_url}: {_said(error)}") from error


def refusal(answer: httpx.Response) -> ServiceError:
    """What an answer says went wrong."""
    try:
        problem = answer.json()
    except ValueError:
        problem = None
    problem = problem if isinstance(problem, dict) else {}
    detail = problem.get("detail") or problem.get("title") or f"{answer.status_code} {answer.reason_phrase}"
    listed = problem.get("errors")
    fields = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    more = [f"{one.get('field')}: {one.get('detail')}" for one in fields if str(one.get("detail")) not in str(detail)]
    return ServiceError("; ".join([str(detail), *more[:5]]), answer.status_code, problem)


def _secret(key: object) -> str:
    """A key as a header can hold it; the end of the line that was copied with it is no part of it."""
    secret = key.strip() if isinstance(key, str) else ""
    if not secret or not (secret.isascii() and secret.isprintable()):
        raise Error("key must be the text that `prowess key create` printed")  # which is shown to nobody
    return secret


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__


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
