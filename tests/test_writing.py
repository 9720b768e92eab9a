"""No text that users or engineers read contains phrases that we have banned because they are hard to read."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents import PAGES, ROOT, name, text

SOURCES = sorted(file for folder in ("src", "papers", "benchmarks", "tools") for file in (ROOT / folder).rglob("*.py"))
TEMPLATES = sorted((ROOT / "src" / "prowess" / "service" / "pages" / "templates").rglob("*.html"))
WRITING = ROOT / "docs" / "writing.md"

BANNED = re.compile(
    r"""
      \b(?:stands?|stood)\ (?!for\b|out\b|in\ for\b)\w   # is listed, is rated, comes first
    | \b(?:is|are|was|were|be)\ (?:told|said)\b         # the model says, the page shows
    | \btaken\ for\b | \b(?:comes?|came)\ as\b          # counts as, starts as
    | \bfound(?:s|ed|ing)?\ (?:a|new|the)\ league | \bleague\b.{0,30}\bis\ founded\b   # create
    | \bthere\ is\ no\ such\b                           # not found
    | (?<![Tt]here\ )\bis\ no\ (?:column|date|file|key|match|model|name|number|place|player|result|score|team|time)\b
    | (?:^|[.:;]\ )Who\ (?:asks|comes|has|is|knows|may|plays|returns|sends|signs|waits|wants|wins)\b(?![^.]*\?)
    | \bwho\ may\ not\b | \bof\ late\b | \bfor\ oneself\b | \bunless\ (?:given|told)\b | \banew\b
    | \b(?:would\ tell|tells?)\ (?:most|apart)\b | \bsupposed\b | \bforeseen\b | \bby\ what\ they\ hold\b
    | \bsays?\ nothing\b | \bfor\ nothing\b | \bcomes?\ to\ nothing\b | \bleague\ that\ lives\b
    | \bas\ if\ it\ were\ not\ there\b | \b(?:beside|against)\ each\ other\b | \b[Ss]mall\ letters\b
    """,
    re.X | re.M,
)


def prose(page: Path) -> str:
    """Return a Markdown page without code, and without the bad examples of the writing guide."""
    plain = re.sub(r"^```.*?^```$|`[^`\n]*`", "", text(page), flags=re.M | re.S)
    return plain.partition("| instead of |")[0] if page == WRITING else plain


def template_text(page: Path) -> str:
    """Return the text of a template, with a space for every tag and expression."""
    return re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<[^>]*>", " ", text(page), flags=re.S)


def strings(file: Path) -> str:
    """Return all strings of a Python file: docstrings, messages, help texts."""
    constants = (node.value for node in ast.walk(ast.parse(text(file))) if isinstance(node, ast.Constant))
    return ". ".join(value for value in constants if isinstance(value, str))


def comments(file: Path) -> str:
    return "\n".join(re.findall(r"(?:^|  )# (.*)$", text(file), flags=re.M))


def offences(written: str) -> Iterator[str]:
    joined = re.sub(r"[ \n]+", " ", written)
    for match in BANNED.finditer(joined):
        yield joined[max(0, match.start() - 40) : match.end() + 40]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_documents_avoid_banned_phrases(page):
    assert not list(offences(prose(page)))


@pytest.mark.parametrize("page", TEMPLATES, ids=name)
def test_templates_avoid_banned_phrases(page):
    assert not list(offences(template_text(page)))


@pytest.mark.parametrize("folder", sorted({file.parent for file in SOURCES}), ids=name)
def test_sources_avoid_banned_phrases(folder):
    written = {file.name: [*offences(strings(file)), *offences(comments(file))] for file in folder.glob("*.py")}
    assert {file: found for file, found in written.items() if found} == {}


def test_test_names_avoid_banned_phrases():
    names = re.findall(r"def (test_\w+)", "\n".join(text(file) for file in (ROOT / "tests").rglob("*.py")))
    assert not [test for test in names if list(offences(test.replace("_", " ")))]


EXAMPLES = re.findall(r"^\| (.+?) \| (.+?) \|$", text(WRITING), re.M)[1:]


@pytest.mark.parametrize(("before", "after"), EXAMPLES)
def test_banned_phrases_are_found_in_the_bad_examples_of_the_guide(before, after):
    assert list(offences(before))
    assert not list(offences(after))


def test_writing_guide_has_ten_examples_and_stays_short():
    assert len(EXAMPLES) == 10
    assert len(text(WRITING).splitlines()) <= 60
