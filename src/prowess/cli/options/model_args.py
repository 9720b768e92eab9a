"""The options of the rating system, such as --model, --set and --drift, and their shell completion."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any

import typer

from ... import History, Ladder, Model
from ...errors import Error
from ...history.context.columns import column_at
from ...history.read_options import Besides, Choices, IfPresent
from ...history.season_breaks import SeasonBreak, find_season_break
from ...model.components.facet import Facet
from ...model.components.statistic import Statistic
from ...model.compose import (
    ADDITION_WORDS,
    ASPECTS,
    COLUMN_WORDS,
    DRIFTS,
    GAP,
    STATISTIC,
    compose,
    find_column,
    parse_columns,
    parse_scales,
    parse_seasons,
    words_of,
)
from ...model.ladder.facet_rows import check_columns
from ...model.params import parameters
from ...model.presets import PRESETS, TrueSkill2, preset
from ...model.registry import BASES, COMPONENTS, facet_addresses
from ...model.statistic_words import parse_statistics
from ...text import count
from ..output.console import note
from .read_args import EVERY, make_option, parse_pairs, split_words

PANEL = "Rating system"
AUTO = "auto"  # a model that is chosen for the matches
TRUESKILL2 = "TrueSkill2"  # not a preset, because the options name its columns
NAMES = (*PRESETS.names, TRUESKILL2)  # of the models that --model takes
DEFAULT = "TrueSkill"  # the model if settings are given without --model, or if the command cannot choose a model
LADDER_EXTENSION = ".prowess"
MISSING_COLUMNS = (
    "only adds a learning curve without the names of columns; add --facet for game modes, --statistic for kills or "
    "deaths, and --shared for squads"
)
MANY_NUMBERS = 50  # a column with more different numbers is probably meant for --slope, not for --facet


def complete_model(incomplete: str) -> list[str]:
    """List the models whose names begin with a text; keep the case of the typed letters, as shells expect.

    >>> complete_model("ts2"), complete_model("GL"), complete_model("a")
    (['ts2', 'ts2a', 'ts2b', 'ts2c'], ['GLicko', 'GLicko2'], ['auto'])
    """
    matching = [name for name in (AUTO, *NAMES) if name.lower().startswith(incomplete.lower())]
    return [incomplete + name[len(incomplete) :] for name in matching]


def one_of(*words: str) -> Callable[[str], list[str]]:
    """Return the shell completion for an option that takes one of a few words."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def complete_parameter(ctx: typer.Context, incomplete: str) -> list[str]:
    """List the parameters of the model given on the command line; after "=", list the parameter's default value."""
    try:
        # Completion must not print an error into the line that is being typed.
        words = {name: ctx.params.get(name) for name in (*ASPECTS, *ADDITION_WORDS)}
        choice = make_choice(ctx.params.get("model"), None, **words)
        params = choice.build_without_history().params
    except Error:
        return []
    plain = {name: value for name, value in params.items() if isinstance(value, (bool, int, float, str))}
    name, equals, _ = incomplete.partition("=")
    if equals:
        return [f"{name}={plain[name]}"] if name in plain else []
    return [f"{parameter}=" for parameter in plain if parameter.startswith(name)]


PRESET_HELP = (
    f"{AUTO}, which chooses a model for the matches of an empty league; or one of {', '.join(PRESETS.names)}. "
    f"(default: {AUTO}; {DEFAULT} if one of the following options is given)"
)
MODEL_HELP = f"One of {', '.join(NAMES)}, or a saved ladder, whose model is used. (default: {DEFAULT})"
AUTO_HELP = (
    f"{AUTO}, which chooses a model for the matches; or one of {', '.join(NAMES)}; or a saved ladder, whose "
    f"model is used. (default: {AUTO}; {DEFAULT} with --set, --drift, --seasons, --home-advantage or "
    "--newcomer-level)"
)
SET_HELP = "Set a parameter (beta=3) or a component (team=Mean); may be repeated."
DRIFT_HELP = (
    f"How skills change between matches: {', '.join(DRIFTS)}; add an amount as in time=0.5. (default: as in the model)"
)
SEASONS_HELP = (
    "Move skills towards the mean when a season starts: give the column with the season, or how many days of break "
    "start a season (60). Add the share of skill that carries over as in season:0.7. (default: none)"
)
HOME_HELP = "The home advantage: none, learnt or a number. (default: none)"
LEVEL_HELP = "The level of new players: fixed, or learnt from earlier new players. (default: fixed)"
FACET_HELP = "Columns, such as surface, for whose values each player's skill may differ; may be repeated."
SLOPE_HELP = "Columns of numbers, such as rest, that matter more to some players than to others; may be repeated."
SHARED_HELP = "Columns, such as side, whose values have an effect that is the same for all players; may be repeated."
COVARIATE_HELP = "Columns of numbers, such as length, with an effect that is the same for all players; may be repeated."
EXPERIENCE_HELP = "A learning curve that all players share: it levels off after about so many matches."
STATISTIC_HELP = (
    "Columns, such as kills, with a number for each player that shows how well they played. Add :lower if less is "
    "better, :counts, :times, :quit, :bounded, or :per=mode to compare within each mode; may be repeated."
)
_ADDITION_OPTIONS = [
    make_option("facet", list[str] | None, PANEL, metavar="COLUMN", help=FACET_HELP),
    make_option("slope", list[str] | None, PANEL, metavar="COLUMN", help=SLOPE_HELP),
    make_option("shared", list[str] | None, PANEL, metavar="COLUMN", help=SHARED_HELP),
    make_option("covariate", list[str] | None, PANEL, metavar="COLUMN", help=COVARIATE_HELP),
    make_option("experience", str | None, PANEL, metavar="10,100", help=EXPERIENCE_HELP),
    make_option("statistic", list[str] | None, PANEL, metavar="COLUMN", help=STATISTIC_HELP),
]
_SETTING_OPTIONS = [
    make_option("set", list[str] | None, PANEL, metavar="NAME=VALUE", help=SET_HELP, autocompletion=complete_parameter),
    make_option("drift", str | None, PANEL, metavar="WORD", help=DRIFT_HELP, autocompletion=one_of(*DRIFTS)),
    make_option("seasons", str | None, PANEL, metavar="COLUMN|DAYS", help=SEASONS_HELP, autocompletion=one_of("none")),
    make_option(
        "home_advantage", str | None, PANEL, metavar="WORD", help=HOME_HELP, autocompletion=one_of("none", "learnt")
    ),
    make_option(
        "newcomer_level", str | None, PANEL, metavar="WORD", help=LEVEL_HELP, autocompletion=one_of("fixed", "learnt")
    ),
]


def _model_options(help: str) -> list[inspect.Parameter]:
    named = make_option("model", str | None, PANEL, metavar="NAME", help=help, autocompletion=complete_model)
    return [named, *_SETTING_OPTIONS]


PLAIN_OPTIONS = _model_options(MODEL_HELP)
MODEL_OPTIONS = [*PLAIN_OPTIONS, *_ADDITION_OPTIONS]
PRESET_OPTIONS = _model_options(PRESET_HELP)
AUTO_OPTIONS = [*_model_options(AUTO_HELP), *_ADDITION_OPTIONS]


@dataclass(frozen=True)
class ModelChoice:
    """A model as it is given on the command line: a preset or a saved ladder, and settings as text.

    The name "auto" means that `choosing.choose_model` chooses a model for the matches. Then all settings are facets
    that this model must have.

    >>> ModelChoice("elo", {"k": "20", "home_advantage": "65"}).build().params["home_mu"]
    65.0
    """

    name: str = DEFAULT
    settings: Mapping[str, str | None] = field(default_factory=dict)
    assumed: bool = False  # settings were given without --model, so the name is `DEFAULT`

    @property
    def auto(self) -> bool:
        """Whether a model is to be chosen for the matches."""
        return self.name.lower() == AUTO

    @property
    def season_column(self) -> str | None:
        """The column with the seasons, if --seasons names one."""
        place, _ = parse_seasons(self.settings.get("seasons") or "none")
        return place if isinstance(place, str) else None

    @property
    def needs_history(self) -> bool:
        """Whether the model depends on the matches, which have the columns of its seasons, facets and statistics."""
        return self.auto or self.season_column is not None or bool(self._column_words)

    @property
    def _column_words(self) -> dict[str, str]:
        """The settings that name columns of facets and statistics."""
        return {name: text for name in COLUMN_WORDS if (text := self.settings.get(name)) is not None}

    def add_columns(self, choices: Choices) -> Choices:
        """Add the columns of seasons, facets and statistics, if there are any, to the choices for reading a file."""
        if self.auto:
            return self._add_all_columns(choices)
        seasons = [] if self.season_column is None else [self.season_column]
        return add_context(choices, [*seasons, *self.build_without_history().context_columns])

    def _add_all_columns(self, choices: Choices) -> Choices:
        columns = self._textbook.build().context_columns
        if choices.context is None:
            return replace(choices, context=Besides(columns) if columns else EVERY)
        return add_context(choices, columns)

    @property
    def _textbook(self) -> ModelChoice:
        return replace(self, name=DEFAULT)

    def named_additions(self, history: History) -> tuple[tuple[Facet, ...], tuple[Statistic, ...]]:
        """Return the facets and statistics that a model chosen for the matches must have; their numbers are not set.

        Raises `Error` if a column is missing, or does not suit its facet.
        """
        if not self.settings:
            return (), ()
        model = self._textbook.build(history)
        return tuple(map(_without_numbers, model.facets)), model.statistics

    def build(self, history: History | None = None) -> Model:
        """Build the model; `history` shows where seasons begin, and has the columns of facets and statistics."""
        settings = self.values()
        if history is not None:
            _note_missing_data(settings, history)
            if self._is_trueskill2 and not self._column_words:
                note(f"{TRUESKILL2} {MISSING_COLUMNS}")
        try:
            resolved = self if history is None else self.resolve(history)
            settings = resolved.values()
            model = compose(resolved._base(), **settings)
            if history is not None:
                check_columns(model, history)
            return model
        # A value of the wrong type fails inside a component, with any of these errors.
        except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
            # No prefix if the message already names the parameter, or the error has nothing to do with a setting.
            if isinstance(error, Error) and (error.field in settings or not self.settings):
                raise
            flags = " ".join(_flag(name, text) for name, text in self.settings.items())
            wrapped = error if isinstance(error, Error) else Error(str(error))
            raise wrapped.within(f"{flags}: ") from error

    def _base(self) -> Model:
        if self.name.lower().endswith(LADDER_EXTENSION):
            return Ladder.load(self.name).model
        if not self._is_trueskill2:
            return preset(self.name)()
        words = {name: self.settings.get(name) or "" for name in ("facet", "shared", STATISTIC)}
        modes, squads = parse_columns(words["facet"]), parse_columns(words["shared"])
        statistics = [word.text for word in parse_statistics(words[STATISTIC])]
        values = self.values()
        more = {"sigma": values["sigma"]} if "sigma" in values else {}
        more |= {"experience": parse_scales(values["experience"])} if "experience" in values else {}
        return TrueSkill2(modes, statistics, squads, **more)

    @property
    def _is_trueskill2(self) -> bool:
        return self.name.lower() == TRUESKILL2.lower()

    def build_without_history(self) -> Model:
        """Build the model before the matches are known.

        If a column names the seasons, the length of the break between them is not known yet; the usual one is assumed.
        """
        return (self if self.season_column is None else self._with_gap(GAP)).build()

    def values(self) -> dict[str, Any]:
        """Return the settings as values: numbers, words and components."""
        return {name: _parse_value(name, text) for name, text in self.settings.items()}

    def resolve(self, history: History) -> ModelChoice:
        """Replace settings that depend on the matches by settings that do not.

        A season column is replaced by the length of the break that separates its seasons, which is printed. Names of
        columns get the case that they have in the file, and facets of numbers the sigma that suits the numbers.
        """
        return self._resolve_seasons(history)._resolve_columns(history)

    def _resolve_columns(self, history: History) -> ModelChoice:
        if not self._column_words:
            return self
        spelt = self._spell_columns([*history.context, *history.team_context, *history.entry_context])
        before, after = (compose(spelt._base(), *given, **spelt.values()).params for given in ((), (history,)))
        return spelt.change({name: repr(value) for name, value in after.items() if before[name] != value})

    def _spell_columns(self, columns: Sequence[str]) -> ModelChoice:
        find = partial(find_column, columns=columns)
        words = self._column_words
        spelt = {name: [*map(find, parse_columns(text))] for name, text in words.items() if name != STATISTIC}
        if STATISTIC in words:
            spelt[STATISTIC] = [word.spell(find).text for word in parse_statistics(words[STATISTIC])]
        return self.change({name: ",".join(texts) for name, texts in spelt.items()})

    def _resolve_seasons(self, history: History) -> ModelChoice:
        column = self.season_column
        if column is None:
            return self
        found = find_season_break(history, column)
        text = (
            f"seasons by column {column!r}: a season begins after a break of more than {_describe_gap(history, found)}"
        )
        if found.missed:
            text += f"; {100 * found.missed / found.starts:.0f} % of the players' seasons began after a shorter break"
        note(text)
        return self._with_gap(found.gap)

    def change(self, settings: Mapping[str, str]) -> ModelChoice:
        """Return the choice with some settings added or replaced."""
        return replace(self, settings={**self.settings, **settings})

    def _with_gap(self, gap: float) -> ModelChoice:
        _, carry = parse_seasons(self.settings["seasons"])
        return self.change({"seasons": f"{gap!r}:{carry!r}"})

    def describes(self, model: Model) -> bool:
        """Return whether these options describe `model`.

        If the options name a season column, the break between the seasons of `model` may have any length. If they name
        a column of numbers, its effect may have any sigma, unless they also set it. If they name only facets, `model`
        may be any model with these facets.
        """
        if self.auto:
            spelt = self._textbook._spell_columns(model.context_columns)
            known = [_without_numbers(facet) for facet in model.facets]
            built = spelt.build_without_history()
            named = [_without_numbers(facet) for facet in built.facets]
            observed = {(one.kind, one.column) for one in model.statistics}
            asked = {(one.kind, one.column) for one in built.statistics}
            return bool(named or asked) and all(facet in known for facet in named) and asked <= observed
        choice = self
        if self.season_column is not None:
            gap = parameters(model.drift).get("gap")
            if gap is None:
                return False
            choice = self._with_gap(gap)
        return choice._with_facets_of(model).build() == model

    def _with_facets_of(self, model: Model) -> ModelChoice:
        """Return the choice with the names of columns and the sigmas of facets of numbers as in `model`."""
        if not self._column_words and "experience" not in self.settings:
            return self
        choice = self._spell_columns(model.context_columns)
        sigmas = {
            name: repr(model.facets[index].sigma)
            for name, (index, key) in facet_addresses(vars(model)).items()
            if key == "sigma" and model.facets[index].weighted and name not in self.settings
        }
        known = choice.build_without_history().params
        return choice.change({name: text for name, text in sigmas.items() if name in known})


def _without_numbers(facet: Facet) -> Facet:
    return replace(facet, sigma=None, tau=0.0)  # type: ignore[type-var]


def add_context(choices: Choices, columns: Sequence[str]) -> Choices:
    """Add context columns to the choices for reading a file.

    >>> add_context(Choices(context=["round"]), ["surface"]).context
    ('round', 'surface')
    """
    context = choices.context
    if not columns or context is EVERY:
        return choices
    given = () if context is None or isinstance(context, IfPresent) else context
    return replace(choices, context=tuple(dict.fromkeys([*given, *columns])))


def _note_missing_data(settings: Mapping[str, Any], history: History) -> None:
    words = {name: str(word).strip().lower() for name, word in words_of(settings).items()}
    if words.get("home_advantage", "none") != "none" and history.home is None:
        note("the matches do not name the home team, so --home-advantage has no effect")
    if history.time is None and words.get("drift", "").startswith("time"):
        note("the matches have no times, so skills do not drift with --drift time")
    if history.time is None and words.get("seasons", "none") != "none":
        note("the matches have no times, so --seasons has no effect")
    for name in parse_columns(settings.get("facet", "")):
        column = column_at(history, find_column(name, [*history.context, *history.team_context]), "match")
        if column is not None and column.kind == "number" and len(column.values) > MANY_NUMBERS:
            note(
                f"{name!r} has {len(column.values):,} different numbers, and a player's skill may differ for each; "
                f"--slope {name} learns one slope for each player instead"
            )


def _describe_gap(history: History, found: SeasonBreak) -> str:
    return f"{found.gap:g}" if history.time_kind == "number" else count(round(found.gap), "day", "days")


Texts = str | list[str] | tuple[str, ...] | None


def make_choice(model: str | None, set: list[str] | None, **aspects: Texts) -> ModelChoice:
    """Parse the options of the rating system; raise `Error` for "auto", for a verb that cannot choose a model."""
    choice = _make_choice(model, _read_settings(set, aspects))
    if choice.auto:
        ladder = f"league{LADDER_EXTENSION}"
        remedy = f"to use the model that {AUTO} chooses, run prowess rate FILE --save {ladder} and use --model {ladder}"
        raise Error(f"{model}: this command needs a specific model, such as trueskill; {remedy}", field="model")
    return choice


def make_optional_choice(model: str | None, set: list[str] | None, **aspects: Texts) -> ModelChoice | None:
    """Parse the options of the rating system; return None if none of them was given."""
    given = model is not None or set or any(text not in (None, [], ()) for text in aspects.values())
    if not given:
        return None
    settings = _read_settings(set, aspects)
    if model is None and settings.keys() <= {*ADDITION_WORDS}:
        model = AUTO
    return _make_choice(model, settings)


def _read_settings(set: list[str] | None, aspects: Mapping[str, Texts]) -> dict[str, str | None]:
    settings = parse_pairs("--set", set, repeatable=COLUMN_WORDS)
    for name, given in aspects.items():
        text = ",".join(split_words(given)) or None if isinstance(given, list | tuple) else given
        if text is not None and name in settings:
            raise Error(f"{_flag(name, text)}: --set also sets {name}; set it once")
        if text is not None:
            settings[name] = text
    return settings


def _make_choice(model: str | None, settings: Mapping[str, str | None]) -> ModelChoice:
    choice = ModelChoice(model or DEFAULT, settings, model is None and bool(settings))
    if choice.auto and (others := [name for name in settings if name not in ADDITION_WORDS]):
        flag = _flag(others[0], settings[others[0]])
        raise Error(f"{flag}: --model {AUTO} chooses this itself; name a model to set it, such as --model trueskill")
    # A wrong option must fail before a large file is read.
    (choice._textbook if choice.auto else choice).build_without_history()
    return choice


def check_preset(choice: ModelChoice) -> None:
    """Raise `Error` if a league, which stores a preset and its parameters, cannot store the chosen model."""
    if choice._is_trueskill2:
        remedy = "use --model trueskill, or set the model over the API"
        raise Error(f"--model {choice.name}: import cannot set the facets and statistics of a league; {remedy}")
    if not choice.auto:
        preset(choice.name)
    if additions := [name for name in ADDITION_WORDS if name in choice.settings]:
        flag = _flag(additions[0], choice.settings[additions[0]])
        what = "statistics" if additions[0] == STATISTIC else "facets"
        remedy = "leave it out, so that a model is chosen for the matches, or set the model over the API"
        raise Error(f"{flag}: import cannot set the {what} of a league; {remedy}")
    if components := [name for name in choice.settings if name in BASES and not isinstance(choice.values()[name], str)]:
        raise Error(
            f"--set {min(components)}: a league uses a preset, whose components cannot be replaced; set only its "
            "parameters"
        )


def _flag(name: str, text: str | None) -> str:
    return f"--{name.replace('_', '-')} {text}" if name in (*ASPECTS, *ADDITION_WORDS) else f"--set {name}={text}"


def _parse_value(name: str, text: str | None) -> Any:
    if text is None:
        raise Error(f"--set {name}=: the value is missing; write --set {name}=VALUE")
    if name in BASES:
        return _make_component(name, text)
    if name in ASPECTS or name in ADDITION_WORDS:
        return text
    try:
        # JSON covers numbers, true and null; any other text is a word such as estimated.
        return json.loads(text)
    except ValueError:
        return inf if text == "inf" else text


def _make_component(name: str, text: str) -> Any:
    kinds = {title: kind for title, kind in COMPONENTS.items() if issubclass(kind, BASES[name])}
    kind = {title.lower(): kind for title, kind in kinds.items()}.get(text.lower())
    if kind is None and name in ASPECTS:
        return text  # a word such as time, which `compose` knows
    if kind is None:
        raise Error(f"--set {name}={text}: unknown component; choose one of {', '.join(kinds)}")
    try:
        return kind()
    except TypeError:
        remedy = f"use a word: {', '.join(DRIFTS)}" if name == "drift" else "use it from Python"
        raise Error(f"--set {name}={text}: this component needs parameters; {remedy}") from None
