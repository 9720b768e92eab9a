"""`make screenshots`: pictures of every page in both widths and colour schemes, and those that documents show."""

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.pages.browsing import DESK, PAGES, PHONE, ROOT, SCHEMES, Place, Visit, browser, site, visiting

ALL = ROOT / "screenshots"
SHOWN = ROOT / "docs" / "images"
SIZES = {"desk": DESK, "phone": PHONE}
CHOSEN = {  # what documents show, and how much of it: width, height
    "standings-desk-light": (1280, 800),
    "standings-desk-dark": (1280, 800),
    "player-desk-light": (1280, 800),
    "player-desk-dark": (1280, 800),
    "fair-teams-phone-light": (360, 740),
    "predict-phone-dark": (360, 740),
}


def take(visit: Visit, place: Place, name: str, size: tuple[int, int]) -> None:
    """Take the picture of a page, as long as it is, when its charts are drawn."""
    page = visit.open(place)
    length = page.evaluate("document.scrollingElement.scrollHeight")
    page.set_viewport_size({"width": size[0], "height": max(size[1], length)})
    page.wait_for_load_state("networkidle")
    visit.settle()
    page.screenshot(path=ALL / f"{name}.png", full_page=True)
    if name in CHOSEN:
        width, height = CHOSEN[name]
        page.screenshot(path=SHOWN / f"{name}.png", clip={"x": 0, "y": 0, "width": width, "height": height})
    page.set_viewport_size({"width": size[0], "height": size[1]})


def take_all() -> None:
    """Take all pictures."""
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
                    for place in PAGES:
                        take(organiser if place.signed_in else guest, place, f"{place.name}-{width}-{scheme}", size)
                print(f"{len(PAGES)} pages, {width}, {scheme}")


if __name__ == "__main__":
    take_all()
    print(f"they are in {ALL.relative_to(ROOT)}/, and those that documents show in {SHOWN.relative_to(ROOT)}/")
