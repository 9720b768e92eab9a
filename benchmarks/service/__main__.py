"""`python -m benchmarks.service [--json FILE] [--scale X] [--repeats N] [--only SECTION] [--database KIND]`."""

import json
import platform
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console

import prowess
from tests.postgres import cluster

from ..figures import Figure, table
from .sections import SECTIONS

PACKAGES = ("prowess", "sqlalchemy", "psycopg", "fastapi", "uvicorn", "numpy")
BOTH = {"Single posts", "Bulk"}  # sections that also run on PostgreSQL


def main(
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the figures to this file.")] = None,
    scale: Annotated[float, typer.Option(help="Size of the workloads; the targets are for a scale of 1.")] = 1.0,
    repeats: Annotated[int, typer.Option(help="How often each measurement is repeated.")] = 5,
    only: Annotated[str, typer.Option(help="Run only sections whose name contains this text.")] = "",
    kind: Annotated[str, typer.Option(help="Only this database: sqlite or postgresql.")] = "",
    folder: Annotated[Path | None, typer.Option(help="Folder for the databases, on the disk to measure.")] = None,
) -> None:
    """Measure the service on temporary databases, and print the medians."""
    console = Console()
    machine = {"kernel": prowess.kernel_mode(), "python": platform.python_version()}
    machine |= {name: version(name) for name in PACKAGES}
    console.print(", ".join(f"{name} {value}" for name, value in machine.items()))
    results: dict[str, list[Figure]] = {}
    for title, figures in measured(scale, repeats, only, kind, folder):
        results[title] = figures
        console.print(table(title, figures))
    verdicts = [figure.met for figures in results.values() for figure in figures if figure.met is not None]
    console.print(f"{sum(verdicts)} of {len(verdicts)} targets met")
    if json_file is not None:
        records = {title: [figure.record() for figure in figures] for title, figures in results.items()}
        json_file.write_text(json.dumps({"about": machine, "figures": records}, indent=2, ensure_ascii=False) + "\n")


def measured(
    scale: float, repeats: int, only: str, kind: str, where: Path | None
) -> Iterator[tuple[str, list[Figure]]]:
    """Yield the title and figures of each section, first on SQLite, then on PostgreSQL."""
    chosen = {title: section for title, section in SECTIONS.items() if only.lower() in title.lower()}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="prowess-bench-", dir=where)))
        if kind in ("", "sqlite"):
            for title, section in chosen.items():
                yield f"{title}: SQLite", list(section(f"sqlite:///{folder}/league.db", folder, scale, repeats))
        if kind in ("", "postgresql") and BOTH & chosen.keys():
            url = stack.enter_context(cluster(durable=True)).url
            for title in sorted(BOTH & chosen.keys(), reverse=True):
                yield f"{title}: PostgreSQL", list(chosen[title](url, folder, scale, repeats))


if __name__ == "__main__":
    sys.exit(typer.run(main))
