"""The command-line guide documents every command and option; tests/test_docs.py runs its examples."""

import re
import shlex
from typing import Any

import pytest
import typer

from prowess.cli import app
from tests.cli.running import ROOT
from tests.documents import commands

PAGE = (ROOT / "docs" / "guide" / "commands.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## ([\w ]+)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
EVERYWHERE = SECTIONS["Every command"]
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
GROUP = typer.main.get_command(app)
VERBS = {name: GROUP.get_command(None, name) for name in GROUP.list_commands(None)}  # type: ignore[attr-defined]


def flags(command: Any) -> set[str]:
    """Return the long options of a command and of its subcommands."""
    inside = getattr(command, "commands", {}).values() if command is not GROUP else ()
    names = [flag for option in command.params for flag in (*option.opts, *option.secondary_opts)]
    return {flag for flag in names if flag.startswith("--")}.union({"--help"}, *map(flags, inside))


SHARED = set.intersection(*(flags(VERBS[name]) for name in ("rate", "predict")))
ELSEWHERE = {"doctor": flags(VERBS["serve"])}  # commands whose options are listed in the section of another command


def examples() -> list[list[str]]:
    """Return the commands in all code blocks of the guide, without comments."""
    return [shlex.split(line, comments=True)[1:] for block in BLOCK.findall(PAGE) for line in commands(block)]


def test_guide_has_one_section_per_command() -> None:
    assert set(SECTIONS) - {"Every command"} == set(VERBS)
    assert all(f"](#{name})" in PAGE for name in VERBS)


@pytest.mark.parametrize("name", sorted(VERBS))
def test_guide_lists_exactly_the_options_of_each_command(name: str) -> None:
    known, section = flags(VERBS[name]), SECTIONS[name]
    rows = set(FLAG.findall("\n".join(line for line in section.splitlines() if line.startswith("| `--"))))
    assert known - SHARED - ELSEWHERE.get(name, set()) <= rows
    assert rows <= known
    assert set(FLAG.findall(BLOCK.sub("", section))) <= known
    assert known & SHARED <= set(FLAG.findall(EVERYWHERE))


def test_guide_lists_the_global_options() -> None:
    assert flags(GROUP) <= set(FLAG.findall(EVERYWHERE))


def test_guide_has_examples_of_all_commands_except_demo() -> None:
    assert {words[0] for words in examples()} == set(VERBS) - {"demo"}


@pytest.mark.parametrize("name", sorted(VERBS))
def test_examples_in_the_help_use_existing_options(name: str) -> None:
    help = VERBS[name].help
    shown = [line.strip() for line in help.splitlines() if line.strip().startswith("prowess ")]
    assert shown
    for line in shown:
        assert set(FLAG.findall(line)) <= flags(VERBS[name]), line
