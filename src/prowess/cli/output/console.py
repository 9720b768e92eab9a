"""Console output: results on standard output, notes, warnings and errors on standard error."""

from __future__ import annotations

import re
import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import Error, Option, Remark
from ...progress import PATIENCE

if TYPE_CHECKING:
    from rich.console import Console

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Hide notes; errors and warnings still appear.")]
UNLIMITED = 100_000  # width in a pipe or file, so that nothing is truncated or wrapped
# The names of the shared options and of the options of the running verb, added in `options.shared`. Messages show an
# option that is not listed here as --set.
FLAGS: set[str] = set()
INTERRUPTED = 130  # exit code as in shells: 128 plus the number of SIGINT
# Control characters, line breaks and text direction controls.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


def get_console(stderr: bool = False) -> Console:
    """Return a Rich console; if the stream is not a terminal, the console is as wide as needed."""
    from rich.console import Console

    # Names may contain [brackets] or :colons:, which must not be read as markup or emoji.
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = UNLIMITED
    return console


def print_json(value: Any) -> None:
    """Print a value as JSON on standard output."""
    from ...frames import json_text

    # A terminal or pipe with a legacy encoding cannot show every name.
    typer.echo(json_text(value, ascii_only=not (sys.stdout.encoding or "").lower().startswith("utf")))


def printable(text: str) -> str:
    """Replace control characters, because text from a file could use them to manipulate a terminal.

    >>> printable("ann\\x1b[31m"), printable("\\u202ebob")
    ('ann�[31m', '�bob')
    """
    return _CONTROL.sub("�", text)


def note(text: str, style: str = "dim", label: str = "") -> None:
    """Print a note on standard error; warnings and errors, which have a `label`, are printed even with --quiet."""
    from rich.text import Text

    if _QUIET.get() and not label:
        return
    line = Text.assemble((label, f"bold {style}"), printable(text)) if label else Text(printable(text), style=style)
    get_console(stderr=True).print(line, soft_wrap=True)


def note_remarks(remarks: Iterable[Remark]) -> None:
    """Print remarks; show the options that they mention as command-line flags."""
    for remark in remarks:
        note(remark.render(as_flag))


def note_files(*paths: object) -> None:
    """Print the paths of the files that were written; None (a file that was not requested) is skipped."""
    for path in paths:
        if path is not None:
            note(f"wrote {path}")


def as_flag(option: Option) -> str:
    """Return the command-line flag for an option of the library, quoted for a shell.

    >>> import prowess.cli.options.shared
    >>> as_flag(Option("day_first", False)), as_flag(Option("absent", ("DNS", "DNQ"))), as_flag(Option("rosters", " "))
    ('--no-day-first', '--absent DNS,DNQ', "--rosters ' '")
    >>> as_flag(Option("draw_probability", 0.02))
    '--set draw_probability=0.02'
    >>> as_flag(Option("columns", {"home": "Heim", "player1": "Player 1"}))
    "--columns home=Heim --columns 'player1=Player 1'"
    >>> as_flag(Option("columns", {"time": None}))
    '--columns time='
    """
    flag, value = option.name.replace("_", "-"), option.value
    if option.name not in FLAGS:
        return f"--set {shlex.quote(f'{option.name}={value}')}"
    if isinstance(value, bool):
        return f"--{flag}" if value else f"--no-{flag}"
    if isinstance(value, Mapping):
        pairs = (f"{role}={column or ''}" for role, column in value.items())
        return " ".join(f"--{flag} {shlex.quote(pair)}" for pair in pairs)
    text = ",".join(map(str, value)) or "none" if isinstance(value, (list, tuple)) else str(value)
    return f"--{flag} {shlex.quote(text)}"


@contextmanager
def busy(label: str) -> Iterator[None]:
    """Show an indeterminate progress bar on a terminal while the block runs, but not in the first two seconds."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = get_console(stderr=True)
    if _QUIET.get() or not console.is_terminal:
        yield
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=console, transient=True)
    bar.add_task(printable(label), total=None)
    timer = Timer(PATIENCE, bar.start)
    # A daemon timer does not keep the process alive after an error.
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        bar.stop()


def set_quiet() -> None:
    """Hide notes while this command runs; warnings and errors still appear."""
    _QUIET.set(True)


def is_quiet() -> bool:
    """Return whether notes are hidden."""
    return _QUIET.get()


@contextmanager
def handle_errors() -> Iterator[None]:
    """Print an `Error` on one line and exit with code 1, print warnings on one line, exit with code 130 on Ctrl-C."""
    # Reset the effect of --quiet, because several commands may run in one process, as in tests.
    token = _QUIET.set(False)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: note(_one_line(message), "yellow", "warning: ")
            yield
    except Error as error:
        from ...history.columns.roles.layout import NoLayout

        note(_one_line(error.render(as_flag)), "red", "error: ")
        if isinstance(error, NoLayout):
            note("to be asked what each column means, run in a terminal: prowess check FILE --ask")
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    finally:
        _QUIET.reset(token)


def _one_line(message: object) -> str:
    return " ".join(line.strip() for line in str(message).splitlines())
