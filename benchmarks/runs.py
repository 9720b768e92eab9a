"""Runs of sections: their tables, and the results that are kept in `benchmarks/results`."""

import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console

import prowess
from prowess.model.processor import kernel_variant

from .figures import Figure, table

RESULTS = Path(__file__).parent / "results"
Section = Callable[[], Iterable[Figure]]


@dataclass
class Run:
    """The figures of each section, the seconds that it took, and the sections that raised an exception."""

    figures: dict[str, list[Figure]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def flat(self) -> Iterable[tuple[str, Figure]]:
        return ((title, figure) for title, figures in self.figures.items() for figure in figures)


def screen() -> Console:
    """Return the terminal; a file or a pipe gets lines of 100 columns."""
    console = Console()
    return console if console.is_terminal else Console(width=100)


def run(sections: Mapping[str, Section], console: Console) -> Run:
    """Run the sections in turn and print their tables; an exception ends only its own section."""
    done = Run()
    for number, (title, section) in enumerate(sections.items(), start=1):
        console.print(f"\n[bold]{title}[/] ({number} of {len(sections)}) …")
        figures, start = done.figures.setdefault(title, []), time.perf_counter()
        try:
            for figure in section():
                figures.append(figure)
        except Exception:
            done.failed.append(title)
            console.print_exception()
        done.seconds[title] = time.perf_counter() - start
        console.print(table(figures), f"{done.seconds[title]:.1f} s")
    summarise(done, console)
    return done


def summarise(done: Run, console: Console) -> None:
    """Print the targets that were missed, the packages that are not installed, the total time, and what failed."""
    verdicts = [figure.met for _, figure in done.flat() if figure.met is not None]
    console.print(f"\n{sum(verdicts)} of {len(verdicts)} targets met")
    for title, figure in done.flat():
        if figure.met is False:
            reached = figure.show(figure.ours) if figure.ratio is None else f"{figure.ratio:.3g}×"
            name = f"{figure.measure} ({figure.peer})" if figure.peer else figure.measure
            console.print(f"  missed: {title}: {name}: {reached}, target {figure.target}", soft_wrap=True)
    missing = dict.fromkeys(figure.peer for _, figure in done.flat() if figure.missing)
    if missing:
        console.print(f"left out, because they are not installed: {', '.join(missing)}")
    minutes, rest = divmod(round(sum(done.seconds.values())), 60)
    console.print(f"total: {minutes} min {rest} s")
    for title in done.failed:
        console.print(f"[red]failed:[/] {title}")


def reasons(done: Run, scale: float, chosen: str) -> list[str]:
    """Return why a run is not kept: pages are compared with whole runs at full size with all other packages."""
    found = {
        f"the scale is {scale:g}": scale != 1,
        "some sections were left out": bool(chosen),
        "a section failed": bool(done.failed),
        "a package is not installed": any(figure.missing for _, figure in done.flat()),
    }
    return [reason for reason, holds in found.items() if holds]


def write(done: Run, about: dict, suite: str, why_not: list[str], json_file: Path | None, console: Console) -> None:
    """Write the results to a file, by default to `benchmarks/results`, where only whole runs are kept."""
    path = json_file or RESULTS / f"{about['date']}{suite and '-'}{suite}.json"
    if why_not and json_file is None:
        console.print(f"not kept in {RESULTS.name}/, because {', and '.join(why_not)}; --json FILE writes it anyway")
        return
    rounded = {title: round(seconds, 1) for title, seconds in done.seconds.items()}
    records = {title: [figure.record() for figure in figures] for title, figures in done.figures.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"about": about, "seconds": rounded, "figures": records}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    console.print(f"results: {path}")


def machine(packages: Iterable[str], scale: float, repeats: int) -> dict:
    """Return the date, processor, kernels, versions and options of a run."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "date": date.today().isoformat(),
        "processor": processor(),
        "cores": cores,
        "kernels": f"{prowess.kernel_mode()}, {kernel_variant()}",
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        "scale": scale,
        "repeats": repeats,
        "versions": {name: installed_version(name) for name in packages},
    }


def processor() -> str:
    """Return the name of the processor; without /proc/cpuinfo, what Python calls it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def installed_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def show_machine(about: dict, console: Console) -> None:
    plain = [f"{value}" if name in ("date", "processor") else f"{name} {value}" for name, value in about.items()]
    console.print(", ".join(plain[:-1]))
    console.print(", ".join(f"{name} {value}" for name, value in about["versions"].items()))
    if about["scale"] != 1:
        console.print(f"The workloads are {about['scale']:g} of the sizes that the tables name; the targets are for 1.")
