"""Following a feed in the dialog and without JavaScript; uploading a subscription list and following its progress."""

import json
import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from feeds.models import Feed
from reader.models import Import, InterestTerm, Subscription
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
    page.get_by_label("B", exact=True).uncheck()
    page.get_by_role("button", name="Follow selected").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_be_visible()
    sidebar = page.get_by_role("navigation").first
    run_import(Import.objects.get().pk)  # as the worker does
    expect(page.get_by_text("Done: 1 feed added, 0 already followed.")).to_be_visible()
    expect(sidebar.get_by_role("link", name="A", exact=True)).to_have_count(1)
    expect(page.get_by_text("0 of 2 feeds loaded")).to_be_visible()
    Feed.objects.update(last_polled_at=timezone.now(), last_success_at=timezone.now())  # as the worker does next
    expect(page.get_by_text("All your feeds are loaded")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(0)
    expect(page.get_by_role("listitem").filter(has_text="Line 4")).to_contain_text("never run")
    assert Subscription.objects.filter(user=shelf.user).count() == 2


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


FOUND = [
    {"url": f"https://new.example/{name.lower()}", "title": name, "origin": "new.example", "is_read": True,
     "articles": [{"title": f"{name} of today", "published_at": None, "picture": ""}]}
    for name in ("News", "Sport")
]  # fmt: skip


def look_up() -> None:
    """As the worker does."""
    Import.objects.filter(kind="address").update(status="preview", data=json.dumps(FOUND).encode())


def test_follows_a_feed_in_the_dialog(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/all/")
    page.keyboard.press("a")
    page.keyboard.type("new.example")  # at once, before the first step is there
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Follow a feed")
    expect(dialog.get_by_role("progressbar")).to_be_visible()
    look_up()
    expect(dialog.get_by_text("News of today")).to_be_visible()
    expect(dialog.get_by_text("Sport of today")).to_be_hidden()
    dialog.get_by_label("Sport").check()
    expect(dialog.get_by_text("Sport of today")).to_be_visible()
    dialog.get_by_label("News").uncheck()
    dialog.get_by_label("Folder").fill("Fresh")
    dialog.get_by_role("button", name="Follow").click()
    expect(page.get_by_role("heading", name="Following a feed")).to_be_visible()
    assert [str(each) for each in Subscription.objects.filter(folder__name="Fresh")] == ["Sport"]


def test_dialog_says_why_nothing_was_found(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/health/")
    page.get_by_role("link", name="Follow a feed").click()
    dialog = page.get_by_role("dialog", name="Follow a feed")
    dialog.get_by_label("Feed or website address").fill("nothing.example")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("progressbar")).to_be_visible()
    Import.objects.update(status="failed", message="No feed found on the page https://nothing.example/.")
    expect(dialog.get_by_role("alert")).to_have_text("No feed found on the page https://nothing.example/.")
    expect(dialog.get_by_label("Feed or website address")).to_have_value("nothing.example")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_follows_a_feed_without_javascript(opened: Opener, shelf: Shelf) -> None:
    page = opened(shelf.user, "/health/", java_script_enabled=False)
    page.get_by_role("link", name="Follow a feed").click()
    page.get_by_label("Feed or website address").fill("new.example")
    page.get_by_role("button", name="Find feeds").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    look_up()
    expect(page.get_by_text("News of today")).to_be_visible()
    page.get_by_role("button", name="Follow", exact=True).click()
    expect(page.get_by_role("heading", name="Following a feed")).to_be_visible()
    assert Subscription.objects.filter(feed__url="https://new.example/news").count() == 1


def test_ticked_topics_become_interests(opened: Opener, shelf: Shelf) -> None:
    job = Import.objects.create(
        user=shelf.user, kind="file", name="mine.opml", status="done", finished_at=timezone.now()
    )
    page = opened(shelf.user, f"/imports/{job.pk}/")
    page.get_by_label("climate").check()
    page.get_by_label("music").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("2 topics added.")).to_be_visible()
    assert page.url.endswith(f"/imports/{job.pk}/")
    assert set(InterestTerm.objects.filter(origin="topic").values_list("term", flat=True)) >= {"climate", "music"}
