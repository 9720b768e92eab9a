"""`python -m benchmarks [--json FILE] [--scale X] [--repeats N] [--only SECTION] [--pure]`."""

import json
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import prowess

from .figures import table
from .sections import SECTIONS

PACKAGES = (
    "prowess",
    "trueskill",
    "openskill",
    "evalica",
    "glicko2",
    "riix",
    "trueskillthroughtime",
    "kickscore",
    "whole-history-rating",
    "networkx",
    "numpy",
    "polars",
)


def main(
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the figures to this file.")] = None,
    scale: Annotated[float, typer.Option(help="Size of the workloads; the targets are for a scale of 1.")] = 1.0,
    repeats: Annotated[int, typer.Option(help="How often each measurement is repeated.")] = 5,
    only: Annotated[str, typer.Option(help="Run only sections whose name contains this text.")] = "",
    pure: Annotated[bool, typer.Option("--pure", help="Run even if the kernels are not compiled.")] = False,
) -> None:
    """Time prowess and other packages in turn, and print the medians."""
    console, kernel = Console(), prowess.kernel_mode()
    if kernel == "pure" and not pure:
        console.print("The kernels are not compiled: compile them first (make test), or pass --pure.")
        raise typer.Exit(2)
    machine = about(kernel, scale, repeats)
    console.print(", ".join(f"{name} {value}" for name, value in machine.items()))
    results = {}
    for title, section in SECTIONS.items():
        if only.lower() in title.lower():
            results[title] = list(section(scale, repeats))
            console.print(table(title, results[title]))
    verdicts = [figure.met for figures in results.values() for figure in figures if figure.met is not None]
    console.print(f"{sum(verdicts)} of {len(verdicts)} targets met")
    if json_file is not None:
        records = {title: [figure.record() for figure in figures] for title, figures in results.items()}
        json_file.write_text(json.dumps({"about": machine, "figures": records}, indent=2, ensure_ascii=False) + "\n")


def about(kernel: str, scale: float, repeats: int) -> dict[str, str]:
    """Return the versions, platform and options of this run."""
    packages = {name: installed_version(name) for name in PACKAGES}
    python = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return {"kernel": kernel, "python": python, **packages, "scale": f"{scale:g}", "repeats": str(repeats)}


def installed_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    sys.exit(typer.run(main))
