"""Every section of the benchmarks runs, at a tiny scale; packages that `make test` does not install run in CI only."""

import gc
import io
import math
import os
import sys
from contextlib import contextmanager

import pytest
from rich.console import Console

from benchmarks.claims import claims
from benchmarks.figures import table
from benchmarks.peers import OPTIONAL
from benchmarks.sections import PEER_SECTIONS, SECTIONS
from benchmarks.service import sections as service

SCALE, REPEATS = 1e-4, 1
QUOTED = [value for claim in claims() for value in claim.values]


@pytest.fixture(autouse=True, scope="module")
def little_garbage():
    """Exempt all objects of earlier tests from garbage collection, which every measurement begins with."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def fewer_peers(monkeypatch):
    """Hide peers that may be installed, because importing and compiling some of them takes longer than all sections."""
    if os.environ.get("CI") != "true":
        monkeypatch.setenv("PROWESS_PEERS", "/nonexistent")
        for module in OPTIONAL.values():
            monkeypatch.setitem(sys.modules, module, None)


@pytest.mark.parametrize("title", SECTIONS | PEER_SECTIONS)
@pytest.mark.usefixtures("fewer_peers")
def test_section_yields_figures_whose_table_fits_100_columns(title):
    check(title, list((SECTIONS | PEER_SECTIONS)[title](SCALE, REPEATS)))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    with service.served(f"sqlite:///{folder}/league.db", folder) as server:
        yield server


@pytest.mark.parametrize("title", service.SECTIONS)
def test_section_of_the_service_yields_figures_whose_table_fits_100_columns(title, server, tmp_path, monkeypatch):
    @contextmanager
    def served(*_):
        yield server

    monkeypatch.setattr(service, "served", served)
    check(f"{title}: SQLite", list(service.SECTIONS[title](server.url, tmp_path, SCALE, REPEATS)))


def check(title, figures):
    """Check that figures are numbers, that pages quote only these figures, and that their table can be read."""
    assert figures
    for figure in figures:
        assert math.isfinite(figure.ours), figure
        # CPU time is counted in hundredths of a second, and on Linux only.
        assert figure.ours > 0 or figure.unit == "nats" or "CPU time" in figure.measure, figure
        assert figure.missing or figure.theirs is None or figure.theirs > 0, figure
    names = {(figure.measure, figure.peer) for figure in figures}
    assert len(names) == len(figures)
    names |= {(figure.measure, "") for figure in figures}
    missing = tuple(figure.peer for figure in figures if figure.missing)
    quoted = (value for value in QUOTED if value.section == title)
    assert {
        (value.measure, value.peer) for value in quoted if not (missing and value.measure.startswith(missing))
    } <= names
    screen = Console(width=100, record=True, file=io.StringIO())
    screen.print(table(figures))
    lines = screen.export_text().splitlines()
    assert "…" not in "".join(lines)
    assert len(lines) <= 2 + 2 * len(figures)
