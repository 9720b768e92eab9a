"""Guo, Sanner, Graepel, Buntine: Score-Based Bayesian Skill Learning (ECML 2012), section 5 and Figure 4, run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from prowess.errors import Error
from prowess.lab.report import Report, Section

from ..halo2.experiment import CREDIT
from . import authors, correct_models
from .curves import Curves, System, learning_curves
from .data import FILES, TITLES, Games, League, merge_players, read_games, read_leagues
from .sections import authors_sections, claim_sections, right_sections, tuned_sections
from .splits import PERCENTS, random_split, season_split
from .tuned import TUNED, tuned_curves

__all__ = ["run"]

DRAWS = 30  # number of random training sets of Halo 2; the paper uses 20
SMALL_PERCENTS, SMALL_DRAWS = (10, 30, 80), 2


def run(
    data: Path, *, small: bool = False, seed: int = 0, jobs: int | None = None, progress: bool | None = None
) -> Report:
    """Run the experiment on the files in a folder, with the authors' models as released, corrected, and tuned.

    `small` uses fewer percentages of training matches and fewer random samples. `seed` is for the random samples;
    `jobs` is the number of processes.

    >>> run(Path("no such folder"))
    Traceback (most recent call last):
    ...
    prowess.Error: no such folder: none of premier_league_1995_2009.csv, afl_1999_2009.csv, HeadToHead.csv found
    """
    leagues, games = read_leagues(Path(data)), read_games(Path(data))
    if not leagues and games is None:
        raise Error(f"{data}: none of {', '.join(FILES)} found")
    percents, draws = (SMALL_PERCENTS, SMALL_DRAWS) if small else (PERCENTS, DRAWS)
    work = _Work(percents, draws, seed, jobs, progress)
    theirs = {league.name: work.league(league, authors.systems(league.name)) for league in leagues}
    ours = {league.name: work.league(league, correct_models.systems()) for league in leagues}
    if games is not None:
        # The player ids in the authors' file lack their last digit.
        theirs[games.name] = work.games(merge_players(games), authors.systems(games.name))
        ours[games.name] = work.games(games, correct_models.systems())
    sections = [_data(leagues, games), *authors_sections(theirs), *right_sections(ours)]
    tuned = {league.name: work.tuned(league) for league in leagues}
    if tuned:
        sections += tuned_sections(leagues, tuned, ours)
    return Report("Score-Based Bayesian Skill Learning (2012)", (*sections, *claim_sections(theirs, ours)))


@dataclass(frozen=True)
class _Work:
    percents: tuple[int, ...]
    draws: int
    seed: int
    jobs: int | None
    progress: bool | None

    def league(self, league: League, systems: Mapping[str, System]) -> Curves:
        return learning_curves(
            systems,
            lambda percent, season: season_split(league, percent, season),
            self.percents,
            league.seasons,
            label=TITLES[league.name],
            jobs=self.jobs,
            progress=self.progress,
        )

    def games(self, games: Games, systems: Mapping[str, System]) -> Curves:
        return learning_curves(
            systems,
            lambda percent, draw: random_split(games, percent, (self.seed, draw)),
            self.percents,
            range(self.draws),
            label=TITLES[games.name],
            jobs=self.jobs,
            progress=self.progress,
        )

    def tuned(self, league: League) -> Curves:
        # The tuned models remember earlier seasons.
        models = TUNED[league.name].models
        return tuned_curves(league, models, percents=self.percents, jobs=self.jobs, progress=self.progress)


def _data(leagues: list[League], games: Games | None) -> Section:
    parts = [
        f"{TITLES[league.name]}: {len(league.history):,} matches, seasons {league.seasons[0]} to {league.seasons[-1]}."
        for league in leagues
    ]
    if games is not None:
        merged = len(merge_players(games).history.players)
        players = f"{len(games.history.players):,} players ({merged:,} without the last digit)"
        parts.append(f"{TITLES[games.name]}: {len(games.history):,} matches of {players}. {CREDIT}")
    else:
        parts.append(f"{TITLES['halo2']}: {FILES[-1]} not found.")
    text = (
        "Every season starts with new players: models learn from its first matches and predict its last 20 %. Means "
        "and standard errors are over the seasons. In Halo 2, the minimum is subtracted from all scores; models learn "
        "from random samples of the first 90 % of the matches and predict the last 10 %, except matches of unseen "
        "players."
    )
    return Section("Data and protocol", f"{' '.join(parts)}\n\n{text}")
