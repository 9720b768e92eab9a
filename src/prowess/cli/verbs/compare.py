"""`prowess compare`: which model predicts a file of matches best, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ... import Model
from ...atomic_files import check_target
from ...history.read_options import Choices
from ...lab.compare import Comparison
from ...lab.compare import compare as compared
from ...lab.compare.report import measures as measures_of
from ...lab.compare.verdict import advice, notes, row_interval
from ...lab.measures.registry import MEASURES
from ...lab.protocols import Prequential, Protocol, RandomSplits, SeasonSplits
from ...lab.report import check_report_path
from ...model.presets import PRESETS
from ..options.lab_args import BurnIn, Html, Jobs, Seed, parse_amount, read_matches
from ..options.model_args import make_model
from ..options.read_args import Files, Since, Until, split_words
from ..options.shared import Json, add_shared_options
from ..output.console import get_console, note
from ..output.json import print_json
from ..output.plots import print_whiskers
from ..output.report import print_table, print_text
from ..output.standings import ENDINGS, write

Models = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME,…",
        show_default=False,
        help=f"Models to compare, with parameters as elo:k=24. There are {', '.join(PRESETS.names)}. "
        "(default: up to six that can use the file)",
    ),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME,…",
        show_default=False,
        help=f"Measures, the one to decide by first. There are {', '.join(MEASURES)}. (default: those that suit)",
    ),
]
Scored = Annotated[
    Literal["all", "seasons", "random"],
    typer.Option(
        "--protocol",
        help="What is scored: all matches, the last fifth of every year (seasons), or a random fifth ten times.",
    ),
]
Out = Annotated[Path | None, typer.Option(help=f"Write the measures to a file: {' '.join(ENDINGS)}.")]


@add_shared_options
def compare(
    files: Files,
    choices: Choices,
    models: Models = None,
    measures: Measures = None,
    since: Since = None,
    until: Until = None,
    protocol: Scored = "all",
    burn_in: BurnIn = "0",
    html: Html = None,
    out: Out = None,
    json: Json = False,
    jobs: Jobs = 1,
    seed: Seed = 0,
) -> None:
    """Find the model that predicts the matches of a file best, and say how sure that is.

    Every match is forecast from those before it. The best by each measure is bold;
    ≈ marks those that the matches cannot tell from it.

    \b
    prowess compare matches.csv
    prowess compare matches.csv --models elo,glicko2,trueskill --html report.html
    prowess compare matches.csv --models elo,elo:k=16,trueskill:beta=3:tau=0.1
    prowess compare matches.csv --since 2020 --burn-in 0.25 --measures information_gain,auc
    prowess compare matches.csv --json | jq -r .best
    """
    if html is not None:
        check_report_path(html)
    if out is not None:
        check_target(out, ENDINGS)
    wanted, scored = _models(models), _protocol(protocol, burn_in, seed)
    history = read_matches(files, choices, since, until)
    found = compared(history, wanted, protocol=scored, measures=split_words(measures) or None, seed=seed, jobs=jobs)
    if out is not None:
        write(found.table(), out)
    if html is not None:
        found.to_html(html)
    if json:
        print_json(found.to_dict())
    else:
        _print(found)
    if models is None:
        note(f"compared: {', '.join(found.models)}, which can use this file; --models chooses others")
    for path in filter(None, (out, html)):
        note(f"wrote {path}")
    if html is None and not json and get_console().is_terminal:
        note("--html report.html writes a page with standings, skill curves and more")


def _models(said: list[str] | None) -> dict[str, Model] | None:
    """The models by name; those with parameters have these in their names."""
    named: dict[str, Model] = {}
    for spec in split_words(said):
        name, *settings = spec.split(":")
        model = make_model(name, settings)
        proper = next(known for known in PRESETS.names if known.lower() == name.lower())
        label = " ".join([proper, *settings])
        if label in named:
            raise typer.BadParameter(f"{spec} is named twice", param_hint="--models")
        named[label] = model
    return named or None


def _protocol(name: str, burn_in: str, seed: int) -> Protocol:
    """What is learnt from and what is scored."""
    if name == "all":
        return Prequential(parse_amount(burn_in))
    if burn_in != "0":
        raise typer.BadParameter("only with --protocol all", param_hint="--burn-in")
    return SeasonSplits() if name == "seasons" else RandomSplits(seed=seed)


def _print(found: Comparison) -> None:
    """The table, the distances from the best, and what to make of them."""
    section = measures_of(found)
    assert section.table is not None
    print_table(section.table, section.bold)
    print_text(section.text if get_console().is_terminal else section.text.replace("is bold", "has a *"), style="dim")
    get_console().print()
    if len(found.models) > 1:
        _print_distances(found)
        get_console().print()
    print_text("\n\n".join([advice(found), *notes(found)]))


def _print_distances(found: Comparison) -> None:
    """How much worse than the best every model is, by the measure that decides."""
    measure, best = found.measure(), found.best
    rows: dict[str, Any] = {best: (row_interval({"difference": 0.0, "low": None, "high": None}), "best")}
    styles = {best: "bold green"}
    apart = {row["model"]: row for row in found.differences(best).filter(measure=measure.name).iter_rows(named=True)}
    for name in list(found.intervals())[1:]:
        worse = row_interval(apart[name]).times(-1.0 if measure.higher else 1.0)
        rows[name] = (worse, f"{worse}{' ≈' * apart[name]['within_noise']}")
        styles[name] = "yellow" if apart[name]["within_noise"] else "red"
    print_text(f"How much worse than {best} by {measure.titled}:")
    print_whiskers(rows, styles)
