"""Server-sent events: the changes of a league as they happen, over a line that may break."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable, Iterator

from .http import AGAIN, Calling, ServiceError, pause
from .objects import News

SILENCE = 60.0  # seconds after which a line on which nothing comes, not even a comment, counts as dead


def followed(call: Calling, path: str, after: int | None) -> Iterator[News]:
    """The changes of a league, each once and in order; a line that breaks is opened again where it was.

    It ends with the error when nothing can be heard for as long as the patience of the connection.
    """
    attempt, heard = 0, time.monotonic()
    while True:
        try:
            headers = {"accept": "text/event-stream"} | ({} if after is None else {"last-event-id": str(after)})
            with call.stream(path, headers=headers, timeout=SILENCE) as answer:
                attempt, heard = 0, time.monotonic()
                for event in events(answer.iter_lines()):
                    heard = time.monotonic()
                    after = int(event["id"])
                    if event.get("event") == "ratings":
                        yield News.told(json.loads(event["data"]))
        except ServiceError as error:
            if error.status not in (0, *AGAIN) or time.monotonic() - heard > call.patience:
                raise
        attempt += 1
        time.sleep(pause(attempt, None, random.random()))


def events(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """Server-sent events of a stream of lines, as the fields of each; comments, which keep a line open, are left out.

    >>> list(events(["id: 7", "event: ratings", "data: {", "data: }", "", ": still there", ""]))
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
