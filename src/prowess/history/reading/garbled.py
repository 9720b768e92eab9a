"""Mend text that was UTF-8 and was decoded with another encoding: "MÃ¼ller" becomes "Müller"."""

import re
import unicodedata
from dataclasses import replace
from functools import cache
from html import unescape
from typing import TYPE_CHECKING

from ...errors import Option
from ...text import count
from ..read_context import Table, quote_value
from .encodings import codec_name

if TYPE_CHECKING:
    import polars as pl

# The encodings with which UTF-8 is most often confused. Windows-1252 comes first: one cell is enough evidence for it.
_CODECS = ("cp1252", "cp1250", "cp1251", "mac_roman", "cp437", "cp850")
_LEAST = 2  # number of different texts that must be evidence for a rarer encoding
_TWICE = 3  # text may have been garbled this many times
_SAMPLE = 2000  # in a longer table, so many rows in evenly spaced blocks show whether any text is garbled
_BLOCKS = 20
_MARKS = frozenset("\xa0\xad\u200b\u202f‘’‚“”„‹›«»–—…·•°ºª€")  # signs that text may contain, besides letters
_RARE = re.compile("[\u0234-\u0258\u025a-\u036f\u0460-\u048f]")  # letters and marks that are no evidence
_ENTITY = r"&(?:[a-zA-Z]{2,8}|#[0-9]{2,5}|#x[0-9a-fA-F]{2,5});"
_LOST = "Ã[a-z]"  # "í" becomes "Ã" and a soft hyphen, which many programs delete


def mend_text(table: Table) -> Table:
    """Return the table with its garbled headers and cells mended; a remark says so.

    If the user names UTF-8 as the encoding, the text stays as it is.

    >>> import polars as pl
    >>> mend_text(Table(pl.DataFrame({"winner": ["MÃ¼ller", "Bob"]}), "games.csv")).frame["winner"].to_list()
    ['Müller', 'Bob']
    """
    import polars as pl

    frame, mapped = table.frame, (table.choices.columns or {}).values()
    if table.choices.encoding is not None and codec_name(table.choices.encoding).startswith("utf-8"):
        return table
    table = _unescape(table)
    frame = table.frame
    headers = [name for name in _suspicious(pl.Series(frame.columns)) if name not in mapped]
    columns = [name for name, kind in frame.schema.items() if kind in (pl.String, pl.List(pl.String))]
    sample = frame.select(columns)
    if len(frame) > _SAMPLE:
        size, step = _SAMPLE // _BLOCKS, len(frame) // _BLOCKS
        sample = pl.concat(sample.slice(number * step, size) for number in range(_BLOCKS))
    cells = [text.explode() if text.dtype.is_nested() else text for text in sample.iter_columns()]
    if not headers and not (cells and _suspicious(pl.concat(cells))):
        return table
    found = {name: texts for name in columns if (texts := _suspicious(frame[name]))}
    mended = _mend(dict.fromkeys([*(cell for texts in found.values() for cell in texts), *headers]))
    names = [mended.get(name, name) if name in headers else name for name in frame.columns]
    if not mended or len(set(names)) < len(names):
        return table
    change = pl.element().replace(list(mended), list(mended.values()))
    frame = frame.with_columns(
        pl.col(name).list.eval(change) if frame[name].dtype == pl.List else frame[name].replace(mended)
        for name in found
    )
    frame.columns = names
    old, new = min(mended.items(), key=lambda item: len(item[0]))
    text = f"{quote_value(old)} is read as {quote_value(new)}, because it is garbled UTF-8 ("
    number = f"{text}{count(len(mended), 'text', 'texts')}); use "
    table.note("garbled-text", number, Option("encoding", "utf-8"), " to keep the text as it is", number=len(mended))
    return replace(table, frame=frame)


def _unescape(table: Table) -> Table:
    """Return the table with the entities of web pages replaced: "Brighton &amp; Hove" becomes "Brighton & Hove"."""
    import polars as pl

    frame, new = table.frame, dict[str, str]()
    sample = frame.head(_SAMPLE).select(pl.col(pl.String).str.contains(_ENTITY).any())
    for name in sample.columns:
        if sample[name].any():
            escaped = frame[name].filter(frame[name].str.contains(_ENTITY).fill_null(False)).unique(maintain_order=True)
            new |= {text: plain for text in escaped if (plain := unescape(text)) != text}
    if not new:
        return table
    old, plain = min(new.items(), key=lambda item: len(item[0]))
    text = f"{quote_value(old)} is read as {quote_value(plain)}, as in web pages ("
    number = f"{text}{count(len(new), 'text', 'texts')}); use "
    table.note("garbled-text", number, Option("encoding", "utf-8"), " to keep the text as it is", number=len(new))
    return replace(table, frame=frame.with_columns(pl.col(pl.String).replace(new)))


def _suspicious(text: "pl.Series") -> list[str]:
    """Return the different texts in which some letters may be the bytes of one letter."""
    text = text.explode() if text.dtype.is_nested() else text
    if text.is_empty() or text.str.len_bytes().sum() == text.str.len_chars().sum():
        return []
    pairs = [f"[{_letters(codec, 0xC2, 0xF4)}][{_letters(codec, 0x80, 0xBF)}]" for codec in _CODECS]
    return text.filter(text.str.contains("|".join([*pairs, _LOST]))).unique(maintain_order=True).to_list()


@cache
def _bytes_of(codec: str) -> dict[str, int]:
    # Programs decode the bytes that Windows-1252 does not define as control characters.
    control = {chr(byte): byte for byte in range(0x80, 0xA0) if codec.startswith("cp125")}
    return control | {bytes([byte]).decode(codec, "replace"): byte for byte in range(0x80, 0x100)}


@cache
def _letters(codec: str, first: int, last: int) -> str:
    return "".join(f"\\x{{{ord(letter):x}}}" for letter, byte in _bytes_of(codec).items() if first <= byte <= last)


def _mend(texts: dict[str, None]) -> dict[str, str]:
    """Return the texts that are garbled in the most likely way, each with the mended text."""
    best: dict[str, str] = {}
    for codec in _CODECS:
        mended = {text: new for text in texts if (new := _decoded(text, codec)) != text}
        if len(mended) > len(best) and (codec == _CODECS[0] or len(mended) >= max(_LEAST, len(texts) / 2)):
            best = mended
    lost = {text: new for text in texts if best and re.search(_LOST, new := best.get(text, text))}
    return best | {text: re.sub(_LOST, lambda pair: f"í{pair[0][1]}", new) for text, new in lost.items()}


def _decoded(text: str, codec: str) -> str:
    for _ in range(_TWICE):
        new = re.sub("[^\x00-\x7f]+", lambda run: _decode_run(run[0], codec), text)
        if not all(map(_is_plausible, re.findall(r"\w+", new))):
            break
        text = new
    return text


def _decode_run(run: str, codec: str) -> str:
    """Decode letters that are the bytes of other letters; return them unchanged if that gives no text.

    >>> _decode_run("Ã¼", "cp1252"), _decode_run("Ã", "cp1252")
    ('ü', 'Ã')
    """
    new = bytes(_bytes_of(codec).get(letter, 0xFF) for letter in run).decode("utf-8", "replace")
    is_text = all(unicodedata.category(letter)[0] in "LN" or letter in _MARKS for letter in new)
    if not is_text and "\ufffd" not in new and (deeper := _decode_run(new, codec)) != new:
        return deeper  # garbled twice
    return new if is_text and not _RARE.search(new) else run


def _is_plausible(word: str) -> bool:
    # The letters of a word are of one script.
    latin = {letter < "\u0250" or "\u1e00" <= letter < "\u1f00" for letter in word if letter.isalpha()}
    return len(latin) < 2
