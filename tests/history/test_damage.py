"""Every damaged file gives a correct result or a problem that names its line, never a traceback."""

import gzip
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from prowess import Error
from prowess.history import History
from prowess.history.read_context import Findings

from .damage.bases import Base, bases
from .damage.operations import damaged, truncated_archive
from .damage.oracle import complaints

BASES = bases()


def files(numbers: range, seed: int) -> Iterator[tuple[Base, bytes, str]]:
    """Yield damaged files, of all kinds in turn, with a description of the damage."""
    for number in numbers:
        base = BASES[number % len(BASES)]
        data, done = damaged(base, Random(f"{seed} {number}"))
        yield base, data, f"{base.name}, number {number} of seed {seed}: {', '.join(done)}"


def outcome(path: Path) -> Findings | Error:
    """Read a file, and return the result or the `Error`; other exceptions propagate."""
    try:
        return History.check(path)
    except Error as error:
        return error


def judged(folder: Path, numbers: range, seed: int) -> Iterator[tuple[Base, bytes, Findings | Error]]:
    """Read damaged files, check every result, and yield it."""
    for base, data, done in files(numbers, seed):
        path = folder / base.name
        path.write_bytes(data)
        found = outcome(path)
        wrong = complaints(base, data, found)
        assert not wrong, (done, wrong, data.decode(errors="replace"))
        yield base, data, found


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.name)
def test_undamaged_files_are_read_completely(base: Base, tmp_path: Path) -> None:
    path = tmp_path / base.name
    path.write_text(base.text(), encoding="utf-8")
    found = outcome(path)
    assert isinstance(found, Findings)
    assert not found.problems
    assert not complaints(base, base.text().encode(), found)
    assert len(found.history) >= 4


@pytest.mark.parametrize(
    ("cell", "score", "misread"), [(".5", 0.5, 5.0), ("0.5", 0.5, 5.0), ("2½", 2.5, 2.0), ("5.", 5.0, 0.5)]
)
def test_damaged_score_that_is_still_a_number_is_read_as_that_number(
    cell: str, score: float, misread: float, tmp_path: Path
) -> None:
    """No reader can know that .5 used to be 5; the oracle accepts only the number in the file."""
    base = BASES[0]
    path = tmp_path / base.name
    path.write_text(f"{base.text()}2025-01-01,Gus,Ida,7,{cell},TRUE\n", encoding="utf-8")
    found = outcome(path)
    assert isinstance(found, Findings)
    history = found.history
    assert history.score is not None
    assert history.score[-2:].tolist() == [7, score]
    assert not complaints(base, path.read_bytes(), found)
    wrong = replace(found, history=replace(history, score=np.append(history.score[:-1], misread)))
    assert complaints(base, path.read_bytes(), wrong)


@pytest.mark.parametrize("marked", ["r\ufeff1\t2024-01-19\tIda\t3", "r1\t2024-01-19\tI\ufeffda\t3"])
def test_row_with_a_byte_order_mark_in_an_id_or_a_name_is_read_as_the_row_that_people_see(
    marked: str, tmp_path: Path
) -> None:
    """The oracle accepts a report of such a row, but not a result that lacks the row."""
    base = next(base for base in BASES if base.name == "races.tsv")
    seen, path = marked.replace("\ufeff", ""), tmp_path / base.name

    def read(text: str) -> Findings:
        path.write_text(text, encoding="utf-8")
        found = outcome(path)
        assert isinstance(found, Findings)
        return found

    whole, without = read(base.text()), read(base.text().replace(f"{seen}\n", ""))
    found = read(base.text().replace(seen, marked))
    assert found.history == whole.history
    assert not complaints(base, path.read_bytes(), found)
    assert complaints(base, path.read_bytes(), replace(found, history=without.history))


@pytest.mark.long
def test_damaged_file_is_read_correctly_or_raises_an_error_that_names_it(tmp_path: Path) -> None:
    assert sum(1 for _ in judged(tmp_path, range(20_000), seed=2)) == 20_000


def test_error_for_a_damaged_archive_names_the_file(tmp_path: Path) -> None:
    random = Random(3)
    for number in range(60):
        base = BASES[number % len(BASES)]
        path = tmp_path / f"{base.name}.gz"
        path.write_bytes(truncated_archive(base, random))
        with pytest.raises(Error, match=f"{base.name}.gz: "):
            History.check(path)
        path.write_bytes(gzip.compress(base.text().encode()))
        assert not complaints(base, base.text().encode(), outcome(path))


def break_line_numbers(findings: Findings) -> Findings:
    """Report line numbers that are too small by one."""
    moved = [one._replace(where=f"line {int(one.where.split()[1]) - 1}") for one in findings.problems]
    return replace(findings, problems=tuple(moved))


def drop_a_match(findings: Findings) -> Findings:
    return replace(findings, history=findings.history[:-1])


def forget_problems(findings: Findings) -> Findings:
    return replace(findings, problems=())


def swap_results(findings: Findings) -> Findings:
    """Swap winners and losers."""
    history = findings.history
    return replace(findings, history=replace(history, place=3 - history.place.clip(max=2), score=None))


SLIPS = (break_line_numbers, drop_a_match, forget_problems, swap_results)


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, 4))])
def test_damage_oracle_accepts_a_correct_reader_and_catches_planted_bugs(part: int, tmp_path: Path) -> None:
    """The oracle accepts all results of the reader (errors, problems, clean files), and catches most planted bugs."""
    kinds: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    tried = 0
    for base, data, found in judged(tmp_path, range(250 * part, 250 * (part + 1)), seed=1):
        kinds["refused" if isinstance(found, Error) else "problems" if found.problems else "clean"] += 1
        if isinstance(found, Findings) and len(found.history) > 2 and found.problems and tried < 20:
            tried += 1
            seen.update(slip.__name__ for slip in SLIPS if complaints(base, data, slip(found)))
    assert min(kinds[kind] for kind in ("refused", "problems", "clean")) > 10, kinds
    assert tried == 20
    assert all(seen[slip.__name__] > 0.6 * tried for slip in SLIPS), seen
