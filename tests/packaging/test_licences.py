"""The table of licences names every package that is installed with prowess, and none forbids its use."""

import re

from tests.packaging.building import ROOT
from tools import licences

PERMISSIVE = {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "PSF-2.0", "Zlib"}
WEAK = {"LGPL-3.0-only", "MPL-2.0"}  # bind only those who change the package itself
PAGE = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
TABLE = dict(re.findall(r"^\| ([\w-]+) \| [\w, ]+ \| (.+) \|$", PAGE.partition("|---|")[2], re.MULTILINE))


def test_table_names_every_distribution_that_an_extra_installs():
    assert licences.rows().keys() <= TABLE.keys()
    assert {"numpy", "polars", "typer", "rich", "psycopg", "h11", "fastexcel"} <= licences.rows().keys()


def test_every_licence_in_the_table_is_known_and_lets_others_use_prowess():
    assert {part for licence in TABLE.values() for part in re.split(" AND | OR ", licence)} <= PERMISSIVE | WEAK


def test_licences_of_old_metadata_are_shown_by_their_usual_names():
    assert licences.licence("psycopg") == "LGPL-3.0-only"
    assert "BSD-3-Clause" in licences.licence("numpy")
