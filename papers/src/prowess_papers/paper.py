"""The papers that can be run again: their names, the files that they need, and the overall verdict."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from prowess.errors import Error
from prowess.lab.parallel import count_processes
from prowess.lab.report import Report, Section
from prowess.text import join_words
from prowess.validate import whole


@dataclass(frozen=True)
class Paper:
    """A paper that can be run again: its name, a description, the files that it needs, and their layout.

    `module` has a function `run(data, *, small, seed, jobs, progress)` that returns a `Report`. If `some` is true, some
    of the files are enough.

    >>> paper("halo2").files[0]
    'FreeForAll.csv'
    """

    name: str
    about: str
    files: tuple[str, ...] = ()
    layout: str = ""
    some: bool = False

    @property
    def module(self) -> str:
        """The module that runs the paper.

        >>> paper("classics").module
        'prowess_papers.classics'
        """
        return f"{__package__}.{self.name}"

    @property
    def needs(self) -> str:
        """The files that the paper needs, as text.

        >>> paper("classics").needs
        'no data'
        """
        if not self.files:
            return "no data"
        return f"{'one or more of ' if self.some else ''}{', '.join(self.files)} ({self.layout})"

    def to_dict(self) -> dict[str, Any]:
        """Return the paper as plain data for JSON.

        >>> paper("classics").to_dict()["files"]
        []
        """
        about = {"name": self.name, "about": self.about, "needs": self.needs}
        return about | {"files": list(self.files), "all_files": not self.some}

    def run(
        self,
        data: str | os.PathLike[str] | None = None,
        *,
        small: bool = False,
        seed: int = 0,
        jobs: int | None = None,
        progress: bool | None = None,
    ) -> Report:
        """Run the paper on the files of a folder and return a report that begins with the overall verdict.

        `small` uses only a part of the data.

        >>> report = paper("classics").run(small=True)
        >>> report.title
        'A Manifesto of Skill: the classics, by hand and by prowess'
        """
        jobs, seed, folder = count_processes(jobs), whole("seed", seed), self._folder(data)
        # The module is imported here, so that listing the papers does not load all experiments.
        report: Report = import_module(self.module).run(folder, small=small, seed=seed, jobs=jobs, progress=progress)
        # Readers want the verdict before the details.
        return Report(report.title, (*overall_verdict(report), *report.sections))

    def _folder(self, data: str | os.PathLike[str] | None) -> Path:
        if not self.files:
            return Path() if data is None else Path(data)
        if data is None:
            raise Error(f"{self.name} needs a folder with {self.needs}")
        folder = Path(data)
        if not folder.is_dir():
            raise Error(f"folder {folder} not found; {self.name} needs a folder with {self.needs}")
        missing = [name for name in self.files if not (folder / name).is_file()]
        if missing and (not self.some or len(missing) == len(self.files)):
            problem = "none of the files" if self.some else f"no {' and no '.join(missing)}"
            raise Error(f"{folder} has {problem}: {self.name} needs {self.needs}")
        return folder


HALO2 = "CSV without header, a row per player: datetime, game id, variant, map, player id, team, score"
SCORES = "CSV with header: date, home and away team and their scores; HeadToHead.csv is as for halo2"

PAPERS: dict[str, Paper] = {
    listed.name: listed
    for listed in (
        Paper(
            "halo2",
            "TrueSkill against Elo on the Halo 2 beta test: Herbrich, Minka, Graepel (2006)",
            ("FreeForAll.csv", "SmallTeam.csv", "HeadToHead.csv", "LargeTeam.csv"),
            HALO2,
            some=True,
        ),
        Paper(
            "tournaments",
            'Places with many ties, "What? Where? When?": Nikolenko, Sirotkin (2010, 2011)',
            ("chgk_team_results.csv.gz",),
            "CSV with header: tournament, date, team, position",
        ),
        Paper(
            "scores",
            "Skill from scores, football of two kinds: Guo, Sanner, Graepel, Buntine (2012)",
            ("premier_league_1995_2009.csv", "afl_1999_2009.csv", "HeadToHead.csv"),
            SCORES,
            some=True,
        ),
        Paper("classics", "Harkness, Elo, Glicko and TrueSkill, worked examples: Stout (2025), Glickman (1999)"),
        Paper(
            "best",
            "A best model for each data set, tuned on early matches and judged by later matches",
            (
                "premier_league_1995_2009.csv",
                "afl_1999_2009.csv",
                "international_football.csv",
                "f1_race_results.csv",
                "llm_comparisons.csv",
                "chgk_team_results.csv.gz",
            ),
            "CSV with header",
            some=True,
        ),
    )
}


def paper(name: str) -> Paper:
    """Return the paper of this name.

    >>> paper("halo3")
    Traceback (most recent call last):
    ...
    prowess.Error: no paper named 'halo3'; available: halo2, tournaments, scores, classics, best
    """
    if name not in PAPERS:
        raise Error(f"no paper named {name!r}; available: {', '.join(PAPERS)}", field="name", value=name)
    return PAPERS[name]


def overall_verdict(report: Report) -> list[Section]:
    """Return a section that counts and lists the claims of a report by verdict; [] if there are no claims.

    >>> from prowess.lab.report import Claim
    >>> claims = (Claim("It works", True, ""), Claim("It is fast", None, "too few data"))
    >>> [section] = overall_verdict(Report("A paper", (Section("Speed", claims=claims),)))
    >>> section.text
    'Of 2 claims, 1 holds and 1 cannot be decided with these data.'
    """
    import polars as pl

    claims = [(claim, section.title) for section in report.sections for claim in section.claims]
    if not claims:
        return []
    verdicts = [None if claim.holds is None else bool(claim.holds) for claim, _ in claims]
    held, failed, undecided = (verdicts.count(verdict) for verdict in (True, False, None))
    parts = [f"{held} {'holds' if held == 1 else 'hold'}"] if held else []
    parts += [f"{failed} {'does' if failed == 1 else 'do'} not hold"] if failed else []
    parts += [f"{undecided} cannot be decided with these data"] if undecided else []
    text = f"Of {len(claims)} claim{'s' * (len(claims) > 1)}, {join_words(parts)}."
    rows = [
        {"claim": claim.text, "verdict": "undecided" if claim.holds is None else claim.verdict, "section": title}
        for claim, title in claims
    ]
    return [Section("Verdict", text, pl.DataFrame(rows))]


def load_published(paper: str) -> dict[str, Any]:
    """Return the numbers that a paper prints, and its parameters, from its `published.toml`.

    >>> load_published("halo2")["mode"]["Free for All"]["full"]
    [32.14, 30.82]
    """
    return tomllib.loads((Path(__file__).parent / paper / "published.toml").read_text(encoding="utf-8"))
