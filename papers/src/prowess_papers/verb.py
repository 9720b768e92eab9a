"""The command `prowess papers`, which runs the experiments of a paper again."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from prowess.cli.options.shared import Html, Jobs, Json, Seed
from prowess.cli.output.console import get_console, note, print_json
from prowess.cli.output.tables import print_report
from prowess.errors import Error
from prowess.lab.report import check_report_path

from . import PAPERS, Paper, paper

Name = Annotated[
    str | None, typer.Argument(metavar="[NAME]", show_default=False, help=f"The paper: {', '.join(PAPERS)}.")
]
Data = Annotated[Path | None, typer.Option(metavar="DIR", show_default=False, help="The folder with the paper's data.")]
Small = Annotated[bool, typer.Option("--small", help="Use only a part of the data, for a quick look.")]


def papers(
    name: Name = None,
    data: Data = None,
    json: Json = False,
    html: Html = None,
    small: Small = False,
    jobs: Jobs = 1,
    seed: Seed = 0,
) -> None:
    """Run the experiments of a paper again, and print our numbers beside the published numbers.

    Without a name, list the papers and the files that each of them needs.

    \b
    prowess papers
    prowess papers --json | jq -r '.[].name'
    prowess papers classics
    prowess papers halo2 --data halo2/ --html halo2.html
    prowess papers scores --data data/ --json | jq '.sections[0].claims'
    """
    if name is None:
        _list(json)
        return
    found = paper(name)
    _check(found, data, html)
    began = perf_counter()
    report = found.run(data, small=small, seed=seed, jobs=jobs)
    if html is not None:
        report.save(html)
    if json:
        print_json(report.to_dict())
    else:
        print_report(report)
    note(f"{name}: {perf_counter() - began:.1f} s")
    if html is not None:
        note(f"wrote {html}")
    elif any(section.chart is not None for section in report.sections):
        note("the charts are on the page that --html FILE writes")


def _list(json: bool) -> None:
    if json:
        print_json([found.to_dict() for found in PAPERS.values()])
        return
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for found in PAPERS.values():
        table.add_row(Text(found.name, style="bold"), Text(found.about))
        table.add_row("", Text(f"needs {found.needs}", style="dim"))
    get_console().print(table)


def _check(found: Paper, data: Path | None, html: Path | None) -> None:
    # Wrong options are reported before a long computation.
    if data is None and found.files:
        raise Error(f"{found.name} needs --data DIR, a folder with {found.needs}")
    if html is not None:
        check_report_path(html)
