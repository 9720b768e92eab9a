"""`prowess check`: show how a file is read, its problems, and what looks unusual in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ... import History
from ...atomic_files import check_target
from ...errors import Remark
from ...frames import FORMATS, write_frame
from ...history import show_time
from ...history.data_checks import SPELLING, Suspicion, likely_aliases, suspicions
from ...history.names.aliases import Aliases
from ...history.names.renaming import read_aliases
from ...history.read_context import Findings, Located
from ...history.read_options import Choices
from ...history.readers import read_file
from ...text import count
from ..options.questions import alias_lines, ask_aliases, ask_questions, rate_command
from ..options.read_args import File, note_aliases
from ..options.shared import Json, add_shared_options
from ..output.console import as_flag, get_console, note, note_files, print_json, printable
from ..output.standings import format_time
from ..output.tables import cut, print_table

FIRST = 20  # problems shown on a terminal
ALIKE = 3  # if consecutive problems are alike, only this many are shown

All = Annotated[bool, typer.Option("--all", help=f"Show all problems, not only the first {FIRST}.")]
Ask = Annotated[
    bool, typer.Option("--ask", help="Ask about what is unclear in the file, and print the flags for your answers.")
]
Out = Annotated[Path | None, typer.Option(help=f"Write all problems to a file: {' '.join(FORMATS)}.")]


@add_shared_options
def check(
    file: File, choices_to_edit: Choices, all: All = False, ask: Ask = False, json: Json = False, out: Out = None
) -> None:
    """Check a file: show how its columns are read, every problem with its line, and what looks unusual.

    The exit code is 1 if there is a problem, else 0; data that only looks unusual is not a problem.

    With --ask, the command also asks whether names that look alike belong to one player, and writes the aliases that
    you confirm to the file given with --aliases.

    \b
    prowess check examples/league.csv
    prowess check examples/league.csv --json | jq '.roles'
    prowess check examples/league.csv --all --out problems.csv
    prowess check games.csv --ask
    prowess check games.csv --ask --aliases aliases.csv
    """
    if out is not None:
        check_target(out, FORMATS)
    choices, written = choices_to_edit, None
    if not ask and isinstance(choices.aliases, Aliases) and not Path(choices.aliases.source).exists():
        read_aliases(choices.aliases.source)  # raises the error for a missing file
    if ask:
        choices = ask_questions(file, choices)
        choices, written = ask_aliases(read_file(file, choices).history, choices)
    findings = read_file(file, choices)
    problems, unusual = findings.to_frame(), suspicions(findings.history)
    aliases = [pair for suspicion in likely_aliases(findings.history) for pair in suspicion.aliases]
    if out is not None:
        write_frame(problems, out)
    if json:
        print_json(_to_dict(file, findings, unusual, aliases))
    else:
        limit = None if all or not get_console().is_terminal else FIRST
        _print(file, findings, unusual, limit)
        _print_aliases(aliases, limit)
    note_aliases(choices, findings.history.players)
    note_files(out, written)
    if ask:
        note(f"to read the file this way again: {rate_command(file, choices)}", "bold")
    if len(problems):
        raise typer.Exit(1)


def _to_dict(
    file: Path, findings: Findings, unusual: list[Suspicion], aliases: list[tuple[str, str]]
) -> dict[str, Any]:
    return {
        "file": str(file),
        "layout": None if findings.layout is None else findings.layout.shape,
        "roles": findings.roles,
        "context": findings.context,
        "readings": [remark.render(as_flag) for remark in _remarks(findings)],
        "summary": _summary(findings.history),
        "problems": findings.to_frame().to_dicts(),
        "strange": [{"kind": suspicion.kind, "text": suspicion.text} for suspicion in unusual],
        "aliases": [{"alias": alias, "name": name} for alias, name in aliases],
    }


def _remarks(findings: Findings) -> list[Remark]:
    # The table of columns already shows some of the remarks.
    return [remark for remark in findings.history.remarks if remark.code not in ("layout", "ignored-columns")]


def _summary(history: History) -> dict[str, Any]:
    teams, players = np.diff(history.match_start), np.diff(history.team_start)
    pairs = history.match_start[:-1][teams == 2]
    # The share of draws is useful, because models have it as a parameter for matches of two teams.
    drawn = history.place[pairs] == history.place[pairs + 1]
    summary: dict[str, Any] = {
        "matches": len(history),
        "players": len(np.unique(history.player)),
        "teams": [int(teams.min()), int(teams.max())] if len(teams) else None,
        "team_size": [int(players.min()), int(players.max())] if len(players) else None,
        "draws": float(drawn.mean()) if len(pairs) else None,
        "scores": history.score is not None,
        "home": history.home is not None and bool((history.home >= 0).any()),
    }
    if history.time is not None and history.time_kind is not None and len(history):
        ends = (show_time(history.time_kind, history.time_zone, history.time[at]) for at in (0, -1))
        summary |= dict(zip(("first", "last"), ends, strict=True))
    return summary


def _print(file: Path, findings: Findings, unusual: list[Suspicion], limit: int | None) -> None:
    from rich.text import Text

    def echo(text: str, style: str = "") -> None:
        get_console().print(Text(printable(text), style=style), soft_wrap=not get_console().is_terminal)

    shape = findings.layout.shape if findings.layout is not None else "one match per line"
    echo(f"{file}: {shape}", "bold")
    if findings.roles:
        levels = {column: f"context of the {level}" for column, level in findings.context.items()}
        rows = [(column, role or levels.get(column, "– not used")) for column, role in findings.roles.items()]
        print_table(["column", "read as"], rows, flexible=("column",))
    for remark in _remarks(findings):
        if remark.code != SPELLING:  # these names are listed below, with all that looks unusual
            echo(remark.render(as_flag))
    echo(_describe(_summary(findings.history)))
    echo("")
    if findings.problems:
        echo(f"{count(len(findings.problems), 'problem', 'problems')}:", "bold red")
        _print_problems(findings.problems, limit)
    else:
        echo("No problems.", "bold green")
    if unusual:
        echo("")
        echo("Not errors, but worth a look:", "bold")
        for suspicion in unusual:
            echo(f"• {suspicion.text}")


def _print_aliases(aliases: list[tuple[str, str]], limit: int | None) -> None:
    if not aliases:
        return
    lines = [f"  {line}" for line in alias_lines(aliases[:limit])]
    for line in ("", "If each line names one player twice, put the lines into a file for --aliases:", *lines):
        get_console().print(printable(line), soft_wrap=True)
    if limit is not None and len(aliases) > limit:
        note(f"and {len(aliases) - limit:,} more; --all shows them")
    note("to confirm the aliases one by one: prowess check FILE --ask --aliases aliases.csv")


def _describe(summary: dict[str, Any]) -> str:
    if not summary["matches"]:
        return "No matches."
    parts = [count(summary["matches"], "match", "matches"), count(summary["players"], "player", "players")]
    if "first" in summary:
        parts.append(f"{format_time(summary['first'])} … {format_time(summary['last'])}")
    parts.append(f"{_range(*summary['teams'])} teams per match")
    parts.append(f"{_range(*summary['team_size'])} player{'s' * (summary['team_size'][1] > 1)} per team")
    if summary["draws"] is not None:
        parts.append(f"{100 * summary['draws']:.0f} % draws")
    return ", ".join([*parts, "scores" if summary["scores"] else "places"] + ["home teams"] * summary["home"])


def _range(least: int, most: int) -> str:
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _print_problems(problems: Sequence[Located], limit: int | None) -> None:
    terminal = get_console().is_terminal
    rows: list[tuple[str, str, str, str]] = []
    alike = 0
    for where, problem, _ in problems:
        column, message = problem.column or "", problem.detail(as_flag)
        # One wrong column would fill the screen with the same message.
        same = bool(rows) and limit is not None and (rows[-1][1], rows[-1][3]) == (column, message)
        alike = alike + 1 if same else 0
        if alike < ALIKE:
            value = "" if problem.value is None else repr(str(problem.value))
            rows.append((where, column, cut(value, 24) if terminal else value, message))
        if limit is not None and len(rows) >= limit:
            break
    print_table(["where", "column", "value", "problem"], rows, flexible=("problem", "column"))
    if len(rows) < len(problems):
        note(f"and {len(problems) - len(rows):,} more; --all shows them")
