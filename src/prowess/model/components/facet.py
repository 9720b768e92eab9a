"""Facets: further beliefs that add to a performance, chosen by the context of a match.

A performance is a weighted sum of rows. A row is a belief N(μ, σ²) with its own prior, drift and time of the last
match. The first row of every entry is the player's skill, with weight 1; each facet of a model adds rows:

==========================  ==================  ===================  ==============================================
facet                       rows                weight               use
==========================  ==================  ===================  ==============================================
`By("surface")`             player and value    1                    surface, mode, map, role: deviation from the
                                                                     skill
`By("rest", numeric=True)`  player              the number           a slope of each player
`Shared("side")`            value               1                    colour, side, squad size
`Covariate("length")`       one                 the number           length of an answer, rest days, handicap
`Experience((10, 100))`     one for each scale  exp(−played/scale)   the learning curve
==========================  ==================  ===================  ==============================================

`By` gives what statistics calls random effects, all others give fixed effects with a normal prior.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from ...history.context.columns import clean_name
from ...validate import invalid, number, scale
from ..params import Range

__all__ = ["By", "Covariate", "Experience", "Facet", "Shared"]

AnyFacet = TypeVar("AnyFacet", bound="Facet")

MOST_SCALES = 20  # the largest number of scales of `Experience`


class Facet:
    """The base class of all facets. Use one of the classes `By`, `Shared`, `Covariate` and `Experience`.

    >>> import prowess as pw
    >>> isinstance(pw.facet.By("surface"), Facet)
    True
    """

    column: str  # the column of the context; `Experience` needs none
    sigma: float | None
    tau: float
    mu: float = 0.0  # the mean of a row that has never been seen
    traits: tuple[str, ...] | None

    per: str | None = None  # "team", "player", or None: what the values of the column belong to in the history
    personal: ClassVar[bool] = False  # whether every player has rows of their own
    weighted: bool = False  # whether the column has numbers, by which the rows are multiplied
    usual: ClassVar[float] = 0.25  # `sigma` if it is not given, in standard deviations of skills
    counts_matches: ClassVar[bool] = False  # whether the number of earlier matches takes the place of a column

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {"tau": scale("tau", self.tau, zero=True), "traits": _check_traits(self.traits)}
        if self.sigma is not None:
            checked["sigma"] = scale("sigma", self.sigma, zero=True)
        if not self.counts_matches:
            if not isinstance(self.column, str) or not clean_name(self.column):
                raise invalid("column", "be the name of a column, such as 'surface'", self.column)
            checked["column"] = clean_name(self.column)
        if isinstance(self, Shared | Covariate):
            checked["mu"] = number("mu", self.mu)
            if self.per not in (None, "team", "player"):
                raise invalid("per", "be 'team' or 'player'", self.per)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def key(self) -> str:
        """The first part of the names of the facet's parameters, such as `surface` in `surface_sigma`.

        >>> By("Best of").key, Experience().key
        ('best_of', 'experience')
        """
        return re.sub(r"\W+", "_", self.column).strip("_").lower() or "facet"

    @property
    def kind(self) -> str:
        """The kind of the facet in one word: by, slope, shared, covariate or experience.

        >>> By("rest").kind, By("rest", numeric=True).kind
        ('by', 'slope')
        """
        return "slope" if self.personal and self.weighted else type(self).__name__.lower()

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What tells facets of one kind apart: the column; the scales of a learning curve.

        >>> By("surface").arguments, Experience((10.0, 50.0)).arguments
        (('surface',), (10.0, 50.0))
        """
        return (self.column,)

    @property
    def learnt(self) -> bool:
        """Whether matches change the rows. If not, the rows are given offsets.

        >>> Shared("side", mu=2.0, sigma=0.0).learnt
        False
        """
        return self.sigma is None or self.sigma > 0.0 or self.tau > 0.0

    @property
    def tunable(self) -> dict[str, Range]:
        """The parameters that can be tuned: `sigma` and `tau` of learnt rows, `mu` of given offsets.

        >>> list(Shared("side").tunable), list(Shared("side", mu=2.0, sigma=0.0).tunable)
        (['sigma', 'tau'], ['mu'])
        """
        if not self.learnt:
            return {} if self.personal else {"mu": Range(-1, 1, unit="sigma")}
        return {
            "sigma": Range(0.001, 3, log=True, unit="sigma"),
            "tau": Range(1.0 / 100_000, 1.0 / 3, log=True, unit="sigma"),  # wide: drift may be per match or per day
        }

    def with_sigma(self: AnyFacet, skill: float) -> AnyFacet:
        """Return the facet with its usual `sigma` if none is given; `skill` is the standard deviation of skills.

        >>> Shared("side").with_sigma(8.0).sigma
        2.0
        """
        return self if self.sigma is not None else replace(self, sigma=self.usual * skill)  # type: ignore[type-var]


def _check_traits(traits: Any) -> tuple[str, ...] | None:
    if traits is None:
        return None
    names = (traits,) if isinstance(traits, str) else tuple(traits) if isinstance(traits, list | tuple) else ()
    if not names or not all(isinstance(name, str) for name in names):
        raise invalid("traits", "be names of traits, such as ('offence',)", traits)
    return names


@dataclass(frozen=True)
class By(Facet):
    """Every player has a deviation from the skill for each value of a column, such as a surface or a game mode.

    A deviation begins as N(0, sigma²), so a player who is new to a value is expected to be as good there as elsewhere.
    By default `sigma` is half of the standard deviation of skills. `tau` is the standard deviation of the drift, per
    match or per unit of time like the drift of the model. In models with several traits, such as offence and defence,
    each trait has deviations of its own; `traits` limits them to some traits.

    If `numeric` is true, the column has numbers, and every player has one slope, which is multiplied by the number.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill().replace(facets=(pw.facet.By("surface", sigma=3.0),)))
    >>> for _ in range(5):
    ...     _ = ladder.record([["nadal"], ["federer"]], context={"surface": "clay"})
    ...     _ = ladder.record([["federer"], ["nadal"]], context={"surface": "grass"})
    >>> ladder.rating("nadal", surface="clay").mu > ladder["nadal"].mu > ladder.rating("nadal", surface="grass").mu
    True
    """

    column: str
    sigma: float | None = None
    tau: float = 0.0
    numeric: bool = False
    traits: tuple[str, ...] | None = None

    personal: ClassVar[bool] = True
    usual: ClassVar[float] = 0.5

    @property
    def weighted(self) -> bool:  # type: ignore[override]
        """The parameter `numeric`.

        >>> By("rest", numeric=True).weighted
        True
        """
        return self.numeric


@dataclass(frozen=True)
class Shared(Facet):
    """Each value of a column has one effect, the same for all players: a colour, a side of the map, a squad size.

    The effect of a value begins as N(mu, sigma²) and is learnt. With `sigma` 0 and `tau` 0, it is given by `mu`.

    The values belong to teams or to players; a value of a whole match would be the same for all sides. The value of a
    team counts once, and the value of a player counts as much as the player's skill. If `per` is "team" or "player",
    it says what the values belong to. Otherwise they belong to players as soon as one match of the history has values
    for players.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill().replace(facets=(pw.facet.Shared("colour", sigma=2.0),)))
    >>> _ = ladder.record([["ann"], ["bob"]], context={"colour": ["white", "black"]})
    >>> ladder.effects["value"].to_list(), ladder.effects["mu"][0] > 0
    (['white', 'black'], True)
    """

    column: str
    sigma: float | None = None
    tau: float = 0.0
    mu: float = 0.0
    traits: tuple[str, ...] | None = None
    per: str | None = None


@dataclass(frozen=True)
class Covariate(Facet):
    """A number is multiplied by one effect, the same for all players: rest days, the length of an answer, a handicap.

    The effect of a unit begins as N(mu, sigma²) and is learnt. With `sigma` 0 and `tau` 0, it is given by `mu`. The
    numbers belong to teams or to players (see `Shared`); a number of a whole match would be the same for all sides.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill().replace(facets=(pw.facet.Covariate("rest", sigma=1.0),)))
    >>> _ = ladder.record([["ann"], ["bob"]], context={"rest": [3, 1]})
    >>> ladder.effects["mu"][0] > 0
    True
    """

    column: str
    sigma: float | None = None
    tau: float = 0.0
    mu: float = 0.0
    traits: tuple[str, ...] | None = None
    per: str | None = None

    weighted = True


@dataclass(frozen=True)
class Experience(Facet):
    """A learning curve, the same for all players: Σ x exp(−played/scale), with a number x for each of the `scales`.

    `played` is the number of matches that a player has played before. The curve ends at 0, so a skill is the skill of
    an experienced player. Each x begins as N(0, sigma²) and is learnt.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill().replace(facets=(pw.facet.Experience((10,), sigma=2.0),)))
    >>> for number in range(10):
    ...     _ = ladder.record([["ann"], [f"newcomer {number}"]])
    >>> ladder.effects["mu"][0] < 0
    True
    """

    column: ClassVar[str] = "experience"  # type: ignore[misc]
    counts_matches: ClassVar[bool] = True
    scales: tuple[float, ...] = (10.0, 100.0)
    sigma: float | None = None
    tau: float = 0.0
    traits: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        scales = self.scales if isinstance(self.scales, list | tuple) else (self.scales,)
        if not 0 < len(scales) <= MOST_SCALES or len(set(scales)) < len(scales):
            raise invalid("scales", f"be up to {MOST_SCALES} different numbers of matches, such as (10, 100)", scales)
        object.__setattr__(self, "scales", tuple(scale("scales", matches) for matches in scales))
        super().__post_init__()

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The scales.

        >>> Experience((10.0,)).arguments
        (10.0,)
        """
        return self.scales
