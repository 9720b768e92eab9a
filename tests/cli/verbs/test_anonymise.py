"""`prowess anonymise`: its output, and that it asks for confirmation."""

import json
from pathlib import Path

from tests.cli.running import run


def test_anonymise_erases_a_name_only_after_confirmation(here: Path) -> None:
    Path("games.csv").write_text("winner,loser,date\nXanthippe,bob,2026-01-01\n")
    assert run("import", "games.csv", "--league", "darts").exit_code == 0
    ask = ("anonymise", "Xanthippe", "--league", "darts")
    refused = run(*ask)  # standard input is empty, so nobody confirms
    assert refused.exit_code == 1
    assert "Erase the name 'Xanthippe' from league 'darts' for good?" in refused.stderr
    assert b"Xanthippe" in Path("prowess.db").read_bytes()
    Path("prowess.db-exports").mkdir()
    Path("prowess.db-exports", "1-1-any.csv").write_text("Xanthippe")  # an export that the service has kept
    done = run(*ask, "--reason", "asked by letter", "--yes")
    assert (done.exit_code, done.stdout) == (0, "anonymous-1\n"), done.output
    assert done.stderr.endswith("the player is now called anonymous-1\n")
    assert b"Xanthippe" not in Path("prowess.db").read_bytes()
    assert list(Path("prowess.db-exports").iterdir()) == []
    again = run("import", "games.csv", "--league", "darts")
    assert "skipped 1 match that is already recorded" in again.stdout
    dropped = run("anonymise", "anonymous-1", "--league", "darts", "--drop-hash", "--json")
    assert json.loads(dropped.stdout) == {"player": "anonymous-1", "hash_kept": False, "scrub_due": False}
    unknown = run(*ask, "--yes")
    assert (unknown.exit_code, unknown.stdout) == (1, "")
    assert "darts has no player named 'Xanthippe'" in unknown.stderr
