"""The page about the model of a league.

The page shows how well the model predicts and how it compares with other models, and has a form to change the model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...errors import Error
from ...model.components.margin import LEARNT, LearntDraws
from ...model.compose import ASPECTS, compose, words_of
from ...model.model import Model
from ...model.params import fields_of
from ...model.presets import PRESETS
from ...model.registry import facet_addresses
from ...store import leagues, seasons
from ...store.choices import FIRST
from ...store.errors import Unavailable
from ...store.jobs import Analysis
from ...store.leagues import League, Preset, storable
from ...store.read.changes import rank_changes
from ...store.write.commands import ChangeModel, CommandResult
from ...store.write.writer import preview
from ...text import capitalise, join_words
from ..api.dependencies import Admin, Read, ServiceDep, Write
from ..api.leagues import generation_payload, model_remarks
from ..api.models import (
    describe_facets,
    describe_preset,
    describe_statistics,
    explain_shown_rating,
    parameter_payloads,
    summary_of,
)
from ..api.offers import find_offer, offer_payload
from ..api.responses import etag_of, extend_etag, rfc3339
from ..api.schemas.common import LONGEST
from ..auth import Access
from ..background.analysis_requests import SMALL, AnalysisResult
from ..background.worker import model_label
from ..concurrency import run_in_threadpool
from ..context import Service
from .charts import chart_heights
from .web.csrf import CheckedForm
from .web.forms import form_texts, parse_number
from .web.match_context import column_labels
from .web.page import PageContext, Plain, page, wants_data
from .web.ratings import RatingFormat
from .web.templates import page_url, render_page

router = APIRouter(include_in_schema=False)
MODELS, CHANGE = "/leagues/{league}/models", "/leagues/{league}/switch"
OTHERS = ("TrueSkill", "Elo", "Glicko", "Glicko2")  # preselected until it is known which models can rate the matches
SET = "set."  # prefix of the parameters in queries and forms
BY = "by."  # prefix of the columns by which players differ
FACETS = "facets"  # in a form that has a choice of these columns
DRAWS = "draw_probability"  # a number, or the word LEARNT
MAX_DIGITS = 16  # the id of an offer has fewer digits
DEFAULTS = "defaults"  # in a query: begin with the defaults of a preset, not with the league's own parameters
ENDS = {"": "value", "_low": "low", "_high": "high"}  # suffixes of the CSV columns of a measure


@page(router, MODELS, "models.html")
async def models(request: Request, access: Read, service: ServiceDep) -> PageContext:
    """Describe the model, show how well it predicts, and compare it with other models."""
    return await service.read(lambda connection: _context(service, connection, access.league))


@router.post(MODELS)
async def compare(request: Request, form: CheckedForm, access: Write, service: ServiceDep) -> Response:
    """Start or cancel a comparison of models in the background, or start the search for a better model."""
    league = await service.read(lambda connection: leagues.find(connection, access.league))
    if "search" in form:
        league.check_writable()
        await run_in_threadpool(service.analyses.start_search, league, access.author)
        return RedirectResponse(f"{page_url(access.league, 'models')}#offer", 303)
    if "cancel" in form:
        await run_in_threadpool(service.analyses.cancel, league)
        return RedirectResponse(page_url(access.league, "models"), 303)
    names = [str(name) for name in form.getlist("model")]
    try:
        chosen = _check_choice(league, names)
    except Error as error:
        problem = str(error)
        context = await service.read(lambda connection: _context(service, connection, access.league, problem, names))
        return await run_in_threadpool(render_page, request, "models.html", context)
    await run_in_threadpool(service.analyses.start, league, chosen, access.author)
    return RedirectResponse(f"{page_url(access.league, 'models')}#comparison", 303)


def _check_choice(league: League, names: list[str]) -> dict[str, Plain]:
    for name in names:
        _check_name(name)
    others = [name for name in dict.fromkeys(names) if name != model_label(league.preset)]
    if not league.posted:
        raise Error("there are no matches yet to compare models on")
    if not others:
        raise Error("choose at least one model to compare with")
    return {name: {"name": name, "parameters": {}} for name in others}


def _check_name(name: str) -> None:
    if name not in PRESETS:
        raise Error(f"unknown model {name!r}; choose one of {', '.join(PRESETS)}", field="model", value=name)


def _context(
    service: Service, connection: Connection, name: str, problem: str = "", chosen: list[str] | None = None
) -> PageContext:
    league = leagues.find(connection, name)
    figures, comparison = service.analyses.figures(connection, league), service.analyses.comparison(connection, league)
    choice = service.analyses.choice(connection, league)
    preset, model = league.preset.name, league.model
    offer = _offer(service, connection, league, choice)
    generations = leagues.list_generations(connection, league)
    now = service.standings.of(connection, league)
    data: Plain = {
        "league": league.name,
        "revision": league.revision,
        "generation": league.generation,
        "model": describe_preset(preset)
        | {
            "parameters": parameter_payloads(preset, model, Preset(preset, words_of(league.preset.parameters)).model),
            # A chosen model may have other components than its preset, which the preset's summary would get wrong.
            "words": _describe(offer["sentence"] if offer["state"] == "in_use" else summary_of(preset), model),
            "shown": explain_shown_rating(model, league.settings),
        },
        "generations": [generation_payload(generation) for generation in generations],
        "seasons": len(seasons.list_seasons(connection, league)),
        "figures": _analysis(league, figures),
        "comparison": _analysis(league, comparison),
        "offer": offer,
        "effects": now.effects,
    }
    extra = {
        "effects": RatingFormat.of(now.model, league.settings).effects(now.effects) if league.posted else [],
        "choices": _choices(league, figures.data, comparison.last, chosen),
        "own": model_label(league.preset),
        "names": list(PRESETS),
        "rederived": leagues.rederived(generations),
        "first_generation": leagues.first_generation(connection, league),
        "problem": problem,
        "tables": _tables(league, comparison.data),
        "charts": {"figures": _charts(figures.data), "comparison": _charts(comparison.data)},
    }
    jobs = [figures.last, comparison.last, choice.last]
    etag = None
    if not problem and all(job is None or job.state == "done" for job in jobs):
        etag = extend_etag(etag_of(league, league.generation, league.revision), *(job.id if job else 0 for job in jobs))
    rows = _rows(comparison.data or figures.data)
    return PageContext(data, rows, league, etag, 422 if problem else 200, extra)


def _describe(words: str, model: Model) -> str:
    return " ".join(filter(None, (words, describe_facets(model), describe_statistics(model))))


def _analysis(league: League, analysis: AnalysisResult) -> Plain:
    answer, job = analysis.data, analysis.last
    behind = None if answer is None else league.posted - answer["posted"]
    old = answer is not None and (answer["revision"], answer["generation"]) != (league.revision, league.generation)
    work: Plain | None = None
    if job is not None and job.state != "done":
        work = {name: getattr(job, name) for name in ("state", "open", "step", "share", "why", "author")}
        work |= {"asked_at": rfc3339(job.asked_at), "models": list(job.asked)}
    return {"answer": answer, "why": analysis.why, "behind": behind, "old": old, "work": work}


def _offer(service: Service, connection: Connection, league: League, choice: AnalysisResult) -> Plain:
    found = choice.data or {}
    return offer_payload(service, connection, league) | {
        "sentence": f"{capitalise(join_words(found['parts']))}." if found else "",
        "seasons": found.get("seasons", 0),
        "work": _analysis(league, choice)["work"],
        "first": FIRST,
        "automatic": service.settings.search_models,
    }


def _charts(answer: Plain | None) -> Plain:
    if answer is None:
        return {}
    return {"query": {"of": answer["id"]} if "id" in answer else {}, "heights": chart_heights(answer)}


def _choices(league: League, figures: Plain | None, last: Analysis | None, chosen: list[str] | None) -> list[Plain]:
    usable = (figures or {}).get("usable", list(PRESETS))
    if chosen is None:
        chosen = list(last.asked) if last is not None and last.asked else (figures or {}).get("suitable", list(OTHERS))
    others = [name for name in PRESETS if name != model_label(league.preset)]
    return [
        {"name": name, "words": summary_of(name), "usable": name in usable, "chosen": name in chosen and name in usable}
        for name in others
    ]


def _tables(league: League, answer: Plain | None) -> list[Plain]:
    if answer is None:
        return []
    first = answer["measures"][0]["name"]
    differences = {row["model"]: row for row in answer["differences"] if row["measure"] == first}
    return [
        {"row": row, "own": row["model"] == answer["own"], "difference": differences.get(row["model"])}
        | {"switch": _change_url(league, answer["presets"][row["model"]])}
        for row in answer["models"]
    ]


def _change_url(league: League, preset: Plain) -> str | None:
    if (preset["name"], preset["parameters"]) == (league.preset.name, dict(league.preset.parameters)):
        return None
    parameters = {SET + name: value for name, value in preset["parameters"].items()}
    # Without this parameter, the page would show the league's own variant of the preset.
    plain = {DEFAULTS: 1} if preset["name"] == league.preset.name else {}
    return page_url(league.name, "switch", model=preset["name"], **parameters, **plain)


def _rows(answer: Plain | None) -> list[Plain]:
    if answer is None:
        return []
    columns = [(measure["name"], end, key) for measure in answer["measures"] for end, key in ENDS.items()]
    return [
        {"model": row["model"]} | {f"{name}{end}": row[name][key] for name, end, key in columns}
        for row in answer["models"]
    ]


@page(router, CHANGE, "model_change.html")
async def preview_model(request: Request, access: Admin, service: ServiceDep) -> PageContext:
    """Preview the effects of another model.

    In a large league, the preview is made only on request, because it takes a while. The query names the model
    and its parameters, or the id of an offer.
    """
    league = await service.read(lambda connection: leagues.find(connection, access.league))
    fields = dict(request.query_params.multi_items())
    try:
        preset = (await _find_command(service, access, league, fields)).preset
        wanted = league.posted <= SMALL or "preview" in fields
        done = await run_in_threadpool(preview, service.database, ChangeModel(league.name, preset)) if wanted else None
    except Unavailable:
        raise
    except Error as error:
        if wants_data(request):
            raise
        return _change_context(league, fields, error=error)
    remarks = await model_remarks(service, league.name, preset) if done is not None else []
    return await run_in_threadpool(_change_context, league, fields, preset, done, remarks=remarks)


@router.post(CHANGE)
async def change_model(request: Request, form: CheckedForm, access: Admin, service: ServiceDep) -> Response:
    """Rate all matches again with another model; the old ratings are kept as an earlier generation."""
    league = await service.read(lambda connection: leagues.find(connection, access.league))
    fields = form_texts(form)
    try:
        command = await _find_command(service, access, league, fields)
        await asyncio.wrap_future(service.writer.submit(command))
    except Unavailable:
        raise
    except Error as error:
        context = _change_context(league, fields, error=error)
        return await run_in_threadpool(render_page, request, "model_change.html", context)
    return RedirectResponse(page_url(league.name, "standings"), 303)


async def _find_command(service: Service, access: Access, league: League, fields: Mapping[str, str]) -> ChangeModel:
    reason = fields.get("reason", "").strip()
    if not storable(reason, LONGEST):
        raise Error(f"the reason must be text of at most {LONGEST} characters", field="reason")
    if "offer" not in fields:
        return ChangeModel(league.name, _parse_preset(league, fields), author=access.author, reason=reason)
    text = fields["offer"]
    id = int(text) if text.isdecimal() and len(text) < MAX_DIGITS else 0
    return await find_offer(service, league.name, id, author=access.author, reason=reason)


def _parse_preset(league: League, fields: Mapping[str, str]) -> Preset:
    name = fields.get("model") or league.preset.name
    _check_name(name)
    texts = {key.removeprefix(SET): text for key, text in fields.items() if key.startswith(SET)}
    keeps_own = name == league.preset.name and DEFAULTS not in fields
    if not texts and keeps_own and FACETS not in fields:
        return league.preset
    # If the preset stays the same, the league keeps its own components and settings in words (such as `drift`).
    own = dict(league.preset.parameters) if keeps_own else {}
    if FACETS in fields:
        own = own | {"facets": _parse_facets(own.get("facets", []), fields)}
        if not own["facets"]:
            del own["facets"]
        # Numbers of facets that were removed are left over in the form.
        removed = set(_facet_parameters(league.preset)) - set(_facet_parameters(Preset(name, own)))
        texts = {parameter: text for parameter, text in texts.items() if parameter not in removed}
    words: dict[str, Any] = words_of(own) | {
        part: value for part, value in own.items() if isinstance(value, (dict, list))
    }
    words |= {aspect: texts.pop(aspect) for aspect in ASPECTS if aspect in texts}
    if texts.get(DRAWS, "").strip() == LEARNT:
        words[DRAWS] = texts.pop(DRAWS).strip()
    else:  # drop parameters that are left over from a form in which draws were learnt
        texts = {parameter: text for parameter, text in texts.items() if parameter not in fields_of(LearntDraws())}
    values = {parameter: _parse_parameter(parameter, text) for parameter, text in texts.items() if text.strip()}
    parameters: dict[str, Any] = {**words}
    # Parameters that have their default values are left out. There is a second round, because words such as `drift`
    # choose amounts by the scale of the model, and the first round may change that scale.
    for _ in range(2):
        defaults = Preset(name, parameters).model.params
        parameters |= {key: value for key, value in values.items() if not _is_shown_as(defaults.get(key), value)}
    preset = Preset(name, parameters)
    _ = preset.model  # validates the parameters
    return preset


def _parse_facets(own: Any, fields: Mapping[str, str]) -> list[Plain]:
    """Return the facets of the form: deviations by the chosen columns, and the league's other facets."""
    chosen = [key.removeprefix(BY) for key in fields if key.startswith(BY)]
    plain = [dict(facet) for facet in (own if isinstance(own, list) else [own])]
    kept = [facet for facet in plain if not _is_deviation(facet) or facet["column"] in chosen]
    known = [facet["column"] for facet in kept if _is_deviation(facet)]
    return [*kept, *({"is": "By", "column": column} for column in chosen if column not in known)]


def _is_deviation(facet: Plain) -> bool:
    return facet.get("is") == "By" and not facet.get("numeric")


def _facet_parameters(preset: Preset) -> list[str]:
    own = {name: value for name, value in preset.parameters.items() if name in ("facets", "statistics")}
    return list(facet_addresses(vars(Preset(preset.name, own).model)))


def _facet_choices(league: League, preset: Preset | None, fields: Mapping[str, str]) -> list[Plain]:
    """Return the context columns with text of which the model could have, or has, a facet."""
    model = league.model if preset is None else preset.model
    chosen = {facet.column for facet in model.facets if facet.kind == "by"}
    if preset is None and FACETS in fields:
        chosen = {key.removeprefix(BY) for key in fields if key.startswith(BY)}
    columns = [name for name, kind in league.context_kinds.items() if kind == "category"]
    columns += [name for name in sorted(chosen) if name not in columns]
    labels = column_labels(columns)
    return [{"field": BY + name, "label": labels[name], "chosen": name in chosen} for name in columns]


def _parse_parameter(name: str, text: str) -> float:
    value = parse_number(text)
    if value is None:
        raise Error(f"{name} must be a number, not {text!r}", field=name, value=text)
    return value


def _is_shown_as(default: object, value: float) -> bool:
    # The form shows six digits, so a default that was rounded to six digits counts as unchanged.
    return isinstance(default, (int, float)) and value in (default, float(f"{default:g}"))


def _change_context(
    league: League,
    fields: Mapping[str, str],
    preset: Preset | None = None,
    done: CommandResult | None = None,
    error: Error | None = None,
    remarks: Sequence[str] = (),
) -> PageContext:
    name = preset.name if preset else fields.get("model", league.preset.name)
    name = name if name in PRESETS else league.preset.name
    aspects: dict[str, Any] = words_of(preset.parameters) if preset else {}
    default = compose(PRESETS[name](), **aspects)
    model = preset.model if preset else default
    # A model that learns the share of draws has no draw_probability, but the form must still offer it.
    learns_draws = bool(getattr(model.params.get("margin"), "remembers", ()))
    payloads = parameter_payloads(name, default, default) if learns_draws else []
    payloads += parameter_payloads(name, model, default)
    by_name = {parameter["name"]: parameter for parameter in payloads if _is_settable(parameter)}
    texts = {key: f"{parameter['value']:g}" for key, parameter in by_name.items()}
    texts |= {DRAWS: LEARNT} if learns_draws else {}
    parameters = [parameter | {"text": fields.get(SET + key, texts[key])} for key, parameter in by_name.items()]
    data: Plain = {
        "league": league.name,
        "model": {"name": name, "parameters": dict(preset.parameters) if preset else {}},
        "same": preset is not None and preset.model == league.model,
        "moves": None,
    }
    rows: list[Plain] = []
    if done is not None and done.before is not None and done.after is not None:
        changes = rank_changes(done.before, done.after, settings=league.settings)
        data["moves"] = vars(changes)
        rows = [_rank_row(row) for row in [*changes.best, *(row for row in changes.most if row not in changes.best)]]
    problem = str(error) if error else ""
    named = error is not None and error.field in [parameter["name"] for parameter in parameters]
    extra = {
        "words": _describe(summary_of(name), model),
        "remarks": remarks,
        "shown": explain_shown_rating(model, league.settings),
        "parameters": parameters,
        "aspects": aspects,
        "facets": _facet_choices(league, preset, fields),
        "offer": fields.get("offer"),
        "defaults": DEFAULTS in fields,
        "variant": name == league.preset.name and bool(preset and preset.parameters),
        "reason": fields.get("reason", ""),
        "large": league.posted > SMALL,
        "previewed": done is not None,
        # A message that begins with the name of a parameter is not capitalised.
        "problem": problem if named else capitalise(problem),
        "invalid": error.field if error else None,
        "formats": [RatingFormat.of(rated, league.settings) for rated in (league.model, model)],
    }
    return PageContext(data, rows, league, status=422 if error else 200, extra=extra)


def _is_settable(parameter: Plain) -> bool:
    value: Any = parameter["value"]
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not parameter["technical"]


def _rank_row(player: Plain) -> Plain:
    before, after = player["before"], player["after"]
    ranks = {"player": player["player"], "rank_before": before["rank"], "rank": after["rank"]}
    names = [name for name in ("shown", "points", "points_shown") if name in after]
    return ranks | {f"{name}_before": before[name] for name in names} | {name: after[name] for name in names}
