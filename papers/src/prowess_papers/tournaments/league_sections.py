"""The sections about a simulated league with rosters: both papers' tables, and the effect of each part of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from prowess.history import History
from prowess.lab.compare import Comparison
from prowess.lab.report import Claim, Section

from ..paper import load_published
from .claims import Judge
from .data import Spans
from .figures import relative, sliding, versus
from .league import FIVE, GRAPHS, SIX, TEAMS, Parts, models
from .tables import WON, ahead, count_wins, error_table, join_published, percent

FIVE_NAMES = {label: parts.name for label, parts in FIVE.items()}
SIX_NAMES = {label: parts.name for label, parts in SIX.items()}


class League(NamedTuple):
    """The results on a simulated league."""

    comparison: Comparison
    spans: Spans
    draws: float

    @property
    def history(self) -> History:
        """The tournaments."""
        return self.comparison.history

    @property
    def judge(self) -> Judge:
        """A judge of claims about the pair error, over the span of Table 1 of the 2011 paper."""
        return Judge(self.comparison, self.spans.mask(self.history), labels=FIVE_NAMES)

    @property
    def judge_2010(self) -> Judge:
        """A judge of claims about the discounted place error, over the span that the 2010 paper evaluates."""
        where = self.spans.mask(self.history, self.spans.last[1])
        return Judge(self.comparison, where, "place_error", 1.0, "units of the place error", SIX_NAMES)


def league_sections(league: League) -> list[Section]:
    """Return all sections about a simulated league."""
    return [
        _data(league),
        _errors(league),
        _won(league),
        _figure(league),
        _parts(league),
        _effects(league),
        _claims(league),
        *_extensions(league),
        _claims_2010(league),
    ]


def _data(league: League) -> Section:
    history = league.history
    teams, players = np.diff(history.match_start), np.diff(history.team_start)
    matches = np.bincount(history.player)
    text = (
        f"{len(history)} tournaments of {(matches > 0).sum():,} players were simulated, as the papers describe theirs. "
        f"The median tournament has {int(np.median(teams))} teams and the largest has {teams.max():,}. "
        f"{100 * np.mean(players < 6):.0f} % of the teams have fewer than six players, and "
        f"{100 * np.mean(players > 6):.0f} % have more. Half of the players play in at most "
        f"{int(np.median(matches[matches > 0]))} tournaments, and the most active player in {matches.max()}. Places "
        "follow from the number of right answers, and ties are not broken: "
        f"{100 * league.draws:.0f} % of neighbouring teams are tied. Skills do not change. A team's performance is the "
        "average of its players, minus 2 % for each player that is missing from six. So the simulation favours team "
        "functions of this kind, but not any graph or policy for ε.\n\n"
        "All models have the constants of 2011. ε by draws follows from the share of tied neighbours before the last "
        "tournaments, as in TrueSkill; ε by spread is the policy of the 2010 paper. For more than six players, squads "
        "use the plain average, because the papers' rule fails if the means of weak players add up to less than 0."
    )
    return Section("A simulated league with rosters: data", text)


def _errors(league: League) -> Section:
    table = error_table(league.comparison, FIVE_NAMES, league.spans, {name: name for name in FIVE})
    text = "Percentage of wrongly predicted pairs. Ours are on the simulated league, the published on real tournaments."
    return Section("Table 2 of 2011 on rosters: pair error", text, table)


def _won(league: League) -> Section:
    table = count_wins(league.comparison, FIVE_NAMES, league.spans.mask(league.history))
    text = WON.format(league.spans.last[0])
    return Section(
        "Table 1 of 2011 on rosters: tournaments won",
        text,
        join_published(table, load_published("tournaments")["icml2011"]["won"]),
    )


def _figure(league: League) -> Section:
    chart = sliding(league.comparison, FIVE_NAMES, league.spans.window, title="Pair error on the league with rosters")
    return Section("Figure 5 of 2011 on rosters: error over time", chart=chart)


def _parts(league: League) -> Section:
    found = league.comparison.intervals("pair_error", league.spans.mask(league.history))
    rows = []
    for fixed in (False, True):
        for team in TEAMS:
            row: dict[str, object] = {"team": team, "σ": "fixed" if fixed else "variable"}
            for graph in GRAPHS:
                for policy in ("draws", "spread"):
                    name = Parts(graph, team, policy, fixed).name
                    if name in found:
                        row[f"{graph}, ε by {policy}"] = percent(found[name].value)
            rows.append(row)
    text = (
        f"Pair error in percent over the last {league.spans.last[0]} tournaments. The columns differ in the graph and "
        'in ε, the rows in the team function and in σ; all constants are the same. "Places by ML" is the graph of TS3.'
    )
    return Section("The parts of a model: graph, ε, team function and σ", text, pl.DataFrame(rows))


def _effects(league: League) -> Section:
    """Return a table with the effect of replacing one part, averaged over all combinations of the other parts."""
    # TS3 is not run in all combinations, so some of its models have no counterpart to compare with.
    every = [parts for parts in models(league.draws) if parts.graph != "places by ML"]
    rows = [
        ("places instead of the chain", "all", *_change(league, every, "graph", "chain", "places")),
        *(
            (
                "places instead of the chain",
                f"{team}, ε by {policy}",
                *_change(league, cell, "graph", "chain", "places"),
            )
            for team in ("sum", "mean", "squad")
            for policy in ("draws", "spread")
            for cell in [[parts for parts in every if parts.team == team and parts.policy == policy]]
        ),
        *(
            ("ε by spread instead of draws", graph, *_change(league, cell, "policy", "draws", "spread"))
            for graph in ("chain", "places")
            for cell in [[parts for parts in every if parts.graph == graph]]
        ),
        *(
            (f"{new} instead of {old}", graph, *_change(league, cell, "team", old, new))
            for old, new in (("sum", "mean"), ("mean", "squad"), ("squad", "squad with leader"))
            for graph in ("chain", "places")
            for cell in [[parts for parts in every if parts.graph == graph]]
        ),
        *(
            ("fixed σ instead of variable", graph, *_change(league, cell, "fixed", False, True))
            for graph in ("chain", "places")
            for cell in [[parts for parts in every if parts.graph == graph]]
        ),
    ]
    table = pl.DataFrame(rows, schema=["change", "with", "models", "pair error"], orient="row")
    text = (
        "How the pair error changes if one part is replaced and all other parts stay the same, averaged over all "
        "models with that part, in percentage points with 95 % intervals. Negative is better."
    )
    return Section("The effect of each part", text, table)


def _change(league: League, cell: Sequence[Parts], part: str, old: Any, new: Any) -> tuple[int, str]:
    """Return the number of models with the old part, and how their mean error changes with the new part."""
    before = [parts for parts in cell if getattr(parts, part) == old]
    # These models differ from those in `before` only in the replaced part.
    after = [parts._replace(**{part: new}) for parts in before]
    interval = league.judge.apart([parts.name for parts in after], [parts.name for parts in before])
    return len(before), league.judge.said(interval)


def _extensions(league: League) -> list[Section]:
    where = league.spans.mask(league.history, league.spans.last[1])
    theirs = load_published("tournaments")["extensions2010"]
    table = count_wins(league.comparison, SIX_NAMES, where, "place_error")
    many, best, basic = league.spans.last[1], SIX_NAMES["6 TS3 leader"], SIX_NAMES["1 TrueSkill"]
    ratio = relative(league.comparison, best, basic, where)
    lower = int(np.count_nonzero(ratio < 1))
    chart = versus(
        league.comparison,
        best,
        basic,
        where,
        title="TS3 with leader bonus against TrueSkill",
        subtitle=f"place error of model 6 / place error of model 1, in the last {many} tournaments; lower is better",
    )
    half = np.nanmedian(ratio)
    said = f"Model 6 has the lower place error in {lower} of {many} tournaments; the median ratio is {half:.2f}."
    text = (
        f"In how many of the last {many} tournaments the model of the row had a lower discounted place error √(Σ (x − "
        "y)²/√i) than the model of the column. Model 1 is TrueSkill with sums; 2 is TS2 with sums; 3 is TS2 with the "
        "average, minus 2 % for each missing player (incomplete teams); 4 adds a leader bonus of 10 %; 5 and 6 are TS3 "
        "with the team functions of 3 and 4."
    )
    return [
        Section("Table 1 of 2010: better predictions", text, join_published(table, theirs["won"])),
        Section("Table 2 of 2010: advantages", "Won minus lost.", join_published(ahead(table), theirs["ahead"])),
        Section("Figure 3 of 2010: relative error", said, chart=chart),
    ]


def _claims(league: League) -> Section:
    judge = league.judge
    two, one = ("TS2a", "TS2b", "TS2c"), ("TSa", "TSb")
    chain, squad = (Parts("chain", team, "spread").name for team in ("mean", "squad"))
    claims = (
        judge.better(
            "All three versions of TS2 far outperform TrueSkill", [(ours, basic) for ours in two for basic in one]
        ),
        judge.better(
            "TS2c, with fixed σ, shows the best results", [("TS2c", other) for other in ("TS2b", "TS2a", *one)]
        ),
        judge.better("Replacing only the graph helps, with sums (TS2a against TSa)", [("TS2a", "TSa")]),
        judge.better(
            "Replacing only the graph helps, with averages and squads and the same ε by spread",
            [(Parts("places", "mean", "spread").name, chain), (Parts("places", "squad", "spread").name, squad)],
        ),
        judge.better("The team function matters to the chain: average instead of sum", [("TSb", "TSa")]),
        judge.better("The team function matters to TS2: squad instead of sum", [("TS2b", "TS2a")]),
    )
    return Section("The claims of 2011 on rosters", _judged("pair error", league.spans.last[0]), claims=claims)


def _claims_2010(league: League) -> Section:
    judge = league.judge_2010
    names = list(SIX)
    fixed = Parts("places", "squad", "spread", True).name
    claims: tuple[Claim, ...] = (
        judge.better("TrueSkill has lost to every modification", [(name, names[0]) for name in names[1:]]),
        judge.better(
            "TS3 with incomplete teams and a leader bonus is the best", [(names[5], name) for name in names[:5]]
        ),
        judge.better("TS3 outperforms TS2", [(names[4], names[2]), (names[5], names[3])]),
        judge.better("A leader bonus of 10 % helps TS2", [(names[3], names[2])]),
        judge.better("A leader bonus of 10 % helps TS3", [(names[5], names[4])]),
        judge.better("Support of incomplete teams helps TS2", [(names[2], names[1])]),
        judge.better("A fixed σ is best (section 3.4), in TS2 with incomplete teams", [(fixed, names[2])]),
    )
    text = _judged("discounted place error", league.spans.last[1])
    return Section("The claims of 2010 on rosters", text, claims=claims)


def _judged(measure: str, many: int) -> str:
    return (
        f"Judged by the {measure} over the last {many} tournaments. A claim holds if the whole 95 % interval of every "
        "difference supports it, and does not hold if one whole interval contradicts it. A simulated league shows "
        "what follows from its assumptions, not what is true of real leagues."
    )
