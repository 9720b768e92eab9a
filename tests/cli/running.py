"""Run `prowess` commands in the test's process, or in a separate process as users do."""

import os
import re
import struct
import subprocess
import sys
from functools import cache
from pathlib import Path
from select import select

import typer.rich_utils
import typer.testing
from typer.testing import CliRunner, Result

from prowess.cli import app

# Building the command takes half the time of a short test, so it is built only once.
typer.testing._get_command = cache(typer.testing._get_command)  # type: ignore[attr-defined]

ROOT = Path(__file__).parents[2]
SPECIAL = ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "TERM", "TTY_COMPATIBLE", "PYTHONIOENCODING")
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")  # colour and cursor codes
LEAGUE = ROOT / "examples" / "league.csv"
TEXTBOOK = ("--model", "trueskill")  # for tests that do not check how a model is chosen
WIDE = "date,home,away,hg,ag\n2026-01-31,ann,bob,1,0\n2026-02-01,bob,cat,2,2\n2026-02-02,ann,cat,3,1\n"
LONG = (
    "match,date,player,place\n1,2026-01-31,ann,1\n1,2026-01-31,bob,2\n2,2026-02-01,bob,1\n2,2026-02-01,cat,1\n"
    "3,2026-02-02,ann,1\n3,2026-02-02,cat,2\n"
)
PATIENCE = 10.0  # seconds to wait for output


def run(*words: object, **env: str | None) -> Result:
    """Run a command in this process; standard output is not a terminal unless `FORCE_COLOR` is set."""
    usual: dict[str, str | None] = dict.fromkeys(SPECIAL)
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="prowess", env=usual | env)


def ruled(*words: object, columns: int = 100) -> str:
    """Return the output of a command without colours; the command treats standard output as a terminal."""
    result = run(*words, FORCE_COLOR="1", NO_COLOR="1", COLUMNS=str(columns), TERM="xterm")
    assert result.exit_code == 0, result.output
    return CODES.sub("", result.stdout)


def screened(width: int, *words: object) -> Result:
    """Run a command in this process as on a terminal of the given width, and remove colours from its output."""
    env = {"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": str(width), "TERM": "xterm"}
    result = CliRunner(env=env).invoke(app, [str(word) for word in words], prog_name="prowess")
    result.stdout_bytes = re.sub(rb"\x1b\[[0-9;]*m", b"", result.stdout_bytes)
    return result


def environment(**more: str) -> dict[str, str]:
    """Return the environment without the variables that change Rich's output."""
    return {name: value for name, value in os.environ.items() if name not in SPECIAL} | more


def command(*words: object, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m prowess` in a separate process."""
    line = [sys.executable, "-m", "prowess", *map(str, words)]
    return subprocess.run(
        line, cwd=cwd, env=environment(**env), capture_output=True, encoding="utf-8", timeout=60, check=False
    )


def terminal(
    *words: object, columns: int = 80, cwd: Path | None = None, colours: bool = False, quiet: bool = True, **env: str
) -> str:
    """Return the output of `python -m prowess` on a terminal, without notes if `quiet`, and in colour if `colours`."""
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    line = [sys.executable, "-m", "prowess", *map(str, words)]
    special = environment(TERM="xterm-256color", PYTHONIOENCODING="utf-8") | env
    errors = subprocess.DEVNULL if quiet else theirs
    with subprocess.Popen(line, cwd=cwd, env=special, stdin=theirs, stdout=theirs, stderr=errors):
        os.close(theirs)
        shown = b"".join(iter(lambda: _piece(ours), b""))
    os.close(ours)
    text = shown.decode("utf-8").replace("\r\n", "\n")
    return text if colours else CODES.sub("", text)


def converse(answers: bytes, *words: object, cwd: Path | None = None) -> tuple[int, str]:
    """Run `python -m prowess` on a terminal and type the answers; return the exit code and what the terminal shows."""
    import pty

    ours, theirs = pty.openpty()
    line = [sys.executable, "-m", "prowess", *map(str, words)]
    special = environment(TERM="xterm-256color", PYTHONIOENCODING="utf-8", COLUMNS="200")
    with subprocess.Popen(
        line, cwd=cwd, env=special, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        preexec_fn=_take_terminal,
    ) as process:  # fmt: skip
        os.close(theirs)
        shown = key = b""
        typed = [bytes([key]) if key < 32 else bytes([key]) + b"\n" for key in answers]
        waits = 0
        while True:
            if not select([ours], [], [], PATIENCE)[0]:
                # A Ctrl-C that arrives right before the process waits for a line has no effect, so it is typed again.
                waits += 1
                if waits == 10:
                    process.kill()
                elif key:
                    os.write(ours, key)
                continue
            piece = _piece(ours)
            if not piece:
                break
            shown += piece
            if shown.rstrip(b" ").endswith(b"]:"):
                key = typed.pop(0) if typed else b"\x04"  # Ctrl-D ends the input when no answers are left
                os.write(ours, key)
                key = key if ord(key[:1]) < 32 else b""
    os.close(ours)
    return process.returncode, CODES.sub("", shown.decode("utf-8").replace("\r\n", "\n"))


def _take_terminal() -> None:
    """Make standard input the controlling terminal, so that Ctrl-C reaches the process."""
    import fcntl
    import signal
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # tests started in the background may ignore Ctrl-C
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _piece(ours: int) -> bytes:
    """Return the next bytes from the terminal; no bytes if the process has closed it."""
    try:
        return os.read(ours, 65536)
    except OSError:
        return b""


def write(folder: Path, name: str, text: str) -> Path:
    """Write a text file, and return its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
