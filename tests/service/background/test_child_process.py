"""Results, errors and crashes of child processes reach the caller, and an exceeded limit ends only the child."""

import asyncio
import os
import subprocess
import sys
import time

import pytest

from prowess.errors import Error
from prowess.service.background import child_process
from prowess.service.background.child_process import ChildPool, ChildProcess, ProcessFailed, ProcessLimits
from tests.service.background import child_functions
from tests.service.background.child_functions import gone

MIB = 1024 * 1024
UNLIMITED = ProcessLimits()


@pytest.fixture
def child():
    process = ChildProcess()
    yield process
    process.close()


def call(child, function, *args, limits=UNLIMITED, **options):
    child.start(limits, function, *args, **options)
    return child.result()


def test_one_child_process_runs_many_calls_and_survives_errors(child):
    assert call(child, child_functions.add, 1, second=2) == 3
    with pytest.raises(Error, match="too late") as error:
        call(child, child_functions.fail)
    assert error.value.field == "time"
    with pytest.raises(KeyError) as unexpected:
        call(child, child_functions.fail_unexpectedly)
    assert "fail_unexpectedly" in unexpected.value.__notes__[0]
    assert call(child, child_functions.print_something) == "printed"
    child.start(UNLIMITED, child_functions.report_and_sleep)
    [kind, (pid, share)] = child.receive(60)
    assert (kind, share, gone(int(pid))) == ("report", 0.5, False)
    child.close()
    assert gone(int(pid))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports how much memory a process uses")
def test_memory_limit_of_a_call_does_not_apply_to_the_next_call_of_a_child_process(child):
    limits = ProcessLimits(memory=128 * MIB)
    assert call(child, child_functions.allocate, 16 * MIB, limits=limits) == 16 * MIB
    with pytest.raises(ProcessFailed, match="needed more than 128 MiB of memory") as error:
        call(child, child_functions.allocate, 2048 * MIB, limits=limits)  # the allocation itself fails
    assert error.value.limit == "memory"
    assert call(child, child_functions.allocate, 160 * MIB) == 160 * MIB
    with pytest.raises(ProcessFailed, match="needed more than 128 MiB of memory") as error:
        # The limit is exceeded while the function runs.
        call(child, child_functions.allocate, 160 * MIB, 99, limits=limits)
    assert error.value.limit == "memory"
    assert not child.is_alive


@pytest.mark.parametrize(
    ("function", "limits", "limit"),
    [
        ("compute", ProcessLimits(cpu_time=0.1), "cpu_time"),
        ("report_and_sleep", ProcessLimits(elapsed_time=0.1), "elapsed_time"),
        ("abort", ProcessLimits(memory=4096 * MIB), "memory"),
        ("abort", UNLIMITED, ""),
        ("exit_early", UNLIMITED, ""),
    ],
    ids=["CPU time", "elapsed time", "abort with a memory limit", "abort without limits", "early exit"],
)
def test_exceeded_limit_or_crash_raises_an_error_that_names_the_cause(child, function, limits, limit):
    with pytest.raises(ProcessFailed) as error:
        call(child, getattr(child_functions, function), limits=limits)
    assert error.value.limit == limit


def test_pool_keeps_an_idle_child_process_and_replaces_a_crashed_one(monkeypatch):
    monkeypatch.setattr(child_process, "IDLE", 0.2)

    async def run():
        pool = ChildPool()
        first = await pool.run(UNLIMITED, child_functions.pid)
        assert await pool.run(UNLIMITED, child_functions.pid) == first
        both = await asyncio.gather(*(pool.run(UNLIMITED, child_functions.pid) for _ in range(2)))
        assert first in both
        with pytest.raises(ProcessFailed):
            await pool.run(UNLIMITED, child_functions.exit_early)
        assert await pool.run(UNLIMITED, child_functions.add, 1, 2) == 3
        await asyncio.sleep(0.5)
        assert all(map(gone, both))  # idle children are ended after 0.2 seconds
        pool.close()

    asyncio.run(run())


def test_child_process_is_killed_when_its_caller_is_cancelled_or_the_pool_is_closed(tmp_path):
    def pid_in(path):
        end = time.monotonic() + 60
        while not (path.exists() and path.read_text()):
            assert time.monotonic() < end
            time.sleep(0.01)
        return int(path.read_text())

    async def run():
        pool = ChildPool()
        call = asyncio.create_task(pool.run(UNLIMITED, child_functions.write_pid_and_sleep, tmp_path / "first"))
        pid = await asyncio.to_thread(pid_in, tmp_path / "first")
        assert not gone(pid)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert gone(pid)
        call = asyncio.create_task(pool.run(UNLIMITED, child_functions.write_pid_and_sleep, tmp_path / "second"))
        pid = await asyncio.to_thread(pid_in, tmp_path / "second")
        pool.close()
        with pytest.raises(ProcessFailed):
            await call
        assert gone(pid)

    asyncio.run(run())


def test_child_process_ends_when_the_service_dies(tmp_path):
    script = (
        "from prowess.service.background.child_process import ChildProcess, ProcessLimits\n"
        "from tests.service.background.child_functions import pid\n"
        "child = ChildProcess(); child.start(ProcessLimits(), pid); print(child.result(), flush=True)\n"
        "import os; os._exit(0)"
    )
    path = os.pathsep.join(filter(None, [os.getcwd(), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    end = time.monotonic() + 60
    while not gone(int(done.stdout)):
        assert time.monotonic() < end
        time.sleep(0.01)
