"""The registry of components by name, and the names of a model's parameters."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from ..errors import Error
from ..plugins import Extensible
from .components import absorb as absorbs
from .components import drift as drifts
from .components import facet as facets
from .components import margin as margins
from .components import outcome as outcomes
from .components import prior as priors
from .components import statistic as statistics
from .components import team as teams
from .components.facet import Facet
from .components.home import Home
from .components.interfaces import Absorb, Drift, Outcome, Prior, TeamFunction
from .components.statistic import Statistic
from .engine.board import Margin
from .params import change, parameters, skill_sigma

if TYPE_CHECKING:
    from .model import Model

BASES = {"prior": Prior, "drift": Drift, "team": TeamFunction, "outcome": Outcome, "absorb": Absorb}


def _check_component(name: str, plugin: object) -> type:
    if not isinstance(plugin, type) or not dataclasses.is_dataclass(plugin):
        raise Error(f"a component must be a frozen dataclass, not {plugin!r}")
    if not issubclass(plugin, (*BASES.values(), Margin)):
        raise Error(f"a component must be a {', '.join(base.__name__ for base in BASES.values())} or Margin")
    if plugin.__name__ != name:
        # saved models refer to components by class name
        raise Error(f"its name must equal the name of its class, {plugin.__name__}")
    return plugin


COMPONENTS: Extensible[type] = Extensible(
    {
        name: getattr(module, name)
        for module in (priors, drifts, teams, outcomes, absorbs, margins, facets, statistics)
        for name in module.__all__
        if dataclasses.is_dataclass(getattr(module, name))
    }
    | {"Home": Home},
    "prowess.components",
    _check_component,
)

# Names of the model's own parameters. A component's parameter of the same name gets a prefix.
RESERVED = {"noise", "beta", "caution", "period", "home", "facets", "statistics", *BASES, *parameters(Home())}
FACET_PARAMETERS = ("sigma", "tau", "mu", "omega", "gamma", "eta", "margin")


def addresses(parts: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the component and the key of every parameter, by its unique name.

    >>> import prowess as pw
    >>> addresses(vars(pw.TrueSkill()))["tau"]
    ('drift', 'tau')
    """
    pairs = [(part, key) for part in BASES for key in parameters(parts[part])]
    counts = Counter(key for _, key in pairs)
    unique = {key for key, times in counts.items() if times == 1 and key not in RESERVED}
    return {key if key in unique else f"{part}_{key}": (part, key) for part, key in pairs}


def facet_addresses(parts: Mapping[str, Any]) -> dict[str, tuple[int, str]]:
    """Return the index and the key of every parameter of facets and statistics, by its unique name.

    Statistics are counted after the facets.

    >>> import prowess as pw
    >>> list(facet_addresses(vars(pw.TrueSkill().replace(facets=(pw.facet.By("surface"),)))))
    ['surface_sigma', 'surface_tau']
    """
    own = (*_as_tuple(parts["facets"]), *_as_tuple(parts["statistics"]))
    if not all(isinstance(facet, Facet | Statistic) for facet in own):
        return {}  # the model will raise an error
    keys = unique_keys(own, {*RESERVED, *addresses(parts)})
    return {
        f"{key}_{name}": (index, name)
        for index, (key, facet) in enumerate(zip(keys, own, strict=True))
        for name in _parameter_names(facet)
    }


def unique_keys(own: Sequence[Facet | Statistic], taken: Collection[str] = ()) -> list[str]:
    """Return a different key for each facet or statistic, from which names of parameters and columns are made.

    If several have the same key, or if a parameter would have one of the names in `taken`, the kind is added in front;
    if this is not enough, a number is added, too.

    >>> unique_keys([statistics.Points("Kills"), statistics.Counts("First serves"), statistics.Points("kills")])
    ['points_kills', 'first_serves', 'points_kills_2']
    """
    counts = Counter(facet.key for facet in own)
    keys: list[str] = []
    for facet in own:
        clash = counts[facet.key] > 1 or any(f"{facet.key}_{name}" in taken for name in _parameter_names(facet))
        key = f"{facet.kind}_{facet.key}" if clash else facet.key
        numbered = (f"{key}_{number}" for number in count(2))
        keys.append(next(name for name in chain([key], numbered) if name not in keys))
    return keys


def _parameter_names(facet: Facet | Statistic) -> list[str]:
    return [name for name in FACET_PARAMETERS if name in parameters(facet)]


def check_facets(model: Model) -> tuple[Facet, ...]:
    """Return the facets of a model with their usual numbers where none are given; raise an `Error` if they do not fit.

    >>> import prowess as pw
    >>> pw.Elo().replace(facets=(pw.facet.By("surface"),))
    Traceback (most recent call last):
    ...
    prowess.Error: By('surface') needs a system with uncertainty, such as TrueSkill; this one accepts only given \
offsets, such as Shared('surface', mu=1, sigma=0)
    """
    own = _as_tuple(model.facets)
    for facet in own:
        if not isinstance(facet, Facet) or type(facet) is Facet:
            message = f"facets must be a tuple of facets, such as (By('surface'),), not {facet!r}"
            raise Error(message, field="facets", value=facet)
        _check_facet(model, facet)
    names = [(facet.kind, facet.column) for facet in own]
    for name in names:
        if names.count(name) > 1:
            raise Error(f"the facet {name[0]} {name[1]!r} is given twice", field="facets", value=name[1])
    if all(facet.sigma is not None for facet in own):
        return own
    sigma = skill_sigma(dataclasses.replace(model, facets=(), statistics=()))
    return tuple(facet.with_sigma(sigma) for facet in own)


def check_statistics(model: Model) -> tuple[Statistic, ...]:
    """Return the statistics of a model with their usual numbers; raise an `Error` if they do not fit the model.

    >>> import prowess as pw
    >>> pw.Elo().replace(statistics=(pw.statistic.Points("kills"),))
    Traceback (most recent call last):
    ...
    prowess.Error: statistics need a system with uncertainty, such as TrueSkill
    """
    own = _as_tuple(model.statistics)
    if not own:
        return ()
    for statistic in own:
        if not isinstance(statistic, Statistic) or type(statistic) is Statistic:
            message = f"statistics must be a tuple of statistics, such as (Points('kills'),), not {statistic!r}"
            raise Error(message, field="statistics", value=statistic)
        if statistic.trait is not None and statistic.trait not in model.outcome.traits:
            have = ", ".join(model.outcome.traits)
            message = f"{statistic.column!r}: this model has no trait {statistic.trait!r}; choose from {have}"
            raise Error(message, field="statistics", value=statistic.trait)
    names = [statistic.column for statistic in own]
    for name in names:
        if names.count(name) > 1:
            raise Error(f"the statistic {name!r} is given twice", field="statistics", value=name)
        if name in [facet.column for facet in model.facets]:
            message = f"{name!r} is a statistic, which is known only after the match, so it cannot be a facet, too"
            raise Error(message, field="statistics", value=name)
    if model.absorb.certain or model.absorb.extras:
        need = "a system with uncertainty, such as TrueSkill" if model.absorb.certain else "the rule Moment or Newton"
        raise Error(f"statistics need {need}", field="statistics")
    if model.period is not None:
        message = "statistics are learnt match by match, not by rating periods; set period=None"
        raise Error(message, field="period", value=model.period)
    sigma = skill_sigma(dataclasses.replace(model, facets=(), statistics=()))
    return tuple(statistic.with_scale((sigma**2 + model.noise**2) ** 0.5) for statistic in own)


def _as_tuple(facets: Any) -> tuple[Any, ...]:
    return tuple(facets) if isinstance(facets, list | tuple) else (facets,)


def _check_facet(model: Model, facet: Facet) -> None:
    absorb, what = model.absorb, f"{type(facet).__name__}({facet.column!r})"
    unknown = [name for name in facet.traits or () if name not in model.outcome.traits]
    if unknown:
        have = ", ".join(model.outcome.traits)
        raise Error(
            f"{what}: this model has no trait {unknown[0]!r}; choose from {have}", field="facets", value=unknown[0]
        )
    if not facet.learnt:
        return
    if absorb.certain or absorb.extras or absorb.keeps_variance:
        need = "a system with uncertainty, such as TrueSkill" if absorb.certain else "the absorb rule Moment or Newton"
        example = f"Shared({facet.column!r}, mu=1, sigma=0)"
        message = f"{what} needs {need}; this one accepts only given offsets, such as {example}"
        raise Error(message, field="facets", value=facet.column)
    if model.period is not None:
        message = f"{what} is learnt match by match, not by rating periods; set period=None"
        raise Error(message, field="period", value=model.period)
    if not model.outcome.gradient:
        message = f"{what} cannot be learnt with the outcome {model.outcome!r}; set its sigma to 0"
        raise Error(message, field="facets", value=facet.column)


def replace_fields(own: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a model after changing components or parameters.

    >>> import prowess as pw
    >>> replace_fields(vars(pw.TrueSkill()), {"tau": 1.0})["drift"]
    PerMatch(tau=1.0)
    """
    rest = {("noise" if name == "beta" else name): value for name, value in changes.items()}
    parts = dict(own) | {name: rest.pop(name) for name in list(rest) if name in own}
    for _ in range(2):  # a component that is set here brings parameters, which may be set in the same call
        by_part: dict[str, dict[str, Any]] = {}
        for name, (part, key) in addresses(parts).items():
            if name in rest:
                by_part.setdefault(part, {})[key] = rest.pop(name)
        parts |= {part: change(parts[part], new) for part, new in by_part.items()}
    by_facet: dict[int, dict[str, Any]] = {}
    for name, (index, key) in facet_addresses(parts).items():
        if name in rest:
            by_facet.setdefault(index, {})[key] = rest.pop(name)
    if by_facet:
        first = len(_as_tuple(parts["facets"]))
        both = (*_as_tuple(parts["facets"]), *_as_tuple(parts["statistics"]))
        new = [dataclasses.replace(facet, **by_facet.get(index, {})) for index, facet in enumerate(both)]
        parts["facets"], parts["statistics"] = tuple(new[:first]), tuple(new[first:])
    hosted = {key: rest.pop(key) for key in parameters(Home()) if key in rest}
    if hosted:
        parts["home"] = dataclasses.replace(parts["home"] or Home(), **hosted)
    if rest:
        named = [*addresses(own), *facet_addresses(parts), *parameters(Home())]
        names = ["noise", "beta", *named, "caution", "period", "home", "facets", "statistics", *BASES]
        unknown = next(iter(rest))
        raise Error(f"unknown parameter {unknown!r}; choose one of {', '.join(names)}", field=unknown)
    return parts
