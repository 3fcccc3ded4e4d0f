"""Accessibility problems of a page: axe-core's rules, and two of our own."""

from collections.abc import Iterable
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WIDTHS = (360, 768, 1440)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
Look = tuple[int, Literal["light", "dark"]]
LOOKS: list[Look] = [(width, scheme) for width in WIDTHS for scheme in SCHEMES]

# What WCAG 2.2 AA asks for and axe-core can tell, with its advice; long texts stand out more (7:1, as AAA has it).
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_LONG_TEXTS = ".body"
_AT_MOST = 5  # places told of each fault

_SMALL = """() => [...document.querySelectorAll("button, .button, .bar a, .row-acts a, input:not([type=hidden])")]
  .filter((each) => each.getClientRects().length)
  .map((each) => [each, (each.closest("label") ?? each).getBoundingClientRect()])
  .filter(([each, box]) => box.width < 24 || box.height < 24)
  .map(([each]) => `small: ${each.outerHTML.slice(0, 120)}`)"""
_TOO_WIDE = """() => document.documentElement.scrollWidth > innerWidth ? ["wider than the window"] : []"""

_axe = Axe()


def faults_of(page: Page) -> list[str]:
    """The faults of a page as it stands, each in a line; none is what a page owes."""
    found = _violations(page, None, {"runOnly": _RULES})
    if page.locator(_LONG_TEXTS).count():
        found += _violations(page, _LONG_TEXTS, {"runOnly": ["color-contrast-enhanced"]})
    return found + faults_at_a_glance(page)


def faults_at_a_glance(page: Page) -> list[str]:
    """What is too small to be touched, or wider than the window."""
    small: list[str] = page.evaluate(_SMALL)
    wide: list[str] = page.evaluate(_TOO_WIDE)
    return small + wide


def faults_at(page: Page, looks: Iterable[Look]) -> list[str]:
    """The faults of a page at each of these widths and colour schemes."""
    found = []
    for width, scheme in looks:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # no colour half way
        found += [f"{page.url} at {width}, {scheme}: {fault}" for fault in faults_of(page)]
    return found


def _violations(page: Page, context: str | None, options: dict[str, object]) -> list[str]:
    answer = _axe.run(page, context=context, options={"resultTypes": ["violations"], **options}).response
    return [
        f"{each['id']}: {each['help']}: {node['html'][:120]} {node.get('failureSummary', '')[:200]}"
        for each in answer["violations"]
        for node in each["nodes"][:_AT_MOST]
    ]
