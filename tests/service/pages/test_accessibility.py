"""Accessibility: axe-core finds no violations, the keyboard reaches all controls, and the layout is stable."""

import pytest

from tests.service.pages.browser import DESK, PHONE, axe
from tests.service.pages.page_list import ODD_PAGES, PAGES

SHIFTS = """
window.shifts = 0;
new PerformanceObserver((seen) => {
  for (const one of seen.getEntries()) if (!one.hadRecentInput) window.shifts += one.value;
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize("place", [pytest.param(place, id=place.name) for place in (*PAGES, *ODD_PAGES)])
def test_axe_finds_no_accessibility_violation(visit_as, place):
    visit = visit_as(also=axe() + SHIFTS, signed_in=place.signed_in)
    page = visit.page
    try:
        visit.open(place)
        visit.settle()
        assert visit.barriers() == []
        assert place.act or page.evaluate("window.shifts") < 0.01  # an action on the page may shift the layout
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        assert visit.barriers() == []
        assert visit.sideways() <= 0
        visit.check()
    finally:
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": DESK[0], "height": DESK[1]})


FOCUSED = """() => {
  const one = document.activeElement, box = one.getBoundingClientRect(), look = getComputedStyle(one);
  const seen = box.width > 0 && box.bottom > 0 && box.right > 0 && box.left < innerWidth && box.top < innerHeight;
  return { at: [...document.querySelectorAll("*")].indexOf(one), tag: one.tagName, text: one.outerHTML.slice(0, 120),
    marked: seen && look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2 };
}"""
CONTROLS = """() => {
  const all = [...document.querySelectorAll("*")];
  const other = "input[type=radio]:not(:checked)"; // the arrow keys reach the other buttons of a group
  const seen = (one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0 && !one.matches(other);
  return all.filter((one) => one.matches("a, button, select, textarea, input:not([type=hidden])") && seen(one))
    .map((one) => all.indexOf(one));
}"""


@pytest.mark.parametrize("name", ["player", "players-compared", "models"])
def test_charts_cause_no_layout_shift_on_a_phone(visit_as, name):
    visit = visit_as(size=PHONE, scheme="dark", also=SHIFTS)
    visit.open(next(place for place in PAGES if place.name == name))
    for chart in visit.page.locator("figure").all():
        chart.scroll_into_view_if_needed()
        visit.settle()
    assert visit.page.evaluate("window.shifts") < 0.01
    assert visit.sideways() <= 0
    visit.check()


@pytest.mark.parametrize("name", ["standings", "player", "predict", "fair-teams", "enter"])
def test_keyboard_reaches_every_control(visit_as, name):
    place = next(place for place in PAGES if place.name == name)
    visit = visit_as(also=axe() + SHIFTS, signed_in=place.signed_in)
    page = visit.open(place)
    visit.settle()  # a chart that is drawn later would move everything below it
    page.evaluate("document.activeElement.blur()")
    wanted = page.evaluate(CONTROLS)[:40]
    reached = []
    for _ in range(len(wanted) + 20):
        page.keyboard.press("Tab")
        here = page.evaluate(FOCUSED)
        inside = here["at"] in reached[-1:]  # the focus moved within a control, such as between the parts of a date
        assert inside or here["marked"] or here["tag"] == "BODY", f"the focus is not visible: {here['text']}"
        reached.append(here["at"])
        if set(wanted) <= set(reached):
            break
    assert set(wanted) <= set(reached)
    in_order = [at for at in reached if at in wanted]
    assert in_order == sorted(in_order)


def test_first_tab_stop_is_a_link_that_skips_to_the_content(visit_as):
    page = visit_as(also=axe() + SHIFTS, signed_in=False).go("/leagues")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED)["text"].startswith('<a class="skip"')
    assert page.evaluate(FOCUSED)["marked"]
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
