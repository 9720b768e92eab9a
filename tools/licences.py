"""Write the table of docs/licences.md: `python -m tools.licences --write`, in an environment with all extras."""

import argparse
import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "licences.md"
HEAD = "| package | needed by | licence |\n|---|---|---|\n"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
GROUPS = {"core": PROJECT["dependencies"]} | {
    name: PROJECT["optional-dependencies"][name] for name in ("excel", "lab", "service")
}
# Classifiers and old metadata use other names than SPDX.
SPDX = {
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}


def needed_by(requirements: list[str]) -> set[str]:
    """Return the names of installed distributions that satisfy requirements, and of all that they need."""
    found: set[str] = set()
    left = [(Requirement(text), "") for text in requirements]
    while left:
        requirement, extra = left.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        for wanted in requirement.extras | ({""} if name not in found else set()):
            left += [(Requirement(text), wanted) for text in distribution(name).requires or ()]
        found.add(name)
    return found


def licence(name: str) -> str:
    """Return the licence of an installed distribution, as an SPDX expression if it is known."""
    metadata = distribution(name).metadata
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classifiers = metadata.get_all("Classifier") or ()
    named = [text.rpartition(" :: ")[2] for text in classifiers if text.startswith("License :: OSI Approved :: ")]
    texts = named or [str(metadata.get("License", "")).partition("\n")[0]]
    return " AND ".join(SPDX.get(text, text) for text in texts)


def rows() -> dict[str, str]:
    """Return a line of the table for each distribution that prowess may need at run time."""
    groups = {group: needed_by(requirements) for group, requirements in GROUPS.items()}
    lines = {}
    for name in sorted(set().union(*groups.values())):
        users = "core" if name in groups["core"] else ", ".join(group for group in groups if name in groups[group])
        lines[name] = f"| {name} | {users} | {licence(name)} |"
    return lines


def main() -> None:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the table in docs/licences.md")
    table = HEAD + "\n".join(rows().values()) + "\n"
    if parser.parse_args().write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(re.sub(re.escape(HEAD) + r"(\|.*\n)*", lambda _: table, page), encoding="utf-8")
    else:
        print(table, end="")


if __name__ == "__main__":
    main()
