"""Setting up a service, and sending an article to it from its menu."""

from dataclasses import replace

import pytest
from django.conf import settings
from playwright.sync_api import expect

from reader.models import Sending
from reader.tasks.sending import send_articles
from tests.browser.conftest import Opener, Shelf
from tests.reader.send_to.service import Service


@pytest.mark.usefixtures("polled")
def test_sends_an_article_to_a_service(opened: Opener, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "ENV", replace(settings.ENV, FETCH_ALLOW_PRIVATE_NETWORKS=True))
    with Service() as service:
        page = opened(shelf.user, "/settings/send-to/")
        page.get_by_role("heading", name="Linkding").click()
        panel = page.locator("details[open]")
        panel.get_by_label("Address").fill(service.url)
        panel.get_by_label("token").fill("secret")
        panel.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Saved Linkding.")).to_be_visible()
        page.goto(f"{page.url.partition('/settings')[0]}/articles/{shelf.articles[0]}/")
        page.locator('summary[title="More"]').click()
        page.get_by_role("button", name="Send to Linkding").click()
        expect(page.get_by_text("Sending to Linkding.")).to_be_visible()
        send_articles()  # as the worker does
        [(path, headers, body)] = service.asked
        assert (path, headers["Authorization"]) == ("/api/bookmarks/", "Token secret")
        assert b"Title 00" in body
    assert Sending.objects.get().state == "sent"
    page.reload()
    page.locator('summary[title="More"]').click()
    expect(page.get_by_role("button", name="Sent to Linkding")).to_be_visible()
