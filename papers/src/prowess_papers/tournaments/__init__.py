"""Nikolenko, Sirotkin: tournaments with many ties (2010, and ICML 2011), on real results and on simulated rosters."""

from __future__ import annotations

from pathlib import Path

from prowess.history import History
from prowess.lab import quiz_league
from prowess.lab.compare import compare
from prowess.lab.report import Report

from ..statistics import draw_rate
from . import league, real
from .data import Spans, read, shuffled
from .league_sections import League, league_sections
from .listing import listings
from .real_sections import Real, real_sections, time_models

__all__ = ["run"]

SPANS, SMALL_SPANS = Spans((300, 150, 50), 50), Spans((60, 30, 10), 20)
TOURNAMENTS, PLAYERS = 680, 50_000  # size of the simulated league, as in the 2011 paper
SMALL_PREFIX, SMALL_TOURNAMENTS, SMALL_PLAYERS = 180, 100, 6000


def run(
    data: Path, *, small: bool = False, seed: int = 0, jobs: int | None = None, progress: bool | None = None
) -> Report:
    """Run both papers on the real results in a folder, and on a simulated league with rosters.

    `small` uses only the first tournaments and a smaller league. `seed` is used for the league, for random team orders
    and for resampling. `jobs` is the number of processes.

    >>> run(Path("no such folder"))
    Traceback (most recent call last):
    ...
    prowess.Error: no such folder: chgk_team_results.csv.gz not found
    """
    history = read(Path(data))
    if small:
        history = history[:SMALL_PREFIX]
    spans = SMALL_SPANS if small else SPANS
    many = (SMALL_TOURNAMENTS, SMALL_PLAYERS) if small else (TOURNAMENTS, PLAYERS)
    first = real_sections(_real(history, spans, seed, jobs, progress))
    second = league_sections(_league(quiz_league(seed, *many).history, spans, seed, jobs, progress))
    return Report("Rating tournaments with many ties: TrueSkill, TS2 and TS3 (2010, 2011)", (*first, *second))


def _real(history: History, spans: Spans, seed: int, jobs: int | None, progress: bool | None) -> Real:
    # The share of draws determines ε, so it must not come from the tournaments that are evaluated.
    draws = draw_rate(history[: -spans.last[0]])
    models = {variant.name: model for variant, model in real.factorial(draws).items()}
    models |= real.elos()
    models |= {f"{kind}: {step}": model for (step, kind), model in real.steps(draws).items()}
    listed = {label: models[real.MAIN[label]] for label in ("TSa spread", "TSa tuned", "TS2", "TS2 tuned", "TS3")}
    return Real(
        # Teams are shuffled, because the file lists them by place, and TrueSkill's chain would learn from that order.
        compare(shuffled(history, seed), models, measures=["pair_error"], seed=seed, jobs=jobs, progress=progress),
        spans,
        draws,
        listings(history, listed, seed=seed, jobs=jobs, progress=progress),
        time_models(history),
    )


def _league(history: History, spans: Spans, seed: int, jobs: int | None, progress: bool | None) -> League:
    draws = draw_rate(history[: -spans.last[0]])
    models = {parts.name: model for parts, model in league.models(draws).items()}
    measures = ["pair_error", "place_error"]
    return League(compare(history, models, measures=measures, seed=seed, jobs=jobs, progress=progress), spans, draws)
