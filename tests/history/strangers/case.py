"""Files from unknown sources, each with the matches that a person would read in it.

A case is a text file in this folder or in one of its folders. It starts with the name of the file and, if needed, its
encoding, its line ends and a sentence about its layout:

    file: games.csv
    encoding: cp1252
    lines: \\r\\n
    layout: A row per match, with a column for each side

The section `file` is the file itself. The section `matches` has a line for each match, written by hand: the time or
`-`, and the teams in any order. A `*` marks the home team, `#` comes before a place and `=` before a score:

    2026-01-31 | *Ann Lee + Bob = 3 | Cat = 1
    2026-02-07 | Ann Lee #1 | Bob #2 | Cat #2

A section `context` has a line for each column of context, with its level and the values in the order of the history:

    surface [match]: clay, grass
    seed [team]: 1, -, 2, 7

If a case has a section `asks`, reading must fail with an error that contains each line of this section. The remarks
must contain each line of a section `says`.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prowess.history import History

from .workbooks import WRITERS, typed_rows

CASES = sorted(Path(__file__).parent.rglob("*.txt"))

Team = tuple[tuple[str, ...], int, float | None, bool]


@dataclass(frozen=True)
class Case:
    """A file, and the expected result of reading it."""

    name: str = "games.csv"
    encoding: str = "utf-8"
    lines: str = "\n"
    layout: str = ""
    text: str = ""
    matches: tuple[tuple[str, frozenset[Team]], ...] | None = None
    context: tuple[str, ...] | None = None
    asks: tuple[str, ...] = ()
    says: tuple[str, ...] = field(default=())

    def write(self, folder: Path) -> Path:
        """Write the file of the case to a folder."""
        path = folder / self.name
        if path.suffix in WRITERS:
            WRITERS[path.suffix](path, typed_rows(self.text))
        else:
            path.write_bytes(self.text.replace("\n", self.lines).encode(self.encoding))
        return path


def case(path: Path) -> Case:
    """Read a case from its text file."""
    head, *parts = ("\n" + path.read_text(encoding="utf-8")).split("\n=== ")
    found: dict[str, Any] = {}
    for line in filter(None, head.splitlines()):
        key, _, value = line.partition(": ")
        found["name" if key == "file" else key] = value.replace("\\r", "\r").replace("\\n", "\n")
    for part in parts:
        section, _, text = part.partition("\n")
        lines = tuple(line for line in text.splitlines() if line.strip())
        if section == "file":
            found["text"] = text.removesuffix("\n") + "\n"
        elif section == "matches":
            found["matches"] = tuple(map(_expected, lines))
        else:
            found[section] = lines
    return Case(**found)


def _expected(line: str) -> tuple[str, frozenset[Team]]:
    time, *teams = line.split(" | ")
    read = [_team(team.strip()) for team in teams]
    scores = [score for _, _, score, _ in read]
    if all(place for _, place, _, _ in read):
        return time.strip(), frozenset(read)
    assert None not in scores, f"a team has neither place nor score: {line}"
    placed = [
        (who, 1 + sum(other > score for other in scores if other is not None and score is not None), score, home)
        for who, _, score, home in read
    ]
    return time.strip(), frozenset(placed)


def _team(text: str) -> Team:
    text, _, score = text.partition(" = ")
    text, _, place = text.partition(" #")
    home = text.startswith("*")
    players = tuple(sorted(text.removeprefix("*").split(" + ")))
    return players, int(place or 0), float(score) if score else None, home


def read_context(history: History) -> tuple[str, ...]:
    """Return the context of a history in the notation of a case."""
    contexts = {"match": history.context, "team": history.team_context, "player": history.entry_context}
    return tuple(
        f"{name} [{level}]: {', '.join('-' if value is None else str(value) for value in column)}"
        for level, context in contexts.items()
        for name, column in context.items()
    )


def read_matches(history: History) -> tuple[tuple[str, frozenset[Team]], ...]:
    """Return the matches of a history in the notation of a case."""
    found = []
    for number, match in enumerate(history):
        first = int(history.match_start[number])
        scores = match.get("scores") or [None] * len(match["teams"])
        teams = frozenset(
            (
                tuple(sorted(players)),
                int(history.place[first + index]),
                None if score is None or score != score else float(score),
                match.get("home") == index,
            )
            for index, (players, score) in enumerate(zip(match["teams"], scores, strict=True))
        )
        found.append((str(match.get("time", "-")), teams))
    return tuple(found)
