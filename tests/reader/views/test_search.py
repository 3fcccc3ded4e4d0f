"""The search page: its form, results, and suggestions without results."""

from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from feeds.search import indexer
from reader.limits import SEARCHES
from reader.lists.queries import PAGE_SIZE
from reader.models import SavedSearch
from tests import make
from tests.markup import tight
from tests.reader.conftest import World

pytestmark = pytest.mark.django_db
SEARCH = reverse("search")


@pytest.fixture
def searchable(world: World) -> World:
    indexer.queue_articles([world.article.pk])
    indexer.index_waiting()
    return world


def text(client: Client, url: str, **query: str) -> str:
    response = client.get(url, query)
    assert response.status_code == 200
    return tight(response.content.decode())


def test_shows_help_without_query(browser: Client) -> None:
    page = text(browser, SEARCH)
    for example in ("is:unread is:starred", "score&gt;70", "lang:ja", "feed:&quot;The Guardian&quot;"):
        assert f">{example}</code>" in page
    assert "autofocus" in page


def test_marks_and_counts_results(searchable: World, browser: Client) -> None:
    page = text(browser, SEARCH, q="morning")
    assert "<mark>Morning</mark>" in page
    assert "<span>1 article</span>" in page
    assert 'href="/search/?q=morning&amp;order=best" aria-current="true"' in page
    assert 'value="morning"' in page
    assert f"?next={quote(SEARCH + '?q=morning', safe='')}" in page  # the article links back here


def test_gives_advice_without_results(searchable: World, browser: Client) -> None:
    page = text(browser, SEARCH, q="evening")
    assert "No articles match." in page
    assert "Search syntax" in page


def test_warns_about_invalid_parts_and_keeps_query(searchable: World, browser: Client) -> None:
    page = text(browser, SEARCH, q="fede:morning")
    assert "“fede:” isn&#x27;t an operator" in page
    assert 'value="fede:morning"' in page


@pytest.mark.parametrize("query", ["…", "\x00", "'", '"', "x" * 5000, "東", "after:9999-99-99", "-", "score>"])
def test_no_query_is_an_error(searchable: World, browser: Client, query: str) -> None:
    assert browser.get(SEARCH, {"q": query}).status_code == 200


def test_has_pages(searchable: World, browser: Client) -> None:
    for number in range(PAGE_SIZE + 10):
        article = make.article(title=f"Morning {number}")
        make.delivery(searchable.subscription, article)
        indexer.queue_articles([article.pk])
    indexer.index_waiting()
    page = text(browser, SEARCH, q="morning OR is:liked")
    older = page.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    assert older.startswith("/search/?q=morning+OR+is%3Aliked&after=")
    assert text(browser, older).count("data-row>") == 11
    assert text(browser, SEARCH, q="morning", after="0.0_1").count("No more results.") == 1
    rows = browser.get(older, headers={"HX-Request": "true"}).content.decode()
    assert (rows.count("data-row>"), "<html" in rows) == (11, False)


def test_saved_search_is_a_list_newest_first(searchable: World, browser: Client) -> None:
    saved = SavedSearch.objects.create(user=searchable.user, name="Mornings", query="morning")
    url = reverse("saved_search", args=[saved.pk])
    assert f'href="{url}?order=newest" aria-current="true"' in text(browser, url)
    assert f'href="{url}?order=best" aria-current="true"' in text(browser, url, order="best")
    assert f'href="{url}?order=newest" aria-current="true"' in text(browser, url, order="other")


def test_filters_without_words_have_one_order(searchable: World, browser: Client) -> None:
    page = text(browser, SEARCH, q="is:unread")
    assert "1 article, newest first" in page
    assert "order=" not in page


def test_mentions_when_only_the_newest_are_sorted(
    searchable: World, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "search-cut" not in text(browser, SEARCH, q="morning OR is:unread")
    monkeypatch.setattr("reader.search.run.CANDIDATES", 0)
    assert "search-cut" in text(browser, SEARCH, q="morning OR is:unread")


def test_offers_broader_queries_without_results(searchable: World, browser: Client) -> None:
    page = text(browser, SEARCH, q="morning is:starred")
    assert '<a href="/search/?q=morning">Without <code dir="auto">is:starred</code></a>' in page
    assert 'Without <code dir="auto">morning</code>' not in page  # nothing is starred


def test_offers_corrections(searchable: World, browser: Client) -> None:
    page = text(browser, SEARCH, q="(morning")
    assert "At character 1: Missing closing parenthesis" in page
    assert '<a href="/search/?q=%28morning%29">' in page


def test_page_takes_constant_queries(searchable: World, browser: Client) -> None:
    counts = set()
    for n in (1, 30):
        for _ in range(n):
            article = make.article(title="Morning")
            make.delivery(searchable.subscription, article)
            indexer.queue_articles([article.pk])
        indexer.index_waiting()
        with CaptureQueriesContext(connection) as captured:
            text(browser, SEARCH, q="morning")
        counts.add(len(captured))
    assert len(counts) == 1


def test_saves_shows_renames_and_deletes_search(searchable: World, browser: Client) -> None:
    page = text(browser, SEARCH, q="title:morning")
    assert '<input type="hidden" name="query" value="title:morning">' in page
    response = browser.post(reverse("saved_search_add"), {"name": "Mornings", "query": "title:morning"})
    saved = SavedSearch.objects.get(name="Mornings")
    assert response["Location"] == reverse("saved_search", args=[saved.pk])
    page = text(browser, response["Location"])
    assert "<mark>Morning</mark>" in page
    assert 'aria-current="page"><svg' in page.partition("Saved searches</h2>")[2].partition("</ul>")[0]
    edit = reverse("saved_search_edit", args=[saved.pk])
    assert 'value="title:morning"' in text(browser, edit)
    browser.post(edit, {"name": "Early", "query": "evening"})
    assert "No articles match." in text(browser, reverse("saved_search", args=[saved.pk]))
    response = browser.post(reverse("saved_search_delete", args=[saved.pk]), follow=True)
    assert "Its query was: evening" in response.content.decode()
    assert not SavedSearch.objects.filter(pk=saved.pk).exists()


@pytest.mark.parametrize(
    ("name", "query", "reason"),
    [
        ("", "a", "This field is required."),
        ("x" * 101, "a", "at most 100 characters"),
        ("New", "", "This field is required."),
        ("Morning", "a", "You already have a saved search called “Morning”."),
    ],
    ids=["no name", "long name", "no query", "name taken"],
)
@pytest.mark.parametrize("address", ["saved_search_add", "saved_search_edit"])
def test_invalid_search_stays_in_the_form(
    searchable: World, browser: Client, address: str, name: str, query: str, reason: str
) -> None:
    other = SavedSearch.objects.create(user=searchable.user, name="Other", query="other")
    before = searchable.state()
    url = reverse(address, args=[other.pk] if address.endswith("edit") else [])
    response = browser.post(url, {"name": name, "query": query})
    assert response.status_code == 422
    assert reason in response.content.decode()
    assert f'value="{name}"' in response.content.decode() or not name
    assert searchable.state() == before


def test_users_can_use_the_same_name(searchable: World, client: Client) -> None:
    client.force_login(make.user())
    assert client.post(reverse("saved_search_add"), {"name": "Morning", "query": "a"}).status_code == 302
    assert SavedSearch.objects.filter(name="Morning").count() == 2


def test_saved_searches_have_a_limit(searchable: World, browser: Client) -> None:
    SavedSearch.objects.bulk_create(
        SavedSearch(user=searchable.user, name=f"{number}", query="a") for number in range(SEARCHES.most - 1)
    )
    response = browser.post(reverse("saved_search_add"), {"name": "One more", "query": "a"})
    assert (response.status_code, SavedSearch.objects.count()) == (422, SEARCHES.most)
    assert "You can save 50 searches. Delete one first." in response.content.decode()


def test_saved_searches_take_one_query_in_the_sidebar(searchable: World, browser: Client) -> None:
    counts = set()
    for number in range(3):
        SavedSearch.objects.create(user=searchable.user, name=f"{number}", query="a")
        with CaptureQueriesContext(connection) as captured:
            text(browser, SEARCH)
        counts.add(len(captured))
    assert len(counts) == 1
