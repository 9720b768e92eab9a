"""`make screenshots`: pictures of every page in both widths and colour schemes, and those that documents show."""

from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page

from tests.pages.browsing import DESK, PAGES, PHONE, ROOT, SCHEMES, browser, site, visiting

ALL = ROOT / "screenshots"
SHOWN = ROOT / "docs" / "images"
SIZES = {"desk": DESK, "phone": PHONE}
CHOSEN = {  # what documents show, and how much of it: width, height
    "standings-desk-light": (1280, 800),
    "standings-desk-dark": (1280, 800),
    "player-desk-light": (1280, 800),
    "player-desk-dark": (1280, 800),
    "fair-teams-phone-light": (360, 740),
    "fair-teams-phone-dark": (360, 740),
}


def quiet(page: Page) -> None:
    """Wait until everything is drawn."""
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready")


def take(folder: Path = ALL) -> list[str]:
    """Take all pictures; gives what went wrong on the way."""
    folder.mkdir(exist_ok=True)
    SHOWN.mkdir(exist_ok=True)
    troubles: list[str] = []
    with TemporaryDirectory() as place, site(Path(place)) as there, browser() as chromium:
        for width, size in SIZES.items():
            for scheme in SCHEMES:
                for signed_in in (False, True):
                    pages = [one for one in PAGES if one.signed_in == signed_in]
                    with visiting(
                        chromium, there, size=size, scheme=scheme, signed_in=signed_in, allowed=(404, 422)
                    ) as visit:
                        for one in pages:
                            visit.open(one)
                            quiet(visit.page)
                            name = f"{one.name}-{width}-{scheme}"
                            visit.page.screenshot(path=folder / f"{name}.png", full_page=True)
                            if name in CHOSEN:
                                wide, high = CHOSEN[name]
                                clip = {"x": 0, "y": 0, "width": wide, "height": high}
                                visit.page.screenshot(path=SHOWN / f"{name}.png", clip=clip, full_page=True)
                        troubles += visit.troubles
                        visit.troubles.clear()
    return troubles


if __name__ == "__main__":
    said = take()
    print(f"{len(PAGES)} pages are in {ALL.relative_to(ROOT)}/, the best of them in {SHOWN.relative_to(ROOT)}/")
    print(*said, sep="\n")
