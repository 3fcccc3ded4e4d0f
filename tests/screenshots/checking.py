"""Checks of every page of the demo: console errors, foreign requests, accessibility, content without JavaScript."""

from collections.abc import Sequence

from playwright.sync_api import Browser, Page, Request

from tests.browser.faults import LOOKS, WIDTHS, Look, faults_at_a_glance, faults_of

# axe-core is slow: it runs on the narrow light page and the wide dark one, the quick checks at every look.
IN_FULL = ((min(WIDTHS), "light"), (max(WIDTHS), "dark"))


def check(browser: Browser, home: str, addresses: Sequence[str], looks: Sequence[Look] = LOOKS) -> list[str]:
    """Problems, a line each: console errors, requests to other hosts, statuses other than 200, accessibility."""
    wrong: list[str] = []
    context = browser.new_context(base_url=home, reduced_motion="reduce", service_workers="block")
    page = context.new_page()
    page.on("console", lambda line: wrong.append(f"{page.url}: {line.text}") if line.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    page.on("request", lambda request: _note_outside(wrong, page.url, request, home))
    for address in addresses:
        answer = page.goto(address)
        if answer is None or answer.status != 200:
            wrong.append(f"{address}: answered {answer.status if answer else 'nothing'}")
        for width, scheme in looks:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            faults = faults_of if (width, scheme) in IN_FULL else faults_at_a_glance
            wrong += [f"{address} at {width}, {scheme}: {fault}" for fault in faults(page)]
    context.close()
    return wrong


def without_scripts(browser: Browser, home: str, addresses: Sequence[str]) -> list[str]:
    """Pages that are missing or empty in a browser without JavaScript."""
    context = browser.new_context(base_url=home, java_script_enabled=False)
    page = context.new_page()
    wrong = [address for address in addresses if not _is_read(page, address)]
    context.close()
    return [f"{address}: nothing to read without JavaScript" for address in wrong]


def _is_read(page: Page, address: str) -> bool:
    page.goto(address)
    return page.locator("main h1").count() == 1 and len(page.locator("main").inner_text()) > 20


def _note_outside(wrong: list[str], at: str, request: Request, home: str) -> None:
    """Pictures of an article are its publisher's; nothing else may come from elsewhere."""
    is_picture = "/articles/" in at and request.resource_type == "image"
    if not is_picture and not request.url.startswith((home, "data:", "blob:")):
        wrong.append(f"{at}: asks {request.url}")
