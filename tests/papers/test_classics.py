"""The examples of "A Manifesto of Skill": all printed numbers are reproduced, and all claims get the right verdict."""

import numpy as np
import pytest

import prowess as pw
from prowess.lab.report import Report
from prowess_papers import paper
from prowess_papers.classics.conserved import created
from prowess_papers.classics.examples import compare_digits
from prowess_papers.classics.joe import return_of


@pytest.fixture(scope="module")
def report() -> Report:
    return paper("classics").run(small=True)


def test_every_number_printed_in_the_paper_is_reproduced(report: Report) -> None:
    tables = [section.table for section in report.sections if section.table is not None]
    rows = [row for table in tables if "printed" in table.columns for row in table.iter_rows(named=True)]
    assert len(rows) == 37
    assert {row["agrees"] for row in rows} == {"yes"}
    found = {row["what"]: row["ours"] for row in rows}
    assert (found["(8) Glicko: new rating"], found["(8) Glicko: new RD"]) == ("1464.1", "151.4")
    assert (found["Glicko-2: new rating"], found["Glicko-2: new RD"]) == ("1464.05", "151.52")
    assert found["the usual example of a chess tournament, K = 32"] == "1601"


def test_number_must_agree_with_the_printed_number_up_to_rounding() -> None:
    assert compare_digits("x", "1464.06", 1464.0507)["agrees"] == "yes"
    assert compare_digits("x", "1464.06", 1464.04)["agrees"] == "no"
    assert compare_digits("x", "1601", 1602.4)["agrees"] == "no"


def test_every_claim_of_the_papers_gets_the_expected_verdict(report: Report) -> None:
    claims = {claim.text: claim.holds for section in report.sections for claim in section.claims}
    assert claims["There is a finite amount of Elo to be won or lost"] is True
    assert claims["Equation (6) is the chance to win: E_A + E_B = 1"] is False
    assert claims["If RD is large, g ≪ 1"] is False
    assert claims["In Glicko a higher RD makes the score fluctuate more"] is True
    assert claims["A player's rating is adjusted: the old one counts"] is False
    assert claims["TrueSkill finds a newcomer's skill sooner than Elo"] is not False


def test_sum_of_ratings_changes_only_with_different_k_factors_or_team_sizes() -> None:
    assert created(pw.Elo(), (2, 2), 50, 1) == pytest.approx(0, abs=1e-9)
    assert abs(created(pw.Elo(), (1, 3), 50, 1)) > 1
    assert abs(created(pw.Elo(k=pw.absorb.Fide()), (1, 1), 1000, 1)) > 1


def test_glicko_deviation_after_a_break_agrees_with_a_hand_calculation() -> None:
    """After one game in the first period, the deviation grows to min(√(RD² + c²t), 350)."""
    away = [1.0, 2.0, 30.0]
    back = return_of(pw.Glicko(period=365.25), {"rating": 2100, "deviation": 50}, away)
    q, left = np.log(10) / 400, np.hypot(50, 34.6)
    g = 1 / np.sqrt(1 + 3 * (q * left) ** 2 / np.pi**2)
    after = 1 / np.sqrt(1 / left**2 + (q * g / 2) ** 2)
    wanted = [min(np.sqrt(after**2 + 34.6**2 * years), 350.0) for years in away]
    assert [case["deviation"] for case in back] == pytest.approx(wanted, rel=0.05)
    assert back[0]["gained"] < back[1]["gained"] < back[2]["gained"]


def test_same_seed_gives_the_same_report_on_the_classic_papers(report: Report) -> None:
    assert paper("classics").run(small=True, jobs=2, progress=False).to_dict() == report.to_dict()
