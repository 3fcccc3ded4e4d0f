"""Uploading a subscription list, following its progress, reading what was rejected."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from feeds.models import Feed
from reader.models import Import, Subscription
from reader.tasks.recurring import run_import
from tests.browser.conftest import Opener, Shelf

pytestmark = pytest.mark.usefixtures("polled")

LIST = b"""<opml version="2.0"><body>
<outline text="A" xmlUrl="https://a.example/feed"/>
<outline text="B" xmlUrl="https://b.example/feed"/>
<outline text="Command" xmlUrl="exec:rm"/>
</body></opml>"""


def test_progress_comes_by_itself(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/subscribe/")
    page.get_by_label("File").set_input_files({"name": "mine.opml", "mimeType": "text/x-opml", "buffer": LIST})
    page.get_by_role("button", name="Review import").click()
    expect(page.get_by_role("heading", name="2 feeds to import")).to_be_visible()
    page.get_by_role("button", name="Follow all 2").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_visible()
    sidebar = page.get_by_role("navigation").first
    run_import(Import.objects.get().pk)  # as the worker does
    expect(page.get_by_text("Done: 2 feeds added, 0 already followed.")).to_be_visible()
    expect(sidebar.get_by_role("link", name="A", exact=True)).to_have_count(1)
    expect(page.get_by_text("0 of 3 feeds loaded")).to_be_visible()
    Feed.objects.update(last_polled_at=timezone.now())  # as the worker does next
    expect(page.get_by_text("All your feeds are loaded")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(0)
    expect(page.get_by_role("listitem").filter(has_text="Line 4")).to_contain_text("never run")
    assert Subscription.objects.filter(user=shelf.user).count() == 3


def test_without_scripts_the_page_asks_again_by_itself(opened: Opener, shelf: Shelf) -> None:
    job = Import.objects.create(user=shelf.user, kind="file", name="mine.opml", data=LIST)
    page = opened(shelf.user, f"/imports/{job.pk}/", java_script_enabled=False)
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    run_import(job.pk)
    expect(page.get_by_text("Done: 2 feeds added, 0 already followed.")).to_be_visible()


def test_an_empty_file_is_refused_at_its_field(opened: Opener, shelf: Shelf, watch: object) -> None:
    page = opened(shelf.user, "/subscribe/")
    page.get_by_label("File").set_input_files({"name": "x.opml", "mimeType": "text/xml", "buffer": b""})
    page.get_by_role("button", name="Review import").click()
    field = page.get_by_label("File")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(re.compile("This file is empty."))
    watch.complaints.clear()  # type: ignore[attr-defined]  # Chromium notes every answer of 422 as an error
