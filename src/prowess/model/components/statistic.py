"""Individual statistics: what a box score says about the performances of players, besides the result.

A result says who won; kills, points or lap times say who played well. A statistic y of a player is one more noisy
observation of the player's performance p in the match:

    y = c + ω (p − η · mean of the opponents' p) + N(0, γ²/share played)

The offset c is unknown in every match, so only differences between the players of a match count. Forecasts never use
the statistics of their match.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...history.context.columns import clean_name
from ...validate import invalid, number, scale
from ..params import Range

__all__ = ["Counts", "Points", "Quit", "Statistic", "Times"]

Floats = NDArray[np.float64]
AnyStatistic = TypeVar("AnyStatistic", bound="Statistic")


class Statistic:
    """The base class of all statistics. Use one of the classes `Points`, `Counts`, `Times` and `Quit`.

    >>> import prowess as pw
    >>> isinstance(pw.statistic.Points("kills"), Statistic)
    True
    """

    column: str
    omega: float | None
    gamma: float | None
    eta: float
    per: tuple[str, ...] | None
    lower: bool
    bounded: bool
    trait: str | None

    personal: ClassVar[bool] = False  # the mean and spread of earlier values belong to the league
    weighted: ClassVar[bool] = False
    counts_matches: ClassVar[bool] = False
    learnt: ClassVar[bool] = True
    yes_no: ClassVar[bool] = False  # whether a value says only whether something happened
    needs: ClassVar[str] = "a number is needed"  # what is wrong with a value that `transform` turns into NaN

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {"bounded": _check_flag("bounded", self.bounded)}
        if not isinstance(self.column, str) or not clean_name(self.column):
            raise invalid("column", "be the name of a column, such as 'kills'", self.column)
        checked["column"] = clean_name(self.column)
        if self.trait is not None and not isinstance(self.trait, str):
            raise invalid("trait", "be the name of a trait, such as 'offence'", self.trait)
        if not self.yes_no:
            checked["per"] = _check_columns(self.per)
            checked["eta"] = number("eta", self.eta)
            checked["lower"] = _check_flag("lower", self.lower)
            for name in ("omega", "gamma"):
                if getattr(self, name) is not None:
                    checked[name] = scale(name, getattr(self, name), zero=name == "gamma")
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def key(self) -> str:
        """The first part of the names of the statistic's parameters, such as `kills` in `kills_gamma`.

        >>> Points("First serves").key
        'first_serves'
        """
        return re.sub(r"\W+", "_", self.column).strip("_").lower() or "statistic"

    @property
    def kind(self) -> str:
        """The kind of the statistic in one word: points, counts, times or quit.

        >>> Times("lap").kind
        'times'
        """
        return type(self).__name__.lower()

    @property
    def tunable(self) -> dict[str, Range]:
        """The parameters that can be tuned.

        >>> list(Points("kills").tunable), list(Points("kills", eta=0.5).tunable)
        (['omega', 'gamma'], ['omega', 'gamma', 'eta'])
        """
        spans = {
            "omega": Range(0.01, 100, log=True, unit="value"),
            "gamma": Range(0.01, 100, log=True, unit="value"),
        }
        return spans | ({"eta": Range(0, 2)} if self.eta != 0.0 else {})

    def with_scale(self: AnyStatistic, performance: float) -> AnyStatistic:
        """Return the statistic with its usual numbers where none are given.

        `performance` is the standard deviation of performances. By default, the noise of a statistic has
        twice the standard deviation of its signal.

        >>> Points("kills").with_scale(4.0).omega
        0.25
        """
        omega = 1.0 / performance if self.omega is None and performance > 0.0 else self.omega
        return replace(self, omega=omega, gamma=2.0 if self.gamma is None else self.gamma)  # type: ignore[type-var]

    def transform(self, values: Floats) -> Floats:
        """Return the numbers that are compared with performances; higher is better.

        >>> Points("deaths", lower=True).transform(np.array([3.0]))
        array([-3.])
        """
        return -values if self.lower else values


def _check_flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise invalid(name, "be True or False", value)
    return value


def _check_columns(per: Any) -> tuple[str, ...] | None:
    if per is None:
        return None
    names = (per,) if isinstance(per, str) else tuple(per) if isinstance(per, list | tuple) else (None,)
    if not all(isinstance(name, str) and clean_name(name) for name in names):
        raise invalid("per", "be names of columns, such as ('mode', 'map')", per)
    return tuple(clean_name(name) for name in names)


@dataclass(frozen=True)
class Points(Statistic):
    """A number that says how well a player played: kills, points, damage; with `lower`, deaths or fouls.

    Numbers are compared on the scale of their standard deviation in earlier matches, so that `gamma` and `omega` mean
    the same everywhere. `per` names the columns of the context by which this scale differs, such as ("mode", "map");
    values are used as soon as 20 earlier values of their kind are known. With `per=None`, numbers are used as they are.

    `omega` is how much the statistic grows with the performance, by default 1 divided by the standard deviation of
    performances. `gamma` is the standard deviation of the noise, by default 2. `eta` is how much it shrinks if the
    opponents play well: 0 for points in a race, 1 for a duel. If `bounded` is true, no rating moves against the result
    of its match, so that losing never pays. In models with several traits, the statistic depends on `trait`, by
    default the first one.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill().replace(statistics=(pw.statistic.Points("kills", gamma=2.0, per=None),)))
    >>> teams = [["ann", "bob"], ["cat", "dan"]]
    >>> rated = ladder.record(teams, statistics={"kills": [[9, 2], [5, 4]]})
    >>> rated[0][0].mu > rated[0][1].mu
    True
    """

    column: str
    omega: float | None = None
    gamma: float | None = None
    eta: float = 0.0
    per: tuple[str, ...] | None = ()
    lower: bool = False
    bounded: bool = False
    trait: str | None = None


@dataclass(frozen=True)
class Counts(Points):
    """A number of rare events, such as goals or aces: as `Points`, of the square root of the number.

    The square root 2√(n + 3/8) of a Poisson count has a standard deviation of about 1, whatever its mean, so that a
    player with many events is not noisier than one with few.

    >>> import numpy as np
    >>> Counts("goals").transform(np.array([0.0, 1.0])).round(2)
    array([1.22, 2.35])
    """

    needs: ClassVar[str] = "a count cannot be negative"

    def transform(self, values: Floats) -> Floats:
        """Return ±2√(n + 3/8); NaN for negative numbers.

        >>> Counts("errors", lower=True).transform(np.array([1.0])).round(2)
        array([-2.35])
        """
        counts = np.where(values >= 0.0, values, np.nan)
        return super().transform(2.0 * np.sqrt(counts + 0.375))


@dataclass(frozen=True)
class Times(Points):
    """A time, such as a lap time or the time to finish, where less is better: as `Points`, of the logarithm.

    With `lower=False`, more is better, such as the time that a player survived.

    >>> import numpy as np
    >>> Times("lap").transform(np.array([1.0, np.e]))
    array([-0., -1.])
    """

    lower: bool = True
    needs: ClassVar[str] = "a time must be above 0; leave it out if there is none"

    def transform(self, values: Floats) -> Floats:
        """Return ±log(time); NaN for times that are not above 0.

        >>> Times("survived", lower=False).transform(np.array([1.0, 0.0]))
        array([ 0., nan])
        """
        times = np.where(values > 0.0, values, np.nan)
        return super().transform(np.log(times))


@dataclass(frozen=True)
class Quit(Statistic):
    """A player who quits (a value above 0) has played worse than the opponents, by more than `margin`.

    This observes the quitter only. Without it, a quit matters only through the share of the match that was played,
    which belongs in `weights`.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill().replace(statistics=(pw.statistic.Quit("left"),)))
    >>> teams = [["ann", "bob"], ["cat", "dan"]]
    >>> rated = ladder.record(teams, statistics={"left": [[0, 1], [0, 0]]})
    >>> rated[0][0].mu > rated[0][1].mu
    True
    """

    column: str
    margin: float = 0.0
    bounded: bool = False
    trait: str | None = None

    yes_no: ClassVar[bool] = True
    omega: ClassVar[float | None] = None  # type: ignore[misc]
    gamma: ClassVar[float | None] = None  # type: ignore[misc]
    eta: ClassVar[float] = 0.0  # type: ignore[misc]
    per: ClassVar[tuple[str, ...] | None] = None  # type: ignore[misc]
    lower: ClassVar[bool] = False  # type: ignore[misc]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "margin", number("margin", self.margin))

    @property
    def tunable(self) -> dict[str, Range]:
        """The parameter `margin`.

        >>> list(Quit("left").tunable)
        ['margin']
        """
        return {"margin": Range(-1, 1, unit="sigma")}

    def with_scale(self, performance: float) -> Quit:
        """Return the statistic itself, because it has no scale.

        >>> Quit("left").with_scale(4.0)
        Quit(column='left', margin=0.0, bounded=False, trait=None)
        """
        return self
