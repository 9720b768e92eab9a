"""What the verbs say: tables on standard output, remarks and errors on standard error."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Timer
from typing import TYPE_CHECKING

import typer

from ...errors import Error, Option, Remark
from ...progress import PATIENCE

if TYPE_CHECKING:
    from rich.console import Console

WIDE = 100_000  # columns where there is no terminal: nothing is cut or wrapped
FLAGS: set[str] = set()  # parameters of verbs, as `add_quiet_option` finds them; other options are set by --set
INTERRUPTED = 130  # as shells count: 128 and the number of SIGINT
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")  # those of lines and of direction, too
_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)  # as long as a command runs


def get_console(stderr: bool = False) -> Console:
    """The terminal, or the plain file or pipe that stands in its place."""
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = WIDE
    return console


def printable(text: str) -> str:
    """Text of a user's file on one line, without the control characters that could take over a terminal.

    >>> printable("ann\\x1b[31m"), printable("\\u202ebob")
    ('ann�[31m', '�bob')
    """
    return _CONTROL.sub("�", text)


def note(text: str, style: str = "dim", label: str = "") -> None:
    """Say something beside the result: a remark, or with its label a warning or an error."""
    from rich.text import Text

    if _QUIET.get() and not label:
        return
    line = Text.assemble((label, f"bold {style}"), printable(text)) if label else Text(printable(text), style=style)
    get_console(stderr=True).print(line, soft_wrap=True)


def note_remarks(remarks: Iterable[Remark]) -> None:
    """Print the remarks of a reading, with their options as flags."""
    for remark in remarks:
        note(remark.render(as_flag))


def as_flag(option: Option) -> str:
    """Write an option of the library as the flag that it is here, quoted for a shell.

    >>> import prowess.cli
    >>> as_flag(Option("day_first", False)), as_flag(Option("absent", ("DNS", "DNQ"))), as_flag(Option("rosters", " "))
    ('--no-day-first', '--absent DNS,DNQ', "--rosters ' '")
    >>> as_flag(Option("draw_probability", 0.02))
    '--set draw_probability=0.02'
    >>> as_flag(Option("columns", {"home": "Heim", "player1": "Player 1"}))
    "--columns home=Heim --columns 'player1=Player 1'"
    """
    flag, value = option.name.replace("_", "-"), option.value
    if option.name not in FLAGS:
        return f"--set {shlex.quote(f'{option.name}={value}')}"
    if isinstance(value, bool):
        return f"--{flag}" if value else f"--no-{flag}"
    if isinstance(value, Mapping):
        return " ".join(f"--{flag} {shlex.quote(f'{role}={column}')}" for role, column in value.items())
    text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return f"--{flag} {shlex.quote(text)}"


@contextmanager
def busy(label: str) -> Iterator[None]:
    """Show on a terminal that something goes on, from two seconds on; how far it has come is not known."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = get_console(stderr=True)
    if _QUIET.get() or not console.is_terminal:
        yield
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=console, transient=True)
    bar.add_task(printable(label), total=None)
    later = Timer(PATIENCE, bar.start)
    later.daemon = True
    later.start()
    try:
        yield
    finally:
        later.cancel()
        bar.stop()


def set_quiet() -> None:
    """Make no more remarks while this command runs; warnings and errors are no remarks."""
    _QUIET.set(True)


@contextmanager
def handle_errors() -> Iterator[None]:
    """Turn errors of the family into one line and exit code 1, warnings into one line, Ctrl-C into exit code 130."""
    loud = _QUIET.set(False)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: note(_line(message), "yellow", "warning: ")
            yield
    except Error as error:
        note(_line(error.render(as_flag)), "red", "error: ")
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    finally:
        _QUIET.reset(loud)


def _line(message: object) -> str:
    return " ".join(part.strip() for part in str(message).splitlines())
