"""`prowess check`: what was recognised in a file, and every problem in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import History
from ...atomic_files import file_extension
from ...errors import Error, Remark
from ...history import show_time
from ...history.data_checks import Suspicion, suspicions
from ...history.read_context import Findings, Located
from ...history.read_options import Choices
from ...history.readers import read_file
from ...text import count
from ..options.read_args import File
from ..options.shared import Json, add_shared_options
from ..output.console import as_flag, get_console, note, printable
from ..output.json import print_json
from ..output.standings import moment
from ..output.tables import cut, print_table, write_table

if TYPE_CHECKING:
    pass

FIRST = 20  # problems on a terminal
ALIKE = 3  # problems of one kind in a row, after which they are counted
ENDINGS = (".csv", ".parquet", ".json")

All = Annotated[bool, typer.Option("--all", help=f"Print all problems, and not the first {FIRST}.")]
Out = Annotated[
    Path | None, typer.Option(show_default=False, help=f"Write all problems to a file: {' '.join(ENDINGS)}.")
]


@add_shared_options
def check(file: File, choices: Choices, all: All = False, json: Json = False, out: Out = None) -> None:
    """Check a file: what was recognised in it, every problem with its line, and what looks strange.

    The exit code is 0 where there is no problem, and 1 where there is one; what only looks strange is none.

    \b
    prowess check examples/league.csv
    prowess check examples/league.csv --json | jq '.roles'
    prowess check examples/league.csv --all --out problems.csv
    """
    if out is not None:
        file_extension(out, ENDINGS)
        if not out.parent.is_dir():
            raise Error(f"{out}: there is no folder {out.parent}")
    found = read_file(file, choices)
    problems, strange = found.to_frame(), suspicions(found.history)
    if out is not None:
        write_table(problems, out)
    if json:
        print_json(_plain(file, found, strange))
    else:
        _print(file, found, strange, None if all or not get_console().is_terminal else FIRST)
    if out is not None:
        note(f"wrote {out}")
    if len(problems):
        raise typer.Exit(1)


def _plain(file: Path, found: Findings, strange: list[Suspicion]) -> dict[str, Any]:
    """All that was found, for machines."""
    return {
        "file": str(file),
        "layout": None if found.layout is None else found.layout.shape,
        "roles": found.roles,
        "readings": [remark.render(as_flag) for remark in _readings(found)],
        "summary": _summary(found.history),
        "problems": found.to_frame().to_dicts(),
        "strange": [one._asdict() for one in strange],
    }


def _readings(found: Findings) -> list[Remark]:
    """The remarks that say more than the table of columns."""
    return [remark for remark in found.history.remarks if remark.code not in ("layout", "ignored-columns")]


def _summary(history: History) -> dict[str, Any]:
    """How much there is in a history."""
    import numpy as np

    teams, players = np.diff(history.match_start), np.diff(history.team_start)
    pairs = history.match_start[:-1][teams == 2]
    drawn = history.place[pairs] == history.place[pairs + 1]
    found: dict[str, Any] = {
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
        found |= dict(zip(("first", "last"), ends, strict=True))
    return found


def _print(file: Path, found: Findings, strange: list[Suspicion], limit: int | None) -> None:
    """The columns, the readings, how much there is, the problems, and what looks strange."""
    from rich.text import Text

    def say(text: str, style: str = "") -> None:
        get_console().print(Text(printable(text), style=style), soft_wrap=not get_console().is_terminal)

    shape = found.layout.shape if found.layout is not None else "a match in each line"
    say(f"{file}: {shape}", "bold")
    if found.roles:
        rows = [(column, role or "– not used") for column, role in found.roles.items()]
        print_table(["column", "is read as"], rows, flexible=("column",))
    for remark in _readings(found):
        say(remark.render(as_flag))
    say(_size(_summary(found.history)))
    say("")
    if found.problems:
        say(f"{count(len(found.problems), 'problem', 'problems')}:", "bold red")
        _print_problems(found.problems, limit)
    else:
        say("No problems.", "bold green")
    if strange:
        say("")
        say("No errors, but worth a look:", "bold")
        for one in strange:
            say(f"• {one.text}")


def _size(summary: dict[str, Any]) -> str:
    """The summary as a sentence."""
    if not summary["matches"]:
        return "There are no matches."
    parts = [count(summary["matches"], "match", "matches"), count(summary["players"], "player", "players")]
    if "first" in summary:
        parts.append(f"{moment(summary['first'])} … {moment(summary['last'])}")
    parts.append(f"{_range(summary['teams'])} teams a match")
    least, most = summary["team_size"]
    parts.append(f"{_range((least, most))} player{'s' * (most > 1)} a team")
    if summary["draws"] is not None:
        parts.append(f"{100 * summary['draws']:.0f} % draws")
    return ", ".join([*parts, "scores" if summary["scores"] else "places"] + ["home teams"] * summary["home"])


def _range(ends: tuple[int, int]) -> str:
    return f"{ends[0]:,}" if ends[0] == ends[1] else f"{ends[0]:,} to {ends[1]:,}"


def _print_problems(problems: Sequence[Located], limit: int | None) -> None:
    """Print the first problems as a table; of many alike in a row, the first few."""
    terminal = get_console().is_terminal
    rows: list[tuple[str, str, str, str]] = []
    alike = 0
    for where, problem, _ in problems:
        column, message = problem.column or "", problem.detail(as_flag)
        same = bool(rows) and limit is not None and (rows[-1][1], rows[-1][3]) == (column, message)
        alike = alike + 1 if same else 0
        if alike < ALIKE:
            value = "" if problem.value is None else repr(str(problem.value))
            rows.append((where, column, cut(value, 24) if terminal else value, message))
        if limit is not None and len(rows) >= limit:
            break
    print_table(["where", "column", "value", "problem"], rows, flexible=("problem", "column"))
    if len(rows) < len(problems):
        note(f"and {len(problems) - len(rows):,} more: --all shows them")
