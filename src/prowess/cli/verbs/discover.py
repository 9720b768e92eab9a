"""`prowess discover`: find out what in a file of matches helps to predict them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from ...history.read_options import Choices
from ...lab.auto.discovery import Discovery
from ...lab.auto.discovery import discover as find
from ...lab.report import check_report_path
from ..options.choosing import as_facet_flag
from ..options.read_args import EVERY, Files, Since, Until, read_span, split_words
from ..options.shared import Html, Json, add_shared_options
from ..output.console import get_console, is_quiet, note, note_files, print_json
from ..output.effects import print_effects
from ..output.plots import print_whiskers
from ..output.tables import print_text

COVARIATE_HELP = "Columns of numbers that are known before a match, although their names do not say so."
MOST_PLAYERS = 10

Covariate = Annotated[list[str] | None, typer.Option(metavar="NAME,…", help=COVARIATE_HELP)]


@add_shared_options
def discover(
    files: Files,
    choices: Choices,
    covariate: Covariate = None,
    since: Since = None,
    until: Until = None,
    html: Html = None,
    json: Json = False,
) -> None:
    """Find out which columns of a file help to predict its matches, and how.

    Every column is tried: as a deviation of each player, an effect, a covariate, or a statistic such as kills.
    Gains are measured on later matches. Columns that may reveal the result are never used in forecasts.

    \b
    prowess discover matches.csv
    prowess discover matches.csv --html findings.html
    prowess discover matches.csv --covariate handicap
    prowess discover matches.csv --json | jq -r .command
    """
    if html is not None:
        check_report_path(html)
    history = read_span(files, replace(choices, context=EVERY) if choices.context is None else choices, since, until)
    found = find(history, covariates=split_words(covariate), progress=False if is_quiet() else None)
    names = [str(file) for file in files]
    if html is not None:
        found.to_html(html, *names)
    if json:
        print_json(found.to_dict() | {"command": found.command(*names)})
    else:
        _print(found, names)
    for remark in found.choice.notes:
        note(remark.render(partial(as_facet_flag, history)))
    note_files(html)


def _print(found: Discovery, files: list[str]) -> None:
    for line in [*(one.sentence for one in found.findings), *found.limits]:
        print_text(line)
    if found.findings:
        get_console().print()
        rows = {one.what: (one.gain, one.gain.words(4)) for one in found.findings}
        styles = {one.what: "green" if one.kept else "dim" for one in found.findings}
        low = min(0.0, *(one.gain.low for one in found.findings))
        high = max(0.0, *(one.gain.high for one in found.findings))
        print_whiskers(rows, styles, (low, high if high > low else low + 1.0))
    best = found.fit.leaderboard()["player"].head(MOST_PLAYERS).to_list()
    print_effects(found.fit.ladder, best)
    get_console().print("\nTo rate with what was found:\n")
    get_console().print(found.command(*files), soft_wrap=True, style="bold")
