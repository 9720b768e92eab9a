"""Leagues from any model's own generative process, with the truth kept.

`simulate` is the door; its options are small values: `Attendance` (`Rounds`, `Even`, `Zipf`, `Lognormal`), `Roster`,
`Calendar`, `Questions`. `quiz_league` is a ready-made league like that of the papers about tournaments.
"""

from .attendance import Attendance, Even, Lognormal, Rounds, Zipf
from .calendar import Calendar
from .lineup import Roster
from .play import Played, Questions, play
from .simulation import Simulation, quiz_league, simulate
from .team_strength import Field

__all__ = [
    "Attendance",
    "Calendar",
    "Even",
    "Field",
    "Lognormal",
    "Played",
    "Questions",
    "Roster",
    "Rounds",
    "Simulation",
    "Zipf",
    "play",
    "quiz_league",
    "simulate",
]
