"""Following feeds, importing and exporting lists."""

import json
import re
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string

from feeds.models import Feed
from feeds.subscription_lists.detect import MAX_FILE_BYTES, read_subscriptions
from reader.models import Delivery, Import, ImportKind, Notification, Subscription
from reader.tasks.recurring import run_import
from reader.views.subscribe import LINES_SHOWN
from tests import make
from tests.reader.conftest import Enqueued, World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("polled")]

OPML = b"""<opml version="2.0"><body><outline text="News"><outline text="A" xmlUrl="https://a.example/feed"/>
<outline text="B" xmlUrl="https://b.example/feed"/><outline text="C" xmlUrl="ftp://c.example/feed"/></outline></body></opml>"""


def test_follows_url_in_the_background(browser: Client, world: World, enqueued: Enqueued) -> None:
    response = browser.post("/subscribe/", {"form": "address", "address": " paper.example ", "folder": "News"})
    job = Import.objects.latest("pk")
    assert response["Location"] == f"/imports/{job.pk}/"
    assert (job.user, job.kind, job.name, job.folder_name) == (world.user, ImportKind.ADDRESS, "paper.example", "News")
    assert enqueued == [("reader.tasks.recurring.run_import", job.pk)]
    assert import_string("reader.tasks.recurring.run_import") is run_import


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param({"form": "address", "address": "  "}, "This field is required.", id="no address"),
        pytest.param({"form": "address", "address": "x" * 2001}, "at most 2000 characters", id="long address"),
        pytest.param({"form": "address", "address": "a\x00b"}, "Null characters", id="null character"),
        pytest.param({"form": "list"}, "Choose a file, paste a list, or enter its address.", id="no list"),
        pytest.param(
            {"form": "list", "list-text": "a", "list-address": "b"},
            "Choose only one: a file, a pasted list or an address.",
            id="two lists",
        ),
        pytest.param(
            {"form": "list", "list-file": SimpleUploadedFile("x", b"")}, "This file is empty.", id="empty file"
        ),
        pytest.param({"form": "starters"}, "Select at least one feed.", id="no starter"),
        pytest.param(
            {"form": "starters", "feed": "https://evil.example/"}, "Select at least one feed.", id="not of the table"
        ),
    ],
)
def test_refuses_invalid_input_with_a_reason(
    browser: Client, enqueued: Enqueued, data: dict[str, object], words: str
) -> None:
    n_before = Import.objects.count()
    response = browser.post("/subscribe/", data)
    assert (response.status_code, words in response.content.decode()) == (422, True)
    assert (Import.objects.count(), enqueued) == (n_before, [])


@pytest.mark.parametrize(
    ("size", "status"), [(MAX_FILE_BYTES, 302), (MAX_FILE_BYTES + 1, 422)], ids=["just allowed", "one byte more"]
)
def test_limits_file_size(browser: Client, enqueued: Enqueued, size: int, status: int) -> None:
    n_before = Import.objects.count()
    response = browser.post("/subscribe/", {"form": "list", "list-file": SimpleUploadedFile("x.txt", b"x" * size)})
    assert response.status_code == status
    assert Import.objects.count() - n_before == (status == 302)


def test_import_shows_counts_and_refused_lines(browser: Client, world: World) -> None:
    job = make.job(world.user, data=OPML)
    run_import(job.pk)
    told = Notification.objects.get(kind="import")
    assert (told.text, told.seen_at) == ("Import finished: 2 feeds added. 1 line was skipped.", None)
    run_import(job.pk)
    assert f'href="{reverse("import", args=[job.pk])}"' in browser.get("/notifications/").content.decode()
    page = browser.get(reverse("import", args=[job.pk])).content.decode()
    assert Notification.objects.get(kind="import").seen_at is not None
    assert "Done: 2 feeds added, 0 already followed." in page
    assert "Line 2" in page
    assert "only http and https URLs can be followed" in page


def test_explains_unreadable_file(browser: Client, world: World) -> None:
    job = make.job(world.user, data=b"\x89PNG\r\n\x1a\n\x00\x00", name="picture.png")
    run_import(job.pk)
    job.refresh_from_db()
    assert Notification.objects.get(kind="import").text == f"The import failed. {job.message}"
    page = browser.get(reverse("import", args=[job.pk])).content.decode()
    assert job.status == "failed"
    assert 'class="state state-failed"' in page
    assert "Try another file" in page


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"status": "waiting"}, "Waiting for a worker."),
        ({"status": "running", "n_total": 8, "n_done": 3}, "3 of 8 feeds processed."),
        ({"status": "running"}, "Reading the file."),
        ({"status": "running", "kind": "address"}, "Looking for a feed"),
        ({"status": "failed", "kind": "address", "message": "No feed was found."}, "No feed was found."),
    ],
    ids=["waiting", "under way", "begun", "address", "failed"],
)
def test_import_shows_progress(browser: Client, world: World, values: dict[str, object], words: str) -> None:
    job = make.job(world.user, **values)
    page = browser.get(reverse("import", args=[job.pk])).content.decode()
    assert words in page
    assert ('http-equiv="refresh"' in page) == (values["status"] != "failed")
    assert ("<progress" in page) == (values["status"] != "failed")


def test_failed_url_can_be_edited_and_retried(browser: Client, world: World) -> None:
    job = make.job(world.user, kind="address", name="paper.example/a b", folder_name="Ä & B", status="failed")
    page = browser.get(reverse("import", args=[job.pk])).content.decode()
    shared = browser.get("/subscribe/?address=paper.example%2Fa%20b&folder=%C3%84%20%26%20B").content.decode()
    for form in (page, shared):
        assert 'value="paper.example/a b"' in form
        assert 'value="Ä &amp; B"' in form


FOUND = {"url": "https://ada:secret@new.example/feed", "title": "New Paper", "origin": "new.example", "is_read": True}
KNOWN = {"url": "https://known.example/feed", "title": "Known", "origin": "known.example", "is_read": True}
ARTICLES = [{"title": "It rained", "published_at": None, "picture": "https://new.example/rain.png"}]


def found(user: User, *feeds: dict[str, object]) -> Import:
    data = json.dumps([{**feed, "articles": ARTICLES} for feed in feeds]).encode()
    return make.job(user, kind="address", name="new.example", status="preview", data=data)


def test_dialog_goes_from_address_to_choice(browser: Client, world: World, enqueued: Enqueued) -> None:
    aside = {"headers": {"X-Fragment": "add"}}
    asked = browser.get("/subscribe/", **aside).content.decode()
    assert ("<html" in asked, 'name="address"' in asked) == (False, True)
    refused = browser.post("/subscribe/", {"form": "address", "address": ""}, **aside)
    assert (refused.status_code, "This field is required." in refused.content.decode()) == (200, True)
    waiting = browser.post("/subscribe/", {"form": "address", "address": "new.example"}, follow=True, **aside)
    job = Import.objects.latest("pk")
    assert f'data-wait="/imports/{job.pk}/"' in waiting.content.decode()
    job.status, job.message = "failed", "No feed found at https://new.example/."
    job.save()
    failed = browser.get(f"/imports/{job.pk}/", **aside).content.decode()
    assert ('role="alert">No feed found' in failed, 'value="new.example"' in failed) == (True, True)


def test_choice_shows_previews_and_followed_feeds(browser: Client, world: World) -> None:
    known = make.subscription(world.user, make.feed("https://known.example/feed"), title="Mine")
    job = found(world.user, FOUND, KNOWN)
    for headers in ({}, {"X-Fragment": "add"}):
        page = browser.get(f"/imports/{job.pk}/", headers=headers).content.decode()
        assert "It rained" in page
        assert "secret" not in page
        assert f'<a href="/feeds/{known.pk}/"' in page
        assert "You already follow this feed." in page
        assert page.count('name="feed"') == 1


def test_follows_found_feeds_in_a_new_folder(browser: Client, world: World, enqueued: Enqueued) -> None:
    job = found(world.user, FOUND)
    aside = {"headers": {"X-Fragment": "add"}}
    nothing = browser.post(f"/imports/{job.pk}/confirm/", {"act": "follow"}, **aside)
    assert "Select at least one feed." in nothing.content.decode()
    done = browser.post(f"/imports/{job.pk}/confirm/", {"feed": "0", "folder": " Fresh "}, follow=True, **aside)
    assert f'data-done="/imports/{job.pk}/"' in done.content.decode()
    subscription = Subscription.objects.get(feed__url=FOUND["url"])
    assert (subscription.shown_title, str(subscription.folder)) == ("New Paper", "Fresh")
    assert enqueued == [("reader.tasks.recurring.run_import", job.pk)]


def test_found_feeds_of_others_are_hidden(browser: Client, world: World) -> None:
    job = found(make.user(), FOUND)
    assert browser.get(f"/imports/{job.pk}/", headers={"X-Fragment": "add"}).status_code == 404
    assert browser.post(f"/imports/{job.pk}/confirm/", {"feed": "0"}).status_code == 404
    assert not Subscription.objects.filter(feed__url=FOUND["url"]).exists()


def test_script_gets_only_the_progress(browser: Client, world: World) -> None:
    job = make.job(world.user, status="running", n_total=4, n_done=1)
    part = browser.get(reverse("import", args=[job.pk]), headers={"X-Fragment": "progress"}).content.decode()
    assert part.lstrip().startswith("<template>")
    assert f'<a href="/folders/{world.folder.pk}/"' in part  # new feeds appear in the sidebar
    assert ('data-over="false"' in part, "<html" in part) == (True, False)


def test_progress_says_what_is_left_to_rate(browser: Client, world: World) -> None:
    Feed.objects.update(last_polled_at=timezone.now())
    Delivery.objects.filter(user=world.user).update(is_rated=False)
    job = make.job(world.user, status="done", finished_at=timezone.now())
    progress = partial(browser.get, reverse("import", args=[job.pk]), headers={"X-Fragment": "progress"})
    part = progress().content.decode()
    assert re.search(r"of them (is|are) still being compared and rated", part)
    assert 'data-over="false"' in part
    Delivery.objects.filter(user=world.user).update(is_rated=True)
    part = progress().content.decode()
    assert ('data-over="true"' in part, "still being" in part) == (True, False)


def test_result_links_to_the_feed(browser: Client, world: World) -> None:
    world.job.lines.create(label="The Paper", reason="followed", feed=world.subscription.feed)
    assert (
        f'<a href="/feeds/{world.subscription.pk}/" dir="auto">The Paper</a>'
        in browser.get(reverse("import", args=[world.job.pk])).content.decode()
    )


def test_pages_thousands_of_refused_lines(browser: Client, world: World) -> None:
    job = make.job(world.user, status="done")
    for number in range(LINES_SHOWN + 1):
        job.lines.create(line=number + 1, label=f"outline {number}", reason="no feed URL")
    url = reverse("import", args=[job.pk])
    first = browser.get(url)
    assert len(first.context["lines"]) == LINES_SHOWN
    second = browser.get(url, {"after": first.context["next_line"]})
    assert [line.label for line, _ in second.context["lines"]] == [f"outline {LINES_SHOWN}"]
    assert len(browser.get(url, {"after": "nonsense"}).context["lines"]) == LINES_SHOWN


def test_exports_own_feeds_as_file(browser: Client, world: World) -> None:
    make.subscription(make.user())
    response = browser.get("/export.opml")
    assert response["Content-Disposition"] == 'attachment; filename="feeds.opml"'
    assert {feed.url for feed in read_subscriptions(response.content).feeds} == {
        world.subscription.feed.url,
        world.duplicate.other.feed.url,
    }
