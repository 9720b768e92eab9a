"""Remove the seeds and ranks that are written beside names, such as "Finn [1]", "(3) Eva" and "4. Hana"."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...errors import Error, Option
from ...text import count
from ..names.aliases import find_clash, merged_players
from ..ragged import Ints, owners
from ..read_context import Table, quote_value
from .raw_matches import RawMatches

_WORD = "WC|Q|LL|PR|SE|ALT|JE|c"  # how a player without a seed entered the tournament; (c) is a captain
_GRADE = r"\d\d? ?(?:[kdp]|kyu|dan)"  # of a Go player
_LABEL = rf"(?P<label>(?i:#|№|n[or°º]\.?|seed|gesetzt|rank)? ?\d{{1,4}}(?:\.|/(?:{_WORD}))?|{_WORD})"
_NAME = r"(?P<name>\S|\S.*\S)"
_FORMS = {
    "[1] name": rf"\[{_LABEL}\]\s*{_NAME}",
    "(1) name": rf"\({_LABEL}\)\s*{_NAME}",
    "1. name": rf"(?P<label>\d{{1,3}})[.)]\s*(?!\d){_NAME}",
    "#1 name": rf"(?i:#|№|(?:no|nr)\.? ?)(?P<label>\d{{1,3}})\s+{_NAME}",
    "1 name": rf"(?P<label>\d{{1,2}}) (?![\W\d]){_NAME}",
    "name [1]": rf"{_NAME}\s*\[{_LABEL}\]",
    "name (1)": rf"{_NAME}\s*\({_LABEL}\)",
    "name #1": rf"{_NAME}\s+#(?P<label>\d{{1,3}})",
    "name [3d]": rf"{_NAME}\s*[\[(](?P<label>{_GRADE})[\])]",
    "name 1500": rf"{_NAME} (?P<label>\d{{3,4}})",
    "name (POR)": rf"{_NAME}\s*[\[(](?P<label>[A-Z]{{3}})[\])]",
}
_COUNTRY = "name (POR)"  # dropped only beside seeds, because "Loyola (MAR)" and "Loyola" may be different teams
_ONLY_COUNTRY = r"^[^\W\d]\D*[(\[](?!ALT)[A-Z]{3}[)\]]$"
_ANY = r"^[\[(#№\d]|^(?i:no|nr)[. ]|[\])]$|#\d{1,3}$| [0-9]{3,4}$"
_YEARS = range(1850, 2051)  # "Bulls (1996)" and "Bulls 1997" are teams of different years
_RATINGS = frozenset(("name [3d]", "name 1500"))
_SEVERAL = 3  # a number such as 1500 is a rating if the numbers of this many names change, and of most names
_PART_OF_NAME = frozenset(("1. name", "1 name"))  # such as "1. FC Köln"
_SQUADS = 4  # "(2)" after the name of a club may be its second team; higher numbers are not
_PASSES = 3  # a name may have a label on both sides, and a country

Labels = Mapping[str, Sequence[tuple[str, int]]]  # the labels of each name, with the indices of the labelled names


def drop_seeds(table: Table, draft: RawMatches) -> RawMatches:
    """Return raw matches with names without seeds; a remark says so.

    A label is a seed if the name also occurs without it. If the labels of a name change, and the name never occurs
    without a label, an `Error` asks for the option.
    """
    import polars as pl

    for turn in range(_PASSES):
        marked = np.flatnonzero(pl.Series(draft.names, dtype=pl.String).str.contains(_ANY).to_numpy())
        if table.choices.seeds == "keep" or not len(marked):
            break
        new = list(draft.names)
        for form, labels in _find_labels(table, draft, marked.tolist()).items():
            if form == _COUNTRY and not turn:
                continue
            if table.decide(f"whether '{form}' is a seed", lambda: _are_seeds(table, draft, form, labels) or None):  # noqa: B023
                new = _without_labels(new, labels)
        changed = [(old, name) for old, name in zip(draft.names, new, strict=True) if old != name]
        if not changed:
            break
        text = f"{quote_value(changed[0][0])} is read as {quote_value(changed[0][1])} with a seed or rank ("
        number = f"{text}{count(len(changed), 'name', 'names')}); use "
        table.note("seeds", number, Option("seeds", "keep"), " to keep it", number=len(changed))
        translate, players = merged_players(new)
        draft = replace(draft, player=translate[draft.player], names=players)
    return draft


def _find_labels(table: Table, draft: RawMatches, marked: Sequence[int]) -> dict[str, Labels]:
    """Return the labels of each form. Names that have an alias are left out."""
    forms: dict[str, dict[str, list[tuple[str, int]]]] = defaultdict(lambda: defaultdict(list))
    for number in marked:
        name = draft.names[number]
        if name not in (table.choices.aliases or ()) and (parts := _split(name)):
            form, label, bare = parts
            forms[form][bare].append((label, number))
    return {form: dict(labels) for form, labels in forms.items()}


def _may_fit(form: str, name: str) -> bool:
    # Far faster than a regular expression for each form.
    if form.startswith("name"):
        return name[-1].isdigit() if form[-1].isdigit() else name[-1] in ")]"
    return name[0].isdigit() if form[0].isdigit() else name[0] in "[(#№nN"


def _split(name: str) -> tuple[str, str, str] | None:
    """Return the form of the label of a name, the label, and the name without it.

    >>> _split("Finn [1]"), _split("4. Hana"), _split("Schalke 04")
    (('name [1]', '1', 'Finn'), ('1. name', '4', 'Hana'), None)
    """
    for form in [_COUNTRY] if re.search(_ONLY_COUNTRY, name) else _FORMS:
        if _may_fit(form, name) and (parts := re.fullmatch(_FORMS[form], name)):
            return form, re.sub(r"\D", "", parts["label"]) or parts["label"], parts["name"]
    return None


def _core(name: str) -> str:
    """Return a name without labels at both ends.

    >>> _core("[1] Ana Costa (POR)"), _core("Ana Costa [1]")
    ('Ana Costa', 'Ana Costa')
    """
    parts = _split(name) if re.search(_ANY, name) else None  # most names have no label
    return _core(parts[2]) if parts else name


def _without_labels(names: Sequence[str], labels: Labels) -> list[str]:
    bare = {number: name for name, labelled in labels.items() for _, number in labelled}
    return [bare.get(number, name) for number, name in enumerate(names)]


def _are_seeds(table: Table, draft: RawMatches, form: str, labels: Labels) -> bool:
    numbers = {number for one in labels.values() for _, number in one}
    bare = {_core(name) for number, name in enumerate(draft.names) if number not in numbers}
    alone = [name for name in labels if _core(name) in bare]
    changing = [name for name, labelled in labels.items() if len({label for label, _ in labelled}) > 1]
    values = {label for labelled in labels.values() for label, _ in labelled}
    if all(label.isdigit() and int(label) in _YEARS for label in values):
        return False
    few = len(changing) < max(_SEVERAL, len(labels) / 2)
    if (form == _COUNTRY and changing) or (form in _RATINGS and few):
        return False
    if table.choices.seeds == "drop":
        return bool(alone or changing) or form not in _PART_OF_NAME
    if not (alone or changing) or (form in _PART_OF_NAME and (not alone or len(values) == 1 < len(labels))):
        return False
    translate = merged_players(_without_labels(draft.names, labels))[0]
    if find_clash(draft.match_start, draft.team_start, draft.player, translate) is not None:
        return False  # these names meet in a match, so they are different players
    first, *others = (quote_value(draft.names[number]) for _, number in labels[(alone or changing)[0]])
    few = form.startswith(("name (", "name #")) and all(label.isdigit() and int(label) <= _SQUADS for label in values)
    if few and ("1" not in values if alone else _play_at_once(draft, translate)):
        text = f"{first} and names with another number, or without one, are different; use "
        table.note("seeds", text, Option("seeds", "drop"), " if the number is a seed or a rank")
        return False
    if not alone:
        text = f"{table.title}: {first} and {others[0]} may be one player with a seed or rank, or different players"
        raise Error(
            f"{text}; use ", Option("seeds", "drop"), " or ", Option("seeds", "keep"), field="seeds", value=changing[0]
        )
    return True


def _play_at_once(draft: RawMatches, translate: Ints) -> bool:
    """Return whether two names that would become one player have matches at the same time."""
    if draft.times is None:
        return False
    time = draft.times.number[draft.match_of_team][owners(draft.team_start)]
    _, moment = np.unique(time, return_inverse=True)
    pairs = np.unique(np.stack([translate[draft.player], moment, draft.player]), axis=1)
    return bool((np.diff(pairs[:2], axis=1) == 0).all(axis=0).any())
