"""The options of `prowess rate` for standings in hindsight, in which every match, earlier or later, counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ... import Hindsight, History, Model
from ...errors import Error
from ...model.ladder.leaderboard import Standings
from ...model.scale import Scale

if TYPE_CHECKING:
    import polars as pl

FIRST = ("rank", "player", "mu", "sigma", "shown", "matches", "last_seen", "active", "peak")  # as in leaderboards
PANEL = "Hindsight"
HINDSIGHT_HELP = (
    "Let every match, earlier or later, count for every rating, and list all players at their last match. This is the "
    "best estimate of how good the players were."
)
ON_HELP = (
    "With --hindsight, show who was best on a day or at the end of a month or year, among the players between their "
    "first and last match; --all lists all players."
)
BEST_HELP = "With --hindsight, rank players by the best rating that they ever had, and show when that was."

InHindsight = Annotated[bool, typer.Option("--hindsight", rich_help_panel=PANEL, help=HINDSIGHT_HELP)]
On = Annotated[str | None, typer.Option("--on", metavar="TIME", rich_help_panel=PANEL, help=ON_HELP)]
Best = Annotated[bool, typer.Option("--best", rich_help_panel=PANEL, help=BEST_HELP)]


@dataclass(frozen=True)
class HindsightView:
    """What standings in hindsight show: the ratings `on` a day, the `best` ratings, or by default the last ones."""

    on: str | None = None
    best: bool = False
    all: bool = False

    @property
    def is_last(self) -> bool:
        """Whether the standings show the players at their last matches."""
        return self.on is None and not self.best

    @property
    def description(self) -> str:
        """What the standings show, in a few words.

        >>> HindsightView(on="2009").description
        'in hindsight, on 2009'
        """
        if self.best:
            return "the best of all time, in hindsight"
        return f"in hindsight, {'at the last match of each player' if self.on is None else f'on {self.on}'}"

    def check_options(self, at: object, given: Mapping[str, object]) -> None:
        """Raise an `Error` for options that make no sense in hindsight; `given` maps flags to their values."""
        if self.best and self.on is not None:
            raise Error("--best looks at all of time, and --on at one moment; leave out one of them")
        if self.best and at:
            raise Error("--best compares skills at all times, not those at a value; leave out --at or --best")
        reasons = {
            "--resume": "it needs all matches, but a saved ladder has none; give all files of matches instead",
            "--stream": "it goes through the matches many times; leave out --stream",
            "--period": "its ratings include what later matches show, so nothing changes; leave out --period",
        }
        if not self.is_last:
            reasons["--save"] = "only the ratings at the last matches can be continued; leave out --on and --best"
        for flag, reason in reasons.items():
            if given.get(flag):
                raise Error(f"--hindsight cannot be used with {flag}: {reason}")

    def standings(
        self,
        model: Model,
        history: History,
        *,
        scale: Scale | None,
        context: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Standings:
        """Fit a history at once, and return the standings, with a ladder that continues from the last ratings.

        `options` are those of all leaderboards: `min_matches` and `ranking`.
        """
        hindsight = model.hindsight(history, scale=scale)
        return Standings(self._frame(hindsight, context or {}, options), hindsight.ladder, None)

    def _frame(self, hindsight: Hindsight, context: Mapping[str, Any], options: Mapping[str, Any]) -> pl.DataFrame:
        if not self.best:
            return hindsight.leaderboard(at=self.on, all=self.all, **options, **context)
        best = hindsight.best(**options).drop("match").rename({"time": "peak"}, strict=False)
        now = hindsight.leaderboard().select("player", "last_seen", "active")
        both = best.join(now, on="player", how="left", maintain_order="left")
        first = [name for name in FIRST if name in both.columns]
        return both.select(*first, *(name for name in both.columns if name not in first))


def hindsight_view(hindsight: bool, on: str | None, best: bool, all: bool) -> HindsightView | None:
    """Return what to show in hindsight; None without --hindsight.

    >>> hindsight_view(True, None, True, False)
    HindsightView(on=None, best=True, all=False)
    """
    if hindsight:
        return HindsightView(on, best, all)
    if on is not None:
        raise Error(
            f"--on {on} needs --hindsight; --until {on} gives the standings as they were known then, without later"
            " matches"
        )
    if best:
        raise Error(
            "--best needs --hindsight; without it, early ratings are too uncertain to be compared over the years"
        )
    return None
