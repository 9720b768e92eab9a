"""HTTP requests to the service: retries with growing pauses, errors as `ServiceError`, and server-sent events."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .. import __version__
from ..errors import Error
from ..optional import import_extra
from ..validate import scale

if TYPE_CHECKING:
    import httpx

RENAMED = 308  # the status for a renamed league
RETRIED = (429, 502, 503, 504)  # statuses for too many requests, and for a temporarily unavailable server or proxy
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 10.0  # seconds
# Seconds without any data after which an event stream counts as broken; the service sends comments more often.
SILENCE = 60.0


class ServiceError(Error):
    """The service rejected a request, or could not be reached.

    `status` is the HTTP status, or 0 if no response arrived. `problem` is the whole response body (RFC 9457): type,
    title, status, detail and, if fields are invalid, `errors`. `suggestions` maps unknown names to similar names.
    `renamed` is the path to use if the league was renamed.

    >>> error = ServiceError("no player named 'ana'", 422, {"title": "Unprocessable"})
    >>> error.status, error.problem["title"]
    (422, 'Unprocessable')
    """

    def __init__(self, detail: str, status: int = 0, problem: Mapping[str, Any] | None = None) -> None:
        self.problem = dict(problem or {})
        suggestions = self.problem.get("suggestions")
        super().__init__(detail, suggestions=suggestions if isinstance(suggestions, dict) else None)
        self.status = status
        self.renamed: str | None = None

    @classmethod
    def from_response(cls, response: httpx.Response) -> ServiceError:
        """Return the error for an unsuccessful response. The error message also lists the invalid fields."""
        try:
            problem = response.json()
        except ValueError:
            problem = None
        problem = problem if isinstance(problem, dict) else {}
        detail = str(
            problem.get("detail") or problem.get("title") or f"{response.status_code} {response.reason_phrase}"
        )
        listed = problem.get("errors")
        errors = [error for error in listed if isinstance(error, dict)] if isinstance(listed, list) else []
        fields = [f"{error.get('field')}: {error.get('detail')}" for error in errors
                  if str(error.get("detail")) not in detail]  # fmt: skip
        error = cls("; ".join([detail, *fields[:5]]), response.status_code, problem)
        location = response.headers.get("location", "")
        if response.status_code == RENAMED and location.startswith("/"):
            # Exactly one leading slash, or the path could name another host, which would then receive the key.
            error.renamed = f"/{location.lstrip('/')}"
        return error


def pause(attempt: int, retry_after: str | None, chance: float) -> float:
    """Return the seconds to wait after an attempt: as the server requested, or exponential backoff with jitter.

    The jitter (`chance`, 0 to 1) spreads the retries of clients that failed at the same moment.

    >>> pause(1, None, 1.0), pause(4, None, 0.5), pause(30, None, 1.0), pause(1, "3", 0.0)
    (0.1, 0.4, 10.0, 3.0)
    """
    requested = 0.0 if retry_after is None else _parse_retry_after(retry_after)
    return requested or chance * min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempt - 1, 20))


def _parse_retry_after(text: str) -> float:
    # The header may be a number of seconds or a date; an invalid header counts as 0.
    if text.strip().isdecimal():
        return float(text)
    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except ValueError:
        return 0.0


class Connection:
    """A connection to a service. Failed requests are retried until `patience` seconds have passed.

    Every request must be safe to repeat. Reads are safe, and so are changes: the service never makes a change twice.

    >>> Connection("127.0.0.1:8000")
    Traceback (most recent call last):
    ...
    prowess.Error: address must be a URL such as http://127.0.0.1:8000, not '127.0.0.1:8000'
    """

    def __init__(
        self,
        address: str,
        key: str | None = None,
        timeout: float = 30.0,
        patience: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        if not isinstance(address, str) or not address.startswith(("http://", "https://")):
            message = f"address must be a URL such as http://127.0.0.1:8000, not {address!r}"
            raise Error(message, field="address", value=address)
        library = import_extra("httpx", "httpx", "service")
        headers = {"user-agent": f"prowess/{__version__}"}
        if key is not None:
            headers["authorization"] = f"Bearer {_check_key(key)}"
        self.patience = scale("patience", patience, zero=True)
        self._transport_error: type[Exception] = library.TransportError
        self.http: httpx.Client = library.Client(
            base_url=address.rstrip("/"), headers=headers, timeout=scale("timeout", timeout), transport=transport
        )

    def request_json(self, method: str, path: str, **request: Any) -> Any:
        """Send a request and return the JSON of the response."""
        response = self.request(method, path, **request)
        try:
            return response.json()
        except ValueError:
            message = f"{self.http.base_url} is not a rating service: its response to {path} is not JSON"
            raise ServiceError(message, response.status_code) from None

    def request(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Send a request, and retry while the service is busy or unreachable; raises `ServiceError` for a rejection.

        If the league was renamed, the request is sent again under its new name.
        """
        deadline = time.monotonic() + self.patience
        attempt = 0
        while True:
            attempt += 1
            try:
                response = self.http.request(method, path, **request)
            except self._transport_error as error:
                failure, retry_after = self._failure(error), None
            else:
                if response.is_success:
                    return response
                failure, retry_after = ServiceError.from_response(response), response.headers.get("retry-after")
                if failure.renamed not in (None, path) and attempt == 1:
                    path = str(failure.renamed)
                    request.pop("params", None)  # the new path already includes them
                    continue
                if response.status_code not in RETRIED:
                    raise failure
            seconds = pause(attempt, retry_after, random.random())
            if time.monotonic() + seconds > deadline:
                raise failure
            time.sleep(seconds)

    def _failure(self, error: Exception) -> ServiceError:
        return ServiceError(f"{self.http.base_url}: {error or type(error).__name__}")

    @contextmanager
    def _stream(self, path: str, headers: dict[str, str]) -> Iterator[httpx.Response]:
        try:
            with self.http.stream("GET", path, headers=headers, timeout=SILENCE) as response:
                if not response.is_success:
                    response.read()
                    raise ServiceError.from_response(response)
                yield response
        except self._transport_error as error:
            raise self._failure(error) from error

    def events(self, path: str, after: int | None) -> Iterator[dict[str, Any]]:
        """Yield the data of each event once and in order; if the stream breaks, connect again and continue.

        Raises `ServiceError` when nothing has arrived for `patience` seconds.
        """
        attempt, last_arrival = 0, time.monotonic()
        while True:
            headers = {"accept": "text/event-stream"} | ({} if after is None else {"last-event-id": str(after)})
            try:
                with self._stream(path, headers) as response:
                    attempt, last_arrival = 0, time.monotonic()
                    for event in parse_events(response.iter_lines()):
                        last_arrival = time.monotonic()
                        after = int(event["id"])
                        if event.get("event") == "ratings":
                            yield json.loads(event["data"])
            except ServiceError as error:
                path = error.renamed or path
                if error.status not in (0, RENAMED, *RETRIED) or time.monotonic() - last_arrival > self.patience:
                    raise
            attempt += 1
            time.sleep(pause(attempt, None, random.random()))


def parse_events(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the fields of each server-sent event; comments, which only keep a connection open, are skipped.

    >>> list(parse_events(["id: 7", "event: ratings", "data: {", "data: }", "", ": ping", ""]))
    [{'id': '7', 'event': 'ratings', 'data': '{\\n}'}]
    """
    fields: dict[str, str] = {}
    for line in lines:
        if not line:
            if "data" in fields:
                yield fields
            fields = {}
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name:
            fields[name] = f"{fields['data']}\n{value}" if name == "data" and "data" in fields else value


def _check_key(key: object) -> str:
    # White space may surround the key, such as a line break that was copied with it.
    secret = key.strip() if isinstance(key, str) else ""
    if not secret or not (secret.isascii() and secret.isprintable()):
        # the message must not show the key: it may end up in a log
        raise Error("key must be the text that `prowess key create` printed", field="key")
    return secret


def encode_segment(text: str) -> str:
    """Quote a text as one path segment, including "." and "..", which would otherwise be resolved as folders."""
    return quote(text, safe="") if set(text) != {"."} else text.replace(".", "%2E")


def encode_body(body: Any) -> str:
    """Encode a request body as JSON."""
    try:
        return json.dumps(body, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Error(f"cannot send this as JSON: {error}") from None


def to_json(value: Any) -> Any:
    """Convert a value for JSON: times become text, arrays become lists."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "tolist"):  # a NumPy array or scalar
        return to_json(value.tolist())
    if isinstance(value, Mapping):
        return {name: to_json(item) for name, item in value.items()}
    return [to_json(item) for item in value] if isinstance(value, (list, tuple)) else value
