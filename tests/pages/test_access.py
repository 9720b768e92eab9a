"""Pages that keep nobody out: axe-core finds nothing, the keyboard reaches everything, and nothing jumps."""

import pytest

from tests.pages.browsing import DESK, ODD_PAGES, PAGES, PHONE, axe

SHIFTS = """
window.shifts = 0;
new PerformanceObserver((seen) => {
  for (const one of seen.getEntries()) if (!one.hadRecentInput) window.shifts += one.value;
}).observe({ type: "layout-shift", buffered: true });
"""
FOUND = """axe.run().then((found) => found.violations.map((one) =>
  `${one.impact} ${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" ")}`))"""


@pytest.mark.parametrize("place", [pytest.param(place, id=place.name) for place in (*PAGES, *ODD_PAGES)])
def test_page_keeps_nobody_out(visit_as, place):
    visit = visit_as(also=axe() + SHIFTS, signed_in=place.signed_in)
    page = visit.page
    try:
        visit.go(place.address(visit.site))
        assert page.evaluate(FOUND) == []
        assert page.evaluate("window.shifts") < 0.01
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        assert page.evaluate(FOUND) == []
        visit.check()
    finally:
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": DESK[0], "height": DESK[1]})
