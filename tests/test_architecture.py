"""The architecture documents name only files that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "prowess"
NAME = re.compile(r"`((?:\w+/)*\w+\.py|(?:\w+/)+)`")
PAGES = [*(ROOT / "docs" / f"{name}.md" for name in ("architecture", "kernels", "plugins")), ROOT / "CONTRIBUTING.md"]
MADE_UP = {
    "prowess_capped.py",
    "dist/",
    "papers/pages/",
    "screenshots/",
    "styles/",
}  # example paths, and files that `make` writes


def exists(name: str) -> bool:
    """Return whether a path is in the package or in the repository; a bare file name may be in any folder."""
    if (PACKAGE / name).exists() or (PACKAGE.parent / name).exists() or (ROOT / name).exists():
        return True
    return "/" not in name and any(True for folder in (PACKAGE, ROOT / "tests") for _ in folder.rglob(name))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_named_in_documents_exist(page):
    names = set(NAME.findall(page.read_text(encoding="utf-8")))
    example = MADE_UP | {name for name in names if name.endswith(("/x.py", "/x/"))}
    assert names, "the page names no files"
    assert not [name for name in sorted(names - example) if not exists(name)]


def test_check_for_files_named_in_documents_finds_missing_files():
    assert exists("model/engine/sweep.py")
    assert exists("sweep.py")
    assert not exists("model/gauss.py")
