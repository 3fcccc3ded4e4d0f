"""`make screenshots`: every page of the demo, light and dark, on a desktop and a phone, and one sheet of them all.

The demo's reader is made in a folder of its own and served on loopback; what is taken lies in `var/screenshots`, with
`index.html` to look through and `sheet.png` to see at once.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.request import urlopen

import django
from playwright.sync_api import Browser, Page, sync_playwright

from rssmanager.env import PROJECT

if TYPE_CHECKING:
    from tests.screenshots.places import Place

FOLDER = PROJECT / "var" / "screenshots"
SIZES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
        "device_scale_factor": 2,
    },
}
SCHEMES = ("light", "dark")
README = {"today-desktop-light": "today", "article-next--all-desktop-dark": "article", "for-you-phone-light": "phone"}
# The headless shell, where installed, needs a third less processor time than the whole of Chromium.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
PATIENCE = 180.0  # seconds for the demo to be filled


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="names of pages, such as today or feed_edit")
    parser.add_argument("--whole", action="store_true", help="whole pages, however long")
    parser.add_argument("--check", action="store_true", help="take no pictures; report problems on a phone's page")
    parser.add_argument("--every-look", action="store_true", help="check at every width, light and dark")
    parser.add_argument("--readme", action="store_true", help="also renew the pictures of the README")
    options = parser.parse_args()
    if options.check:
        sys.exit(_check(set(options.only), every_look=options.every_look))
    FOLDER.mkdir(parents=True, exist_ok=True)
    with demo() as home, chromium() as browser:
        names = take(browser, home, only=set(options.only), whole=options.whole)
        sheet(browser, names)
    if options.readme:
        for taken, name in README.items():
            shutil.copy(FOLDER / f"{taken}.png", PROJECT / "static/readme" / f"{name}.png")
    n_taken = len(names) * len(SIZES) * len(SCHEMES)
    sys.stdout.write(f"{n_taken} pictures: {FOLDER / 'index.html'}, all at once: {FOLDER / 'sheet.png'}\n")


def _check(only: set[str], *, every_look: bool) -> int:
    """Report problems of the demo's pages; returns an exit status."""
    from tests.browser.faults import LOOKS
    from tests.screenshots.checking import check, without_scripts

    with demo() as home, chromium() as browser:
        addresses = [address for place, address in _wanted(only) if not place.opens]
        wrong = check(browser, home, addresses, LOOKS if every_look else LOOKS[:1]) + without_scripts(
            browser, home, addresses
        )
    sys.stdout.write("".join(f"{each}\n" for each in wrong) or f"{len(addresses)} pages, nothing wrong\n")
    return 1 if wrong else 0


@contextmanager
def demo() -> Iterator[str]:
    """A filled reader, served; and this process set up to read its database. Gives its address."""
    with tempfile.TemporaryDirectory() as made:
        port = _free_port()
        home = f"http://127.0.0.1:{port}"
        os.environ |= {
            "DEMO": "true",
            "DATA_DIR": str(Path(made) / "demo"),
            "DATABASE_URL": "",
            "REDIS_URL": "",
            "BASE_URL": home,
            "FETCH_ALLOWED_NETWORKS": "127.0.0.0/8",
            "LOG_LEVEL": "WARNING",
            "DJANGO_SETTINGS_MODULE": "rssmanager.settings",
        }
        command = [sys.executable, str(PROJECT / "manage.py"), "demo", "--port", str(port), "--json"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                _wait_for(f"{home}/healthz", process)
                django.setup()
                yield home
            finally:
                process.terminate()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        try:
            with urlopen(url, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.5)
    raise SystemExit("The demo does not answer.")


@contextmanager
def chromium() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise SystemExit("No Chromium is installed.")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright's loop runs in this thread
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-background-networking"]
        )
        yield browser
        browser.close()


def take(browser: Browser, home: str, *, only: set[str], whole: bool) -> list[str]:
    """Take every page in every size and scheme; returns the names of those taken."""
    wanted = _wanted(only)
    for size, device in SIZES.items():
        for scheme in SCHEMES:
            context = browser.new_context(
                base_url=home, color_scheme=scheme, reduced_motion="reduce", service_workers="block", **device
            )
            page = context.new_page()
            for place, address in wanted:
                page.goto(address)
                page.wait_for_load_state("networkidle")
                if place.opens:
                    _open(page)
                page.screenshot(path=FOLDER / f"{place.file}-{size}-{scheme}.png", full_page=whole)
            context.close()
    return [place.file for place, _ in wanted]


def _open(page: Page) -> None:
    page.locator("[data-row] [data-open]").nth(1).click()
    page.locator("article.article").wait_for()
    page.mouse.move(0, 0)
    page.wait_for_load_state("networkidle")


def _wanted(only: set[str]) -> "list[tuple[Place, str]]":
    """What is to be taken and the addresses of it, once this process reads the demo's database."""
    from django.contrib.auth.models import User

    from tests.screenshots.places import PLACES, address, numbers

    found = numbers(User.objects.get(username="demo"))
    return [(place, address(place, found)) for place in PLACES if not only or place.name in only]


def sheet(browser: Browser, names: list[str]) -> None:
    """All pictures on one page, each a link to itself, and that page as a picture."""
    rows = "".join(f"<h2>{name}</h2><div>{''.join(_thumbnail(name, size) for size in SIZES)}</div>" for name in names)
    index = FOLDER / "index.html"
    index.write_text(f"<!doctype html><meta charset='utf-8'><title>Pages</title><style>{_LOOK}</style>{rows}")
    page = browser.new_page(viewport={"width": 1600, "height": 900})
    page.goto(index.as_uri())
    page.screenshot(path=FOLDER / "sheet.png", full_page=True)
    page.close()


_LOOK = """
body { background: #888; color: #fff; font: 16px sans-serif; margin: 24px; }
div { display: flex; gap: 12px; align-items: start; }
img { height: 380px; display: block; }
"""


def _thumbnail(name: str, size: str) -> str:
    files = (f"{name}-{size}-{scheme}.png" for scheme in SCHEMES)
    return "".join(f"<a href='{file}'><img src='{file}' alt='{file}'></a>" for file in files)


if __name__ == "__main__":
    main()
