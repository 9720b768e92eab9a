"""Examples of how to say which column is what, for whoever has a file that is not recognised."""

from collections.abc import Sequence
from json import dumps

__all__ = ["examples"]

_SHAPES = {
    "home and away": ("home", "away", "home_score", "away_score"),
    "winner and loser": ("winner", "loser"),
    "a row per player": ("match", "player", "rank", "time"),
    "sides": ("team1", "team2", "score1", "score2"),
}
_OTHERS = '(or "winner"; and "player1", "player2" where a cell is one name and never a roster)'
LONGEST = 30  # letters of a column in an example


def examples(columns: Sequence[str]) -> str:
    """Ways to map roles to columns, with those of the file; where it has none that can be shown, with others.

    >>> print(examples(["who", "won"]))
      home and away:    columns={"home": "who", "away": "won"}
      winner and loser: columns={"winner": "who", "loser": "won"}
      a row per player: columns={"match": "who", "player": "won"}
      sides:            columns={"team1": "who", "team2": "won"}
                        (or "winner"; and "player1", "player2" where a cell is one name and never a roster)
    """
    shown = [column for column in columns if 0 < len(column) <= LONGEST and column.isprintable()]
    names = shown if len(shown) > 1 else ["one", "two", "three", "four"]
    lines = [
        f"  {f'{shape}:':17} columns={dumps(dict(zip(roles, names, strict=False)), ensure_ascii=False)}"
        for shape, roles in _SHAPES.items()
    ]
    return "\n".join([*lines, f"{'':20}{_OTHERS}"])
