"""Describe any model as a preset with changed parameters, which is how a league stores and shows its model."""

from __future__ import annotations

from math import isfinite
from typing import Any

from ..errors import Error
from ..model.components.home import Home
from ..model.components.margin import LEARNT
from ..model.compose import DRIFTS
from ..model.model import Model
from ..model.params import fields_of, parameters, spec
from ..model.presets import BUILT_IN
from ..model.registry import BASES, COMPONENTS, addresses
from .leagues import Preset

PARTS = (*BASES, "home")
VARIANTS = ("TSa", "TSb")  # variants of TrueSkill that few people know, so only an exact match is named after them


def preset_of(model: Model) -> Preset:
    """Return the preset that is most similar to a model, with the parameters in which the model differs.

    A component of another kind than in the preset is described by a word, as in `pw.compose`, or else as plain data.
    Facets and statistics are lists of plain data. `preset_of(model).model` equals the model.

    >>> import prowess as pw
    >>> preset_of(pw.TrueSkill(beta=3.0, draw_probability=0.25))
    Preset(name='TrueSkill', parameters={'draw_probability': 0.25, 'beta': 3.0})
    >>> preset_of(pw.TrueSkill().replace(drift=pw.drift.PerTime(0.1)))
    Preset(name='TrueSkill', parameters={'drift': 'time', 'tau': 0.1})
    >>> preset_of(pw.TrueSkill().replace(team=pw.team.Mean()))
    Preset(name='TrueSkill', parameters={'team': {'is': 'Mean'}})
    >>> preset_of(pw.TrueSkill().replace(facets=(pw.facet.By("surface", sigma=2.0),))).parameters["facets"]
    [{'is': 'By', 'column': 'surface', 'sigma': 2.0, 'tau': 0.0, 'numeric': False, 'traits': None}]
    """
    if not model.additions:
        return _preset_without_additions(model)
    lists = {name: [spec(part, COMPONENTS) for part in getattr(model, name)] for name in ("facets", "statistics")}
    lists = {name: parts for name, parts in lists.items() if parts}
    plain = model.replace(facets=(), statistics=())
    found = _preset_without_additions(plain)
    found = Preset(found.name, {**found.parameters, **lists})
    # The parameters of a facet may have the names of other parameters, such as `home_tau` for a column named home.
    return found if found.model == model else Preset(found.name, _components(plain) | lists)


def _preset_without_additions(model: Model) -> Preset:
    name = min(BUILT_IN, key=lambda name: _distance(name, model))
    for words in (_words(model, BUILT_IN[name]()), {}):
        try:
            usual = Preset(name, words).model
            found = Preset(name, words | _differences(model, usual))
            if found.model == model:
                return found
        except Error:  # the preset does not allow such a word
            pass
    # Parameter names are not enough if two inner components have parameters with the same name.
    return Preset(name, _components(model))


def _distance(name: str, model: Model) -> tuple[int, ...]:
    # Presets are compared by their outcome first, which says most about a model, and then by their absorb rule.
    preset = BUILT_IN[name]()
    differing = [part for part in PARTS if _shape(getattr(preset, part)) != _shape(getattr(model, part))]
    values = sum(preset.params.get(name) != value for name, value in model.params.items())
    kinds = type(preset.outcome) is not type(model.outcome), "outcome" in differing, "absorb" in differing
    variant = name in VARIANTS and preset != model
    return *map(int, kinds), variant, len(differing), values


def _shape(component: Any) -> Any:
    """Return the class of a component with the shapes of its inner components; None for a number or a word."""
    own = fields_of(component)
    return (type(component), *map(_shape, own.values())) if own or type(component) in COMPONENTS.values() else None


def _words(model: Model, usual: Model) -> dict[str, Any]:
    """Return the parameters that are words, such as drift="time", for the drift, seasons, newcomers and draws."""
    words: dict[str, Any] = {}
    drift: Any = model.drift.inner or model.drift
    kinds = {kind: word for word, (kind, _) in DRIFTS.items()}
    if type(drift) is not type(usual.drift) and type(drift) in kinds:
        words["drift"] = kinds[type(drift)]
    if model.drift.inner is not None:
        words["seasons"] = f"{model.drift.gap!r}:{model.drift.carry!r}"
    if model.prior.inner is not None:
        words["newcomer_level"] = LEARNT
    if getattr(model.params.get("margin"), "remembers", ()):
        words["draw_probability"] = LEARNT
    return words


def _differences(model: Model, usual: Model) -> dict[str, Any]:
    found: dict[str, Any] = {}
    names = {place: name for name, place in addresses(vars(usual)).items()}
    for part in BASES:
        own, other = getattr(model, part), getattr(usual, part)
        values, defaults = parameters(own), parameters(other)
        changed = {key: value for key, value in values.items() if value != defaults.get(key)}
        if _shape(own) == _shape(other) and all(map(_is_plain, _leaves(changed).values())):
            found |= {names[part, key]: value for key, value in _leaves(changed).items()}
        elif own != other:
            found[part] = spec(own, COMPONENTS)
    if model.home != usual.home:
        values = {} if model.home is None else fields_of(model.home)
        found |= {key: value for key, value in values.items() if value != getattr(Home(), key)} or {"home": None}
    return found | {
        name: value for name, value in _own_parameters(model).items() if value != _own_parameters(usual)[name]
    }


def _leaves(values: dict[str, Any]) -> dict[str, Any]:
    # Changed inner components are left out, because their own parameters are listed, too.
    return {key: value for key, value in values.items() if _shape(value) is None}


def _own_parameters(model: Model) -> dict[str, Any]:
    return {"beta": model.noise, "caution": model.caution, "period": model.period}


def _is_plain(value: Any) -> bool:
    return isinstance(value, (bool, int, str)) or (isinstance(value, float) and isfinite(value))


def _components(model: Model) -> dict[str, Any]:
    plain = model.to_dict()
    return {part: plain[part] for part in PARTS} | _own_parameters(model)
