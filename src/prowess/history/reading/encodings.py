"""From bytes to text: by its marks where there are some, and by what its letters look like where there are none."""

import codecs
import re
from dataclasses import dataclass
from itertools import pairwise

from ...errors import Error, Option, Remark

DAMAGED = re.compile("[\udc80-\udcff]")  # bytes that are no text, as `surrogateescape` leaves them
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_WESTERN = "cp1252"
# What people still have, most frequent first; the second is what to try where the first is wrong.
_OLD = {
    _WESTERN: ("Western European", "cp1251"),
    "cp1250": ("Central European", _WESTERN),
    "cp1251": ("Cyrillic", _WESTERN),
    "koi8-r": ("Cyrillic", "cp1251"),
    "cp866": ("Cyrillic", "cp1251"),
    "cp1253": ("Greek", _WESTERN),
    "mac-roman": ("Western European", _WESTERN),
    "cp850": ("Western European", _WESTERN),
}
_WORD = re.compile(rb"[A-Za-z']*[\x80-\xff][A-Za-z\x80-\xff']*")
_PUNCTUATION = re.compile("[\xa0'‘’“”„–—…«»·•°ºª½¼¾²³€£§©®™¡¿†‡`´]+")
_COMMON = {"Cyrillic": frozenset("оеаинтсрвлкмдпуя"), "Greek": frozenset("αοιετσνηυρπκμλςάόίέή")}
_CONTROLS = bytes([*range(9), *range(14, 27), *range(28, 32)])  # text has none, but tabs, newlines and escapes
_HEAD = 1 << 16  # bytes at the start that show whether there is text at all
_ENOUGH = 0.7  # share of the words that must look like words
_LETTERS = 3  # least number of letters that speak for a rarer encoding


@dataclass(frozen=True)
class Encoding:
    """How bytes are read: the codec, how many bytes at the start are a mark, and whether it was a guess."""

    codec: str
    mark: int = 0
    guessed: bool = False

    def remark(self, data: bytes) -> Remark | None:
        """Say which of several encodings was taken, why, and how to choose another."""
        if not self.guessed:
            return None
        kind, other = _OLD[self.codec]
        line = _first_wrong(data)
        text = f"the text is read as {self.codec} ({kind}), because line {line} is not UTF-8; "
        return Remark("encoding", (text, Option("encoding", other), f" is {_OLD[other][0]}"), line=line)


def check_name(name: str) -> str:
    """Give the name of a codec as Python knows it; raise an Error if it knows none.

    >>> check_name("Windows-1252"), check_name("UTF8")
    ('cp1252', 'utf-8')
    """
    try:
        codec = codecs.lookup(name)
        "".encode(name)
    except (LookupError, ValueError):
        right = "utf-8, utf-16, cp1252 or cp1251 are usual"
        raise Error(f"encoding: there is none called {name!r}: {right}", field="encoding", value=name) from None
    return codec.name


def encoding_of(data: bytes, chosen: str | None = None, lines_before: int = 0) -> Encoding:
    """Find out how bytes are to be read, unless it is said; `lines_before` counts the lines of the file above them.

    >>> encoding_of("André".encode("cp1252")).codec, encoding_of("Иван Петров".encode("cp1251")).codec
    ('cp1252', 'cp1251')
    >>> encoding_of("ann".encode("utf-16-le")).codec
    'utf-16-le'
    """
    marked = next(((mark, codec) for mark, codec in _MARKS.items() if data.startswith(mark)), None)
    if chosen is not None:
        name = check_name(chosen)
        if marked is None or marked[1].split("-")[:2] != name.split("-")[:2]:
            return Encoding({"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(name, name))
    if marked is not None:
        return Encoding(marked[1], len(marked[0]))
    if (wide := _wide(data[:4096])) is not None:
        return Encoding(wide)
    head = data[:_HEAD].rstrip(b"\0")
    if len(head) - len(head.translate(None, _CONTROLS)) > len(head) // 20 + 5:
        raise Error("it is no text, and nothing else that can be read")
    try:
        data.decode()
        return Encoding("utf-8")
    except UnicodeDecodeError:
        pass
    text = data.decode(errors="surrogateescape")
    wrong = len(DAMAGED.findall(text))
    right = sum(map(len, re.findall("[^\x00-\x7f]+", text))) - wrong
    old = None if right > wrong else _old(data)
    if old is None and right <= wrong and _widespread(text):
        line = lines_before + _first_wrong(data)
        text = f"line {line} is not UTF-8 text, and no other usual encoding fits: save it as UTF-8, or say what it is,"
        raise Error(f"{text} as in ", Option("encoding", "gb18030"), line=line)
    return Encoding("utf-8") if old is None else Encoding(old, guessed=True)


def decode(data: bytes, encoding: Encoding) -> str:
    """Decode bytes; what is no text stays there as marks that `DAMAGED` finds."""
    data = data[encoding.mark :]
    try:
        return data.decode(encoding.codec)
    except UnicodeError:
        pass
    try:
        return data.decode(encoding.codec, "surrogateescape")
    except UnicodeError:  # an encoding whose units are not bytes
        return data.decode(encoding.codec, "replace").replace("\ufffd", "\udcff")


def _wide(head: bytes) -> str | None:
    """Recognise UTF-16 without a mark: every other byte of Western text is zero."""
    zeros = [head[start::2].count(0) / max(1, len(head[start::2])) for start in (0, 1)]
    if max(zeros) < 0.4 or min(zeros) > 0.1:
        return None
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


def _widespread(text: str) -> bool:
    """Say whether so many lines are no text that they were not damaged, but written in some other way."""
    lines = text.split("\n")
    return sum(DAMAGED.search(line) is not None for line in lines) > 2 + len(lines) // 10


def _first_wrong(data: bytes) -> int:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        return 1 + max(before.count(b"\n"), before.count(b"\r"))
    return 1


def _old(data: bytes) -> str | None:
    """Choose the encoding in which the words look most like words; None where none is good enough."""
    words = sorted(set(_WORD.findall(data[: 1 << 24])))[:5000]
    scores = {codec: _score(words, codec) for codec in _OLD}
    best = max(scores, key=lambda codec: scores[codec])
    return best if scores[best] >= _ENOUGH else None


def _score(words: list[bytes], codec: str) -> float:
    """Give the share of words that look like words; how frequent the letters are tells scripts apart."""
    kind = _OLD[codec][0]
    good = letters = common = 0
    for word in words:
        parts = [part for part in _PUNCTUATION.split(word.decode(codec, "replace")) if part]
        if all(map(_looks_right, parts)):
            good += 1
            foreign = [letter for part in parts for letter in part.lower() if letter > "\x7f"]
            letters += len(foreign)
            common += sum(letter in _COMMON.get(kind, ()) for letter in foreign)
    if codec != _WESTERN and letters < _LETTERS:
        return 0.0
    return good / len(words) + (0.1 * common / max(1, letters) - 0.05) * (kind in _COMMON)


def _looks_right(word: str) -> bool:
    """Say whether a word has letters of one script only, and capitals where words have them."""
    if not word.isalpha() or "ÿ" in word:
        return False
    foreign = [letter for letter in word if letter > "\x7f"]
    latin = not foreign or foreign[0] < "\u0370"
    if any((letter < "\u0370") != latin for letter in foreign):
        return False
    if latin and len(foreign) == len(word) > 1:  # words of another script look so
        return False
    if not latin and len(foreign) < len(word):
        return False
    late = [letter for last, letter in pairwise(word) if last.islower() and letter.isupper()]
    return not any(letter > "\x7f" for letter in late) and (latin or not late)
