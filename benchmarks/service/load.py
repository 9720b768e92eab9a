"""A load on a service: requests as bytes that were made before, over connections that stay open.

It runs as a process of its own, `python -m benchmarks.service.load`, and does as little as possible: it shares the
machine with the server that it measures. The requests come on standard input, in one list for each connection; what it
prints is JSON: how many answers came in how many seconds, their statuses, and how long the answers took.
"""

import asyncio
import json
import pickle
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from statistics import median

LENGTH, END = b"content-length: ", b"\r\n\r\n"


@dataclass(frozen=True)
class Heard:
    """What a load came to."""

    answers: int
    seconds: float
    statuses: dict[str, int]
    waits: list[float]

    @property
    def each(self) -> float:
        """Seconds per answer."""
        return self.seconds / self.answers

    @property
    def wait(self) -> float:
        """How long an answer took, in the median."""
        return median(self.waits)


def request(
    method: str, port: int, path: str, key: str = "", body: bytes = b"", kind: str = "application/json"
) -> bytes:
    """A whole request as bytes."""
    lines = [f"{method} {path} HTTP/1.1", f"host: 127.0.0.1:{port}"]
    if key:
        lines.append(f"authorization: Bearer {key}")
    if body:
        lines += ["content-type: application/json", f"content-length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def put(port: int, requests: list[list[bytes]], seconds: float = 0.0) -> Heard:
    """Put a load on a server: each connection sends its requests one after another, for so many seconds, or all."""
    given = pickle.dumps((port, requests, seconds))
    command = [sys.executable, "-m", "benchmarks.service.load"]
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    heard = Heard(**json.loads(done.stdout))
    wrong = {status: number for status, number in heard.statuses.items() if status not in ("200", "201")}
    if wrong:
        raise RuntimeError(f"the service answered {wrong}")
    return heard


class Caller(asyncio.Protocol):
    """One connection: the next request goes out when the answer to the one before has come."""

    def __init__(self, requests: list[bytes], end: list[float], done: asyncio.Future) -> None:
        self.requests, self.end, self.done = iter(requests), end, done
        self.buffer, self.missing = b"", 0
        self.statuses: Counter[str] = Counter()
        self.waits: list[float] = []
        self.sent = 0.0

    def connection_made(self, transport) -> None:
        self.transport = transport

    def begin(self) -> None:
        self.ask()

    def ask(self) -> None:
        one = None if time.perf_counter() >= self.end[0] else next(self.requests, None)
        if one is None:
            self.transport.close()
            self.done.set_result(None)
            return
        self.sent = time.perf_counter()
        self.transport.write(one)

    def data_received(self, data: bytes) -> None:
        if self.missing:
            self.missing -= len(data)
        else:
            self.buffer += data
            at = self.buffer.find(END)
            if at < 0:
                return
            head = self.buffer[:at].lower()
            self.statuses[head[9:12].decode()] += 1
            length = head.index(LENGTH) + len(LENGTH)
            stop = head.find(b"\r\n", length)
            self.missing = int(head[length : stop if stop > 0 else at]) - (len(self.buffer) - at - len(END))
            self.buffer = b""
        if not self.missing:
            self.waits.append(time.perf_counter() - self.sent)
            self.ask()

    def connection_lost(self, error) -> None:
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("the server closed the connection"))


async def run(port: int, requests: list[list[bytes]], seconds: float) -> Heard:
    loop = asyncio.get_running_loop()
    end = [float("inf")]
    callers = []
    for mine in requests:
        done = loop.create_future()
        _, caller = await loop.create_connection(
            lambda mine=mine, done=done: Caller(mine, end, done), "127.0.0.1", port
        )
        callers.append(caller)
    start = time.perf_counter()
    if seconds:
        end[0] = start + seconds
    for caller in callers:
        caller.begin()
    await asyncio.gather(*(caller.done for caller in callers))
    took = time.perf_counter() - start
    statuses = sum((caller.statuses for caller in callers), Counter())
    waits = [wait for caller in callers for wait in caller.waits]
    return Heard(sum(statuses.values()), took, dict(statuses), waits)


def main() -> None:
    try:
        import uvloop as fast
    except ModuleNotFoundError:
        fast = asyncio
    heard = fast.run(run(*pickle.load(sys.stdin.buffer)))
    json.dump(vars(heard), sys.stdout)


if __name__ == "__main__":
    main()
