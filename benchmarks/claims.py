"""The figures that pages quote from the benchmarks, compared with the newest results: `python -m benchmarks.claims`.

`quoted.txt` lists them. With `--write`, the pages get the figures of the newest results. The words around the figures
stay as they are, so read the difference before you commit it.
"""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from .figures import UNITS
from .runs import RESULTS, screen

ROOT = Path(__file__).parents[1]
QUOTED = Path(__file__).parent / "quoted.txt"
SUITES = {"": "make bench", "-peers": "make bench-peers", "-service": "make bench-service"}
WITHIN = 1.5  # a figure of a page may differ from the newest results by this factor
SLOT, NUMBER = re.compile(r"\{([^{}]+)\}"), r"([−-]?\d[\d,]*(?:\.\d+)?)"


class Outdated(Exception):
    """A page or the results lack something that is quoted."""


@dataclass(frozen=True)
class Value:
    """A figure in the results: ours in a unit, a peer's in a unit, or, without a unit, the ratio to a peer's."""

    section: str
    measure: str
    peer: str = ""
    unit: str = ""
    items: float = 1.0
    inverse: bool = False

    @classmethod
    def parse(cls, slot: str) -> "Value":
        """Read the text between braces: section > measure > value."""
        section, measure, value = slot.split(" > ")
        unit, _, items = value.partition(" * ")
        if unit in UNITS:
            return cls(section, measure, "", unit, float(items.replace(",", "") or 1))
        peer, _, unit = value.removeprefix("1/").partition(", ")
        return cls(section, measure, peer, unit, 1.0, value.startswith("1/"))

    def of(self, record: dict) -> float:
        """Return the number in the record of a figure."""
        if self.unit:
            return (record["theirs"] if self.peer else record["ours"]) * UNITS[self.unit] * self.items
        ratio = record["theirs"] / record["ours"]
        return 1 / ratio if self.inverse else ratio

    def measured(self) -> float:
        """Return the number in the newest results."""
        for record in newest().get(self.section, []):
            if record["measure"] == self.measure and self.peer in ("", record.get("peer")):
                return self.of(record)
        raise Outdated(f"the newest results have no figure {self}")

    def __str__(self) -> str:
        return " > ".join(filter(None, (self.section, self.measure, self.peer)))


@dataclass(frozen=True)
class Claim:
    """A text of a page, with {…} for every figure."""

    page: str
    text: str

    @property
    def values(self) -> list[Value]:
        return [Value.parse(slot) for slot in SLOT.findall(self.text)]

    def find(self) -> re.Match[str]:
        """Return where the page says this; lines may break anywhere."""
        words = [re.escape(part) for part in SLOT.sub("{}", self.text).split("{}")]
        pattern = re.sub(r"(?:\\ )+", r"\\s+", NUMBER.join(words))
        found = re.search(pattern, (ROOT / self.page).read_text(encoding="utf-8"))
        if found is None:
            text = SLOT.sub("{}", self.text)
            raise Outdated(f"{self.page} no longer says “{text}”: change {QUOTED.relative_to(ROOT)} too")
        return found

    def quotes(self) -> Iterator["Quote"]:
        """Yield the figures on the page."""
        found = self.find()
        for number, value in enumerate(self.values, start=1):
            yield Quote(self.page, found.span(number), found[number], value, value.measured())


@dataclass(frozen=True)
class Quote:
    """A figure on a page: its place in the text, what is written there, and the measured number."""

    page: str
    span: tuple[int, int]
    written: str
    value: Value
    measured: float

    @property
    def fresh(self) -> str:
        """Return the measured number with as many digits as the page has."""
        bare = self.written.replace(",", "").lstrip("−-")
        if self.value.unit == "nats":
            decimals = len(bare.partition(".")[2])
        else:
            count = len(bare.replace(".", "").lstrip("0")) if "." in bare else max(2, len(bare.rstrip("0")))
            exponent = int(f"{self.measured:.{count - 1}e}".partition("e")[2])
            decimals = count - 1 - exponent
        return f"{round(self.measured, decimals) + 0.0:,.{max(0, decimals)}f}".replace("-", "−")

    @property
    def factor(self) -> float:
        """Return how many times the smaller of the written and the measured number the larger one is."""
        if self.fresh == self.written:
            return 1.0
        number = float(self.written.replace(",", "").replace("−", "-"))
        ratio = self.measured / number if number else 0.0
        return max(ratio, 1 / ratio) if ratio > 0 else float("inf")

    @property
    def holds(self) -> bool:
        """Return whether the page may say this. Losses do not depend on the machine, so they must be the same."""
        return self.factor <= (1.0 if self.value.unit == "nats" else WITHIN)

    @property
    def message(self) -> str:
        return f"{self.page}: {self.value}: {self.written} written, {self.fresh} measured"


def claims() -> list[Claim]:
    """Return what `quoted.txt` lists."""
    found, page = [], ""
    for line in QUOTED.read_text(encoding="utf-8").partition("\n\n")[2].splitlines():
        if line.endswith(".md"):
            page = line
        elif line:
            found.append(Claim(page, line))
    return found


@cache
def newest() -> dict[str, list[dict]]:
    """Return the figures of all sections in the newest file of each suite."""
    found: dict[str, list[dict]] = {}
    for suite, command in SUITES.items():
        files = sorted(RESULTS.glob(f"????-??-??{suite}.json"))
        if not files:
            message = f"{RESULTS.relative_to(ROOT)} has no results of `{command}`: run it on an idle machine, then"
            raise Outdated(f"{message} `python -m benchmarks.claims --write`, and commit the file and the pages")
        found |= json.loads(files[-1].read_text(encoding="utf-8"))["figures"]
    return found


def write(quotes: list[Quote]) -> None:
    """Write the measured numbers to the pages."""
    for page in {quote.page for quote in quotes}:
        text = (ROOT / page).read_text(encoding="utf-8")
        for quote in sorted((quote for quote in quotes if quote.page == page), key=lambda q: q.span, reverse=True):
            text = text[: quote.span[0]] + quote.fresh + text[quote.span[1] :]
        (ROOT / page).write_text(text, encoding="utf-8")


def main(
    rewrite: Annotated[bool, typer.Option("--write", help="Write the measured numbers to the pages.")] = False,
) -> None:
    """Compare the figures of the pages with the newest results."""
    console = screen()
    try:
        quotes = [quote for claim in claims() for quote in claim.quotes()]
    except Outdated as problem:
        console.print(str(problem), soft_wrap=True)
        raise typer.Exit(1) from None
    grid = Table("page", "figure", "written", "measured", "factor", box=None)
    for quote in quotes:
        factor = f"{quote.factor:.2f}{'' if quote.holds else ' !'}"
        grid.add_row(Path(quote.page).stem, str(quote.value), quote.written, quote.fresh, factor)
    console.print(grid)
    if rewrite:
        write(quotes)
    raise typer.Exit(0 if rewrite or all(quote.holds for quote in quotes) else 1)


if __name__ == "__main__":
    sys.exit(typer.run(main))
