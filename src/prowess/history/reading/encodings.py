"""Detect the encoding of bytes, and decode them to text.

The encoding follows from the byte order mark or, without one, from how plausible the decoded words look.
"""

import codecs
import re
from dataclasses import dataclass
from itertools import pairwise

from ...errors import Error, Option, Remark

DAMAGED = re.compile("[\udc80-\udcff]")  # the characters to which `surrogateescape` decodes invalid bytes
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_WESTERN = "cp1252"
# Legacy encodings, most frequent first: the script, and the encoding to try if this one is wrong.
_LEGACY = {
    _WESTERN: ("Western European", "cp1251"),
    "cp1250": ("Central European", _WESTERN),
    "cp1251": ("Cyrillic", _WESTERN),
    "koi8-r": ("Cyrillic", "cp1251"),
    "cp866": ("Cyrillic", "cp1251"),
    "cp1253": ("Greek", _WESTERN),
    "mac-roman": ("Western European", _WESTERN),
    "cp850": ("Western European", _WESTERN),
}
_EAST_ASIAN = {"euc-kr": "[가-힣]", "gb18030": "[一-龥]", "cp932": "[ぁ-ヿ一-龥]", "big5": "[一-龥]"}  # their letters
_WORD = re.compile(rb"[A-Za-z']*[\x80-\xff][A-Za-z\x80-\xff']*")
_PUNCTUATION = re.compile("[\xa0'‘’“”„–—…«»·•°ºª½¼¾²³€£§©®™¡¿†‡`´]+")
_COMMON = {"Cyrillic": frozenset("оеаинтсрвлкмдпуя"), "Greek": frozenset("αοιετσνηυρπκμλςάόίέή")}
# Control characters that do not occur in text: all except tabs, newlines and escapes.
_CONTROLS = bytes([*range(9), *range(14, 27), *range(28, 32)])
_HEAD = 1 << 16  # number of leading bytes that decide whether a file is text at all
_MIN_SCORE = 0.7  # fraction of the words that must look plausible
_MIN_LETTERS = 3  # minimum number of non-ASCII letters that prove a rarer encoding


@dataclass(frozen=True)
class Encoding:
    """The codec of the bytes, the size of their byte order mark, and whether the codec is a guess."""

    codec: str
    mark: int = 0
    guessed: bool = False

    def decode(self, data: bytes) -> str:
        """Decode bytes; each invalid byte becomes a character that `DAMAGED` matches."""
        data = data[self.mark :]
        try:
            return data.decode(self.codec, "surrogateescape")
        except UnicodeError:  # codecs with units of several bytes do not support "surrogateescape"
            return data.decode(self.codec, "replace").replace("\ufffd", "\udcff")

    def remarks(self, data: bytes) -> list[Remark]:
        """Return a list with a remark if the encoding of these bytes was guessed; [] otherwise."""
        return self.remarks_at(_first_invalid_line(data)) if self.guessed else []

    def remarks_at(self, line: int) -> list[Remark]:
        """Return a list with a remark if the encoding was guessed; [] otherwise.

        The remark names `line` as an example, and the option that sets another encoding.
        """
        if not self.guessed:
            return []
        script, other = _LEGACY[self.codec]
        read = f"the file is read as {self.codec} ({script}) because line {line} is not UTF-8"
        pieces = (f"{read}; if letters look wrong, try ", Option("encoding", other), f" ({_LEGACY[other][0]})")
        return [Remark("encoding", pieces, line=line)]


def codec_name(name: str) -> str:
    """Return Python's name for a text codec; raises `Error` for an unknown one.

    >>> codec_name("Windows-1252"), codec_name("UTF8")
    ('cp1252', 'utf-8')
    """
    try:
        "".encode(name)
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        right = "common ones are utf-8, utf-16, cp1252 and cp1251"
        raise Error(f"encoding {name!r} is unknown; {right}", field="encoding", value=name) from None


def detect_encoding(data: bytes, chosen: str | None = None, lines_before: int = 0) -> Encoding:
    """Return the encoding of the bytes, or the `chosen` encoding.

    `lines_before` is the number of lines above the bytes.

    >>> detect_encoding("André".encode("cp1252")).codec, detect_encoding("Иван Петров".encode("cp1251")).codec
    ('cp1252', 'cp1251')
    >>> detect_encoding("ann".encode("utf-16-le")).codec
    'utf-16-le'
    """
    mark = next((mark for mark in _BYTE_ORDER_MARKS if data.startswith(mark)), b"")
    marked = _BYTE_ORDER_MARKS.get(mark, "")
    if chosen is not None:
        name = codec_name(chosen)
        if marked.split("-")[:2] != name.split("-")[:2]:
            return Encoding({"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(name, name))
    if marked:
        return Encoding(marked, len(mark))
    if (wide := _utf_16_without_mark(data[:4096])) is not None:
        return Encoding(wide)
    head = data[:_HEAD].rstrip(b"\0")
    if len(head) - len(head.translate(None, _CONTROLS)) > len(head) // 20 + 5:
        raise Error("this is neither text nor another format that prowess reads; save the table as CSV")
    text = data.decode(errors="surrogateescape")
    invalid = len(DAMAGED.findall(text))
    # The file is UTF-8 if most of its non-ASCII characters are valid, even if some are damaged.
    if not invalid or sum(map(len, re.findall("[^\x00-\x7f]+", text))) > 2 * invalid:
        return Encoding("utf-8")
    legacy = _best_legacy_codec(data)
    lines = text.split("\n")
    # If a few lines are damaged, each of them is reported; if many lines are damaged, the encoding of the file is
    # unknown.
    if legacy is None and sum(DAMAGED.search(line) is not None for line in lines) > 2 + len(lines) // 10:
        line = lines_before + _first_invalid_line(data)
        message = f"line {line} is not UTF-8, and no other common encoding fits; save the file as UTF-8, or name its "
        fitting = next((codec for codec in _EAST_ASIAN if _is_east_asian(data, codec)), "gb18030")
        raise Error(f"{message}encoding, such as ", Option("encoding", fitting), line=line)
    return Encoding("utf-8") if legacy is None else Encoding(legacy, guessed=True)


def _is_east_asian(data: bytes, codec: str) -> bool:
    text = data.decode("gb2312" if codec == "gb18030" else codec, "replace")  # rare characters are probably wrong ones
    letters = re.findall(r"[^\W\d_a-zA-Z]|\ufffd", text)
    return len(re.findall(_EAST_ASIAN[codec], text)) > 0.9 * len(letters)


def _utf_16_without_mark(head: bytes) -> str | None:
    # Every other byte of Western text in UTF-16 is zero.
    even, odd = (head[start::2].count(0) / max(1, len(head[start::2])) for start in (0, 1))
    if max(even, odd) < 0.4 or min(even, odd) > 0.1:
        return None
    return "utf-16-be" if even > odd else "utf-16-le"


def _first_invalid_line(data: bytes) -> int:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        return 1 + max(before.count(b"\n"), before.count(b"\r"))
    return 1


def _best_legacy_codec(data: bytes) -> str | None:
    words = sorted(set(_WORD.findall(data[: 1 << 24])))[:5000]
    scores = {codec: _score(words, codec) for codec in _LEGACY}
    best = max(scores, key=lambda codec: scores[codec])
    return best if scores[best] >= _MIN_SCORE else None


def _score(words: list[bytes], codec: str) -> float:
    """Return the fraction of plausible words, plus a small term that prefers codecs with common letters."""
    common_letters = _COMMON.get(_LEGACY[codec][0], frozenset())
    good = letters = common = 0
    for word in words:
        parts = [part for part in _PUNCTUATION.split(word.decode(codec, "replace")) if part]
        if all(map(_looks_like_word, parts)):
            good += 1
            foreign = [letter for part in parts for letter in part.lower() if letter > "\x7f"]
            letters += len(foreign)
            common += sum(letter in common_letters for letter in foreign)
    if codec != _WESTERN and letters < _MIN_LETTERS:
        return 0.0
    return good / len(words) + (0.1 * common / max(1, letters) - 0.05) * bool(common_letters)


def _looks_like_word(word: str) -> bool:
    """Return whether all letters of a word belong to one script and its capitals are in plausible positions."""
    if not word.isalpha() or "ÿ" in word:
        return False
    foreign = [letter for letter in word if letter > "\x7f"]
    latin = not foreign or foreign[0] < "\u0370"
    if any((letter < "\u0370") != latin for letter in foreign):
        return False
    # A Latin word without ASCII letters is probably another script in the wrong codec. Words of other scripts have no
    # ASCII letters.
    if (len(foreign) == len(word) > 1) if latin else len(foreign) < len(word):
        return False
    late_capitals = [letter for last, letter in pairwise(word) if last.islower() and letter.isupper()]
    return not late_capitals or (latin and max(late_capitals) <= "\x7f")
