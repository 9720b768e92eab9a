"""A league of a rating service as a Python object, which is used like a ladder."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from ..history import name_of
from .forecasts import Expecting
from .http import Calling, ServiceError
from .matches import Changing
from .objects import News, Revised

if TYPE_CHECKING:
    import httpx

__all__ = ["Client", "News", "Revised", "ServiceError"]


class Client(Changing, Expecting):
    """A league of a rating service: what a `pw.Ladder` does, and more, over HTTP (`prowess serve`).

    Every match is sent with an id. So what was lost on the way can be sent again and counts once: a call is repeated
    for up to `patience` seconds when the connection breaks or the service is busy. What the service refuses is a
    `pw.Error`, with its HTTP `status` and the whole `problem`. Threads may share a client.

    >>> from prowess.service.testing import trial
    >>> with trial("darts") as client:
    ...     [[ann], [bob]] = client.record([["ann"], ["bob"]], scores=[3, 1])
    ...     client["ann"] == ann, "dan" in client, len(client)
    (True, False, 2)
    """

    def __init__(
        self,
        address: str,
        league: str,
        key: str | None = None,
        *,
        timeout: float = 30.0,
        patience: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """The league of this name at an address; `key` is what `prowess key create` printed, to write or read more."""
        calling = Calling.to(address, key, timeout, patience, transport)
        super().__init__(calling, name_of(league, "the name of a league"))

    def __enter__(self) -> Client:
        """Give the client itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections to the service.

        >>> import prowess as pw
        >>> pw.Client("http://127.0.0.1:8000", "darts").close()
        """
        self._call.http.close()

    def __repr__(self) -> str:
        """Say which league this is, and where."""
        return f"Client({self.league!r} at {self._call.http.base_url})"
