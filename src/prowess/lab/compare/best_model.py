"""What the best model of a comparison makes of the players: standings, and how skills went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..charts.skill import skill_curves
from ..report import Section

if TYPE_CHECKING:
    import polars as pl

    from ...model.fit.fit import Fit

__all__ = ["skills", "standings"]

TOP = 50  # players in a table
CURVES = 6  # players in a chart


def standings(fit: Fit, name: str) -> Section:
    """The best players by the best model, after all matches of the history.

    >>> import prowess as pw
    >>> fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    >>> standings(fit, "TrueSkill").table.columns
    ['rank', 'player', 'rating', 'μ', 'σ', 'matches']
    """
    board = fit.leaderboard()
    text = f"After all {len(fit.history):,} matches of the history, by {name}."
    if not fit.model.absorb.certain:
        text += f" The rating is μ − {fit.model.caution:g}σ: almost certainly the skill is higher."
    if len(board) > TOP:
        text += f" The best {TOP} of {len(board):,} players."
    return Section("Standings", text, _columns(board.head(TOP)))


def _columns(board: pl.DataFrame) -> pl.DataFrame:
    """The columns of the leaderboard that say something, as they are headed."""
    import polars as pl

    heads = {"rank": "rank", "player": "player", "shown": "rating", "mu": "μ", "sigma": "σ", "matches": "matches"}
    heads["last_seen"] = "last seen"
    kept = {key: head for key, head in heads.items() if board[key].null_count() < len(board)}
    if "sigma" not in kept:  # a system without uncertainty: the rating is all there is
        kept.pop("mu", None)
    return board.select(pl.col(key).alias(head) for key, head in kept.items())


def skills(fit: Fit, name: str) -> list[Section]:
    """The skills of the best players over time.

    >>> import prowess as pw
    >>> fit = pw.TrueSkill().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    >>> [section.title for section in skills(fit, "TrueSkill")]
    ['Skill over time']
    """
    best = fit.leaderboard()["player"].head(CURVES).to_list()
    if not best:
        return []
    title = f"The skill of the best {len(best)}, by {name}"
    return [Section("Skill over time", chart=skill_curves(fit, best, title=title))]
