"""The documentation: its examples run, its links work, and every public name is covered."""

import inspect
import re
import shutil
from functools import cached_property
from types import ModuleType

import pytest
import typer

import prowess as pw
from prowess.model.components.outcome.comparison import Comparison
from tests.documents import PAGES, ROOT, Reader, check_screen, name, text

ADRS = sorted(ROOT.glob("docs/adr/[0-9]*.md"))
BASES = (pw.Absorb, pw.Drift, pw.Margin, pw.Outcome, pw.Prior, pw.TeamFunction, Comparison, pw.outcome.Score)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@pytest.fixture
def folder(tmp_path, monkeypatch, on_disk):
    """A working folder with a copy of the examples."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_examples_in_the_docs_run(page, folder):
    """All blocks of a page run in order, in one namespace and one folder; the shown screens match the output."""
    Reader(page).read()


def test_example_in_the_docs_with_wrong_output_fails_the_check():
    with pytest.raises(AssertionError, match="Expected"):
        Reader(PAGES[0]).python(">>> 1 + 1\n3\n")


def test_command_in_the_docs_with_an_unexpected_exit_code_fails_the_check(folder):
    reader = Reader(PAGES[0])
    assert "Ada" in reader.command("prowess rate examples/league.csv")
    assert "not found" in reader.command("prowess rate missing.csv  # exit 1")
    for line in ("prowess rate missing.csv", "prowess rate examples/league.csv # exit 1", "prowess rate --nonsense"):
        with pytest.raises(AssertionError, match="prowess rate"):
            reader.command(line)


@pytest.mark.parametrize(
    ("shown", "right"),
    [("one\ntwo", True), ("one\n\n…\nfour", True), ("two", True), ("one\nthree", False), ("four\n…\none", False)],
)
def test_screen_blocks_in_the_docs_are_compared_with_the_output(shown, right):
    if right:
        check_screen(shown, "one  \ntwo\n\nthree\nfour\n")
    else:
        with pytest.raises(AssertionError, match="not printed"):
            check_screen(shown, "one\ntwo\nthree\nfour\n")


@pytest.mark.parametrize("public", pw.__all__)
def test_every_public_name_is_documented(public):
    assert any(re.search(rf"\bpw\.{public}\b", text(page)) for page in PAGES)


def verbs():
    from prowess import cli

    return sorted(typer.main.get_command(cli.app).list_commands(None))


def test_every_command_is_in_the_readme():
    found = verbs()
    assert {"demo", "rate"} <= set(found)
    for verb in found:
        assert re.search(rf"(^|`)prowess {verb}\b", text(ROOT / "README.md"), re.M), verb


def members(owner):
    """Yield a class's own public methods and properties, except fields and methods that only the pipeline calls."""
    # The pipeline also calls `Rating.put`, which is visible only in uncompiled code.
    steps = {"put", *(step for base in BASES for step in vars(base))}
    for member, value in vars(owner).items():
        value = getattr(value, "__func__", value)
        shown = callable(value) or isinstance(value, (property, cached_property))
        if shown and not member.startswith("_") and member not in steps:
            yield member, value


def public():
    """Yield everything that a user can call: public names of the package and of its modules, and their methods."""
    for public_name in pw.__all__:
        found = getattr(pw, public_name)
        inside = {f"{public_name}.{part}": getattr(found, part) for part in getattr(found, "__all__", ())}
        for label, value in (inside if isinstance(found, ModuleType) else {public_name: found}).items():
            yield pytest.param(value, id=label)
            if inspect.isclass(value):
                yield from (pytest.param(part, id=f"{label}.{member}") for member, part in members(value))


@pytest.mark.parametrize("value", list(public()))
def test_every_public_docstring_has_an_example(value):
    assert ">>>" in (value.__doc__ or "")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_in_the_docs_lead_to_existing_files(page):
    for target in LINK.findall(text(page)):
        path = target.partition("#")[0]
        if path and "://" not in path:
            assert (page.parent / path).exists(), target


def test_every_decision_record_is_in_the_index_once_and_in_order():
    listed = re.findall(r"\((\d{4}-[\w-]+\.md)\)", text(ROOT / "docs" / "adr" / "README.md"))
    assert listed == [page.name for page in ADRS]
    assert [page.name[:4] for page in ADRS] == [f"{number:04d}" for number in range(1, len(ADRS) + 1)]


@pytest.mark.parametrize("page", ADRS, ids=name)
def test_every_decision_record_has_its_four_sections(page):
    parts = re.findall(r"^## (.+)$", text(page), re.M)
    assert parts == ["Context", "Decision", "Rejected alternatives", "Consequences"]


def test_source_files_contain_no_todo_comments():
    marks = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
    folders = [ROOT / folder for folder in ("src", "papers", "tests", "docs", "benchmarks", "examples", "tools")]
    sources = [file for folder in folders for file in folder.rglob("*") if file.suffix in (".py", ".pxd", ".md")]
    for file in [*sources, *ROOT.glob("*.md"), ROOT / "setup.py", ROOT / "Makefile"]:
        assert not marks.search(text(file)), file


def test_every_guide_is_in_the_table_of_contents():
    contents = set(LINK.findall(text(ROOT / "docs" / "README.md")))
    assert {f"guide/{page.name}" for page in ROOT.glob("docs/guide/*.md")} <= contents
    assert {f"../examples/{book.name}" for book in ROOT.glob("examples/*.ipynb")} <= contents


def test_every_link_anchor_is_a_heading_of_its_page():
    for page in PAGES:
        for target in LINK.findall(text(page)):
            path, _, anchor = target.partition("#")
            if anchor and "://" not in path:
                there = (page.parent / path).resolve() if path else page
                assert anchor in headings(there), f"{name(page)}: {target}"


def headings(page):
    """Return the anchors of a page's headings, derived from their words."""
    plain = re.sub(r"^```.*?^```$", "", text(page), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.+)$", plain, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}
