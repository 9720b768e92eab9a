"""The best model for each data set, tuned on early matches and evaluated on later matches."""

from __future__ import annotations

from pathlib import Path

from prowess.errors import Error
from prowess.lab.report import Report, Section

from .evaluation import Evaluation, RunOptions, evaluate
from .football import league_sections
from .search import SearchResult, search
from .sections import beats, judged_sections
from .sets import SETS, DataSet
from .tuned_models import TunedModel, load_tuned

__all__ = ["SETS", "DataSet", "SearchResult", "TunedModel", "load_tuned", "run", "search"]

# Only these two data sets are also in Guo et al. (2012), so only these are compared with figures of that paper.
LEAGUES = ("premier_league", "afl")


def run(data: Path, *, small: bool = False, seed: int = 0, jobs: int = 1, progress: bool | None = None) -> Report:
    """Evaluate the tuned model of every data set whose file is in the folder `data`.

    `small` uses only some of the later matches and three untuned models. `seed` is for resampling; `jobs` is the number
    of processes.

    >>> run(Path("no such folder"))
    Traceback (most recent call last):
    ...
    prowess.Error: no such folder has none of premier_league_1995_2009.csv, afl_1999_2009.csv, \
international_football.csv, f1_race_results.csv, llm_comparisons.csv, chgk_team_results.csv.gz
    """
    folder, work = Path(data), RunOptions(small, seed, jobs, progress)
    chosen = [one for one in SETS.values() if (folder / one.file).is_file()]
    if not chosen:
        raise Error(f"{folder} has none of {', '.join(dict.fromkeys(one.file for one in SETS.values()))}")
    sections: list[Section] = []
    first: list[Evaluation] = []
    for one in chosen:
        judged = evaluate(one, folder, work)
        first.append(judged)
        sections += judged_sections(judged)
        if one.name in LEAGUES:
            sections += league_sections(judged, work)
    return Report("A best model for each data set", (_summary(first), *sections))


def _summary(found: list[Evaluation]) -> Section:
    text = (
        "For every data set, several models were tuned on early matches. The model with the lowest loss on these early "
        "matches is compared here, on later matches, with every untuned model that can use the data. A claim holds if "
        "all 95 % intervals of the differences lie above 0. Differences are paired, and intervals come from resampled "
        "blocks of neighbouring matches. Tuned models must stay good for years, so a carry-over between seasons is at "
        "most 1, and a learnt home advantage keeps drifting. Fair means that the share of draws, the scale of scores "
        "and the home advantage of an untuned model were set from the early matches."
    )
    claims = tuple(beats(judged, judged.comparison.measures[0]) for judged in found)
    return Section("Does the tuned model win?", text, claims=claims)
