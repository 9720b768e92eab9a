"""Simulated leagues that follow a model's own process, with the true skills: `simulate` and `quiz_league`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import Error, Remark
from ...history import History
from ...history.build_history import build
from ...history.columns.raw_matches import RawMatches
from ...history.ragged import Floats
from ...history.times import Times
from ...model.components.interfaces import Prior
from ...model.components.outcome import Places
from ...model.components.prior import Normal
from ...model.components.team import FullSquad
from ...model.model import Model
from ...validate import probability, whole
from .calendar import Calendar, Timeline
from .lineup import Attendance, Count, Lineup, Lognormal, Roster, Rounds, draw_lineup
from .play import Played, Questions, answer_questions, play
from .skills import draw_hosts, draw_skills, drift_skills, home_advantages
from .team_strength import make_field

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """A simulated league: its history and the hidden truth.

    - `skill`: the true skill of every player at the last match (players × traits), in the order of `history.players`
    - `skill_then`: the true skill of every entry at its match (entries × traits)
    - `performance`: the performance of every team (teams × traits). In Elo and related systems, the results of two
      teams are drawn from a forecast; then this is the expected performance.
    - `home`: the true home advantage at every match (matches × traits), or None

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
        """Show the size of the league."""
        return f"Simulation({self.history!r})"

    def truth(self) -> pl.DataFrame:
        """Return the players with their matches and true skills, a column per trait, in the order of `history.players`.

        >>> import prowess as pw
        >>> simulate(pw.PoissonOD(mu=0, sigma=0.3, beta=0.1), 20, 6).truth().columns
        ['player', 'matches', 'offence', 'defence']
        """
        import polars as pl

        matches = np.bincount(self.history.player, minlength=len(self.history.players))
        skills = {trait: self.skill[:, k] for k, trait in enumerate(self.model.outcome.traits)}
        return pl.DataFrame({"player": self.history.players, "matches": matches} | skills)

    def to_frame(self) -> pl.DataFrame:
        """Return the history with one row per entry and the player's true skill at that match.

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
    """Simulate a league that follows the model's own process of skills, drift, teams and results.

    Skills are drawn from the prior and changed by the drift, the team function combines them into performances, and
    the outcome draws the results (see `play`). The other options:

    - `teams`, the number of teams per match, and `size`, the number of players per team: a number, a range (least,
      most), or a list with a number for each match
    - `attendance`: how often each player plays (`Rounds`, `Even`, `Zipf`, `Lognormal`); by default, once per round
    - `roster`: squads that stay together (`Roster`); by default teams are random in every match
    - `calendar`: when matches are played (`Calendar`); without a calendar there are no times, and no drift by time
    - `skills`: another prior to draw from, or the actual skills at the first match (player 7 is named "p7")
    - `questions`: rank teams by their right answers (`Questions`, or a number of questions), not by the model's outcome
    - `draws`: the draw rate δ for models that forecast only an expected score E; P(draw) is 2δE(1 − E)
    - `home`: the share of matches in which the first team is at home; by default 1 if the model has a home advantage,
      otherwise 0

    The same seed gives the same league. Players who never play are not in the history.

    >>> import prowess as pw
    >>> from prowess.lab import Calendar, Lognormal, Roster
    >>> league = simulate(pw.TS2b(), 50, 600, teams=(10, 40), size=6, questions=36, attendance=Lognormal(1.0),
    ...                   roster=Roster(understaffing=0.15, switching=0.1), calendar=Calendar("2025-09-01", every=7))
    >>> league.history.time_kind, len(league.history), league.skill.shape[1]
    ('date', 50, 1)
    """
    _check(model, attendance, roster, calendar)
    if probability("draws", draws) and not model.outcome.draws_apart:
        message = f"leave out `draws`: it is only for models such as Elo; {model.outcome!r} simulates its own draws"
        raise Error(message, field="draws", value=draws)
    matches, players = whole("matches", matches, 1), whole("players", players, 2)
    # Each part has its own random stream, so that another calendar, for example, does not change who plays.
    rngs = np.random.default_rng(whole("seed", seed)).spawn(5)
    first = draw_skills(rngs[0], model, players, skills)
    lineup = draw_lineup(rngs[1], matches, first.sum(axis=1), teams, size, attendance or Rounds(), roster)
    times = None if calendar is None else calendar.times(matches)
    timeline = Timeline(model, lineup, times)
    skill = drift_skills(rngs[2], model, timeline, lineup.player, first)
    hosted = draw_hosts(rngs[3], model, matches, home)
    advantage = home_advantages(rngs[3], model, hosted, times)
    field = make_field(model, lineup, skill, advantage * hosted[:, None], draws, progress)
    if questions is not None and not isinstance(questions, Questions):
        questions = Questions(questions)
    played = play(model.outcome, field, rngs[4]) if questions is None else answer_questions(questions, field, rngs[4])
    return _build_simulation(model, lineup, times, skill, played, hosted, advantage)


def _check(model: Any, attendance: Any, roster: Any, calendar: Any) -> None:
    if not isinstance(model, Model):
        hint = "; call it: TrueSkill()" if callable(model) else ""
        raise Error(f"simulate needs a Model, not {model!r}{hint}", field="model", value=model)
    kinds: dict[str, tuple[Any, type]] = {"attendance": (attendance, Attendance), "roster": (roster, Roster)}
    for name, (value, kind) in (kinds | {"calendar": (calendar, Calendar)}).items():
        if value is not None and not isinstance(value, kind):
            hint = f"; call it: {value.__name__}()" if isinstance(value, type) else ""
            raise Error(f"{name} must be of type {kind.__name__}, not {value!r}{hint}", field=name, value=value)


def _build_simulation(
    model: Model, lineup: Lineup, times: Times | None, skill: Floats, played: Played, hosted: Any, advantage: Floats
) -> Simulation:
    # Players are numbered in order of their first match.
    players, first = np.unique(lineup.player, return_index=True)
    order = players[np.argsort(first)]
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
    last[history.player] = np.arange(history.entries)  # a player's later entries overwrite earlier ones
    return Simulation(model, history, skill[last], skill, played.performance, advantage if hosted.any() else None)


SIZE = 6  # players per team, not counting substitutes
QUESTIONS = (30, 36, 45, 60, 75, 90)  # the 2011 paper, section 5: "the teams had to solve 30-90 problems"
EASE, SPREAD = 1.0, 2.0  # most questions are too hard or too easy for most teams, so there are 30 to 60 distinct scores
FIELD = 1 / 80  # share of all squads in the median tournament: about 100 teams for 50,000 players
FIELDS = 1.0  # standard deviation of the logarithm of that share; a dozen of 680 tournaments have more than 1,000 teams
MIN_TEAMS = 6  # minimum number of teams in a tournament
ATTENDANCE = 1.5  # log-normal sigma; half of the players play in only a few tournaments, and a small core in hundreds
ROSTER = Roster(understaffing=0.15, switching=0.2, substitutes=0.03, alike=0.5)
CALENDAR = Calendar("2003-09-01", every=4)


def quiz_league(
    seed: int = 0, tournaments: int = 680, players: int = 50_000, *, model: Model | None = None
) -> Simulation:
    """Simulate tournaments of teams of six who answer questions: Nikolenko, Sirotkin (2010), and (2011), section 5.

    As the papers report, there are 680 tournaments and about 50,000 players. Most players play in very few tournaments,
    and a core of players plays in many, for many teams. Teams with fewer than six players are very common, and some
    teams have more. There are 30 to 90 questions, so there are only 30 to 60 distinct results, and many ties. Some
    tournaments have more than 1,000 teams.

    The papers do not publish the following constants, so they were chosen here. Each of the six seats is empty with
    probability 0.15 and taken by a guest with probability 0.2. A team brings a substitute with probability 0.03. The
    option `alike` of the roster is 0.5. The number of teams is log-normal; its median is 1/80 of the number of squads.
    The attendance of squads is log-normal with sigma 1.5, and every squad plays at least once. Skills are N(3000,
    700²), and performances have a standard deviation of 400. By default, a team's performance is the average of its
    players, minus 2 % for each player that is missing from six (TS2b); for more than six players, it is the plain
    average. With these constants the best models predict the wrong order for one pair of teams in five, as on real
    tournaments.

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
        teams=np.clip(np.rint(fields), MIN_TEAMS, squads // 2).astype(np.int64),
        size=SIZE,
        attendance=Lognormal(ATTENDANCE, everyone=int(fields.sum()) > 2 * squads),
        roster=ROSTER,
        calendar=CALENDAR,
        questions=Questions(rng.choice(QUESTIONS, tournaments), EASE, SPREAD),
    )
