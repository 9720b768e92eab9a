"""Names: validate them, normalise them for comparison, and find names that are spelt almost alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ...errors import Error

if TYPE_CHECKING:
    import polars as pl


def name_of(value: object, what: str = "a player's name", field: str = "player") -> str:
    """Convert a value to a name: text without surrounding spaces, or the digits of a whole number.

    >>> name_of(" ann "), name_of(2726956381513258)
    ('ann', '2726956381513258')
    >>> name_of(2.5)
    Traceback (most recent call last):
    ...
    prowess.Error: a player's name must be text or a whole number, not 2.5
    """
    if isinstance(value, str):
        if not value.strip():
            raise Error(f"{what} must not be empty: {value!r}", field=field, value=value)
        if not is_unicode(value):
            raise Error(f"{what} must be valid Unicode text, not {value!r}", field=field, value=value)
        return str(value.strip())  # a NumPy string becomes a plain one
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(int(value))
    raise Error(f"{what} must be text or a whole number, not {value!r}", field=field, value=value)


def is_unicode(text: str) -> bool:
    """Return whether a text can be encoded, which means that it has no lone surrogates.

    >>> is_unicode("Zoë"), is_unicode("\\ud83d")
    (True, False)
    """
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


@lru_cache(1024)
def plain_name(name: str) -> str:
    """Normalise the name of a column, or a word, for comparison.

    >>> plain_name("Home_Team"), plain_name("home team"), plain_name("Équipe")
    ('hometeam', 'hometeam', 'equipe')
    """
    spelt = unicodedata.normalize("NFKD", name.casefold()) if not name.isascii() else name.casefold()
    return "".join(letter for letter in spelt if letter.isalnum())


MANY = 10_000  # maximum number of names compared letter by letter
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
    | dict.fromkeys("’‘ʼ`´", "'")
)
# Characters that are removed: accents on Latin, Greek, Cyrillic, Hebrew and Arabic letters, which people often leave
# out, and invisible characters. Marks of other scripts, such as Japanese voicing and Indian or Thai vowels, are kept,
# because they distinguish names.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\u200b-\u200f\u2060-\u2064\ufeff\u00ad]"
)
_ASCII_GAPS = re.compile("[^a-z0-9']+")


def plain_spelling(name: str) -> str:
    """Normalise a name: remove differences that people overlook, such as case, accents, spaces, dots and hyphens.

    >>> plain_spelling(" José  Ødegård-Smith Jr."), plain_spelling("JOSE ODEGARD SMITH JR")
    ('jose odegard smith jr', 'jose odegard smith jr')
    >>> plain_spelling("Ё"), plain_spelling("王"), plain_spelling("!?")
    ('е', '王', '!?')
    """
    text = plain_letters(name)
    if text.isascii():
        return _ASCII_GAPS.sub(" ", text).strip() or name
    words = "".join(letter if _is_letter(letter) else " " for letter in text).split()
    return " ".join(words) or name


_TITLE = r"^(?:W?[GIFC]M|[A-Z]{3}|Dr\.?|Mrs?\.?|Ms\.?) +"  # such as GM or GER
_BESIDE = rf"{_TITLE}|\s*[(\[](?:[^()\[\]\d]{{2,}}|\d{{4}})[)\]]$"
_LOST = r"\x{fffd}|\p{L}\?"  # a program replaced a letter
_DOUBTFUL = r"[)\]]$|, |\x{fffd}|[^ ]\?|^[A-Z]{2,3} |^(?:Dr|Mrs?|Ms)\.? "  # contains both, but is compiled faster
_NOT_ASCII = r"(?:[^\x00-\x7f]|\?)+"


def spelt_alike(names: Sequence[str]) -> list[list[int]]:
    """Return the groups of names with the same plain spelling, as indices, and of names that are written differently.

    >>> spelt_alike(["Ann Lee", "Bob", "ann-lee", "ANN LEE"])
    [[0, 2, 3]]
    >>> spelt_alike(["Ann (GER)", "Böhm", "Lee, Bob", "Ann", "B?hm", "Bob Lee"])
    [[0, 3], [2, 5], [1, 4]]
    """
    return _with_same_spelling(names) + _written_differently(names)


def _written_differently(names: Sequence[str]) -> list[list[int]]:
    """Return groups of names, one of which has a title, a word in brackets, the surname first, or a lost letter."""
    import polars as pl

    text, forms = pl.Series(names, dtype=pl.String), []
    if not text.str.contains(_DOUBTFUL).any():
        return []
    if text.str.contains(rf"{_BESIDE}|, ").any():
        usual = text.str.replace_all(_BESIDE, "").str.replace("^([^,]+), (.+)$", "$2 $1")
        forms.append(usual.str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars())
    if text.str.contains(_LOST).any():
        forms.append(text.str.replace_all(_NOT_ASCII, "?"))
    found: list[list[int]] = []
    for form in forms:
        groups: dict[str, list[int]] = {}
        for index in form.is_duplicated().arg_true():
            groups.setdefault(form[index], []).append(index)
        for key, group in groups.items():
            spelt = {plain_spelling(names[index]) for index in group}
            if len(spelt) == 2 and ("?" in key or plain_spelling(key) in spelt):
                found.append(group)
    return found


def _with_same_spelling(names: Sequence[str]) -> list[list[int]]:
    import polars as pl

    # The keys of names that are spelt alike are equal, but not the other way round. They take a tenth of the time.
    text = pl.Series(names, dtype=pl.String).str.to_lowercase()
    special = text.str.len_bytes() != text.str.len_chars()
    if special.any():
        letters = text.filter(special).str.normalize("NFKD").str.replace_all(r"\p{M}", "")
        old = [*map(chr, _LETTERS), "ß", "ς"]
        text = text.scatter(special.arg_true(), letters.str.replace_many(old, [*_LETTERS.values(), "ss", "σ"]))
    text = text.str.replace_all(" ", "", literal=True)
    marks = r"[^\p{L}\p{N}]+" if special.any() else "[^a-z0-9]+"
    marked = text.str.contains(marks)
    text = text.scatter(marked.arg_true(), text.filter(marked).str.replace_all(marks, ""))
    if text.n_unique() == len(text):
        return []
    groups: dict[str, list[int]] = {}
    for index in text.is_duplicated().arg_true():
        groups.setdefault(plain_spelling(names[index]), []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def _is_letter(letter: str) -> bool:
    return letter.isalnum() or letter == "'" or (letter > "\u02ff" and unicodedata.category(letter)[0] == "M")


def plain_letters(text: str) -> str:
    """Return a text in lower case without accents.

    >>> plain_letters("Éléonore Ødegård-Smith!"), plain_letters("Straße")
    ('eleonore odegard-smith!', 'strasse')
    """
    if text.isascii():
        return text.lower().replace("`", "'")
    # Case is folded twice, because decomposing turns some letters into capitals.
    split = unicodedata.normalize("NFKD", text.casefold()).casefold()
    return _ACCENTS.sub("", split).translate(_LETTERS)


def nearest(name: str, names: Sequence[str], count: int = 3) -> list[str]:
    """Return at most `count` existing names that resemble an unknown name, likeliest first.

    >>> nearest("rosa maria", ["Rosa María", "Maria", "Ada"])
    ['Rosa María', 'Maria']
    >>> nearest("Jhon", ["John", "Ada"]), nearest("zzz", ["John", "Ada"])
    (['John'], [])
    """
    from difflib import get_close_matches

    wanted = plain_spelling(name)
    spelt: dict[str, list[str]] = {}
    for existing in names:
        spelt.setdefault(plain_spelling(existing), []).append(existing)
    first = list(spelt)[:MANY]
    # names that contain the unknown name as whole words, or the other way round
    parts = [plain for plain in first if f" {wanted} " in f" {plain} " or f" {plain} " in f" {wanted} "]
    likely = [existing for plain in parts if plain != wanted for existing in spelt[plain]][:count]
    likely += [existing for plain in get_close_matches(wanted, first, count, 0.6) for existing in spelt[plain]]
    return list(dict.fromkeys([*spelt.get(wanted, ()), *likely]))[:count]


LEAST = 4  # minimum length of a word in which a letter may be misspelt
LONGEST = 40  # number of letters of a name that are compared
CROWD = 20  # if more names than this share all but one letter, they are a numbered series, not misspellings


def one_letter_apart(names: Sequence[str]) -> list[tuple[int, int]]:
    """Return index pairs of names that differ by one added, missing or changed letter, or by two swapped letters.

    Two names that differ in this way become equal if one letter is removed from each. So we list every name under each
    of the texts that remain after removing one letter, sort the list, and compare only names that share such a
    remainder. For names of bounded length, the search takes n log n steps. Names that differ in digits or in short
    words are assumed to be different on purpose.

    >>> one_letter_apart(["john smith", "jhon smith", "john smit", "john b", "john c", "team 10", "team 11"])
    [(0, 1), (0, 2)]
    """
    import polars as pl

    frame = pl.DataFrame({"name": names, "at": range(len(names))}, schema={"name": pl.String, "at": pl.Int64})
    frame = frame.with_columns(pl.col("name").str.len_chars().alias("size"))
    frame = frame.filter(pl.col("size").is_between(LEAST, LONGEST))
    if frame.is_empty():
        return []
    parts = [frame.select(pl.col("name").hash().alias("rest"), "at")]
    for index in range(int(frame["size"].to_numpy().max())):
        longer = frame.filter(pl.col("size") > index)
        rest = pl.col("name").str.head(index) + pl.col("name").str.slice(index + 1)
        parts.append(longer.select(rest.hash().alias("rest"), "at"))
    pairs = _pairs_sharing(*pl.concat(parts).get_columns())
    return sorted((a, b) for a, b in pairs if is_slip(names[a], names[b]))


def _pairs_sharing(rest: pl.Series, at: pl.Series) -> set[tuple[int, int]]:
    """Return the pairs of names that share a remainder.

    A remainder is a name without one letter. `rest` holds the hashes of all remainders, and `at` the index of the name
    of each remainder.
    """
    key = rest.to_numpy()
    order = np.argsort(key, kind="stable")
    key, who = key[order], at.to_numpy()[order]
    ends = np.flatnonzero(np.concatenate([key[1:] != key[:-1], [True]])) + 1
    starts = np.concatenate([[0], ends[:-1]])
    sizes = ends - starts
    pairs: set[tuple[int, int]] = set()
    for start, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        if size <= CROWD:
            group = np.unique(who[start : start + size]).tolist()
            pairs.update((a, b) for k, a in enumerate(group) for b in group[k + 1 :])
    return pairs


def is_slip(name: str, other: str) -> bool:
    """Return whether two names differ by one letter, or by two swapped letters, in a word that is long enough."""
    shorter = min(len(name), len(other))
    first = next((k for k, (a, b) in enumerate(zip(name, other, strict=False)) if a != b), shorter)
    tails = zip(reversed(name[first:]), reversed(other[first:]), strict=False)
    last = next((k for k, (a, b) in enumerate(tails) if a != b), shorter - first)
    wrong, right = name[first : len(name) - last], other[first : len(other) - last]
    swapped = len(wrong) == len(right) == 2 and wrong == right[::-1]
    if not (swapped or max(len(wrong), len(right)) == 1):
        return False
    words = name.split(" "), other.split(" ")
    if len(words[0]) != len(words[1]) or any(letter.isdigit() or letter == " " for letter in wrong + right):
        return False
    different = [(a, b) for a, b in zip(*words, strict=True) if a != b]
    return all(min(len(a), len(b)) >= LEAST for a, b in different)


MANY_NAMES = 20_000  # maximum number of names compared letter by letter


def alike(new: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Map each new name that is spelt almost like a known name to that known name, in n log n steps.

    >>> alike(["jose", "Jhon Smith", "Ada"], ["José", "John Smith", "Bob"])
    {'jose': 'José', 'Jhon Smith': 'John Smith'}
    """
    plain = [*map(plain_spelling, known), *map(plain_spelling, new)]
    spelt = dict(zip(plain[: len(known)], known, strict=True))
    similar = {name: spelt[key] for name, key in zip(new, plain[len(known) :], strict=True) if key in spelt}
    for first, second in one_letter_apart(plain) if new and len(plain) <= MANY_NAMES else ():
        if first < len(known) <= second:
            similar.setdefault(new[second - len(known)], known[first])
    return {name: similar[name] for name in new if name in similar}
