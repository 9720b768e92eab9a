"""Players are found by the names that people type, in every script, and similar names are never confused silently."""

from time import perf_counter
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.history.names.index import FoundName, NameIndex
from prowess.history.names.spelling import plain_spelling

PLAYERS = ["João Silva", "Rafael Nadal", "O'Brien", "İbrahim Işık", "Groß, Anna", "王小明", "राम", "かき", "Smith Jr."]
anything = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
    lambda text: bool(text.strip())
)
latin = st.text("abcdeéöñçßİıøŁ' -.", min_size=1, max_size=8).map(str.strip).filter(bool)


@pytest.mark.parametrize(
    ("typed", "player"),
    [
        ("João Silva", "João Silva"),
        (" joao   SILVA ", "João Silva"),
        (normalize("NFD", "João Silva"), "João Silva"),
        ("Silva, João", "João Silva"),
        ("Nadal Rafael", "Rafael Nadal"),
        ("NADAL, RAFAEL", "Rafael Nadal"),
        ("o’brien", "O'Brien"),
        ("OBrien", "O'Brien"),
        ("O Brien", "O'Brien"),
        ("ibrahim isik", "İbrahim Işık"),
        ("İBRAHİM IŞIK", "İbrahim Işık"),
        ("ANNA GROSS", "Groß, Anna"),
        ("王小明", "王小明"),
        ("王 小明", "王小明"),
        ("smith-jr", "Smith Jr."),
        ("रमा", None),  # the vowel sign is in another place, so this is another name
        ("かぎ", None),  # the consonant is voiced, so this is another name
        ("Joao", None),
        ("", None),
        ("  ", None),
        ("!?", None),
    ],
)
def test_name_typed_in_another_spelling_finds_its_player(typed: str, player: str | None) -> None:
    assert NameIndex(PLAYERS).find(typed) == FoundName(player)


def test_closest_spelling_wins_and_an_ambiguous_name_lists_all_possible_players() -> None:
    index = NameIndex(["Ana", "ANA", "Aña", "Lee Ann", "Ann Lee", "Annlee"])
    assert index.find("Ana").name == "Ana"
    assert index.find("aña").name == "Aña"
    assert index.find("ana").several == ("Ana", "ANA")
    assert index.find("ann lee").name == "Ann Lee"
    assert index.find("ANNLEE").name == "Annlee"
    assert index.find("Lee, Ann").name == "Lee Ann"
    assert index.similar("ana") == ["Ana", "ANA"]
    assert index.hint("Anm Lee") == "; did you mean 'Ann Lee'?"


def test_player_is_found_by_an_alias() -> None:
    index = NameIndex(["Deevo", "ann"], {"Jeevo": "Deevo", "Ann": "Deevo"}).extended(["bob"])
    assert index.find("Jeevo").name == index.find("JÉEVO").name == "Deevo"
    assert index.find("ann").name == "ann"
    assert index.find("Ann").name == "Deevo"
    assert "Jeevo" not in index


@given(st.lists(anything.map(str.strip), unique=True, max_size=12), anything)
def test_find_accepts_any_text_and_an_exact_name_finds_its_own_player(names: list[str], typed: str) -> None:
    index = NameIndex(names)
    for name in names:
        assert index.find(name) == FoundName(name)
        assert name not in index.lookalikes(name)
    found = index.find(typed)
    assert found.name is None or (found.name in names and not found.several)
    assert len(found.several) != 1
    assert set(found.several) <= set(names)
    assert set(index.similar(typed)) <= set(names)
    assert index.search(typed).shape == (len(names),)


@given(st.lists(latin, unique=True, min_size=1, max_size=12), st.data())
def test_name_typed_without_case_and_accents_finds_its_player_if_no_other_name_fits(
    names: list[str], data: st.DataObject
) -> None:
    index = NameIndex(names)
    name = data.draw(st.sampled_from(names))
    typed = data.draw(
        st.sampled_from([name.upper(), normalize("NFD", name), plain_spelling(name), f" {name.lower()}  "])
    )
    found = index.find(typed)
    alike = [other for other in names if plain_spelling(other) == plain_spelling(typed.strip())]
    assert name in alike
    assert (
        (found.name,) == tuple(alike) if len(alike) == 1 else (found.name in alike or set(found.several) <= set(alike))
    )


@given(st.lists(latin, unique=True, max_size=8), st.lists(latin, unique=True, max_size=8), latin)
def test_extended_name_index_finds_the_same_players_as_a_new_index(
    first: list[str], more: list[str], typed: str
) -> None:
    more = [name for name in more if name not in first]
    grown = NameIndex(first)
    grown.find(typed)  # builds the keys, so that `extended` has to update them
    grown = grown.extended(more)
    assert grown.find(typed) == NameIndex(first + more).find(typed)


def test_name_search_ignores_the_order_of_words() -> None:
    index = NameIndex(PLAYERS)
    assert [PLAYERS[row] for row in index.search("nadal, raf").nonzero()[0]] == ["Rafael Nadal"]
    assert [PLAYERS[row] for row in index.search("JOAO").nonzero()[0]] == ["João Silva"]


def test_names_that_differ_in_numbers_or_short_words_are_not_lookalikes() -> None:
    index = NameIndex(["player 12", "Bob", "John Smith", "José"])
    assert index.lookalikes("player 13") == index.lookalikes("Rob") == []
    assert index.lookalikes("Jhon Smith") == ["John Smith"]
    assert index.lookalikes("jose") == ["José"]


def test_names_are_found_quickly_in_a_league_of_100_000_players() -> None:
    names = [
        f"{first} {last} {number}" for first in ("João", "Ann") for last in ("Silva", "Lee") for number in range(25_000)
    ]
    index = NameIndex(names)
    index.find("nobody")
    index.similar("nobody")
    start = perf_counter()
    for number in range(100):
        assert index.find(f"SILVA, JOAO {number}").name == f"João Silva {number}"
    assert (perf_counter() - start) / 100 < 0.02
    start = perf_counter()
    assert index.similar("Jaoo Silva 777")[0] == "João Silva 777"
    assert perf_counter() - start < 2
