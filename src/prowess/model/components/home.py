"""The home advantage; it can also stand for a similar advantage, such as moving first or having a better seat."""

from __future__ import annotations

from dataclasses import dataclass

from ...validate import number, scale
from ..params import Range

__all__ = ["Home"]


@dataclass(frozen=True)
class Home:
    """The home team performs better by N(home_mu, home_sigma²), in every trait.

    With `home_sigma` 0 the advantage is fixed. Otherwise the advantage is learnt like the skill of one more player, who
    is in every home team; `home_tau` lets the advantage drift before every match.

    >>> import prowess as pw
    >>> model = pw.TrueSkill().replace(home=pw.Home(2.0))
    >>> model.predict([[model.rating()], [model.rating()]], home=0).win.round(3)
    array([0.538, 0.418])
    """

    home_mu: float = 0.0
    home_sigma: float = 0.0
    home_tau: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "home_mu", number("home_mu", self.home_mu))
        object.__setattr__(self, "home_sigma", scale("home_sigma", self.home_sigma, zero=True))
        object.__setattr__(self, "home_tau", scale("home_tau", self.home_tau, zero=True))

    @property
    def learnt(self) -> bool:
        """True if the advantage is learnt from matches.

        >>> Home(2.0).learnt, Home(0.0, home_sigma=1.0).learnt
        (False, True)
        """
        return self.home_sigma > 0.0 or self.home_tau > 0.0

    @property
    def tunable(self) -> dict[str, Range]:
        """The parameters that can be tuned: `home_mu` if the advantage is fixed, otherwise `home_sigma` and `home_tau`.

        A learnt advantage soon forgets its initial mean, so matches cannot determine the best `home_mu`.

        >>> list(Home(2.0).tunable), list(Home(0.0, home_sigma=1.0).tunable)
        (['home_mu'], ['home_sigma', 'home_tau'])
        """
        if not self.learnt:
            return {"home_mu": Range(-1, 1, unit="sigma")}
        return {
            "home_sigma": Range(0.001, 1, log=True, unit="sigma"),
            "home_tau": Range(0.00001, 0.1, log=True, unit="sigma"),
        }
