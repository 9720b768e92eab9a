"""Leagues that follow a model's own process, with the truth kept: `simulate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import Error, Remark
from ...history import History
from ...history.build_history import build
from ...history.columns.raw_matches import RawMatches
from ...history.times import Times
from ...model.components.interfaces import Prior
from ...model.components.outcome import Duel, Pairwise
from ...model.model import Model
from ...validate import whole
from .attendance import Attendance, Rounds
from .calendar import Calendar
from .lineup import Lineup, line_up
from .options import Count, Floats, share
from .play import Played, play
from .questions import Questions, answered
from .roster import Roster
from .skills import advantages, first_skills, hosts, walk
from .team_strength import field_of
from .timeline import Path

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Simulation", "simulate"]


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """A simulated league: its history, and the truth that nobody ever sees.

    - `skill`: the true skill of every player at her last match, players × traits, aligned with `history.players`;
    - `skill_then`: the true skill of every entry at its match, entries × traits;
    - `performance`: what every team showed, teams × traits; where results are drawn from a forecast (Elo and its
      relatives, two teams), what was expected of it;
    - `home`: the true home advantage at every match, matches × traits, or None.

    >>> import prowess as pw
    >>> league = simulate(pw.TrueSkill(), matches=200, players=20, seed=1)
    >>> league
    Simulation(History(200 matches, 20 players, places))
    >>> error = league.skill[:, 0] - [league.model.fit(league.history)[name].mu for name in league.history.players]
    >>> bool(abs(error).mean() < 3)
    True
    """

    model: Model
    history: History
    skill: Floats
    skill_then: Floats
    performance: Floats
    home: Floats | None

    def __repr__(self) -> str:
        """Say how much there is."""
        return f"Simulation({self.history!r})"

    def truth(self) -> pl.DataFrame:
        """The players with their matches and true skills, a column for each trait, in the order of `history.players`.

        >>> import prowess as pw
        >>> simulate(pw.PoissonOD(mu=0, sigma=0.3, beta=0.1), 20, 6).truth().columns
        ['player', 'matches', 'offence', 'defence']
        """
        import polars as pl

        matches = np.bincount(self.history.player, minlength=len(self.history.players))
        skills = {trait: self.skill[:, k] for k, trait in enumerate(self.model.outcome.traits)}
        return pl.DataFrame({"player": self.history.players, "matches": matches} | skills)

    def to_frame(self) -> pl.DataFrame:
        """The history with a row for every entry, and the true skill that the player then had.

        >>> import prowess as pw
        >>> simulate(pw.TrueSkill(), 20, 6).to_frame().columns
        ['match', 'team', 'player', 'place', 'skill']
        """
        import polars as pl

        traits = enumerate(self.model.outcome.traits)
        return self.history.to_frame().with_columns(
            pl.Series(trait, np.ascontiguousarray(self.skill_then[:, k])) for k, trait in traits
        )


def simulate(
    model: Model,
    matches: int = 1000,
    players: int = 100,
    *,
    seed: int = 0,
    teams: Count = 2,
    size: Count = 1,
    attendance: Attendance | None = None,
    roster: Roster | None = None,
    calendar: Calendar | None = None,
    skills: Prior | ArrayLike | None = None,
    questions: Questions | int | None = None,
    draws: float = 0.0,
    home: float | None = None,
    progress: bool | None = None,
) -> Simulation:
    """A league that follows the model's own process: skills, drift, teams and results, by its own parts.

    Skills are drawn from the prior and move by the drift; the team function makes a performance of them; results come
    from the outcome (see `play`). What of it is not a matter of the model is said by:

    - `teams` of a match and `size` of a team: a number, (least, most), or a list with a number for each match;
    - `attendance`: who plays how often (`Rounds`, `Even`, `Zipf`, `Lognormal`); everybody once a round, unless given;
    - `roster`: squads that stay together (`Roster`); else teams are thrown together for every match;
    - `calendar`: when (`Calendar`); without one there are no times, and a drift by time does not happen;
    - `skills`: another prior to draw from, or the skills themselves at the first match (player n is called "pn");
    - `questions`: places by the number of right answers (`Questions`, or how many), instead of the model's outcome;
    - `draws`: δ of systems that only know an expected score, where D = 2δE(1 − E); 0 is never a draw;
    - `home`: the share of matches with a home team, which is listed first; all, if the model has a home advantage.

    The same seed gives the same league. Players who never play are not in the history.

    >>> import prowess as pw
    >>> from prowess.lab import Calendar, Lognormal, Roster
    >>> league = simulate(pw.TS2b(), 50, 600, teams=(10, 40), size=6, questions=36, attendance=Lognormal(1.0),
    ...                   roster=Roster(understaffing=0.15, switching=0.1), calendar=Calendar("2025-09-01", every=7))
    >>> league.history.time_kind, len(league.history), league.skill.shape[1]
    ('date', 50, 1)
    """
    _check(model, attendance, roster, calendar)
    if share("draws", draws) and not isinstance(model.outcome, (Duel, Pairwise)):
        raise Error(f"draws are for systems that know an expected score, such as Elo; {model.outcome!r} has its own")
    matches, players = whole("matches", matches, 1), whole("players", players, 2)
    rngs = np.random.default_rng(whole("seed", seed)).spawn(5)
    first = first_skills(rngs[0], model, players, skills)
    lineup = line_up(rngs[1], matches, first.sum(axis=1), teams, size, attendance or Rounds(), roster)
    times = None if calendar is None else calendar.times(matches)
    way = Path(model, lineup, times)
    skill = walk(rngs[2], model, way, lineup.player, first)
    hosted = hosts(rngs[3], model, matches, home)
    advantage = advantages(rngs[3], model, hosted, times)
    field = field_of(model, lineup, skill, advantage * hosted[:, None], draws, progress)
    if questions is None:
        played = play(model.outcome, field, rngs[4])
    else:
        played = answered(questions if isinstance(questions, Questions) else Questions(questions), field, rngs[4])
    return _kept(model, lineup, times, skill, played, hosted, advantage)


def _check(model: Any, attendance: Any, roster: Any, calendar: Any) -> None:
    """Options of the wrong kind."""
    if not isinstance(model, Model):
        hint = "; call it: TrueSkill()" if callable(model) else ""
        raise Error(f"simulate needs a Model, not {model!r}{hint}")
    for name, given, kind in (
        ("attendance", attendance, Attendance),
        ("roster", roster, Roster),
        ("calendar", calendar, Calendar),
    ):
        if given is not None and not isinstance(given, kind):
            hint = f"; call it: {given.__name__}()" if isinstance(given, type) else ""
            raise Error(f"{name} must be of the kind {kind.__name__}, not {given!r}{hint}")


def _kept(
    model: Model, lineup: Lineup, times: Times | None, skill: Floats, played: Played, hosted: Any, advantage: Floats
) -> Simulation:
    """The history, players numbered as they first appear, and the truth in the same order."""
    found, first = np.unique(lineup.player, return_index=True)
    order = found[np.argsort(first)]
    number = np.empty(order.max() + 1, np.int32)
    number[order] = np.arange(len(order))
    digits = len(str(order.max() + 1))
    history = build(
        RawMatches(
            match_start=lineup.match_start,
            team_start=lineup.team_start,
            player=number[lineup.player],
            names=[f"p{player + 1:0{digits}}" for player in order.tolist()],
            where=lambda match, entry: f"match {match + 1}",
            rank=played.rank,
            score=played.score,
            times=times,
            home=np.where(hosted, 0, -1).astype(np.int32),
            remarks=(Remark("simulated", ("simulated",)),),
        )
    )
    last = np.empty(len(order), np.int64)
    last[history.player] = np.arange(history.entries)  # the latest entry is written last
    return Simulation(model, history, skill[last], skill, played.performance, advantage if hosted.any() else None)
