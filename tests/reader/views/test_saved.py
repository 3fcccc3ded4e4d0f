"""Save a page: the share target, the bookmarklet, the add dialog; the page afterwards; removing it."""

import json
import re
from html import unescape
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from feeds.models import Article, FullText
from reader.articles.saved_items import saved_items
from reader.models import Import
from tests import make
from tests.markup import tight
from tests.reader.conftest import Enqueued, World

pytestmark = pytest.mark.django_db

URL = "https://page.example/lighthouse"
HOSTILE = '"><script>alert(1)</script>'


def save(browser: Client, url: str = URL, **values: str) -> int:
    """Save a page; returns the number of its article."""
    response = browser.post("/save/", {"address": url, **values})
    assert response.status_code == 302, response.content
    return int(response["Location"].split("/")[2])


def test_share_target_offers_to_save_and_to_follow(browser: Client) -> None:
    target = json.loads(browser.get("/manifest.webmanifest").content)["share_target"]
    shared = {target["params"]["text"]: f"Read {URL}", target["params"]["title"]: "Lighthouses"}
    page = tight(browser.get(target["action"], shared).content.decode())
    assert f'value="{URL}"' in page
    assert "Lighthouses" in page
    assert "Save page</button>" in page
    assert re.search(r'formaction="/subscribe/"[^>]*>Follow its feed</button>', page)


def test_link_alone_saves_nothing(browser: Client, enqueued: Enqueued) -> None:
    before = Article.objects.count()
    browser.get("/save/", {"url": URL})
    assert (Article.objects.count(), enqueued) == (before, [])


def test_post_from_elsewhere_is_refused(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.user)
    assert client.post("/save/", {"address": URL}).status_code == 403
    assert not saved_items(world.user).exists()


def test_sign_in_keeps_what_was_shared(client: Client) -> None:
    shared = urlencode({"url": f"{URL}?a=1&b=2", "title": "Light & dark"})
    response = client.get(f"/save/?{shared}")
    assert response["Location"] == f"/login/?{urlencode({'next': f'/save/?{shared}'}, safe='/')}"


def test_saves_fetches_and_shows_the_progress(browser: Client, world: World, enqueued: Enqueued) -> None:
    pk = save(browser, title="Lighthouses")
    assert enqueued == [("feeds.tasks.full_text.fetch_page", pk)]
    page = browser.get(f"/saved/{pk}/").content.decode()
    assert "Lighthouses" in page
    assert "Fetching the page" in page
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in page
    part = browser.get(f"/saved/{pk}/", headers={"X-Fragment": "progress"}).content.decode()
    assert ('data-over="false"' in part, "<h1" in part) == (True, False)
    assert "Fetching the page" in browser.get(f"/articles/{pk}/").content.decode()


def test_failure_says_why_and_offers_another_try(browser: Client, enqueued: Enqueued) -> None:
    pk = save(browser)
    FullText.objects.filter(article=pk).update(status="failed", error="It requires signing in.", fetched_at=make.NOW)
    for address in (f"/saved/{pk}/", f"/articles/{pk}/"):
        page = browser.get(address).content.decode()
        assert "It requires signing in." in page
        assert "Try again" in page
    enqueued.clear()
    save(browser)
    assert enqueued == [("feeds.tasks.full_text.fetch_page", pk)]


def test_article_of_a_saved_page_has_one_text(browser: Client, enqueued: Enqueued) -> None:
    pk = save(browser)
    Article.objects.filter(pk=pk).update(markup="<p>All of it</p>", text="All of it", word_count=3)
    FullText.objects.filter(article=pk).update(status="done", fetched_at=make.NOW)
    page = browser.get(f"/articles/{pk}/").content.decode()
    assert "<p>All of it</p>" in page
    assert "Feed version" not in page
    assert "Remove from Saved pages" in page


@pytest.mark.parametrize("address", ["", "javascript:alert(1)", "no host", "x" * 5000])
def test_invalid_address_is_explained(browser: Client, world: World, address: str) -> None:
    response = browser.post("/save/", {"address": address})
    assert response.status_code == 422
    assert 'class="errorlist' in response.content.decode()
    assert not saved_items(world.user).exists()


def test_hostile_words_are_escaped(browser: Client, enqueued: Enqueued) -> None:
    shown = browser.get("/save/", {"url": URL + HOSTILE, "title": HOSTILE, "text": HOSTILE}).content.decode()
    pk = save(browser, title=HOSTILE + "x")
    for page in (shown, *(browser.get(path).content.decode() for path in (f"/saved/{pk}/", f"/articles/{pk}/"))):
        assert "alert(1)</script>" not in page


def test_removes_with_undo(browser: Client, world: World, enqueued: Enqueued) -> None:
    pk = save(browser, title="Lighthouses")
    page = browser.post(f"/saved/{pk}/remove/", follow=True).content.decode()
    assert "Removed “Lighthouses” from Saved pages." in page
    assert not saved_items(world.user).exists()
    assert browser.get(f"/articles/{pk}/").status_code == 404
    [undo] = re.findall(r'formaction="(/saved/restore/[^"]+)"', page)
    again = browser.post(unescape(undo), follow=True).content.decode()
    assert "“Lighthouses” is saved again." in again
    assert saved_items(world.user).get().article_id == pk
    assert browser.post("/saved/restore/nonsense/").status_code == 302


def test_other_user_reaches_nothing(browser: Client, world: World, enqueued: Enqueued) -> None:
    pk = save(browser)
    other = Client()
    other.force_login(make.user("other"))
    assert [other.get(path).status_code for path in (f"/saved/{pk}/", f"/articles/{pk}/")] == [404, 404]
    assert other.post(f"/saved/{pk}/remove/").status_code == 404
    assert saved_items(world.user).count() == 1


def test_bookmarklet_opens_the_own_installation(browser: Client, settings: Settings) -> None:
    settings.BASE_URL = "https://news.example/reader/"
    page = unescape(browser.get("/save/").content.decode())
    [code] = re.findall(r'href="(javascript:[^"]+)"', page)
    assert code.startswith("javascript:void(open('https://news.example/")
    assert "encodeURIComponent(location.href)" in code
    assert "noopener" in code


def test_dialog_offers_to_save_a_page_that_leads_to_feeds(browser: Client, world: World, enqueued: Enqueued) -> None:
    found = b'[{"url": "https://page.example/feed", "title": "P", "origin": "", "is_read": true, "articles": []}]'
    job = Import.objects.create(user=world.user, kind="address", name=URL, status="preview", data=found)
    path = f"/imports/{job.pk}/"
    assert "Save this page" in browser.get(path, headers={"X-Fragment": "add"}).content.decode()
    Import.objects.filter(pk=job.pk).update(name="https://page.example/feed")
    assert "Save this page" not in browser.get(path, headers={"X-Fragment": "add"}).content.decode()
    Import.objects.filter(pk=job.pk).update(status="failed", message="No feed found.")
    assert "Save this page" in browser.get(path, headers={"X-Fragment": "add"}).content.decode()
    done = browser.post("/save/", {"address": URL}, headers={"X-Fragment": "add"}, follow=True).content.decode()
    assert f'data-done="/saved/{saved_items(world.user).get().article_id}/"' in done


def test_settings_of_the_list_have_nothing_about_polling(browser: Client, world: World, enqueued: Enqueued) -> None:
    save(browser)
    own = world.user.subscriptions.get(feed__status="saved")
    page = browser.get(f"/feeds/{own.pk}/edit/").content.decode()
    assert "Feed address" not in page
    assert f'action="/feeds/{own.pk}/unfollow/"' not in page
    browser.post(f"/feeds/{own.pk}/edit/", {"title": "Later", "folder": "Reading", "url": "https://evil.example/feed"})
    own.refresh_from_db()
    assert (own.title, own.folder.name if own.folder else "", own.feed.url) == ("Later", "Reading", "")
    assert own.fetches_full_text


def test_sidebar_offers_to_unfollow_other_feeds_only(browser: Client, world: World, enqueued: Enqueued) -> None:
    save(browser)
    world.user.subscriptions.update(folder=None)  # folders are closed
    page = browser.get("/all/").content.decode()
    saved = saved_items(world.user).get().feed
    assert f'<li data-feed="{world.user.subscriptions.get(feed=saved).pk}">' in page
    assert f'<li data-feed="{world.subscription.pk}" data-unfollow="yes">' in page


def test_list_is_empty_after_the_last_one(browser: Client, enqueued: Enqueued) -> None:
    page = browser.post(f"/saved/{save(browser)}/remove/", follow=True).content.decode()
    assert "No saved pages." in page


def test_retry_waits_a_minute(browser: Client, enqueued: Enqueued) -> None:
    pk = save(browser)
    FullText.objects.filter(article=pk).update(status="failed", error="No.", fetched_at=timezone.now())
    enqueued.clear()
    save(browser)
    assert enqueued == []
