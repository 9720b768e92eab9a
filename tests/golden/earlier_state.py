"""Write the files of `earlier_state/`: a ladder, a database and requests of a client, as commit e2a8b7a9 wrote them.

The files stay as they are, because users have such files; run the script only to see how they were made, with that
commit on the path:

    git worktree add ../earlier e2a8b7a9
    PYTHONPATH=../earlier/src python tests/golden/earlier_state.py

- `ladder.prowess` is a saved ladder, and `league.db.gz` a database with a league of two generations, a season, a
  renamed player and a corrected match.
- `expected.json` has the ratings of both, with all digits.
- `client.json.gz` has what a client sent to a service, and the responses.
"""

import gzip
import json
import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import prowess as pw

FOLDER = Path(__file__).parent / "earlier_state"
PLAYERS = ["ann", "bob", "cat", "dan", "Ø'Neil/2"]
FACETS = [{"is": "By", "column": "surface", "sigma": 2.0}]


def matches():
    """Return 40 matches of one or two players a team, some drawn, on two surfaces and at home."""
    chance = random.Random(7)
    found = []
    for number in range(40):
        players = chance.sample(PLAYERS, 4 if number % 3 == 0 else 2)
        teams = [players[: len(players) // 2], players[len(players) // 2 :]]
        found.append(
            {
                "id": f"m{number}",
                "teams": teams,
                "scores": [chance.randrange(4), chance.randrange(4)],
                "time": f"2025-{1 + number // 10:02d}-{1 + number % 10:02d}",
                "home": number % 2,
                "context": {"surface": chance.choice(["clay", "grass"])},
            }
        )
    return found


def write_ladder():
    """Save a ladder with a facet, a home advantage and a scale; return its ratings."""
    model = pw.TrueSkill().replace(home_sigma=1.0, facets=(pw.facet.By("surface", sigma=2.0),))
    ladder = model.fit(pw.History.from_matches(matches()), scale=(1500, 400)).ladder
    ladder.save(FOLDER / "ladder.prowess")
    at = {
        surface: {name: [r.mu, r.sigma] for name in ladder for r in [ladder.rating(name, surface=surface)]}
        for surface in ("clay", "grass")
    }
    return {"skills": {name: [ladder[name].mu, ladder[name].sigma] for name in ladder}} | at


def write_database():
    """Write a database; return the ratings of its league by generation."""
    from prowess.store import leagues
    from prowess.store.db.database import Database
    from prowess.store.leagues import Preset
    from prowess.store.read.standings import StandingsCache
    from prowess.store.read.trace_cache import TraceCache
    from prowess.store.write.commands import ChangeModel, Edit, NewSeason, Post, Rename
    from prowess.store.write.writer import perform

    with TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/league.db")
        database.migrate()
        with database.writing() as connection:
            leagues.create(connection, "darts", title="Pub darts", model=Preset("TrueSkill"))
        played = matches()
        perform(database, Post("darts", played[:30], author="office"))
        perform(database, ChangeModel("darts", Preset("TrueSkill", {"facets": FACETS}), author="office"))
        perform(database, NewSeason("darts", "spring", "2025-04-01", author="office"))
        perform(database, Post("darts", played[30:], author="office"))
        perform(database, Edit("darts", "m3", played[3] | {"scores": [9, 0]}, reason="a misprint", author="office"))
        perform(database, Rename("darts", "bob", "Robert", author="office"))
        found = {}
        with database.reading() as connection:
            league = leagues.find(connection, "darts")
            standings = StandingsCache(TraceCache())
            for number in (1, 2):
                snapshot = standings.of_generation(connection, league, number)
                rows = snapshot.page(0, 10).rows
                found[str(number)] = {row["player"]: [row["mu"], row["sigma"], row["matches"]] for row in rows}
        database.close()
        (FOLDER / "league.db.gz").write_bytes(gzip.compress(Path(folder, "league.db").read_bytes(), 9, mtime=0))
    return found


def write_requests():
    """Use every kind of request of the client, and write what it sent and received."""
    import httpx

    from prowess.service.testing import trial

    sent = []
    request = httpx.Client.request

    def record(self, method, url, **options):
        response = request(self, method, url, **options)
        kept = {name: value for name, value in options.items() if value is not None}
        is_json = response.headers["content-type"].startswith("application/json")
        body = response.json() if is_json else None
        sent.append({"method": method, "url": url, "options": kept, "status": response.status_code, "body": body})
        return response

    httpx.Client.request = record
    played = matches()
    with trial("darts", facets=FACETS) as client:
        client.record_all(played[:38], key="first")
        last = played[38]
        client.record(last["teams"], scores=last["scores"], time=last["time"], context=last["context"], id="m38")
        client.preview([["ann"], ["bob"]], scores=[1, 0], time="2025-06-01")
        client.edit("m38", scores=[3, 0], reason="a misprint")
        client.match("m38")
        list(client.matches("ann", surface="clay"))
        client.delete("m38")
        client.leaderboard()
        client.leaderboard(min_matches=5, at="2025-02-01", surface="clay")
        client.player("ann")
        client.effects()
        client.statistics()
        client.deviations("ann")
        client.predict([["ann"], ["bob"]], time="2025-06-01", context={"surface": "clay"})
        client.quality([["ann"], ["new"]], newcomers=True)
        client.balance(["ann", "bob", "cat", "dan"], together=[["ann", "bob"]])
        client.pair(["ann", "bob", ["cat", "dan"], ["x", "y"]], waiting={"ann": 30}, least=0.1)
        client.next_matches(count=2)
        client.rename("bob", "Robert")
    httpx.Client.request = request
    (FOLDER / "client.json.gz").write_bytes(gzip.compress(json.dumps(sent).encode(), 9, mtime=0))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    expected = {"ladder": write_ladder(), "database": write_database()}
    (FOLDER / "expected.json").write_text(json.dumps(expected, indent=0) + "\n", encoding="utf-8")
    write_requests()
    sys.stdout.writelines(f"{path.name}: {path.stat().st_size} bytes\n" for path in sorted(FOLDER.iterdir()))
