"""`make screenshots`: pictures of every page in both widths and colour schemes, and the pictures used in the docs."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.service.pages.browser import DESK, PHONE, ROOT, SCHEMES, Visit, browser, site, visiting
from tests.service.pages.page_list import PAGES, PageCase

ALL = ROOT / "screenshots"
SHOWN = ROOT / "docs" / "images"
SIZES = {"desk": DESK, "phone": PHONE}
TOP = "body"
CHOSEN = {  # pictures in the docs: the element at the top, the width and the height
    "standings-desk-light": (TOP, 1280, 800),
    "standings-desk-dark": (TOP, 1280, 800),
    "players-compared-desk-light": (TOP, 1280, 800),
    "players-compared-desk-dark": (TOP, 1280, 800),
    "standings-phone-light": (TOP, 360, 740),
    "predict-phone-light": ("#answer", 360, 740),
    "fair-teams-phone-light": ("#answer", 360, 740),
    "import-mapped-desk-light": ("#result h2", 1280, 850),
}


def take(visit: Visit, place: PageCase, name: str, size: tuple[int, int]) -> None:
    """Take a full-length picture of a page once its charts are drawn."""
    page = visit.open(place)
    length = page.evaluate("document.scrollingElement.scrollHeight")
    page.set_viewport_size({"width": size[0], "height": max(size[1], length)})
    page.wait_for_load_state("networkidle")
    visit.settle()
    page.screenshot(path=ALL / f"{name}.png", full_page=True)
    if name in CHOSEN:
        part, width, height = CHOSEN[name]
        top = max(0, page.locator(part).bounding_box()["y"] - 16)  # with a small margin
        page.screenshot(path=SHOWN / f"{name}.png", clip={"x": 0, "y": top, "width": width, "height": height})
    page.set_viewport_size({"width": size[0], "height": size[1]})


def take_all(names: list[str]) -> None:
    """Take pictures of the pages with these names, or of all pages if no names are given."""
    places = [place for place in PAGES if not names or place.name in names]
    for folder in (ALL, SHOWN):
        folder.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, site(Path(folder)) as there, browser() as chromium:
        for width, size in SIZES.items():
            for scheme in SCHEMES:
                how = {"size": size, "scheme": scheme, "allowed": (404, 422)}
                with (
                    visiting(chromium, there, **how) as guest,
                    visiting(chromium, there, signed_in=True, **how) as organiser,
                ):
                    for place in places:
                        take(organiser if place.signed_in else guest, place, f"{place.name}-{width}-{scheme}", size)
                print(f"{len(places)} pages, {width}, {scheme}")


if __name__ == "__main__":
    take_all(sys.argv[1:])
    print(f"screenshots are in {ALL.relative_to(ROOT)}/, and pictures for the docs in {SHOWN.relative_to(ROOT)}/")
