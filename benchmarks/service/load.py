"""A load generator: sends prepared requests over open connections and measures the responses.

It runs in a separate process, `python -m benchmarks.service.load`, and does as little work as possible, because it
shares the machine with the server. It reads the requests from standard input as a pickle, with one list for each
connection, and prints the result as JSON.
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
class LoadResult:
    """The result of a load: the number of responses, the total time, the statuses, and the time of each response."""

    answers: int
    seconds: float
    statuses: dict[str, int]
    waits: list[float]

    @property
    def each(self) -> float:
        """Return the seconds per response."""
        return self.seconds / self.answers

    @property
    def wait(self) -> float:
        """Return the median seconds from a request to its response."""
        return median(self.waits)


def request(
    method: str, port: int, path: str, key: str = "", body: bytes = b"", kind: str = "application/json"
) -> bytes:
    """Return an HTTP request as bytes."""
    lines = [f"{method} {path} HTTP/1.1", f"host: 127.0.0.1:{port}"]
    if key:
        lines.append(f"authorization: Bearer {key}")
    if body:
        lines += ["content-type: application/json", f"content-length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def send_load(port: int, requests: list[list[bytes]], seconds: float = 0.0) -> LoadResult:
    """Run a load in a separate process: each connection sends its requests in turn, until `seconds` have passed.

    With `seconds` 0, all requests are sent.
    """
    given = pickle.dumps((port, requests, seconds))
    command = [sys.executable, "-m", "benchmarks.service.load"]
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    result = LoadResult(**json.loads(done.stdout))
    wrong = {status: number for status, number in result.statuses.items() if status not in ("200", "201")}
    if wrong:
        raise RuntimeError(f"the service answered {wrong}")
    return result


class Caller(asyncio.Protocol):
    """One connection, which sends the next request when the previous response is complete."""

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


async def run(port: int, requests: list[list[bytes]], seconds: float) -> LoadResult:
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
    return LoadResult(sum(statuses.values()), took, dict(statuses), waits)


def main() -> None:
    try:
        import uvloop as fast
    except ModuleNotFoundError:
        fast = asyncio
    result = fast.run(run(*pickle.load(sys.stdin.buffer)))
    json.dump(vars(result), sys.stdout)


if __name__ == "__main__":
    main()
