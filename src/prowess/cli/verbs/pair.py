"""`prowess pair`: who plays whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import History, Ladder, Model, TrueSkill
from ...errors import Error
from ...history.read_options import Choices
from ...history.times import DAY
from ..options.player_args import (
    SAVED,
    Active,
    NamesFile,
    Newcomers,
    People,
    Source,
    collect_players,
    fit_file,
    open_ladder,
    parse_days,
    parse_groups,
)
from ..options.shared import Json, add_shared_options
from ..output.console import get_console, note, printable
from ..output.forecast import percent, team_name
from ..output.json import print_json
from ..output.tables import print_table

if TYPE_CHECKING:
    from ... import Pairing

Group = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", show_default=False, help="Players who play together, as ann,bob; may be repeated."),
]
Rounds = Annotated[int, typer.Option(min=1, help="So many rounds, in which nobody meets anybody twice.")]
Avoid = Annotated[
    str | None,
    typer.Option(metavar="SPAN", show_default=False, help="Rather not those who met in the last 30d, 4w, 6m or 1y."),
]
Never = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", show_default=False, help="Two who must not meet, as ann,bob; may be repeated."),
]
Least = Annotated[float, typer.Option(min=0.0, max=1.0, help="The least fairness of a pair, 0 to 1.")]


@add_shared_options
def pair(
    file: Source,
    given_model: Model | None,
    choices: Choices,
    names: People = None,
    names_file: NamesFile = None,
    active: Active = None,
    group: Group = None,
    rounds: Rounds = 1,
    avoid: Avoid = None,
    never: Never = None,
    least: Least = 0.0,
    newcomers: Newcomers = False,
    json: Json = False,
) -> None:
    """Pair players so that as many as possible play, and their matches are as fair as possible.

    \b
    prowess pair examples/league.csv Ada Chidi João Keiko Mbali Wei
    prowess pair examples/league.csv --active 30d --rounds 3
    prowess pair examples/league.csv Ada João --group Chidi,Wei --group Keiko,Mbali
    prowess pair examples/league.csv --active 60d --avoid 14d --never Ada,Chidi --json
    """
    from ... import pair as paired

    ladder, met = _ladder(file, given_model, choices, avoid)
    queue: list[Any] = [
        *collect_players(ladder, names, names_file, active, newcomers),
        *parse_groups(ladder, group, newcomers),
    ]
    if not queue:
        raise typer.BadParameter("say who is there: names, - for standard input, --names FILE or --active 30d")
    barred = [_two(names) for names in parse_groups(ladder, never, newcomers)]
    found: list[Pairing] = []
    waiting = [0.0] * len(queue)
    for _ in range(rounds):
        before = [(a, b) for one in found for left, right in one.pairs for a in _team(left) for b in _team(right)]
        one = paired(ladder, queue, waiting=waiting, patience=1.0, met=met, never=[*barred, *before], least=least)
        played = set(one.places.flatten().tolist())
        waiting = [wait + (place not in played) for place, wait in enumerate(waiting)]  # who sat out plays first
        found.append(one)
    if json:
        print_json([one.to_dict() for one in found])
        return
    for number, one in enumerate(found, 1):
        _print(ladder, one, f"Round {number}" if rounds > 1 else "")
    if found[0].newcomers:
        note(f"newcomers: {', '.join(found[0].newcomers)}")


def _ladder(file: Any, model: Model | None, choices: Choices, avoid: str | None) -> tuple[Ladder, Any]:
    """The ladder, and the matches of late in which those met who should rather not meet again."""
    if avoid is None:
        return open_ladder(file, model, choices), ()
    if file.suffix.lower() == SAVED:
        raise Error("--avoid needs a file of matches: a ladder does not know who met whom")
    fit = fit_file(file, model or TrueSkill(), choices)
    return fit.ladder, _late(fit.history, parse_days("--avoid", avoid))


def _late(history: History, span: float) -> Any:
    """The matches of the last days."""
    if history.time is None or history.time_kind is None:
        raise Error("--avoid needs matches with times")
    unit = 1.0 if history.time_kind == "number" else DAY
    return history.take(history.time >= history.time[-1] - span * unit) if len(history) else ()


def _two(names: list[str]) -> tuple[str, str]:
    if len(names) != 2:
        raise Error(f"--never {','.join(names)}: it takes two names")
    return names[0], names[1]


def _team(item: Any) -> tuple[str, ...]:
    """An item of the queue as the players of a team."""
    return (item,) if isinstance(item, str) else tuple(item)


def _print(ladder: Ladder, found: Pairing, title: str) -> None:
    """A round: who meets whom, how fair that is, and who is left over."""
    from rich.text import Text

    console = get_console()
    room = max(12, (console.width - 34) // 2) if console.is_terminal else None
    rows = []
    for (left, right), quality in zip(found.pairs, found.quality, strict=True):
        teams = [_team(left), _team(right)]
        rated = [[name if name in ladder else ladder.newcomer for name in team] for team in teams]
        win = ladder.predict(rated).win
        chances = " – ".join(percent(p).strip(" %") for p in win) + " %"
        rows.append((*(team_name(team, room) for team in teams), f"{quality:.2f}", chances))
    if title:
        console.print(Text(title, style="bold"))
    print_table(["first", "second", "fairness", "to win"], rows, right=("fairness", "to win"))
    if found.left:
        names = ", ".join(" + ".join(_team(one)) for one in found.left)
        console.print(Text(f"left over: {printable(names)}"), soft_wrap=not console.is_terminal)
