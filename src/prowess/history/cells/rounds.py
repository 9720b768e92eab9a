"""Parse the names of tournament rounds. The order of rounds decides the order of matches that have the same date."""

import re
from math import log2, nan
from typing import TYPE_CHECKING

import numpy as np

from ..names.spelling import plain_name
from ..ragged import Floats
from .text import intern

if TYPE_CHECKING:
    import polars as pl

# The number at which each stage of a tournament begins.
_QUALIFYING, _GROUP, _FIRST, _KNOCKOUT = -100.0, 0.0, 1.0, 100.0
_STAGES = {
    **dict.fromkeys(("er", "preliminary", "preliminaries", "prelim", "pre", "vorrunde", "playin"), _GROUP - 1),
    **dict.fromkeys(("rr", "roundrobin", "group", "groups", "groupstage", "pool", "league", "gruppe", "swiss"), _GROUP),
    **dict.fromkeys(("qf", "quarterfinal", "quarterfinals", "viertelfinale", "quartsdefinale"), _KNOCKOUT - 3),
    **dict.fromkeys(("sf", "semifinal", "semifinals", "halbfinale", "demifinale", "semis"), _KNOCKOUT - 2),
    **dict.fromkeys(("br", "bronze", "thirdplace", "3rdplace", "thirdplaceplayoff", "3rd"), _KNOCKOUT - 1.5),
    **dict.fromkeys(("f", "final", "finals", "thefinal", "finale", "endspiel", "grandfinal"), _KNOCKOUT - 1),
}
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"]
_GROUP_NAME = re.compile(r"(?:group|pool|gruppe|groupe|grupo)(?:[a-p]|\d{1,2})")
_QUALIFYING_ROUND = re.compile(r"q(?:ualifying|ualification|r)?(?:round)?(\d?)|(\d)(?:st|nd|rd|th)?qualifyinground")
_ROUND_OF = re.compile(r"(?:roundof|lastof|last|bestof)(\d{1,3})|1/?(\d{1,2})(?:final|finale|finals)?")
_NUMBERED = re.compile(
    r"(?:round|r|runde|matchday|week|day|gw|md|jornada|journee)?0*(\d{1,3})(?:st|nd|rd|th)?(?:round|runde)?"
)


def round_order(text: "pl.Series") -> Floats | None:
    """Return a number for each cell, higher for later rounds; return None if any cell is not the name of a round.

    >>> import polars as pl
    >>> round_order(pl.Series(["F", "R16", "QF", "RR"])).argsort().tolist(), round_order(pl.Series(["Oak room"]))
    ([3, 1, 2, 0], None)
    """
    code, cells = intern(text.fill_null(""))
    cells = cells.str.replace(r"^\s*(\d+)\.\d+(\.\d+)*\s*$", "$1")  # 2.15 is board 15 of round 2
    words = [plain_name(cell) if "/" not in cell else cell.casefold().replace(" ", "") for cell in cells]
    # If the column also has QF or R32, R16 is the round of the last 16; otherwise it is the 16th round of a league.
    sized = bool({"qf", "sf", "f", "r32", "r64", "r128", "final"} & set(words))
    order = np.array([_order(word, sized) for word in words], np.float64)
    return None if np.isnan(order).any() else order[code]


def _order(word: str, sized: bool) -> float:
    if word in _STAGES:
        return _STAGES[word]
    if _GROUP_NAME.fullmatch(word):
        return _GROUP
    if qualifying := _QUALIFYING_ROUND.fullmatch(word):
        return _QUALIFYING + float(qualifying[1] or qualifying[2] or 0)
    of = _ROUND_OF.fullmatch(word) if not word.isdigit() else None
    players = 0 if of is None else int(of[1]) if of[1] else 2 * int(of[2])
    if sized and re.fullmatch(r"r(8|16|32|64|128|256)", word):
        players = int(word[1:])
    if players >= 2:
        return _KNOCKOUT - log2(players)
    if (ordinal := word.removesuffix("round")) in _ORDINALS:
        return 1.0 + _ORDINALS.index(ordinal)
    numbered = _NUMBERED.fullmatch(word)
    return _FIRST - 1 + float(numbered[1]) if numbered else nan
