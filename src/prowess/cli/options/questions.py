"""The option --ask: ask on a terminal how to read a file, and build the command that applies the answers."""

from __future__ import annotations

import csv
import io
import shlex
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path

import typer

from ... import History
from ...atomic_files import check_target
from ...errors import Error, Option
from ...frames import FORMATS, write_frame
from ...history.data_checks import likely_aliases
from ...history.names.aliases import Aliases
from ...history.names.renaming import rename_findings
from ...history.read_context import Findings, Table
from ...history.read_options import Choices
from ...history.readers import from_table, with_matches
from ...history.reading.questions import Answer, Question, apply_answer, open_questions
from ...history.reading.sniff import load
from ...history.sentences import describe_matches
from ..output.console import INTERRUPTED, as_flag, get_console, printable

MATCHES = 3  # matches shown after the last answer


def ask_questions(file: Path, choices: Choices) -> Choices:
    """Ask the open questions about a file one after another; return the options with the answers applied."""
    if not (sys.stdin.isatty() and get_console().is_terminal):
        raise Error(
            "--ask needs a terminal; in a script, use --columns and the other options for reading a file instead"
        )
    # A question may stay open after its answer, but it must not be asked again.
    asked: set[str] = set()
    while True:
        table = load(file, choices)
        with suppress(Error):  # if several sheets have matches, the user is asked
            table = with_matches(table) if isinstance(table, Table) else table
        findings = _read(table, choices)
        questions = open_questions(table, findings) if isinstance(table, Table) else ()
        question = next((question for question in questions if question.code not in asked), None)
        if question is None:
            break
        asked.add(question.code)
        choices = apply_answer(choices, _ask(question))
    if findings is not None:
        _print("The first matches:" if asked else "There is nothing to ask. The first matches:")
        for sentence in describe_matches(findings.history, MATCHES):
            _print(f"  {sentence}")
        _print("")
    return choices


def ask_aliases(history: History, choices: Choices) -> tuple[Choices, Path | None]:
    """Ask whether similar names belong to one player, and write the confirmed aliases to the alias file.

    Return the options with the confirmed aliases, and the path of the alias file. If the options name no alias file,
    the aliases are printed instead.
    """
    aliases = choices.aliases if isinstance(choices.aliases, Aliases) else Aliases({})
    path = Path(aliases.source) if aliases.source else None
    if path is not None:
        # A path that cannot be written must fail before the user has answered anything.
        check_target(path, FORMATS)
    confirmed: dict[str, str] = {}
    for suspicion in likely_aliases(history):
        for alias, name in suspicion.aliases:
            if alias not in confirmed and _confirm(f"{suspicion.text}. Does {alias!r} count as {name!r}?"):
                try:
                    # Two players of one match cannot be merged.
                    history.rename({**confirmed, alias: name})
                except Error as error:
                    _print(f"{error}, so {alias!r} stays as it is.")
                else:
                    confirmed[alias] = name
    if not confirmed:
        return choices, None
    merged = Aliases({**aliases, **confirmed}, aliases.source)
    if path is None:
        _print("Put these lines into a file for --aliases:")
        for line in alias_lines(confirmed.items()):
            _print(f"  {line}")
        _print("")
        return replace(choices, aliases=merged), None
    import polars as pl

    write_frame(pl.DataFrame({"alias": list(merged), "name": list(merged.values())}), path)
    return replace(choices, aliases=merged), path


def alias_lines(aliases: Iterable[tuple[str, str]]) -> list[str]:
    """Return the lines of a CSV file of aliases.

    >>> alias_lines([("Jeevo", "Deevo"), ("Nadal, R.", "Rafael Nadal")])
    ['Jeevo,Deevo', '"Nadal, R.",Rafael Nadal']
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(aliases)
    return text.getvalue().splitlines()


def _confirm(question: str) -> bool:
    while True:
        answer = _prompt(f"{printable(question)} [y/N]: ").strip().lower()
        if answer in ("", "n", "no", "y", "yes"):
            return answer in ("y", "yes")
        _print("Type y or n, or press Ctrl-C to stop.")


def rate_command(file: Path, choices: Choices) -> str:
    """Return the command that rates a file with these options.

    >>> import prowess.cli
    >>> rate_command(Path("my games.csv"), Choices(columns={"winner": "won", "time": None}, day_first=True))
    "prowess rate 'my games.csv' --columns winner=won --columns time= --day-first"
    """
    flags = []
    for field in fields(Choices):
        value = getattr(choices, field.name)
        if isinstance(value, Aliases):
            value = value.source or "aliases.csv"
        if value != field.default and value is not None:
            flags.append(as_flag(Option(field.name, value)))
    return " ".join(["prowess rate", shlex.quote(str(file)), *flags])


def _read(table: Table | Findings, choices: Choices) -> Findings | None:
    try:
        # An unreadable file has questions, too; the last answer may make it readable.
        return from_table(table) if isinstance(table, Table) else rename_findings(table, choices)
    except Error:
        return None


def _ask(question: Question) -> Answer:
    # Enter takes the answer in brackets.
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
        # Polars installs a signal handler; with it, Ctrl-C would not interrupt the prompt.
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
