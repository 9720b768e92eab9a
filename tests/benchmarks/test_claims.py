"""The figures of the pages are those of the newest benchmark results."""

import re

import pytest

from benchmarks import claims
from benchmarks.claims import Claim, Quote, Value, newest

CLAIMS = claims.claims()
# A number with a unit of time, or a ratio.
FIGURE = re.compile(r"\d[\d,.]*(?: (?:ns|µs|ms|×)|(?: to \d[\d.]*)? times as (?:fast|long))(?!\w)")


def test_figures_of_pages_are_those_of_the_newest_results():
    wrong = [quote.message for claim in CLAIMS for quote in claim.quotes() if not quote.holds]
    assert not wrong, "\n".join([*wrong, "`python -m benchmarks.claims --write` writes the measured figures"])


@pytest.mark.parametrize("page", sorted({claim.page for claim in CLAIMS}))
def test_every_time_and_ratio_on_a_page_is_quoted(page):
    text = (claims.ROOT / page).read_text(encoding="utf-8")
    spans = [claim.find().span() for claim in CLAIMS if claim.page == page]
    loose = [found for found in FIGURE.finditer(text) if not any(a <= found.start() < b for a, b in spans)]
    assert [found[0] for found in loose if text[: found.start()].split()[-4:] not in LIMITS] == []


# Words before times that are not measured: targets, and settings of examples.
LIMITS = [["SQLite.", "The", "targets", "are"]]


@pytest.mark.parametrize(
    ("written", "measured", "fresh"),
    [
        ("2,750", 2_686.4, "2,690"),
        ("650", 1_234.0, "1,200"),
        ("90", 104.6, "100"),
        ("7", 12.34, "12"),
        ("2.0", 2.345, "2.3"),
        ("0.4", 0.36, "0.4"),
        ("0.09", 0.104, "0.1"),
        ("1,520", 987.6, "988"),
        ("9.5", 10.04, "10"),
    ],
)
def test_measured_figures_have_as_many_digits_as_written_ones(written, measured, fresh):
    assert Quote("page.md", (0, 0), written, Value("section", "measure", unit="ms"), measured).fresh == fresh


def test_losses_keep_their_decimals_and_must_be_equal():
    def quote(written, measured):
        return Quote("page.md", (0, 0), written, Value("section", "measure", unit="nats"), measured)

    assert [quote("0.0005", number).fresh for number in (0.00123, -0.00081, -0.00001)] == [
        "0.0012",
        "−0.0008",
        "0.0000",
    ]
    assert quote("−0.0008", -0.00081).holds
    assert not quote("0.6477", 0.6479).holds


def test_a_figure_may_differ_by_half_but_not_by_more():
    value = Value("section", "measure", unit="ms")
    factors = {
        measured: Quote("page.md", (0, 0), "90", value, measured).holds for measured in (59.0, 61.0, 134.0, 136.0)
    }
    assert factors == {59.0: False, 61.0: True, 134.0: True, 136.0: False}


@pytest.fixture
def results(monkeypatch):
    record = {"measure": "fit", "peer": "slow", "ours": 2e-6, "theirs": 1e-3}
    monkeypatch.setattr(claims, "newest", lambda: {"Section": [record]})


@pytest.mark.usefixtures("results")
@pytest.mark.parametrize(
    ("slot", "number"),
    [("µs", 2.0), ("s * 1,000,000", 2.0), ("slow", 500.0), ("slow, ms", 1.0), ("1/slow", 0.002)],
)
def test_a_slot_is_a_number_of_the_results(slot, number):
    assert Value.parse(f"Section > fit > {slot}").measured() == pytest.approx(number)


@pytest.mark.usefixtures("results")
def test_writing_changes_only_the_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("A fit takes 9 µs,\n1,000 times less than 9 µs.\n")
    claim = Claim("page.md", "A fit takes {Section > fit > µs} µs, {Section > fit > slow} times less")
    claims.write(list(claim.quotes()))
    assert page.read_text() == "A fit takes 2.0 µs,\n500 times less than 9 µs.\n"


@pytest.mark.usefixtures("results")
def test_changed_pages_and_missing_figures_are_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "ROOT", tmp_path)
    monkeypatch.setattr(claims, "QUOTED", tmp_path / "quoted.txt")
    (tmp_path / "page.md").write_text("A fit takes 9 µs.")
    with pytest.raises(claims.Outdated, match="no longer says “A sweep takes"):
        Claim("page.md", "A sweep takes {Section > fit > µs} µs").find()
    with pytest.raises(claims.Outdated, match="no figure Section > sweep"):
        list(Claim("page.md", "A fit takes {Section > sweep > µs} µs").quotes())


def test_without_results_the_command_to_run_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "ROOT", tmp_path)
    monkeypatch.setattr(claims, "RESULTS", tmp_path / "results")
    newest.cache_clear()
    with pytest.raises(claims.Outdated, match="results has no results of `make bench`: run it on an idle machine"):
        newest()
