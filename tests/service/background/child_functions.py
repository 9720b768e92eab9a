"""Functions that tests run in child processes; this module imports little, so that a child starts quickly."""

import os
import signal
import time

from prowess.errors import Error
from prowess.service.background.child_process import report


def gone(pid):
    """Return whether a process has ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def add(first, second=0):
    return first + second


def pid():
    return os.getpid()


def report_and_sleep(*_):
    report((str(os.getpid()), 0.5))
    time.sleep(99)


def write_pid_and_sleep(path):
    path.write_text(str(os.getpid()))
    time.sleep(99)


def exit_early(*_):
    os._exit(3)


def fail(*_):
    raise Error("too late", field="time")


def fail_unexpectedly(*_):
    raise KeyError("nobody expected this")


def abort(*_):
    signal.raise_signal(signal.SIGABRT)


def print_something():
    print("this is not a message")
    return "printed"


def allocate(size, seconds=0):
    memory = bytearray(size)
    time.sleep(seconds)
    return len(memory)


def compute():
    while True:
        pass
