"""`python -m benchmarks [--peers] [--json FILE] [--scale X] [--repeats N] [--only SECTION] [--pure]`."""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import prowess

from . import runs
from .peers import OPTIONAL
from .sections import PEER_SECTIONS, SECTIONS
from .through_time import TENNIS

PACKAGES = ("prowess", "trueskill", "openskill", *OPTIONAL, "networkx", "numpy", "polars")


def main(
    peers: Annotated[bool, typer.Option("--peers", help="Compare accuracy instead of speed.")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures to this file.")] = None,
    scale: Annotated[float, typer.Option(help="Size of the workloads; the targets are for a scale of 1.")] = 1.0,
    repeats: Annotated[int, typer.Option(help="How often each measurement is repeated, at most.")] = 5,
    only: Annotated[str, typer.Option(help="Run only sections whose name contains this text.")] = "",
    pure: Annotated[bool, typer.Option("--pure", help="Run even if the kernels are not compiled.")] = False,
) -> None:
    """Time prowess and other packages in turn, and print the medians.

    The results of a whole run are kept in benchmarks/results; `python -m benchmarks.claims` compares pages with them.
    """
    console = runs.screen()
    if prowess.kernel_mode() == "pure" and not pure:
        console.print("The kernels are not compiled: compile them first (make test), or pass --pure.")
        raise typer.Exit(2)
    about = runs.machine(PACKAGES, scale, repeats)
    about |= {"tennis": "real" if TENNIS.exists() else "simulated", "versions": about.pop("versions")}
    runs.show_machine(about, console)
    sections = (PEER_SECTIONS if peers else SECTIONS).items()
    chosen = {title: partial(section, scale, repeats) for title, section in sections if only.lower() in title.lower()}
    done = runs.run(chosen, console)
    why_not = runs.reasons(done, scale, only)
    if not TENNIS.exists():
        why_not.append(f"{TENNIS.name} is not in the folder PROWESS_DATA")
    runs.write(done, about, "peers" if peers else "", why_not, json_file, console)
    raise typer.Exit(1 if done.failed else 0)


if __name__ == "__main__":
    sys.exit(typer.run(main))
