"""A strict HTML parser, which rejects errors that browsers forgive."""

from collections import Counter
from html.parser import HTMLParser
from urllib.parse import urlsplit

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
LABELLED = {"input", "select", "textarea"}
REFERS = ("for", "list", "aria-labelledby", "aria-describedby", "aria-controls", "form")
# Texts that Python and JavaScript show for missing values.
LEAKS = {"None", "nan", "inf", "-inf", "NaN", "undefined", "True", "False"}


class Strict(HTMLParser):
    """Parses a page; `faults` are its errors, and `links` are its links within the service."""

    def __init__(self, text, names=()):
        super().__init__(convert_charrefs=True)
        self.faults, self.links, self.charts = [], [], []
        self._open, self._ids, self._refers, self._fields, self._labels = [], Counter(), [], [], set()
        self._harmless = set(names)
        self.headings = 0
        self.feed(text)
        self.close()
        self._finish()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if len(given) < len(attrs):
            self.faults.append(f"<{tag}> has a duplicate attribute")
        self._check(tag, given)
        if tag == "form" and "form" in self._open:
            self.faults.append("a form inside a form")
        if tag in ("a", "button") and {"a", "button"} & set(self._open):
            self.faults.append(f"<{tag}> inside a link or a button")
        if tag == "h1":
            self.headings += 1
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self._check(tag, dict(attrs))

    def handle_endtag(self, tag):
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> does not close the open element, at {self.getpos()}")

    def handle_data(self, data):
        if data.strip() in LEAKS and data.strip() not in self._harmless:
            self.faults.append(f"the page shows {data.strip()!r}, at {self.getpos()}")
        if self._open[-1:] == ["script"] and data.strip():
            self.faults.append("an inline script")

    def _check(self, tag, given):
        if "id" in given:
            self._ids[given["id"]] += 1
        self.faults += [f"<{tag}> has {name}" for name in given if name.startswith("on") or name == "style"]
        self._refers += [(tag, name, one) for name in REFERS for one in (given.get(name) or "").split()]
        if tag == "label" and given.get("for"):
            self._labels.add(given["for"])
        if tag in LABELLED and given.get("type") not in ("hidden", "submit"):
            named = "label" in self._open or given.get("aria-label") or given.get("aria-labelledby")
            self._fields += [] if named else [(tag, given.get("name"), given.get("id"))]
        if tag == "img" and "alt" not in given:
            self.faults.append("an image without alt text")
        if tag == "style":
            self.faults.append("a <style> element")
        for name in ("href", "src", "action", "srcset", "formaction"):
            self._lead(tag, name, given.get(name))
        if tag == "img" and "/charts/" in (given.get("src") or ""):
            self.charts.append(given["src"])

    def _lead(self, tag, name, place):
        if not place:
            return
        if urlsplit(place).scheme not in ("", "https") or place.startswith("//") or any(map(str.isspace, place)):
            self.faults.append(f"<{tag} {name}={place!r}>")
        if tag == "a" and place.startswith("/") and place not in self.links:
            self.links.append(place)

    def _finish(self):
        self.faults += [f"<{tag}> is not closed" for tag in self._open]
        self.faults += [f"the id {one!r} is used {often} times" for one, often in self._ids.items() if often > 1]
        self.faults += [
            f"<{tag} {name}={one!r}> refers to a missing id" for tag, name, one in self._refers if one not in self._ids
        ]
        self.faults += [f"{field} has no label" for field in self._fields if field[2] not in self._labels]
        if self.headings != 1:
            self.faults.append(f"{self.headings} <h1> elements instead of 1")
