"""Write the table of layouts in docs/guide/files.md from test files: `python -m tools.layouts --write`."""

import argparse
import re
from pathlib import Path

from tests.history.strangers.case import CASES, Case, Team, case

PAGE = Path(__file__).parent.parent / "docs" / "guide" / "files.md"
HEAD = "| layout | first lines of a file | what is read |\n|---|---|---|\n"
LINES, WIDTH = 2, 60  # of a file, and of one of its lines


def row(stranger: Case) -> str:
    """Return the line of the table for a test file that has a `layout`."""
    lines = [line.strip() for line in stranger.text.splitlines() if line.strip()][:LINES]
    return f"| {stranger.layout} | {'<br>'.join(map(code, lines))} | {reading(stranger)} |"


def code(line: str) -> str:
    """Return the beginning of a line of a file as code in a cell of a table."""
    short = line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"
    mark = "``" if "`" in short else "`"
    return mark + short.replace("\t", " → ").replace("|", "\\|") + mark


def reading(stranger: Case) -> str:
    """Return the first match that is read from a file, and how many there are."""
    if not stranger.matches:
        return "a question, or an error that says what is missing"
    time, teams = stranger.matches[0]
    ranked = sorted(teams, key=lambda team: (team[1], team[0]))
    more = len(stranger.matches) - 1
    rest = f"; {more} more match{'es' * (more > 1)}" if more else ""
    return f"{'' if time == '-' else f'{time}: '}{', '.join(map(told, ranked))}{rest}".replace("|", "\\|")


def told(team: Team) -> str:
    """Return the players of a team, and its score or place."""
    players, place, score, home = team
    result = f"({place})" if score is None else f"{score:g}"
    return f"{' + '.join(players)}{' (home)' * home} {result}"


def table() -> str:
    """Return the whole table, in the order of the layouts' names."""
    strangers = [case(path) for path in CASES]
    rows = sorted((row(stranger) for stranger in strangers if stranger.layout), key=str.casefold)
    return HEAD + "\n".join(rows) + "\n"


def main() -> None:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the table in docs/guide/files.md")
    if parser.parse_args().write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(re.sub(re.escape(HEAD) + r"(\|.*\n)*", lambda _: table(), page), encoding="utf-8")
    else:
        print(table(), end="")


if __name__ == "__main__":
    main()
