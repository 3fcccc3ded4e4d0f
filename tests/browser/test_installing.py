"""What a browser shows while the server does not respond."""

from playwright.sync_api import expect

from tests.browser.conftest import Opener, Shelf
from tests.browser.faults import faults_of


def test_a_page_of_the_readers_own_says_that_it_does_not_answer(opened: Opener, shelf: Shelf, watch: object) -> None:
    page = opened(shelf.user, service_workers="allow")
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.context.set_offline(True)
    page.get_by_role("navigation", name="RSS Manager").get_by_role("link", name="Starred").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You're offline")
    assert faults_of(page) == []
    page.context.set_offline(False)
    page.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Starred")
    watch.complaints.clear()  # type: ignore[attr-defined]  # Chromium notes what it could not load
