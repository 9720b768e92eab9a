"""The sections about the real results: errors beside published errors, policies for ε, listings, time, claims."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from time import perf_counter
from typing import NamedTuple

import numpy as np
import polars as pl

from prowess.history import History
from prowess.history.ragged import owners
from prowess.lab.compare import Comparison
from prowess.lab.report import Claim, Section
from prowess.lab.slices import Mask
from prowess.model.presets import TS2

from .claims import Judge
from .data import FILE, Spans
from .figures import sliding
from .listing import WAYS, ListingErrors
from .real import FIGURE, KINDS, MAIN, POLICIES, STEPS, THEIRS, Variant
from .tables import WON, count_wins, error_table, percent

DRAWS = "TS2 with ε by draws"
CHAIN_TIES = "TrueSkill's chain depends on the order in which tied teams are listed; TS2 and TS3 do not"


class Real(NamedTuple):
    """The models' results on the real tournaments."""

    comparison: Comparison
    spans: Spans
    draws: float
    listed: Mapping[tuple[str, str], ListingErrors]
    seconds: float

    @property
    def history(self) -> History:
        """The tournaments."""
        return self.comparison.history

    @property
    def judge(self) -> Judge:
        """A judge of claims about the pair error, on the tournaments that were not used for tuning."""
        return Judge(
            self.comparison,
            self.spans.mask(self.history),
            labels=MAIN | {DRAWS: Variant("TS2", False, "draws", "paper").name},
        )


def time_models(history: History) -> float:
    """Return how many seconds TS2 takes for a history: the median of three fits."""
    found = []
    for _ in range(3):
        began = perf_counter()
        TS2().fit(history, progress=False)
        found.append(perf_counter() - began)
    return median(found)


def real_sections(real: Real) -> list[Section]:
    """Return all sections about the real tournaments."""
    return [
        _data(real),
        _errors(real),
        _won(real),
        _figure(real),
        _policies(real),
        _steps(real),
        _listings(real),
        _time(real),
        _claims(real),
    ]


def _data(real: Real) -> Section:
    history = real.history
    sizes = np.diff(history.match_start)
    text = (
        f"{FILE}: {len(history):,} tournaments of two or more teams, {history.teams:,} results; the median tournament "
        f"has {int(np.median(sizes))} teams, the largest {sizes.max():,}. Of neighbouring teams "
        f"{100 * real.draws:.0f} % are tied. There are no rosters, so a team is one player. Then the sum equals the "
        "average, TSa equals TSb, and TS2a equals TS2b. The papers had 680 and 449 tournaments of the same game, with "
        "rosters.\n\n"
        "Every tournament is predicted before it is rated. The file lists teams by place; here they are listed in "
        "random order, so that models cannot learn from the order of the file. The pair error is the share of wrongly "
        "predicted pairs among the pairs of teams that did not tie; pairs that were expected to tie count half, and "
        "every tournament has the same weight. Constants were tuned on tournaments 301 to 1,384; the last 300 were "
        "not used for tuning."
    )
    return Section("Real results: data and protocol", text)


def _errors(real: Real) -> Section:
    table = error_table(real.comparison, MAIN, real.spans, THEIRS)
    # The lowest error over the evaluated span is shown in bold.
    low = int(np.argmin(table[real.spans.names[1]].to_numpy()))
    text = (
        "Percentage of wrongly predicted pairs. The first rows have the papers' constants (σ₀ = 1000, or 300 if fixed, "
        "β = 400, no drift), with ε from the share of draws for TSa and by spread for all other models. The tuned rows "
        "have the best ε, drift if σ is variable, and in TS3 a learnt newcomers' level. Published errors are for other "
        "tournaments, with rosters."
    )
    return Section("Table 2 of 2011: pair error", text, table, bold=frozenset({(low, real.spans.names[1])}))


def _won(real: Real) -> Section:
    # The full table would be too wide for a page.
    names = {label: MAIN[label] for label in MAIN if label not in ("TS3c", "TS2c tuned", "TS3c tuned", "Elo")}
    text = WON.format(real.spans.last[0])
    return Section(
        "Table 1 of 2011: tournaments won", text, count_wins(real.comparison, names, real.spans.mask(real.history))
    )


def _figure(real: Real) -> Section:
    names = {label: MAIN[label] for label in FIGURE}
    chart = sliding(real.comparison, names, real.spans.window, title="Pair error on the real results")
    text = "The tuned chain (TSa) is not drawn, because its line would coincide with the line of the tuned TS2."
    return Section("Figure 5 of 2011: error over time", text, chart=chart)


def _policies(real: Real) -> Section:
    where = real.spans.mask(real.history)
    last = real.comparison.intervals("pair_error", where)
    before = real.comparison.intervals("pair_error", _tuning_span(real))
    rows = []
    for kind in KINDS:
        for fixed in (False, True):
            for policy in POLICIES:
                row: dict[str, object] = {"kind": kind, "σ": "fixed" if fixed else "variable", "ε by": policy}
                for source, title in (("paper", "paper"), ("tuned", "tuned"), ("newcomers", "with newcomers")):
                    name = Variant(kind, fixed, policy, source).name
                    row[title] = percent(last[name].value) if name in last else None
                    if source != "paper":
                        row[f"{title}, while tuning"] = percent(before[name].value) if name in before else None
                rows.append(row)
    text = (
        f"Pair error in percent over the last {real.spans.last[0]} tournaments, and over the tournaments used for "
        "tuning. Draws: ε is such that equal teams tie as often as neighbours did in earlier tournaments; when tuned, "
        "this is the same as a number. Number: one ε for all tournaments. Two values: one ε for tournaments with ties "
        "and one for tournaments without. Spread: the places fill the range of the teams' prior means. With newcomers: "
        "the newcomers' level is learnt as well. A single ε for all tournaments does not suit TS3: if ε is small "
        "compared with the spread of the priors, TS3 barely learns."
    )
    return Section("Every ε, with variable and with fixed σ", text, pl.DataFrame(rows, infer_schema_length=None))


def _tuning_span(real: Real) -> Mask:
    # The tuning span leaves out the evaluated span, and as many tournaments at the start.
    index, last = np.arange(len(real.history)), real.spans.last[0]
    return (index >= min(last, len(index) - 2 * last)) & (index < len(index) - last)


def _steps(real: Real) -> Section:
    where = real.spans.mask(real.history)
    found = real.comparison.intervals("pair_error", where)
    rows = []
    for step in STEPS:
        chain, places = (f"{kind}: {step}" for kind in ("TSa", "TS2"))
        apart = real.judge.apart([places], [chain])
        rows.append(
            {
                "constants": step,
                "chain (TSa)": percent(found[chain].value),
                "places (TS2)": percent(found[places].value),
                "places − chain": real.judge.said(apart),
            }
        )
    text = (
        "Each row has the same constants for TrueSkill's chain of neighbours and for TS2's graph of places. "
        "Differences between rows come from ε, drift and prior; differences between columns come from the graph. Pair "
        f"errors are in percent, over the last {real.spans.last[0]} tournaments; differences are in percentage points "
        "with 95 % intervals. With the same ε, neighbours with different places are ε apart in the chain, and places "
        "are 2ε apart in TS2.\n\n"
        "The wide prior has two effects. First, a newcomer's first result alone determines the rating, even if a whole "
        "region is new and weak. Second, newcomers are expected to finish near the end. They do, because the teams "
        f"that remain from earlier tournaments are those that finished well and came back: {_newcomers(real)}."
    )
    return Section("Graph or ε", text, pl.DataFrame(rows))


def _newcomers(real: Real) -> str:
    history, where = real.history, real.spans.mask(real.history)
    match = owners(history.match_start)
    first = np.zeros(history.teams, bool)
    # `np.unique` returns the index of the first occurrence, which is the team's first tournament.
    first[np.unique(history.player, return_index=True)[1]] = True
    chosen, sizes = where[match], np.diff(history.match_start)[match]
    # A share of the other teams, unlike a place, can be averaged over tournaments of any size.
    behind = (history.place - 1) / (sizes - 1)
    new, old = (100.0 * behind[chosen & mask].mean() for mask in (first, ~first))
    share = 100.0 * first[chosen].mean()
    return (
        f"{share:.0f} % of the results belong to teams in their first tournament; on average {new:.0f} % of the other "
        f"teams finished ahead of a newcomer, and {old:.0f} % ahead of an experienced team"
    )


def _listings(real: Real) -> Section:
    where = real.spans.mask(real.history)
    rows, moved = [], {}
    for name in dict.fromkeys(name for name, _ in real.listed):
        # Changes are measured from the order of the file.
        filed = real.listed[name, "as filed"]
        row: dict[str, object] = {"model": name}
        row |= {way: percent(float(np.nanmean(real.listed[name, way].error[where]))) for way in WAYS}
        changes = [real.listed[name, way] for way in WAYS]
        row["largest change of a pair error"] = max(float(np.nanmax(np.abs(c.error - filed.error))) for c in changes)
        moved[name] = max(float(np.max(np.abs(c.expected - filed.expected))) for c in changes)
        rows.append(row | {"of an expected performance": moved[name]})
    text = (
        "The file lists the teams of a tournament by place; nothing should depend on that order. The table shows the "
        f"pair error over the last {real.spans.last[0]} tournaments with the teams listed in other orders. It also "
        "shows the largest change of a tournament's pair error (between 0 and 1) and of a team's expected performance "
        "(in points). Teams are expected to tie if their expected performances agree to a millionth of a point. If the "
        "chain is better as filed than mirrored, it has learnt something from the order of tied teams in the file."
    )
    # Differences below a millionth of a point are rounding errors.
    steady = {name: change < 1e-6 for name, change in moved.items()}
    holds = all(steady[name] == (not name.startswith("TSa")) for name in steady)
    evidence = "; ".join(f"{name} {change:.2g}" for name, change in moved.items())
    claim = Claim(CHAIN_TIES, holds, f"largest change of an expected performance, in points: {evidence}")
    return Section("Does the order of the teams matter?", text, pl.DataFrame(rows), claims=(claim,))


def _time(real: Real) -> Section:
    text = (
        f"TS2 rates {len(real.history):,} tournaments with {real.history.teams:,} results in {real.seconds:.2f} s, in "
        "one process (the median of three fits; reading the file is not counted)."
    )
    return Section("Run time", text)


def _claims(real: Real) -> Section:
    # The best model is chosen on the tournaments used for tuning, and judged on later tournaments.
    judge, best = real.judge, next(iter(real.comparison.intervals("pair_error", _tuning_span(real))))
    claims = [
        judge.better(
            "Every version of TS2 outperforms TrueSkill (papers' constants)", [("TS2", "TSa"), ("TS2c", "TSa")]
        ),
        judge.better("TS2's graph alone is better than the chain, with the same ε by draws", [(DRAWS, "TSa")]),
        judge.better("TS2's graph alone is better than the chain, with the same ε by spread", [("TS2", "TSa spread")]),
        judge.alike("Tuned, chain and places differ by less than 0.3 points", [("TS2 tuned", "TSa tuned")], 0.3),
        judge.better("TS2c, with fixed σ, is better than TS2 (papers' constants)", [("TS2c", "TS2")]),
        judge.better("TS2c, with fixed σ, is better than TS2 (both tuned)", [("TS2c tuned", "TS2 tuned")]),
        judge.better("TS3 outperforms TS2 (papers' constants)", [("TS3", "TS2")]),
        judge.better("TS3 outperforms TS2 (fixed σ, papers' constants)", [("TS3c", "TS2c")]),
        judge.better("TS3 outperforms TS2 (tuned)", [("TS3 tuned", "TS2 tuned")]),
        judge.better("TS2 outperforms Elo (papers' constants; tuned)", [("TS2", "Elo"), ("TS2 tuned", "Elo tuned")]),
        judge.better(
            f"The model that was best while tuning ({best}) is better than all models with the papers' constants",
            [(best, label) for label in ("TSa", "TSa spread", "TS2", "TS2c", "TS3", "TS3c", "Elo")],
        ),
    ]
    text = (
        "Judged by the pair error over the last tournaments. A claim that one model is better holds if the whole 95 % "
        "interval of every difference supports it, and does not hold if one whole interval contradicts it. Intervals "
        "come from resampled blocks of neighbouring tournaments, the same for both models."
    )
    return Section("The papers' claims on the real results", text, claims=tuple(claims))
