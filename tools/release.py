"""Prepare a release: `python tools/release.py 0.2.0` writes the version and the date where they belong, and commits.

`--check 0.2.0` only checks that they are there; the release workflow does so before it builds anything.
"""

import argparse
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent
VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")
TODAY = datetime.now(UTC).date().isoformat()
# For each file: the line to replace, and the line of a release.
LINES = {
    "src/prowess/__init__.py": (r'^__version__ = ".*"$', '__version__ = "{version}"'),
    "papers/pyproject.toml": (r'^version = ".*"$', 'version = "{version}"'),
    "CITATION.cff": (r"^version: .*$", "version: {version}"),
    "CHANGELOG.md": (r"^## (?:Unreleased|{version}, not released yet)$", "## {version}, {date}"),
}
DEPENDENCY = (r'^dependencies = \["prowess\[lab\]==.*"\]$', 'dependencies = ["prowess[lab]=={version}"]')


def edits() -> list[tuple[Path, str, str]]:
    """Return a file, a pattern and a replacement for each line that names the version."""
    lines = [(ROOT / name, *edit) for name, edit in LINES.items()]
    return [*lines, (ROOT / "papers" / "pyproject.toml", *DEPENDENCY)]


def prepare(version: str) -> None:
    """Write the version and today's date; stop before anything is written if a line is missing."""
    texts = {file: file.read_text(encoding="utf-8") for file, _, _ in edits()}
    for file, pattern, line in edits():
        pattern = pattern.replace("{version}", re.escape(version))
        written = line.format(version=version, date=TODAY)
        texts[file], found = re.subn(pattern, written, texts[file], flags=re.MULTILINE)
        if found != 1:
            raise SystemExit(f"{file.relative_to(ROOT)} has {found} lines like {pattern}; there should be one")
    for file, text in texts.items():
        file.write_text(text, encoding="utf-8")


def missing(version: str) -> list[str]:
    """Return the files that do not have this version, or whose heading has no date yet."""
    date = r"\d{4}-\d\d-\d\d"
    files = []
    for file, _, line in edits():
        wanted = re.escape(line).replace(r"\{version\}", re.escape(version)).replace(r"\{date\}", date)
        if not re.search(f"^{wanted}$", file.read_text(encoding="utf-8"), re.MULTILINE):
            files.append(str(file.relative_to(ROOT)))
    return files


def main() -> None:
    """Prepare a release, or check one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version", help="such as 0.2.0 or 0.2.0rc1")
    parser.add_argument("--check", action="store_true", help="change nothing, and fail if a file has another version")
    given = parser.parse_args()
    if not VERSION.fullmatch(given.version):
        raise SystemExit(f"{given.version!r} is not a version such as 0.2.0 or 0.2.0rc1")
    if given.check:
        if files := missing(given.version):
            raise SystemExit(f"not prepared for {given.version}: {', '.join(files)}")
        return
    if subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, check=True).stdout:
        raise SystemExit("there are uncommitted changes")
    prepare(given.version)
    subprocess.run(["git", "commit", "--all", "--message", f"release: version {given.version}"], cwd=ROOT, check=True)
    print(f"Now publish it: git tag v{given.version} && git push origin main v{given.version}")


if __name__ == "__main__":
    main()
