"""Runs of the benchmarks: no section stops the others, and only whole runs are kept."""

import io
import json

import pytest
from rich.console import Console
from typer.testing import CliRunner

from benchmarks import __main__ as command
from benchmarks import runs
from benchmarks.figures import Figure


def fast(scale, repeats):
    yield Figure("one call", 2e-6, "µs", "slow", 1e-3, at_least=100)
    yield Figure("another call", 2e-6, "µs", below=1.0)


def broken(scale, repeats):
    yield Figure("before", 1e-3, "ms")
    raise AttributeError("'Comparison' object has no attribute '_known'")


def lonely(scale, repeats):
    yield Figure("one call", 2e-6, "µs", "a package", None, at_least=100)


@pytest.fixture
def bench(monkeypatch, tmp_path):
    """Run `python -m benchmarks` on other sections, with other results."""
    monkeypatch.setattr(runs, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(command, "TENNIS", tmp_path)
    app = command.typer.Typer()
    app.command()(command.main)

    def run(sections, *options):
        monkeypatch.setattr(command, "SECTIONS", sections)
        return CliRunner(env={"COLUMNS": "100"}).invoke(app, ["--pure", *options])

    run.kept = lambda: sorted(path.name for path in (tmp_path / "results").glob("*"))
    return run


def test_whole_run_is_kept_although_a_target_is_missed(bench, tmp_path):
    result = bench({"Calls": fast})
    assert result.exit_code == 0
    assert "1 of 2 targets met" in result.output
    assert "missed: Calls: another call: 2 µs, target < 1 µs" in result.output
    [name] = bench.kept()
    content = json.loads((tmp_path / "results" / name).read_text(encoding="utf-8"))
    assert name == f"{content['about']['date']}.json"
    assert {"processor", "cores", "kernels", "versions", "scale", "repeats"} <= content["about"].keys()
    assert content["seconds"].keys() == {"Calls"}
    one, _ = content["figures"]["Calls"]
    assert (one["measure"], one["ours"], one["peer"], one["theirs"]) == ("one call", 2e-6, "slow", 1e-3)
    assert one["ratio"] == pytest.approx(500)


def test_an_exception_ends_only_its_own_section(bench):
    result = bench({"Compare": broken, "Calls": fast})
    assert result.exit_code == 1
    assert "no attribute '_known'" in result.output
    assert "before" in result.output
    assert "1 of 2 targets met" in result.output
    assert result.output.rstrip().splitlines()[-2:] == [
        "failed: Compare",
        "not kept in results/, because a section failed; --json FILE writes it anyway",
    ]
    assert bench.kept() == []


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--scale", "0.5"], "the scale is 0.5"),
        (["--only", "calls"], "some sections were left out"),
    ],
)
def test_parts_of_a_run_are_not_kept(bench, options, reason):
    result = bench({"Calls": fast}, *options)
    assert result.exit_code == 0
    assert f"not kept in results/, because {reason};" in result.output
    assert bench.kept() == []


def test_any_run_is_written_to_a_given_file(bench, tmp_path):
    bench({"Calls": fast}, "--scale", "0.5", "--json", str(tmp_path / "half.json"))
    assert json.loads((tmp_path / "half.json").read_text(encoding="utf-8"))["about"]["scale"] == 0.5
    assert bench.kept() == []


def test_a_missing_package_is_named_and_its_run_is_not_kept(bench):
    result = bench({"Calls": lonely})
    assert result.exit_code == 0
    assert "a package not installed" in result.output
    assert "left out, because they are not installed: a package" in result.output
    assert "0 of 0 targets met" in result.output
    assert bench.kept() == []


def test_a_section_is_named_before_it_runs():
    out = io.StringIO()

    def section():
        assert out.getvalue().splitlines()[-1] == "Calls (1 of 1) …"
        return []

    assert runs.run({"Calls": section}, Console(file=out, width=100)).failed == []
