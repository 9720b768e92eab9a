"""Decides which family and components of a model best predict matches that were not used for tuning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ...history.context.columns import column_at
from ...history.ragged import Floats, owners
from ...model.fit.incentives import relative_values
from ...model.fit.sweeps import beliefs_before
from ...model.ladder.leaderboard import overall
from ...model.presets import TrueSkill
from ..bootstrap import Resampling
from ..interval import NORMAL, Interval
from .columns import Column
from .designs import Design, FacetKey
from .evaluation import Evaluator
from .facts import Facts
from .parameters import Parameter, Values
from .search import ENOUGH, Found, minimise

COLUMN_BUDGETS = 2  # all columns together may take this many times the fits of all other decisions
ENOUGH_TO_TUNE = 400  # with fewer matches, parameters keep their usual values until all decisions are made
ENOUGH_TO_LEARN = 2000  # from this many matches on, a learnt home advantage is known as well as a fixed one
SCREENED = 4000  # with at least this many early matches, a new family is first tuned on a quarter of them
HOPELESS = 4.0  # if a family is worse by this many standard errors on that quarter, it is not tuned further
ROUGHLY = 5 * ENOUGH  # decisions need less exact parameters than the final model
MOST_PAIRS = 20.0  # the pairs of a large match depend on each other, so a match counts as at most this many results

# What each option gains in other leagues (nats per match): mean and standard deviation. Most options change the loss
# only a little; a home advantage matters in nearly every league whose files name the home team.
# A fixed home advantage or share of draws cannot follow changes over the years, so it must be clearly better than a
# learnt one.
USUAL_GAINS = {
    "home advantage": (0.02, 0.02),
    "fixed home advantage": (-0.003, 0.002),
    "share of draws": (0.008, 0.004),
    "family": (-0.002, 0.01),
    "seasons": (0.002, 0.005),
    "statistic": (0.002, 0.004),  # of which the ratings forecast the values
    "parameters": (0.05, 0.1),  # tuned parameters, compared with textbook TrueSkill
}
USUAL_GAIN = (-0.001, 0.005)
MISTAKES = 0.01  # the probability with which one of all useless columns of a history is kept
REVEALING = 0.2  # no column that is known before a match gains this much, in nats
SLIGHT = 0.1  # the spread of a slight effect, relative to that of the skills
COLUMN = "column "  # begins the decisions about columns
ROUNDING = 1e-9  # gains that differ by less, in nats, are equal


@dataclass(frozen=True)
class Spans:
    """The parts of a history: matches for tuning, for decisions and for judging the result.

    Parameters are tuned on the matches before `tuned`; of these, the matches before `first` are learnt from, but not
    scored. Decisions are made on the matches from `tuned` to `decided`. The matches from `decided` on judge the result.

    >>> Spans.of(1000)
    Spans(first=40, tuned=400, decided=800, matches=1000)
    >>> Spans.of(100)
    Spans(first=0, tuned=0, decided=80, matches=100)
    """

    first: int
    tuned: int
    decided: int
    matches: int

    @classmethod
    def of(cls, matches: int) -> Spans:
        """Return the spans of a history with this many matches; in a short history, no matches are for tuning."""
        decided = matches - matches // 5
        tuned = 0 if matches < ENOUGH_TO_TUNE else decided // 2
        return cls(tuned // 10, tuned, decided, matches)

    @classmethod
    def undivided(cls, matches: int) -> Spans:
        """Return the spans of a history of which no matches judge the result.

        >>> Spans.undivided(1000)
        Spans(first=50, tuned=500, decided=1000, matches=1000)
        """
        tuned = 0 if matches < ENOUGH_TO_TUNE else matches // 2
        return cls(tuned // 10, tuned, matches, matches)

    def slice(self, most: int) -> tuple[int, Spans]:
        """Select the last `most` matches before `decided`; return the index of the first one, and their spans.

        If there are no more than `most` matches before `decided`, return 0 and these spans unchanged.

        >>> Spans.of(10_000).slice(4000)
        (4000, Spans(first=800, tuned=2400, decided=4000, matches=4000))
        """
        if self.decided <= most:
            return 0, self
        # At the start of a slice all players are newcomers, so models learn their skills before matches are scored.
        return self.decided - most, Spans(most // 5, 3 * most // 5, most, most)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A design with its tuned values; `losses` has its losses on the deciding matches whose indices are in `scored`."""

    design: Design
    values: Values
    scored: NDArray[np.intp]
    losses: Floats

    def gain_over(self, other: Candidate) -> Interval:
        """Return how much lower this candidate's loss is than another's, on the matches that were scored for both."""
        _, own, theirs = np.intersect1d(self.scored, other.scored, assume_unique=True, return_indices=True)
        return paired_gain(other.losses[theirs], self.losses[own])


def paired_gain(before: Floats, after: Floats) -> Interval:
    """Return the mean of `before` − `after`, two losses for each match, with an interval.

    The interval is Student's, over blocks of neighbouring matches. Quantiles of resampled means would be too narrow
    in a small league, where only few matches judge the result.

    >>> print(paired_gain(np.array([0.5, 0.7, 0.9, 0.6]), np.array([0.4, 0.6, 0.7, 0.5])).words(3))
    +0.125 (+0.017 to +0.233)
    """
    gains = before - after
    groups = Resampling().groups(np.arange(len(gains)))
    sums, sizes = np.bincount(groups.of, gains, groups.number), np.bincount(groups.of, minlength=groups.number)
    # A block's sum is divided by the mean size of a block, so that a longer block counts more.
    return Interval.student(sums / sizes.mean()) if len(gains) else Interval(np.nan, np.nan, np.nan)


@dataclass(frozen=True)
class Step:
    """One attempt to improve the model: the decision, the option tried, and what it gained on the deciding matches.

    >>> Step("home advantage", "learnt", Interval(0.03, 0.01, 0.05), True).kept
    True
    """

    decision: str
    option: str
    gain: Interval
    kept: bool
    design: Design = field(default=Design(), repr=False)  # the design with this option


# The attribute of a design that a decision sets.
ATTRIBUTES = {
    "team function": "team",
    "home advantage": "home",
    "fixed home advantage": "home",
    "drift": "drift",
    "share of draws": "draws",
    "family": "family",
    "newcomers": "newcomers",
    "seasons": "seasons",
}
Options = dict[str, Design]
Question = tuple[str, Callable[[Design], Options]]


@dataclass(eq=False)
class Chooser:
    """Makes one decision after another. An option is kept if its expected gain is positive."""

    evaluator: Evaluator
    spans: Spans
    budget: int
    columns: tuple[Column, ...] = ()
    facets: tuple[FacetKey, ...] = ()  # facets that every design has
    hindsight: bool = False  # whether the model must be one that can be fitted in hindsight
    steps: list[Step] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    revealing: list[str] = field(default_factory=list)  # columns that predict better than anything known before

    @property
    def facts(self) -> Facts:
        """The facts about the history."""
        return self.evaluator.facts

    def choose(self) -> Iterator[Candidate]:
        """Yield the best candidate so far, after each decision.

        The budget limits the number of fits, not the seconds, so that the same history always gives the same choice.
        Decisions that would exceed the budget are listed in `skipped`.
        """
        best = self.candidate(Design(facets=self.facets), Values({}))
        if best is None:
            return
        textbook = self.textbook()
        self.steps.append(Step("parameters", "tuned", best.gain_over(textbook), True, best.design))
        yield best
        for decision, options in self._questions():
            if self.evaluator.fits >= self.budget:
                self.skipped.append(decision)
                continue
            best = self._decide(decision, options(best.design), best)
            yield best
        for column in self.columns:
            if self.evaluator.fits >= self.budget * (1 + COLUMN_BUDGETS):
                self.skipped.append(f"{COLUMN}{column.name}")
                continue
            best = self._try_column(column, best)
            yield best

    def _try_column(self, column: Column, best: Candidate) -> Candidate:
        """Try a column as a facet or statistic. It is kept if it gains, and is related to results beyond the noise.

        Two tests can show this for a facet: its gain after tuning, on the deciding matches, and the gain of a slight
        effect without any tuning, on all matches. The second finds small effects in short histories. For a statistic,
        the ratings must forecast its values. Limits depend on how many columns are tried.
        """
        many = 2 * sum(len(one.kinds) for one in self.columns)
        limit = NormalDist().inv_cdf(1.0 - MISTAKES / many)
        found, most = best, 0.0
        for name, facet in column.options.items():
            design = best.design.replace(facets=(*best.design.facets, facet))
            candidate = self.candidate(design, best.values, best)
            if candidate is None:
                continue
            gain = candidate.gain_over(best)
            if gain.value > REVEALING and not column.allowed:
                self.revealing.append(column.name)
                return best
            if facet[0] == "statistic":
                clear = expected_gain("statistic", gain) > 0.0 and self._relation(facet[1], best) > limit
            else:
                clear = gain.value > limit * standard_error(gain) or self._slight_gain(design, facet, best) > limit
            kept = clear and gain.value > most
            self.steps.append(Step(f"{COLUMN}{column.name}", name, gain, kept, design))
            if kept:
                found, most = candidate, gain.value
        return found

    def _slight_gain(self, design: Design, facet: tuple[str, str], best: Candidate) -> float:
        """Return what a slight, steady effect of a facet gains on all scored matches, in standard errors."""
        own = [one for one in self.parameters(design) if one.name.startswith(" ".join(facet))]
        points = np.array([one.point(SLIGHT if one.name.endswith("sigma") else one.low) for one in own])
        [before] = self.evaluator.losses(best.design, [best.values], self.spans.decided)
        [after] = self.evaluator.losses(design, [best.values.moved(own, points)], self.spans.decided)
        if before is None or after is None or len(before) != len(after):
            return 0.0
        gain = paired_gain(before, after)
        error = standard_error(gain)
        return gain.value / error if error > 0.0 else 0.0

    def _relation(self, column: str, best: Candidate) -> float:
        """Return how clearly the ratings before the deciding matches forecast a statistic, in standard errors."""
        history = self.evaluator.until(self.spans.decided)
        values = column_at(history, column, "player")
        if values is None:
            return 0.0
        model = best.design.build(self.facts, best.values.of(self.parameters(best.design)))
        ratings = overall(model, beliefs_before(model, history))[0]
        match = owners(history.match_start)[owners(history.team_start)]
        sign = -1.0 if self.facts.statistic_of(column).lower else 1.0
        both = relative_values(ratings, match) * relative_values(sign * values.to_numpy(), match)
        sums = np.bincount(match, np.nan_to_num(both))[self.spans.tuned :]
        spread = float(np.sqrt((sums**2).sum()))
        return float(sums.sum()) / spread if spread > 0.0 else 0.0

    def final_steps(self, design: Design | None) -> tuple[Step, ...]:
        """Return all steps; those that a later decision reversed are not kept, and none if `design` is None."""
        return tuple(replace(step, kept=step.kept and _is_part(step, design)) for step in self.steps)

    def share_done(self) -> float:
        """Return an estimate of the share of the search that is done, for a progress bar."""
        return min(2.0 * self.evaluator.fits / self.budget, 0.99)

    def textbook(self) -> Candidate:
        """Score textbook TrueSkill, which needs no tuning, on the deciding matches."""
        losses = self.evaluator.model_losses(TrueSkill(), self.spans.decided)
        scored = np.arange(self.spans.first, self.spans.decided)
        late = scored >= self.spans.tuned
        return Candidate(Design(), Values({}), scored[late], losses[late])

    def _questions(self) -> Iterator[Question]:
        facts = self.facts
        if facts.largest_team > 1:
            yield "team function", self._teams
        if facts.home:
            yield "home advantage", lambda design: {"learnt": design.replace(home="learnt")}
        yield "drift", self._drifts
        # The share of draws is decided before the family, because some families learn it anyway.
        if facts.two_teams and facts.draws > 0.0:
            yield "share of draws", lambda design: {"learnt": design.replace(draws="learnt")}
        yield "family", self._families
        yield "newcomers", lambda design: {"level learnt": design.replace(newcomers=True)}
        if facts.season_gap is not None:
            yield "seasons", lambda design: {"carry-over": design.replace(seasons=facts.season_gap)}
        yield "drift", self._drifts
        if facts.home and self.spans.matches < ENOUGH_TO_LEARN:
            yield "fixed home advantage", self._fixed_home

    def _teams(self, design: Design) -> Options:
        names = {"mean of the players": "mean"} | ({} if self.facts.equal_teams else {"full squad": "squad"})
        return {name: design.replace(team=own) for name, own in names.items()}

    def _drifts(self, design: Design) -> Options:
        # A model without drift is not tried, because its ratings would hardly move after many matches.
        names = {"with every match": "match"} | ({} if self.facts.interval is None else {"with time": "time"})
        return {name: design.replace(drift=own) for name, own in names.items() if own != design.drift}

    def _families(self, design: Design) -> Options:
        facts = self.facts
        # The logistic family updates ratings match by match, so it cannot be fitted in hindsight.
        names = {} if self.hindsight else {"logistic": "logistic"}
        if not facts.two_teams:
            names |= {"places": "places", "places by maximum likelihood": "places_ml"}
        elif facts.scored:
            names |= {"score difference": "difference"}
            names |= {"counts": "counts"} if facts.counts else {"scores of both teams": "scores"}
        return {name: design.replace(family=own) for name, own in names.items()}

    def _fixed_home(self, design: Design) -> Options:
        return {"fixed": design.replace(home="fixed")} if design.home == "learnt" else {}

    def _decide(self, decision: str, options: Options, best: Candidate) -> Candidate:
        # An option that was clearly worse in an earlier attempt is not tried again.
        rejected = {step.option for step in self.steps if step.decision == decision and step.gain.high < 0.0}
        options = {name: design for name, design in options.items() if name not in rejected}
        tried = {name: self.candidate(design, best.values, best) for name, design in options.items()}
        gains = {name: one.gain_over(best) for name, one in tried.items() if one is not None}
        # Gains that differ only by rounding are equal; then the first option, which is the simplest, wins.
        most = max((gain.value for gain in gains.values()), default=0.0)
        winner = next((name for name, gain in gains.items() if gain.value >= most - ROUNDING), "")
        found = best
        for name, gain in gains.items():
            kept = name == winner and expected_gain(decision, gain) > 0.0
            self.steps.append(Step(decision, name, gain, kept, options[name]))
            candidate = tried[name]
            if kept and candidate is not None:
                found = candidate
        return found

    def candidate(self, design: Design, start: Values, rival: Candidate | None = None) -> Candidate | None:
        """Tune a design on early matches and score it on the deciding matches; None if the model cannot be fitted."""
        values = start
        if self.spans.tuned:
            found = self._screened(design, start, rival)
            if found is None:
                return None
            values = found.values
        [losses] = self.evaluator.losses(design, [values], self.spans.decided)
        if losses is None:
            return None
        scored = self.evaluator.scored(design.build(self.facts, values.of(self.parameters(design))), self.spans.decided)
        late = scored >= self.spans.tuned
        return Candidate(design, values, scored[late], losses[late])

    def _screened(self, design: Design, start: Values, rival: Candidate | None) -> Found | None:
        """Tune a design on all early matches, or only on a quarter of them if the rival is far better on that quarter.

        With few early matches, without a rival, or with a rival of the same family, the quarter is not tried. Return
        None if the design cannot be fitted.
        """
        quarter = self.spans.first + (self.spans.tuned - self.spans.first) // 4
        # Within a family, the rival's values are a good start, so tuning on a quarter first would save nothing.
        screened = rival is not None and rival.design.family != design.family
        if rival is not None and screened and self.spans.tuned - self.spans.first >= SCREENED:
            found = self.tune(design, start, quarter, enough=ROUGHLY)
            [theirs] = self.evaluator.losses(rival.design, [rival.values], quarter)
            if found is None or theirs is None:
                return None
            if len(found.losses) == len(theirs):
                gain = paired_gain(theirs, found.losses)
                if gain.value < -HOPELESS * standard_error(gain):
                    return found
            start = found.values
        return self.tune(design, start, self.spans.tuned, enough=ROUGHLY)

    def parameters(self, design: Design) -> tuple[Parameter, ...]:
        """Return the parameters of a design."""
        return design.parameters(self.facts)

    def tune(
        self,
        design: Design,
        start: Values,
        stop: int,
        parameters: tuple[Parameter, ...] | None = None,
        enough: float = ENOUGH,
    ) -> Found | None:
        """Tune the parameters of a design, or only the given ones, on the matches before `stop`.

        The search stops when a round improves the penalised loss by less than `enough`. Return None if the design
        cannot be fitted.
        """
        return minimise(
            lambda sets: self.evaluator.losses(design, sets, stop),
            self.parameters(design) if parameters is None else parameters,
            start,
            weight=1.0 if self.facts.two_teams else min(self.facts.teams - 1.0, MOST_PAIRS),
            enough=enough,
        )


def _is_part(step: Step, design: Design | None) -> bool:
    if design is not None and step.decision.startswith(COLUMN):
        return step.design.facets[-1] in design.facets
    if design is None or step.decision not in ATTRIBUTES:
        return design is not None
    attribute = ATTRIBUTES[step.decision]
    # Only TrueSkill has a share of draws that is learnt by choice; other families have their own ways.
    unused = attribute == "draws" and design.family != "order"
    return not unused and getattr(step.design, attribute) == getattr(design, attribute)


def expected_gain(decision: str, gain: Interval) -> float:
    """Return the gain to expect on further matches, given the measured gain and the usual gain in other leagues.

    The wider the interval of the measured gain, the more the usual gain counts.

    >>> measured = Interval.normal(0.003, 0.01)
    >>> expected_gain("home advantage", measured) > 0 > expected_gain("newcomers", measured)
    True
    """
    mean, spread = USUAL_GAINS.get(decision, USUAL_GAIN)
    trust = spread**2 / (spread**2 + standard_error(gain) ** 2)
    return trust * gain.value + (1.0 - trust) * mean


def standard_error(interval: Interval) -> float:
    """Return the standard error of a value, computed from its 95 % interval; 0 if it has no interval.

    >>> round(standard_error(Interval.normal(1.0, 0.5)), 6)
    0.5
    """
    error = (interval.high - interval.low) / (2.0 * NORMAL)
    return error if np.isfinite(error) else 0.0
