"""The option --ask: ask on a terminal how to read a file, and build the command that repeats the answers."""

from __future__ import annotations

import shlex
import signal
import sys
from dataclasses import fields
from pathlib import Path

import typer

from ...errors import Error, Option
from ...history.questions import Answer, Question, apply_answer, open_questions
from ...history.read_context import Findings, Table
from ...history.read_options import Choices
from ...history.readers import from_table
from ...history.reading.sniff import load
from ...history.sentences import describe_matches
from ..output.console import INTERRUPTED, as_flag, get_console, printable

MATCHES = 3  # matches shown after the last answer


def ask_questions(file: Path, choices: Choices) -> Choices:
    """Ask the open questions of a file one after another; return the options with the answers applied."""
    if not (sys.stdin.isatty() and get_console().is_terminal):
        raise Error("--ask needs a terminal; without one, set --columns and the other options for reading a file")
    asked: set[str] = set()
    while True:
        table = load(file, choices)
        findings = _read(table)
        questions = open_questions(table, findings) if isinstance(table, Table) else ()
        question = next((question for question in questions if question.code not in asked), None)
        if question is None:
            break
        asked.add(question.code)
        choices = apply_answer(choices, _ask(question))
    if findings is not None:
        _print("The first matches:" if asked else "No question is open. The first matches:")
        for sentence in describe_matches(findings.history, MATCHES):
            _print(f"  {sentence}")
        _print("")
    return choices


def rate_command(file: Path, choices: Choices) -> str:
    """Return the command that rates a file with these options.

    >>> import prowess.cli
    >>> rate_command(Path("my games.csv"), Choices(columns={"winner": "won", "time": None}, day_first=True))
    "prowess rate 'my games.csv' --columns winner=won --columns time= --day-first"
    """
    flags = []
    for field in fields(Choices):
        value = getattr(choices, field.name)
        if value != field.default and value is not None:
            flags.append(as_flag(Option(field.name, value)))
    return " ".join(["prowess rate", shlex.quote(str(file)), *flags])


def _read(table: Table | Findings) -> Findings | None:
    try:
        return from_table(table) if isinstance(table, Table) else table
    except Error:
        return None


def _ask(question: Question) -> Answer:
    """Print a question with its numbered answers, and wait for a valid number; Enter takes the answer in brackets."""
    _print(question.text)
    for number, answer in enumerate(question.answers, 1):
        matches = f" – {'; '.join(answer.matches)}" if answer.matches else ""
        _print(f"  {number}  {answer.label}{matches}")
    usual = (question.current or 0) + 1
    while True:
        text = _prompt(f"Answer [{usual}]: ").strip() or str(usual)
        if text.isascii() and text.isdigit() and 0 < int(text) <= len(question.answers):
            _print("")
            return question.answers[int(text) - 1]
        _print(f"Type a number from 1 to {len(question.answers)}, or press Ctrl-C to stop.")


def _prompt(text: str) -> str:
    if hasattr(signal, "siginterrupt"):
        # Polars has installed a handler after which the terminal would go on waiting for a line.
        signal.siginterrupt(signal.SIGINT, True)
    try:
        return input(text)
    except EOFError:
        _print("")
        raise typer.Exit(INTERRUPTED) from None
    except KeyboardInterrupt:
        _print("")
        raise


def _print(text: str) -> None:
    get_console().print(printable(text), soft_wrap=True)
