"""Minimum versions of dependencies exclude known vulnerabilities, and the installed versions satisfy them."""

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
HOLES = {  # the last version with a known vulnerability or a defect that changes our results
    "distributed": ("2026.1.0", "CVE-2026-23528, cross-site scripting in the dashboard"),
    "h11": ("0.14.0", "CVE-2025-43859, request smuggling"),
    "idna": ("3.14", "CVE-2026-45409, much CPU time for one name"),
    "jinja2": ("3.1.5", "CVE-2025-27516, breaking out of the sandbox"),
    "joblib": ("1.4.2", "CVE-2024-34997"),
    "mako": ("1.3.11", "CVE-2026-44307"),
    "polars": ("1.44.2", "dates and blank lines of CSV files read differently than by 2.0"),
    "pyarrow": ("23.0.0", "CVE-2026-25087, crafted IPC files"),
    "pytest": ("9.0.2", "CVE-2025-71176"),
    "python-multipart": ("0.0.30", "CVE-2026-53540, bodies without limit"),
    "starlette": ("1.3.0", "CVE-2026-54283, forms without limit"),
}


def requirements() -> dict[str, Requirement]:
    """Return all requirements by name; extras repeat some of them with the same minimum version."""
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    parsed = [Requirement(text) for group in groups for text in group]
    return {canonicalize_name(one.name): one for one in parsed if one.name != "prowess"}


@pytest.mark.parametrize("name", HOLES)
def test_minimum_versions_exclude_known_vulnerabilities(name):
    last, hole = HOLES[name]
    assert not requirements()[name].specifier.contains(last), hole


def test_pinned_and_installed_versions_satisfy_the_minimum_versions():
    lines = (ROOT / "constraints.txt").read_text().splitlines()[1:]
    pinned = {canonicalize_name(one.name): one for one in map(Requirement, lines)}
    assert lines == sorted(lines)
    for name, required in requirements().items():
        for [pin] in [pinned[name].specifier] if name in pinned else []:
            assert required.specifier.contains(pin.version), (name, pin.version)
        try:
            installed = version(name)
        except PackageNotFoundError:  # a package of an extra that is not installed
            continue
        assert required.specifier.contains(installed), (name, installed)


def test_every_package_that_the_service_imports_is_a_direct_dependency():
    files = (ROOT / "src" / "prowess" / "service").rglob("*.py")
    texts = "\n".join(file.read_text() for file in files)
    for package in ("anyio", "fastapi", "starlette", "sqlalchemy", "uvicorn"):
        assert f"from {package}" in texts
        assert package in requirements()
