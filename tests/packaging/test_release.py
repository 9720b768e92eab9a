"""A release writes its version everywhere, and the release workflow notices if it has not."""

import importlib.util
import re
import shutil
import subprocess
import sys

import pytest

import prowess as pw
from tests.packaging.building import ROOT

SCRIPT = ROOT / "tools" / "release.py"


@pytest.fixture
def release(tmp_path, monkeypatch):
    """The release script, for a copy of the files with a version."""
    spec = importlib.util.spec_from_file_location("release", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in module.LINES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "TODAY", "2027-01-31")
    return module


def head(release, heading):
    """Put a heading at the beginning of the changelog."""
    changelog = release.ROOT / "CHANGELOG.md"
    changelog.write_text(f"{heading}\n\n{changelog.read_text(encoding='utf-8')}", encoding="utf-8")


def test_release_writes_the_version_and_the_date_into_all_files(release):
    head(release, "## Unreleased")
    release.prepare("7.8.9rc1")
    assert release.missing("7.8.9rc1") == []
    texts = {name: (release.ROOT / name).read_text(encoding="utf-8") for name in release.LINES}
    assert texts["CHANGELOG.md"].startswith("## 7.8.9rc1, 2027-01-31\n")
    assert '\n__version__ = "7.8.9rc1"\n' in texts["src/prowess/__init__.py"]
    assert '\nversion = "7.8.9rc1"\n' in texts["papers/pyproject.toml"]
    assert '\ndependencies = ["prowess[lab]==7.8.9rc1"]\n' in texts["papers/pyproject.toml"]
    assert "\nversion: 7.8.9rc1\n" in texts["CITATION.cff"]


def test_release_without_a_heading_in_the_changelog_changes_nothing(release):
    with pytest.raises(SystemExit, match=r"CHANGELOG\.md has 0 lines"):
        release.prepare("7.8.9")
    assert all((release.ROOT / name).read_bytes() == (ROOT / name).read_bytes() for name in release.LINES)


def test_check_names_the_files_that_have_another_version(release):
    assert sorted(set(release.missing("7.8.9"))) == sorted(release.LINES)
    head(release, "## Unreleased")
    release.prepare("7.8.9")
    head(release, "## Unreleased")
    (release.ROOT / "CITATION.cff").write_text("version: 7.8.8\n", encoding="utf-8")
    assert release.missing("7.8.9") == ["CITATION.cff"]


@pytest.mark.parametrize(("version", "said"), [("next", "is not a version"), ("7.8.9", "not prepared for 7.8.9")])
def test_check_of_a_wrong_tag_fails(version, said):
    done = subprocess.run([sys.executable, SCRIPT, "--check", version], capture_output=True, text=True)
    assert (done.returncode, said in done.stderr) == (1, True)


def test_all_files_have_the_version_of_the_package():
    for name, pattern in (("papers/pyproject.toml", 'version = "(.*)"'), ("CITATION.cff", "version: (.*)")):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert re.findall(f"^{pattern}$", text, re.MULTILINE) == [pw.__version__]
