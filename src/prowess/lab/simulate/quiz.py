"""A league like that of "What? Where? When?", on which the papers about tournaments compare their models."""

from __future__ import annotations

import numpy as np

from ...model.components.outcome import Places
from ...model.components.prior import Normal
from ...model.components.team import FullSquad
from ...model.model import Model
from ...validate import whole
from .attendance import Lognormal
from .calendar import Calendar
from .questions import Questions
from .roster import Roster
from .simulation import Simulation, simulate

__all__ = ["quiz_league"]

SIZE = 6  # a team has at most six players, but for substitutes
QUESTIONS = (30, 36, 45, 60, 75, 90)  # "the teams had to solve 30-90 problems"
EASE, SPREAD = 1.0, 2.0  # most questions are too hard or too easy for most teams: there are 30 to 60 results
FIELD = 1 / 80  # the share of all squads in a tournament, at the median: about 100 teams of 50,000 players
FIELDS = 1.0  # the deviation of its logarithm: of 680 tournaments a dozen have more than 1,000 teams
LEAST = 6  # teams in a tournament
EAGER = 1.5  # of log-normal attendance: half of the players have a few tournaments, the core has hundreds
ROSTER = Roster(understaffing=0.15, switching=0.2, substitutes=0.03, alike=0.5)
CALENDAR = Calendar("2003-09-01", every=4)


def quiz_league(
    seed: int = 0, tournaments: int = 680, players: int = 50_000, *, model: Model | None = None
) -> Simulation:
    """Tournaments of teams of six, who answer questions: Nikolenko, Sirotkin (2010), and (2011), section 5.

    As they tell of theirs: 680 tournaments and about 50,000 players, of whom most play very few and a core plays many,
    for many teams; smaller teams are very common, some list more than six; 30 to 90 questions, so that there are 30 to
    60 results, ties not broken; some tournaments have more than 1,000 teams.

    Nothing else is published of it, so the rest is ours: a seat of six is empty with probability 0.15 and taken by a
    guest with 0.2, a team brings a substitute with 0.03; squads are half alike in skill; the number of teams is
    log-normal, 1 in 80 squads at the median; squads are as eager as a log-normal variable of sigma 1.5, and all come at
    least once. Skills are N(3000, 700²), a performance has a deviation of 400, and a team is its players' average, less
    2 % for each of six that is missing (TS2b; of larger rosters the plain average), unless another `model` is given:
    with these the best models err in one pair of five, as on real tournaments. Models that are fitted to it need
    `larger="mean"` in `FullSquad`: the paper's rule for larger rosters fails where a weak team's means add up to less
    than 0, which happens from a start at 3000.

    >>> league = quiz_league(tournaments=20, players=1200)
    >>> len(league.history), league.history.time_kind
    (20, 'date')
    """
    whole("tournaments", tournaments, 1)
    squads = whole("players", players, 20 * SIZE) // SIZE
    rng = np.random.default_rng([whole("seed", seed), tournaments])
    fields = np.exp(np.log(FIELD * squads) + FIELDS * rng.standard_normal(tournaments))
    if model is None:
        model = Model(
            prior=Normal(3000.0, 700.0), noise=400.0, outcome=Places(margin=0.0), team=FullSquad(SIZE, 0.02, "mean")
        )
    return simulate(
        model,
        tournaments,
        players,
        seed=seed,
        teams=np.clip(np.rint(fields), LEAST, squads // 2).astype(np.int64),
        size=SIZE,
        attendance=Lognormal(EAGER, everyone=int(fields.sum()) > 2 * squads),
        roster=ROSTER,
        calendar=CALENDAR,
        questions=Questions(rng.choice(QUESTIONS, tournaments), EASE, SPREAD),
    )
