"""Run functions in child processes, outside of the service's process, with limits on memory and time.

A file that exhausts the memory, or crashes a parser, ends only the child; the caller gets an `Error`. Starting a child
and importing its modules costs about a second of CPU time, so a child is kept for further calls.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen
from threading import Thread
from time import monotonic, process_time
from traceback import format_exc
from typing import Any, ParamSpec, TypeVar

from ...errors import Error
from ...text import byte_size

try:
    import resource
except ImportError:  # Windows: only the elapsed time is limited
    resource = None  # type: ignore[assignment]

# We do not use `multiprocessing`, because it would import the main module of the service again.
START = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    "from prowess.service.background.child_process import serve_calls; serve_calls()"
)
# Libraries get few threads, because each thread takes memory and the service needs the other cores.
THREADS = {"POLARS_MAX_THREADS": "2", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
NICENESS = 10
IDLE = 300.0  # seconds that a child waits for another call
KEPT_MEMORY = 400_000_000  # bytes; a child that uses more after a call is not kept
POLL = 0.1  # seconds between checks of the memory and the elapsed time
RESERVE = 8  # limit of the address space, as a multiple of the memory limit: allocators reserve more than they use

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")


@dataclass(frozen=True)
class ProcessLimits:
    """Limits of one call in a child process; 0 is unlimited."""

    memory: int = 0  # bytes
    cpu_time: float = 0.0  # seconds
    elapsed_time: float = 0.0  # seconds


class ProcessFailed(Error):
    """A child process ended without a result: it exceeded a limit (`limit` says which), or it crashed.

    >>> ProcessFailed("the process used more than 60 s of CPU time", limit="cpu_time").limit
    'cpu_time'
    """

    def __init__(self, message: str, limit: str = "") -> None:
        super().__init__(message)
        self.limit = limit


@dataclass(frozen=True)
class _Message:
    """A message from a child: a reported value, the result of the call, or its exception."""

    kind: str
    value: Any
    memory: int = 0  # bytes in use after the call
    cpu_time: float = 0.0  # seconds of the call


class ChildProcess:
    """A child process that runs functions, one at a time.

    The child ends when `close` is called or the parent process dies.
    """

    def __init__(self) -> None:
        environment = {**THREADS, **os.environ}
        self._process = Popen([sys.executable, "-c", START], stdin=PIPE, stdout=PIPE, env=environment)
        self._messages: SimpleQueue[_Message | None] = SimpleQueue()
        self._reader = Thread(target=self._read_messages, name="prowess-child-messages", daemon=True)
        self._limits = ProcessLimits()
        self._started = 0.0
        self.memory, self.cpu_time = 0, 0.0  # bytes in use after the last call, and its CPU time in seconds
        self._reader.start()
        self._send(pickle.dumps(sys.path))

    def start(
        self,
        limits: ProcessLimits,
        function: Callable[Parameters, Any],
        *args: Parameters.args,
        **options: Parameters.kwargs,
    ) -> None:
        """Start calling a function, which must be importable by its name; its arguments and result are pickled."""
        self._limits, self._started = limits, monotonic()
        self._send(pickle.dumps(pickle.dumps((limits, function, args, options))))

    def receive(self, timeout: float) -> tuple[str, Any] | None:
        """Wait for a message: `("report", value)` or `("result", value)`; None if `timeout` seconds pass without one.

        Raises the exception of the call, or `ProcessFailed` if the process has ended or takes too long.
        """
        try:
            message = self._messages.get(timeout=timeout)
        except Empty:
            self._check_limits()
            return None
        if message is None:
            self.close()
            raise self._failure(self._process.returncode)
        self.memory, self.cpu_time = message.memory, message.cpu_time
        if message.kind == "exception":
            if isinstance(message.value, MemoryError):
                raise self._too_much_memory()
            raise message.value
        return message.kind, message.value

    def _check_limits(self) -> None:
        longest, most = self._limits.elapsed_time, self._limits.memory
        if longest and monotonic() - self._started > longest:
            self.close()
            raise ProcessFailed(f"the process took more than {longest:g} s", "elapsed_time")
        if most and _memory_in_use(self._process.pid) > most:
            self.close()
            raise self._too_much_memory()

    def result(self) -> Any:
        """Wait for the result of the current call, ignoring its progress reports."""
        while True:
            message = self.receive(POLL)
            if message is not None and message[0] == "result":
                return message[1]

    @property
    def is_alive(self) -> bool:
        """Whether the process can serve another call."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End the process now, without waiting for it."""
        self._process.kill()

    def close(self) -> None:
        """End the process, and wait until it has ended."""
        assert self._process.stdin is not None
        self._process.kill()
        self._process.wait()
        self._reader.join()
        with suppress(OSError):
            self._process.stdin.close()

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # the process has already ended, which `receive` notices
            self._process.stdin.write(data)
            self._process.stdin.flush()  # flushed, but not closed: the child ends when its standard input is closed

    def _read_messages(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream, suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                self._messages.put(pickle.load(stream))
        self._messages.put(None)

    def _failure(self, code: int) -> ProcessFailed:
        if os.name == "posix" and code == -signal.SIGXCPU:
            return ProcessFailed(f"the process used more than {self._limits.cpu_time:g} s of CPU time", "cpu_time")
        if os.name == "posix" and code == -signal.SIGABRT and self._limits.memory:
            return self._too_much_memory()  # programs in Rust and C++ abort if they get no memory
        reason = f"signal {-code}" if code < 0 else f"exit code {code}"
        return ProcessFailed(f"the process ended early ({reason}); the machine may have run out of memory")

    def _too_much_memory(self) -> ProcessFailed:
        allowed = f"more than {byte_size(self._limits.memory)} of memory" if self._limits.memory else "too much memory"
        return ProcessFailed(f"the process needed {allowed}", "memory")


class ChildPool:
    """Runs functions in child processes, and keeps idle children for the next calls; `close` ends all children.

    `charge` is called with the CPU time of each call, in the context of the caller.
    """

    def __init__(self, charge: Callable[[float], None] = lambda seconds: None) -> None:
        self._charge = charge
        self._idle: list[ChildProcess] = []
        self._busy: set[ChildProcess] = set()

    async def run(
        self,
        limits: ProcessLimits,
        function: Callable[Parameters, Value],
        *args: Parameters.args,
        **options: Parameters.kwargs,
    ) -> Value:
        """Run a function in a child process and return its result; if the caller is cancelled, the child is killed."""
        child = self._idle.pop() if self._idle else await self._new_child()
        self._busy.add(child)

        def call() -> Value:
            child.start(limits, function, *args, **options)
            result: Value = child.result()
            return result

        running, started = asyncio.ensure_future(asyncio.to_thread(call)), monotonic()
        try:
            return await asyncio.shield(running)
        finally:
            self._busy.discard(child)
            healthy = running.done() and child.is_alive
            self._charge(child.cpu_time if healthy else monotonic() - started)
            if healthy and child.memory < KEPT_MEMORY:
                self._keep(child)
            else:
                child.kill()  # first, because the next line may be cancelled
                await asyncio.shield(asyncio.ensure_future(asyncio.to_thread(child.close)))

    async def _new_child(self) -> ChildProcess:
        starting = asyncio.ensure_future(asyncio.to_thread(ChildProcess))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(lambda started: started.result().close())
            raise

    def _keep(self, child: ChildProcess) -> None:
        self._idle.append(child)
        asyncio.get_running_loop().call_later(IDLE, self._drop, child)

    def _drop(self, child: ChildProcess) -> None:
        if child in self._idle:
            self._idle.remove(child)
            child.close()

    def close(self) -> None:
        """End all children."""
        while self._idle:
            self._idle.pop().close()
        for child in list(self._busy):
            child.kill()


_output: Any = None  # in a child process: the stream of messages to the service


def report(value: Any) -> None:
    """Report a value, such as the progress, from a function that runs in a child process."""
    _send_message(_Message("report", value))


def _send_message(message: _Message) -> None:
    _output.write(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
    _output.flush()


def serve_calls() -> None:
    """Serve the calls of the parent process until standard input ends. This function runs in the child process."""
    global _output
    for number in (signal.SIGINT, signal.SIGTERM):
        # On a signal, the service finishes its own work and then ends this process.
        signal.signal(number, signal.SIG_IGN)
    with suppress(AttributeError, OSError):
        os.nice(NICENESS)
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output that a library prints must not mix with the messages
    warnings.simplefilter("ignore")
    calls: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read_calls, args=(calls,), daemon=True).start()
    while True:
        _send_message(_serve(calls.get()))


def _read_calls(calls: SimpleQueue[bytes]) -> None:
    with suppress(EOFError, OSError):
        while True:
            calls.put(pickle.load(sys.stdin.buffer))
    os._exit(1)  # the service has closed the pipe, or died


def _serve(call: bytes) -> _Message:
    try:
        limits, function, args, options = pickle.loads(call)
        _apply(limits)
        started = process_time()
        return _Message("result", function(*args, **options), _memory_in_use(os.getpid()), process_time() - started)
    except MemoryError:
        return _Message("exception", MemoryError())
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # some exceptions of libraries cannot be pickled
            error = RuntimeError(f"{type(error).__name__}: {error}")
        if not isinstance(error, Error):
            error.add_note(f"In the child process:\n{format_exc()}")  # the traceback itself is not pickled
        return _Message("exception", error)


def _apply(limits: ProcessLimits) -> None:
    if resource is None:
        return
    # The parent polls the memory in use; this limit also stops a single enormous allocation at once.
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (RESERVE * limits.memory or hard, hard))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    with suppress(ValueError, OSError):
        until = ceil(process_time() + limits.cpu_time) if limits.cpu_time else hard
        resource.setrlimit(resource.RLIMIT_CPU, (until, hard))


def _memory_in_use(pid: int) -> int:
    # The result is 0 on systems without Linux's /proc.
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0
