"""Advice on the model that rated some matches, from what they are like."""

from __future__ import annotations

from collections.abc import Sequence

from .. import History, Model
from .screen import note

__all__ = ["advise"]

ENOUGH = 100  # matches from which the share of draws is known well enough to give advice
MANY = 5  # teams of a match


def advise(model: Model, histories: Sequence[History]) -> None:
    """Where draws are much rarer or more frequent than supposed, say how to say so."""
    import numpy as np

    supposed = model.params.get("draw_probability")
    if supposed is None:
        return
    many = sum(int(np.sum(np.diff(one.match_start) >= MANY)) for one in histories)
    if supposed and 2 * many > sum(map(len, histories)):
        note(
            f"most matches have {MANY} teams or more, where draws that are supposed add up: --model ts2 or --set"
            " draw_probability=0 may fit better, and prowess compare tells"
        )
    pairs = [(history, history.match_start[:-1][np.diff(history.match_start) == 2]) for history in histories]
    matches = sum(len(first) for _, first in pairs)
    if matches < ENOUGH:
        return
    share = sum(int(np.sum(one.place[first] == one.place[first + 1])) for one, first in pairs) / matches
    if not supposed / 2 <= share <= 2 * supposed:
        drawn = f"{100 * share:.0f} % of the matches of two teams were drawn"
        note(f"{drawn}, {100 * supposed:.0f} % were supposed: --set draw_probability={share:.2f} may fit better")
