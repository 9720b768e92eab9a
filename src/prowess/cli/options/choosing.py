"""Turns the options of the rating system into a model; by default, a model is chosen for the matches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ... import History, Model, TrueSkill
from ...errors import Error, Option
from ...history.concat import join
from ...text import count, join_words
from ..output.console import as_flag, is_quiet, note
from ..output.kernels import note_uncompiled
from .model_args import AUTO, ModelChoice

if TYPE_CHECKING:
    from ... import Choice

SMALL = 5e-5  # smaller gains would be shown as 0.0000


@dataclass(frozen=True)
class ChosenModel:
    """A model; if it was chosen automatically, `choice` says how, and `basis` names the matches it was chosen for."""

    model: Model
    choice: Choice | None = None
    basis: str = ""


def given_or_auto(given: ModelChoice | None) -> ModelChoice:
    """Return `given`, or "auto" (choose a model for the matches) if no option of the rating system was given."""
    return ModelChoice(AUTO) if given is None else given


def choose_model(
    given: ModelChoice, history: History | None, basis: str = "", *, hindsight: bool = False
) -> ChosenModel:
    """Build the model that the options name, or choose one for the matches.

    `history` may be None if the options name a model that does not depend on the matches. If the search takes more than
    two seconds, a terminal shows a progress bar. With `hindsight`, a model that can be fitted in hindsight is chosen.
    """
    if history is not None:
        note_uncompiled(len(history))
    if given.auto:
        assert history is not None
        # The lab is large, and only the search needs it.
        from ... import auto

        facets, statistics = given.named_additions(history)
        progress = False if is_quiet() else None
        options: dict[str, Any] = {"facets": facets or True, "statistics": statistics or True}
        choice = auto(history, **options, hindsight=hindsight, progress=progress)
        return ChosenModel(choice.model, choice, basis)
    if given.assumed:
        settings = f"you gave settings without --model, so they apply to {given.name}"
        note(f"{settings}; without settings, a model is chosen for the matches")
    model = given.build(history)
    if history is not None:
        note_revealing(model, history)
    return ChosenModel(model)


def note_revealing(model: Model, history: History) -> None:
    """Print which columns of the model's facets may contain the results."""
    if not model.forecast_columns:
        return
    from ...lab.auto.columns import revealing_columns, revealing_text

    revealing = revealing_columns(history, model.forecast_columns)
    if revealing:
        note(revealing_text(revealing))


def choose_for_groups(given: ModelChoice, groups: Mapping[str, History], *, hindsight: bool = False) -> ChosenModel:
    """Build or choose one model for several leagues; an automatic choice uses the matches of all leagues."""
    if not given.auto:
        return choose_model(given, max(groups.values(), key=len))
    return choose_model(given, join_leagues(groups), f"the matches of all {len(groups)} groups", hindsight=hindsight)


def join_leagues(groups: Mapping[str, History]) -> History:
    """Join leagues into one history ordered by time; equal names in different leagues are different players.

    If the times cannot be compared, such as dates and plain numbers, the result has no times and the leagues follow
    one after another.

    >>> league = History.from_matches([{"teams": [["ann"], ["bob"]], "time": "2026-01-31"}])
    >>> len(join_leagues({"2025": league, "2026": league}).players)
    4
    """
    leagues = [
        replace(history, players=tuple(f"{name} of {number}" for name in history.players))
        for number, history in enumerate(groups.values())
    ]
    try:
        return join(leagues, once=False)
    except Error:
        return join([replace(history, time=None, time_kind=None, time_zone=None) for history in leagues], once=False)


def note_choice(chosen: ChosenModel) -> None:
    """Print which model was chosen for the matches, its gain over textbook TrueSkill, and options for other models."""
    choice = chosen.choice
    if choice is None:
        return
    note_chosen_model(chosen)
    if choice.judged:
        note(_describe_gain(choice))
        textbook = "" if choice.model == TrueSkill() else "--model trueskill uses textbook TrueSkill; "
        note(f"{textbook}--report choice.html shows what was tried")
        for remark in choice.notes:
            note(remark.render(partial(as_facet_flag, choice.history)))


def note_chosen_model(chosen: ChosenModel) -> None:
    """Print which model was chosen for the matches, in one line."""
    choice = chosen.choice
    if choice is None:
        return
    parts = join_words(choice.parts)
    if choice.judged:
        note(f"model chosen for {chosen.basis or 'these matches'}: {parts}")
    else:
        note(f"model: {parts}. {' '.join(choice.remarks)}")


def as_facet_flag(history: History, option: Option) -> str:
    """Return an option as flags of the command line; columns are facets or covariates, whichever suits them."""
    if option.name != "covariates":
        return as_flag(option)
    # A covariate needs numbers that differ between the sides of a match; all other columns can be facets.
    columns = {**history.team_context, **history.entry_context}
    numbers = {name for name, column in columns.items() if column.kind == "number"}
    names: list[str] = list(option.value)  # type: ignore[call-overload]
    return " ".join(as_flag(Option("covariate" if name in numbers else "facet", name)) for name in names)


def _describe_gain(choice: Choice) -> str:
    gain, loss = choice.gain, choice.loss.value
    pairs = "" if choice.history.teams == 2 * len(choice.history) else " per pair of teams"
    text = f"log loss{pairs} (lower is better) on the last {count(choice.judged, 'match', 'matches')}: {loss:.3f}"
    if gain.value == 0.0:
        return text
    if abs(gain.value) < SMALL:
        return f"{text}, the same as with textbook TrueSkill"
    digits = min(max(gain.digits, 3), 4)
    value, low, high = (f"{end:+.{digits}f}".replace("-", "−") for end in gain)
    noise = ", within noise" if gain.within_noise else ""
    textbook = f"textbook TrueSkill: {loss + gain.value:.3f}"
    return f"{text}; {textbook}; gain {value} (95 % interval {low} to {high}){noise}"
