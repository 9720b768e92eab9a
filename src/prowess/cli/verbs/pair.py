"""`prowess pair`: pair players for fair matches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import History, Ladder
from ...errors import Error
from ...history.read_options import Choices
from ...history.times import DAY
from ..options.context_args import TeamsAt, parse_teams_at
from ..options.model_args import LADDER_EXTENSION, ModelChoice
from ..options.player_args import (
    Active,
    NamesFile,
    Newcomers,
    People,
    Source,
    collect_players,
    fit_file,
    name_lists,
    open_ladder,
    parse_days,
    parse_groups,
)
from ..options.shared import Json, add_shared_options
from ..output.console import get_console, note, print_json, printable
from ..output.forecast import team_name, win_chances
from ..output.tables import print_table

if TYPE_CHECKING:
    from ... import Pairing

AVOID_HELP = "Avoid rematches of pairs who met in the last 30d, 4w, 6m or 1y."

Group = Annotated[list[str] | None, name_lists("Players who form a team")]
Rounds = Annotated[int, typer.Option(min=1, help="Number of rounds; no two players meet twice.")]
Avoid = Annotated[str | None, typer.Option(metavar="SPAN", help=AVOID_HELP)]
Never = Annotated[list[str] | None, name_lists("Two players who must not meet")]
Least = Annotated[float, typer.Option(min=0.0, max=1.0, help="Minimum evenness of a match, 0 to 1.")]


@add_shared_options
def pair(
    file: Source,
    given_model: ModelChoice | None,
    choices: Choices,
    names: People = None,
    names_file: NamesFile = None,
    active: Active = None,
    group: Group = None,
    rounds: Rounds = 1,
    avoid: Avoid = None,
    never: Never = None,
    least: Least = 0.0,
    at: TeamsAt = None,
    newcomers: Newcomers = False,
    json: Json = False,
) -> None:
    """Pair players so that as many as possible play, in matches as fair as possible.

    \b
    prowess pair examples/league.csv Ada Chidi João Keiko Mbali Wei
    prowess pair examples/league.csv --active 30d --rounds 3
    prowess pair examples/league.csv Ada João --group Chidi,Wei --group Keiko,Mbali
    prowess pair examples/league.csv --active 60d --avoid 14d --never Ada,Chidi --json
    """
    from ... import pair as find_pairs

    ladder, met = _open_ladder(file, given_model, choices, avoid)
    context = parse_teams_at(ladder, at)
    queue: list[Any] = [
        *collect_players(ladder, names, names_file, active, newcomers),
        *parse_groups(ladder, group, newcomers),
    ]
    if not queue:
        raise typer.BadParameter(
            "no players given: list them as arguments, use - to read standard input,"
            " or use --names FILE or --active 30d"
        )
    forbidden = [_check_two(names) for names in parse_groups(ladder, never, newcomers)]
    pairings: list[Pairing] = []
    waiting = [0.0] * len(queue)
    for _ in range(rounds):
        # With this patience, giving a match to a player who sat out outweighs any gain in quality.
        rules: Any = {"waiting": waiting, "patience": 1.0, "met": met, "never": forbidden, "least": least}
        pairing = find_pairs(ladder, queue, **rules, context=context)
        pairings.append(pairing)
        # Nobody meets the same opponent in two rounds.
        forbidden += [(a, b) for left, right in pairing.pairs for a in _players(left) for b in _players(right)]
        played = set(pairing.places.flatten().tolist())
        # Players who sat out get priority.
        waiting = [wait + (place not in played) for place, wait in enumerate(waiting)]
    if json:
        print_json([pairing.to_dict() for pairing in pairings])
        return
    for number, pairing in enumerate(pairings, 1):
        _print(ladder, pairing, context, f"Round {number}" if rounds > 1 else "")
    if pairings[0].newcomers:
        note(f"newcomers: {', '.join(pairings[0].newcomers)}")


def _open_ladder(
    file: Path, choice: ModelChoice | None, choices: Choices, avoid: str | None
) -> tuple[Ladder, History | tuple[()]]:
    if avoid is None:
        return open_ladder(file, choice, choices), ()
    if file.suffix.lower() == LADDER_EXTENSION:
        raise Error("--avoid needs a file of matches; a saved ladder has none")
    fit = fit_file(file, choice, choices)
    history, days = fit.history, parse_days("--avoid", avoid)
    if history.time is None or history.time_kind is None:
        raise Error("--avoid needs matches with times")
    # If times are plain numbers, the span is in their units, not in days.
    unit = 1.0 if history.time_kind == "number" else DAY
    return fit.ladder, history.take(history.time >= history.time[-1] - days * unit) if len(history) else ()


def _check_two(names: list[str]) -> tuple[str, str]:
    if len(names) != 2:
        raise Error(f"--never {','.join(names)}: give two names, such as ann,bob")
    return names[0], names[1]


def _players(item: Any) -> tuple[str, ...]:
    return (item,) if isinstance(item, str) else tuple(item)


def _print(ladder: Ladder, pairing: Pairing, context: Mapping[str, Any], title: str) -> None:
    from rich.text import Text

    console = get_console()
    room = max(12, (console.width - 34) // 2) if console.is_terminal else None
    rows = []
    for (left, right), quality in zip(pairing.pairs, pairing.quality, strict=True):
        teams = [_players(left), _players(right)]
        rated = [[name if name in ladder else ladder.newcomer for name in team] for team in teams]
        chances = win_chances(ladder.predict(rated, context=context).win)
        rows.append((*(team_name(team, room) for team in teams), f"{quality:.2f}", chances))
    if title:
        console.print(Text(title, style="bold"))
    print_table(["first", "second", "fairness", "to win"], rows, right=("fairness", "to win"))
    if pairing.left:
        names = ", ".join(" + ".join(_players(item)) for item in pairing.left)
        console.print(Text(f"left over: {printable(names)}"), soft_wrap=not console.is_terminal)
