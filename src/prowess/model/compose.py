"""Change an aspect of any model by a plain word: drift, seasons, home advantage, facets, statistics and more.

`compose` takes the same words as the command line. Where a word leaves the amount open, the amount is a share of the
standard deviation of skills (`skill_sigma`), so that it suits the scale of the model. The constants below are these
shares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np

from ..errors import Error, Option
from ..history import History
from ..history.context.columns import clean_name, column_at, column_names
from ..history.season_breaks import find_season_break
from ..validate import invalid, number
from .components.drift import PerMatch, PerPeriod, PerTime, Seasons, Still
from .components.facet import By, Covariate, Experience, Facet, Shared
from .components.home import Home
from .components.interfaces import Drift
from .components.prior import Newcomers
from .components.statistic import Statistic
from .ladder.facet_rows import no_column
from .model import Model
from .params import change, skill_sigma
from .registry import BASES
from .statistic_words import parse_statistics

# Each share was chosen by the log-evidence of TrueSkill, with the league's share of draws, on the Premier League, AFL,
# international football, ATP tennis and the Call of Duty World League. The best values lie within a factor of three.
DRIFT_PER_YEAR = 1.0 / 8
DRIFT_PER_MATCH = 1.0 / 50
DRIFT_PER_BREAK = 1.0 / 8  # added at the break between two seasons
HOME_WIDTH = 1.0 / 4
HOME_DRIFT = 1.0 / 500  # per match, in units of the width
LEVEL_WIDTH = 1.0 / 5
LEVEL_DRIFT = 1.0 / 20  # per newcomer, in units of the width
CARRY = 0.8  # the share of a skill that is left after a break, as in `Ladder.new_season`
GAP = 60.0
YEAR = 365.25

DRIFTS: dict[str, tuple[type[Drift], str]] = {
    "none": (Still, ""),
    "match": (PerMatch, "tau"),
    "time": (PerTime, "tau"),
    "period": (PerPeriod, "c"),
}
_NUMBER = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
ASPECTS = ("drift", "seasons", "home_advantage", "newcomer_level")
FACETS: dict[str, Callable[[str], Facet]] = {
    "facet": By,
    "slope": lambda column: By(column, numeric=True),
    "shared": Shared,
    "covariate": Covariate,
}
FACET_WORDS = (*FACETS, "experience")
STATISTIC = "statistic"
ADDITION_WORDS = (*FACET_WORDS, STATISTIC)
COLUMN_WORDS = (*FACETS, STATISTIC)  # words whose values are names of columns


def with_drift(model: Model, kind: str, amount: float | None = None) -> Model:
    """Return the model with another drift; a carry-over between seasons stays unchanged.

    `kind` is "none" (`Still`), "match" (`PerMatch`), "time" (`PerTime`) or "period" (`PerPeriod`). `amount` is the
    drift's standard deviation for one match, one unit of time (a day; in models with rating periods, a period) or one
    rating period. By default, a model that already has this kind of drift keeps it. Other models get a fiftieth of the
    standard deviation of skills per match, or an eighth per year (if a unit of time is a day).

    >>> import prowess as pw
    >>> with_drift(pw.TrueSkill(), "time", 0.5).drift
    PerTime(tau=0.5, cap=inf)
    >>> round(with_drift(pw.TS2(), "time").params["tau"] * 365.25**0.5)
    125
    """
    if kind not in DRIFTS:
        raise invalid("drift", f"be one of {', '.join(DRIFTS)}", kind)
    cls, name = DRIFTS[kind]
    own = _drift_within(model)
    if kind != "none" and model.absorb.certain:
        message = "skills cannot drift in this model, because its ratings have no uncertainty; use another model"
        raise Error(message, field="drift", value=kind)
    if kind == "period" and model.period is None:
        message = "this model has no rating periods in which skills could drift; use "
        raise Error(message, Option("drift", "time"), field="drift", value=kind)
    if kind == "none":
        drift: Drift = Still()
    elif isinstance(own, cls) and (amount is not None or getattr(own, name)):
        drift = own if amount is None else change(own, {name: amount})
    else:
        drift = _new_drift(model, kind, amount)
    return model.replace(drift=drift if model.drift.inner is None else change(model.drift, {"within": drift}))


def _drift_within(model: Model) -> Drift:
    return model.drift.inner or model.drift


def _new_drift(model: Model, kind: str, amount: float | None) -> Drift:
    sigma = skill_sigma(model)
    if kind == "match":
        return PerMatch(DRIFT_PER_MATCH * sigma if amount is None else amount)
    # The unit of elapsed time is a day, or a rating period.
    tau = DRIFT_PER_YEAR * sigma * sqrt((model.period or 1.0) / YEAR) if amount is None else amount
    return PerTime(tau) if kind == "time" else PerPeriod(tau, cap=sigma)


def with_seasons(model: Model, gap: float | None = GAP, carry: float = CARRY, season_tau: float | None = None) -> Model:
    """Return the model with a carry-over between seasons, or without seasons if `gap` is None.

    A season begins after more than `gap` days without a match. Then a skill keeps the share `carry` of its distance
    from the newcomers' mean, and moves by N(0, season_tau²), by default an eighth of the standard deviation of skills.
    If the model's uncertainty never changes, as in Elo, `season_tau` is 0 by default.

    >>> import prowess as pw
    >>> with_seasons(pw.TrueSkill(), carry=0.7).drift
    Seasons(within=PerMatch(tau=0.08333333333333333), gap=60.0, carry=0.7, season_tau=1.0416666666666667)
    >>> with_seasons(pw.Elo()).drift
    Seasons(within=Still(), gap=60.0, carry=0.8, season_tau=0.0)
    """
    within = _drift_within(model)
    if gap is None:
        return model.replace(drift=within)
    if season_tau is None:
        steady = model.absorb.certain or model.absorb.keeps_variance
        season_tau = 0.0 if steady else DRIFT_PER_BREAK * skill_sigma(model)
    return model.replace(drift=Seasons(within, gap, carry, season_tau))


def with_home(model: Model, advantage: float | str) -> Model:
    """Return the model with a home advantage: "none", "learnt", or the advantage itself as a number.

    A learnt advantage begins as N(0, home_sigma²), where `home_sigma` is a quarter of the standard deviation of skills.
    Before every match with a home team it moves by `home_tau`, a five-hundredth of `home_sigma`, so that it never stops
    learning. A model that already learns its home advantage keeps it.

    >>> import prowess as pw
    >>> with_home(pw.Elo(), "learnt").home
    Home(home_mu=0.0, home_sigma=100.0, home_tau=0.2)
    >>> with_home(pw.Elo(), 65).home
    Home(home_mu=65.0, home_sigma=0.0, home_tau=0.0)
    """
    if advantage == "none":
        return model.replace(home=None)
    if advantage != "learnt":
        if isinstance(advantage, str):
            raise invalid("home_advantage", "be none, learnt or a number", advantage)
        return model.replace(home=Home(number("home_advantage", advantage)))
    if not model.outcome.gradient:
        message = f"a home advantage cannot be learnt with the outcome {model.outcome!r}; give it as a number, such as "
        raise Error(message, Option("home_advantage", 50), field="home_advantage", value=advantage)
    if model.home is not None and model.home.learnt:
        return model
    width = HOME_WIDTH * skill_sigma(model)
    return model.replace(home=Home(0.0, home_sigma=width, home_tau=HOME_DRIFT * width))


def with_newcomers(model: Model, level: str) -> Model:
    """Return the model with a level of newcomers that is "fixed", or "learnt" from earlier newcomers.

    A learnt level begins as N(m, level_sigma²), where m is the prior's mean and `level_sigma` a fifth of the standard
    deviation of skills. For each newcomer it moves by `level_tau`, a twentieth of `level_sigma`. A model that already
    learns the level keeps it.

    >>> import prowess as pw
    >>> with_newcomers(pw.TS2(), "learnt").prior
    Newcomers(first=Normal(mu=3000.0, sigma=1000.0), level_sigma=200.0, level_tau=10.0, matches=10)
    """
    if level not in ("fixed", "learnt"):
        raise invalid("newcomer_level", "be fixed or learnt", level)
    if level == "fixed":
        return model if model.prior.inner is None else model.replace(prior=model.prior.inner)
    if model.prior.learns:
        return model
    width = LEVEL_WIDTH * skill_sigma(model)
    try:
        return model.replace(prior=Newcomers(model.prior, level_sigma=width, level_tau=LEVEL_DRIFT * width))
    except Error as error:
        # The model knows which components can learn a level; here the error gets the name that the caller used.
        raise Error(*error.pieces, field="newcomer_level", value=level) from None


def compose(model: Model, history: History | None = None, /, **settings: Any) -> Model:
    """Return a model with other aspects, components or parameters; aspects are given as on the command line.

    `drift`: "none", "match", "time" or "period", optionally with an amount, as in "time=0.5" (see `with_drift`).
    `seasons`: "none", the days of a break between seasons, or the column of `history` with the season of each match,
    from which the length of a break is found; optionally with the carry-over, as in "60:0.7" or "season:0.7".
    `home_advantage`: "none", "learnt" or a number. `newcomer_level`: "fixed" or "learnt".

    `facet`, `slope`, `shared` and `covariate` add facets (`facet.By`, `facet.By` with `numeric=True`, `facet.Shared`,
    `facet.Covariate`); each is the name of a column, several names separated by commas, or a list of names.
    `experience` adds a learning curve, and is a number of matches or several, such as "10,100". A facet that the model
    already has stays as it is. If there is a `history`, upper and lower case in the name of a column do not matter, and
    the `sigma` of numbers suits their spread: it is the usual `sigma` for one standard deviation of the column.

    `statistic` adds individual statistics (`statistic.Points`): the name of a column with a number for each player,
    several names separated by commas, or a list. Options follow after colons: "lower" if less is better ("higher" for
    times), the kind "counts", "times" or "quit", "bounded", and "per=mode+map" for columns by whose values the scale
    differs. A colon in the name of a column is written twice ("K::D"). A statistic that the model already has keeps
    everything that the options do not change.

    All other settings are components and parameters, as in `Model.replace`. They also apply to the components that the
    words above create. The default amounts of these components are in proportion to the new `sigma` or `beta`.

    >>> import prowess as pw
    >>> model = pw.compose(pw.TrueSkill(), drift="time", home_advantage="learnt", sigma=4.0)
    >>> model.drift.tau * 365.25**0.5, model.home.home_sigma
    (0.5, 1.0)
    >>> pw.compose(pw.TrueSkill(), drift="time", tau=0.1).drift
    PerTime(tau=0.1, cap=inf)
    >>> pw.compose(pw.TrueSkill(), facet="surface", surface_sigma=2).facets
    (By(column='surface', sigma=2.0, tau=0.0, numeric=False, traits=None),)
    >>> pw.compose(pw.TrueSkill(), statistic="kills,deaths:lower", deaths_gamma=3).statistics[1].gamma
    3.0
    """
    words = words_of(settings)
    additions = {name: settings[name] for name in ADDITION_WORDS if name in settings}
    rest = {name: value for name, value in settings.items() if name not in words and name not in additions}
    if not words and not additions:
        return model.replace(**rest) if rest else model
    # First set the parameters that the model already has, because the amounts depend on the model's scale. At the end
    # set all parameters, because some may belong to a component that a word creates.
    names = {*model.params, "noise", "facets", "statistics", *BASES}
    model = model.replace(**{name: value for name, value in rest.items() if name in names})
    if "drift" in words:
        model = with_drift(model, *_parse_drift(words["drift"]))
    if "seasons" in words:
        model = _compose_seasons(model, words["seasons"], history)
    if "home_advantage" in words:
        model = with_home(model, _number_or_word(words["home_advantage"]))
    if "newcomer_level" in words:
        model = with_newcomers(model, str(_number_or_word(words["newcomer_level"])))
    return _with_additions(model, history, additions, rest) if additions else model.replace(**rest)


def words_of(settings: Mapping[str, Any]) -> dict[str, str | float]:
    """Return the settings that describe aspects of a model by a word or a number, without parameters and components.

    >>> words_of({"drift": "time", "home_advantage": 2, "beta": 3})
    {'drift': 'time', 'home_advantage': 2}
    """
    return {name: settings[name] for name in ASPECTS if isinstance(settings.get(name), str | int | float)}


def _parse_drift(word: object) -> tuple[str, float | None]:
    kind, equals, amount = str(word).partition("=")
    value = _number_or_word(amount) if equals else None
    if isinstance(value, str):
        raise invalid("drift", "be a word such as time, or a word with an amount such as time=0.5", word)
    return kind.strip().lower(), value


def _number_or_word(value: object) -> float | str:
    """Return a number, or text in lowercase without surrounding blanks; "learned" is also accepted for "learnt"."""
    word = str(value).strip().lower()
    try:
        return float(word)
    except ValueError:
        return "learnt" if word == "learned" else word


def parse_seasons(word: object) -> tuple[float | str | None, float]:
    """Parse a value of `seasons`: the days of a break or the name of a column (None for "none"), and the carry-over.

    >>> parse_seasons("season:0.7"), parse_seasons("60"), parse_seasons("none")
    (('season', 0.7), (60.0, 0.8), (None, 0.8))
    """
    parts = re.fullmatch(rf"(.*?)(?::\s*({_NUMBER}))?", str(word).strip(), re.DOTALL)
    assert parts is not None  # both groups may be empty
    place, carry = parts[1].strip(), CARRY if parts[2] is None else float(parts[2])
    if place.lower() == "none":
        return None, carry
    days = re.fullmatch(rf"({_NUMBER})\s*d?", place)
    return (place if days is None else float(days[1])), carry


def _compose_seasons(model: Model, word: object, history: History | None) -> Model:
    place, carry = parse_seasons(word)
    if isinstance(place, str):
        if history is None:
            message = f"{place!r} names a column, but no matches are given; give the length of a break, such as "
            raise Error(message, Option("seasons", 60), field="seasons", value=word)
        place = find_season_break(history, place).gap
    return with_seasons(model, place, carry)


def parse_columns(value: object) -> list[str]:
    """Parse one or more names of columns: text with commas, or a list.

    >>> parse_columns("surface, best_of"), parse_columns(["surface"])
    (['surface', 'best_of'], ['surface'])
    """
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise invalid("a facet", "be the name of a column, such as 'surface'", value, "facets")
    return list(dict.fromkeys(filter(None, map(clean_name, names))))


def find_column(name: str, columns: Sequence[str]) -> str:
    """Return the column that a name means, whatever its case; a name that fits no column, or several, is unchanged.

    >>> find_column("Surface", ["round", "surface"]), find_column("mode", ["round"])
    ('surface', 'mode')
    """
    alike = [column for column in columns if column.casefold() == name.casefold()]
    return alike[0] if len(alike) == 1 and name not in columns else name


def unit_sigma(facet: Facet, skill: float, history: History) -> float | None:
    """Return the `sigma` of a facet of numbers, so that a standard deviation of its column has the usual effect.

    `skill` is the standard deviation of skills. Return None if the column has no spread, or contains no numbers.

    >>> match = {"teams": [["ann"], ["bob"]], "context": {"rest": [10, 30]}}
    >>> unit_sigma(Covariate("rest"), 8.0, History.from_matches([match]))
    0.2
    """
    column = column_at(history, facet.column, "player")
    if column is None or column.kind == "category":
        return None
    numbers = column.to_numpy()
    spread = float(np.std(numbers[~np.isnan(numbers)])) if not np.isnan(numbers).all() else 0.0
    return facet.usual * skill / spread if spread > 0.0 else None


def _with_additions(model: Model, history: History | None, words: Mapping[str, Any], rest: Mapping[str, Any]) -> Model:
    """Add the facets and statistics that words describe, and set parameters, which may be those of the additions."""
    parts = {"facets": _add_facets(model, history, words), "statistics": _add_statistics(model, history, words)}
    try:
        return model.replace(**{**rest, **parts})
    except Error as error:
        if error.field not in (*parts, "period"):
            raise
        word = STATISTIC if error.field == "statistics" else next(iter(words))
        raise _cannot_learn(model, word, error) from None


def _add_facets(model: Model, history: History | None, words: Mapping[str, Any]) -> tuple[Facet, ...]:
    known = () if history is None else column_names(history)
    facets, skill = list(model.facets), skill_sigma(model)
    for word in FACET_WORDS:
        for facet in _facets(word, words[word]) if word in words else ():
            if not facet.counts_matches:
                facet = replace(facet, column=find_column(facet.column, known))  # type: ignore[type-var]
            if (facet.kind, facet.column) in [(own.kind, own.column) for own in facets]:
                continue
            if history is not None:
                _check_sides(model, history, word, facet)
                sigma = unit_sigma(facet, skill, history) if facet.weighted else None
                facet = facet if sigma is None else replace(facet, sigma=sigma)  # type: ignore[type-var]
            facets.append(facet)
    return tuple(facets)


def _add_statistics(model: Model, history: History | None, words: Mapping[str, Any]) -> tuple[Statistic, ...]:
    statistics = {statistic.column: statistic for statistic in model.statistics}
    known = tuple(statistics) if history is None else column_names(history)
    for word in parse_statistics(words.get(STATISTIC, "")):
        spelt = word.spell(lambda name: find_column(name, known))
        for name in (spelt.column, *(spelt.per or ())):
            if history is not None and name not in known:
                raise no_column(name, known, "statistics")
        statistics[spelt.column] = spelt.build(statistics.get(spelt.column))
    return tuple(statistics.values())


def _facets(word: str, value: object) -> list[Facet]:
    if word in FACETS:
        return [FACETS[word](column) for column in parse_columns(value)]
    return [Experience(parse_scales(value))]


def parse_scales(value: object) -> tuple[float, ...]:
    """Parse the scales of a learning curve: a number, text with commas, or a list.

    >>> parse_scales("10, 100"), parse_scales(20)
    ((10.0, 100.0), (20.0,))
    """
    scales = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else [value]
    try:
        return tuple(float(str(scale)) for scale in scales)
    except ValueError:
        raise invalid("experience", "be numbers of matches, such as 10,100", value) from None


def _check_sides(model: Model, history: History, word: str, facet: Facet) -> None:
    """Raise an `Error` if a column has one value for both sides, so that an effect that all players share cancels."""
    column = facet.column
    inner = column in history.team_context or column in history.entry_context
    if facet.personal or inner or column not in history.context or not model.pipeline.levels_cancel:
        return
    personal = "slope" if facet.weighted else "facet"
    message = f"{column!r} is the same for both sides of a match, so its effect would cancel; use "
    rest = ", or a column that has a value for each side"
    raise Error(message, Option(personal, column), rest, field=word, value=column)


def _cannot_learn(model: Model, word: str, error: Error) -> Error:
    reason = "its ratings have no uncertainty" if model.absorb.certain else ""
    if not reason and model.period is not None:
        reason = "it rates all matches of a period at once"
    if not reason:
        return Error(*error.pieces, field=word, value=error.value)
    what = "from statistics" if word == STATISTIC else "facets"
    message = f"this model cannot learn {what}, because {reason}; use another model, such as TrueSkill"
    return Error(message, field=word, value=error.value)
