"""`python -m benchmarks.service [--json FILE] [--scale X] [--repeats N] [--only SECTION] [--kind DATABASE]`."""

import sys
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from tests import postgres

from .. import runs
from .sections import SECTIONS

PACKAGES = ("prowess", "sqlalchemy", "psycopg", "fastapi", "uvicorn", "numpy")
BOTH = ("Single posts", "Bulk")  # sections that also run on PostgreSQL


def main(
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures to this file.")] = None,
    scale: Annotated[float, typer.Option(help="Size of the workloads; the targets are for a scale of 1.")] = 1.0,
    repeats: Annotated[int, typer.Option(help="How often each measurement is repeated.")] = 5,
    only: Annotated[str, typer.Option(help="Run only sections whose name contains this text.")] = "",
    kind: Annotated[str, typer.Option(help="Only this database: sqlite or postgresql.")] = "",
    where: Annotated[
        Path | None, typer.Option("--folder", help="Folder for the databases, on the disk to measure.")
    ] = None,
) -> None:
    """Measure the service on temporary databases, and print the medians.

    The results of a whole run are kept in benchmarks/results; `python -m benchmarks.claims` compares pages with them.
    """
    console = runs.screen()
    about = runs.machine(PACKAGES, scale, repeats)
    runs.show_machine(about, console)
    why_not = []
    if postgres.programs() is None:
        console.print("PostgreSQL is not installed, so its sections are left out.")
        why_not.append("PostgreSQL is not installed")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="prowess-bench-", dir=where)))
        chosen = {
            title: section
            for title, section in sections(stack, folder, scale, repeats).items()
            if only.lower() in title.lower() and kind.lower() in title.lower()
        }
        done = runs.run(chosen, console)
    why_not += runs.reasons(done, scale, only or kind)
    runs.write(done, about, "service", why_not, json_file, console)
    raise typer.Exit(1 if done.failed else 0)


def sections(stack: ExitStack, folder: Path, scale: float, repeats: int) -> dict[str, runs.Section]:
    """Return the sections on SQLite, then those on PostgreSQL, whose server is started for the first of them."""
    lite = f"sqlite:///{folder}/league.db"
    found = {f"{title}: SQLite": partial(run, lite, folder, scale, repeats) for title, run in SECTIONS.items()}
    if postgres.programs() is not None:
        server = cache(lambda: stack.enter_context(postgres.cluster(durable=True)).url)
        for title in BOTH:
            found[f"{title}: PostgreSQL"] = lambda run=SECTIONS[title]: run(server(), folder, scale, repeats)
    return found


if __name__ == "__main__":
    sys.exit(typer.run(main))
