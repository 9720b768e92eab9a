"""Names that complete what is typed."""


def test_likeliest_names_come_first(ask):
    """Best players first, but who is called so before who only has it in her name."""
    ask.found("darts")
    order = ["Johanna", "Mary Ann", "ann", "Annika", "<script>ann</script>", *(f"zoe {k:03}" for k in range(300)), "zo"]
    ask.post("/api/leagues/darts/matches", {"teams": [[one] for one in order]}, status=201)

    def names(search, **rest):
        return ask.get("/leagues/darts/names.json", params={"search": search}, **rest).json()["names"]

    assert names("ANN", key=None) == ["ann", "Annika", "Mary Ann", "Johanna", "<script>ann</script>"]
    assert names("zo")[:2] == ["zo", "zoe 000"]
    assert len(names("zo")) == len(names("")) == 20
    assert names("nobody") == names(".*") == []
    known = ask.get("/leagues/darts/names.json?search=ann")
    ask.get("/leagues/darts/names.json?search=ann", headers={"If-None-Match": known.headers["etag"]}, status=304)


def test_names_of_a_private_league_need_a_key(ask):
    ask.found("secret", public=False)
    ask.get("/leagues/secret/names.json?search=a", key=None, status=404)
