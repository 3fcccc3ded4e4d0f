"""The interests page and its actions."""

import json
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from reader.interests.article_features import pack_features
from reader.interests.overview import SHOWN
from reader.interests.terms import feed_categories
from reader.models import ArticleFeatures, Engagement, InterestProfile, InterestTerm, Subscription
from reader.templatetags.scores import anchor
from tests import make
from tests.markup import tight
from tests.reader.conftest import Enqueued, World

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _queue(enqueued: Enqueued) -> None:
    """Keep all tests in this module off the real queue."""


@pytest.fixture
def world(world: World) -> World:
    """A world without engagements and interests."""
    Engagement.objects.all().delete()
    InterestTerm.objects.all().delete()
    return world


def text(client: Client, path: str = "/interests/") -> str:
    return tight(client.get(path).content.decode())


def change(client: Client, term: str, act: str, **more: str) -> HttpResponse:
    return client.post("/interests/change/", {"term": term, "act": act, **more})


def terms() -> dict[str, float]:
    return {
        interest_term.term: round(interest_term.weight, 3) for interest_term in InterestTerm.objects.order_by("term")
    }


def test_empty_page_shows_how_to_start(browser: Client, world: World) -> None:
    page = text(browser)
    assert "No interests yet." in page
    assert "suggest <em>Morning</em>" in page
    assert 'name="categories"' in page
    assert "Nothing learned from your reading yet." in page
    assert "Delete interests" not in page


def test_adds_topics_and_feed_categories(browser: Client, world: World, enqueued: Enqueued) -> None:
    response = browser.post("/interests/add/", {"topics": "Chess, open source,, 日本", "categories": "on"})
    assert response["Location"] == "/interests/"
    assert terms() == {"chess": 3.0, "open source": 3.0, "morning": 1.0, "日本": 3.0}
    assert enqueued == [("reader.tasks.learning.rate",)]
    assert "4 topics added." in text(browser)


def test_folder_named_by_a_language_or_a_kind_of_article_is_no_topic(world: World) -> None:
    for name in ("Deutsch", "中文", "Opinion", "Time", "Harbours"):
        Subscription.objects.update(category=name, folder=None)
        assert feed_categories(world.user) == (["Harbours"] if name == "Harbours" else [])


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        pytest.param({"topics": ""}, "Enter at least one topic.", id="empty"),
        pytest.param({"topics": " , ,"}, "Enter at least one topic.", id="commas"),
        pytest.param({"topics": "?!, ---"}, "Nothing added", id="no word"),
        pytest.param({"topics": "x" * 2001}, "at most 2000 characters", id="very long"),
    ],
)
def test_refuses_input_without_topics(
    browser: Client, world: World, enqueued: Enqueued, sent: dict[str, str], error: str
) -> None:
    response = browser.post("/interests/add/", sent)
    assert (response.status_code, error in response.content.decode()) == (422, True)
    assert (terms(), enqueued) == ({}, [])


def test_groups_terms_strongest_first(browser: Client, world: World) -> None:
    for term, weight in (("weak", 0.5), ("strong", 4.0), ("hated", -2.0)):
        make.term(world.user, term, weight)
    make.term(world.user, "silent", 1.0, is_muted=True)
    make.term(make.user(), "theirs", 9.0)
    page = text(browser, "/interests/?weights=1")
    places = [
        page.index(f">{word}<")
        for word in ("Interested in", "strong", "weak", "Not interested in", "hated", "Muted", "silent")
    ]
    assert places == sorted(places)
    assert "theirs" not in page
    assert '<meter class="share for" max="1" value="1.0"' in page
    assert '<meter class="share against" max="1" value="0.5"' in page
    assert 'aria-label="Unmute: silent"' in page


@pytest.mark.parametrize(
    ("act", "weight", "marks"),
    [
        ("raise", 3.0, (False, False)),
        ("lower", 1.0, (False, False)),
        ("pin", 2.0, (True, False)),
        ("mute", 2.0, (False, True)),
    ],
)
def test_changes_term_and_returns_to_it(
    browser: Client, world: World, enqueued: Enqueued, act: str, weight: float, marks: tuple[bool, bool]
) -> None:
    make.term(world.user, "日本 & co", 2.0)
    InterestTerm.objects.update(engaged_at="2999-01-01T00:00Z")  # not faded
    response = change(browser, "日本 & co", act, weights="1")
    assert response["Location"] == f"/interests/?weights=1#{anchor('日本 & co')}"
    assert f'id="{anchor("日本 & co")}"' in text(browser, "/interests/?weights=1")
    row = InterestTerm.objects.get()
    assert (round(row.weight, 3), (row.is_pinned, row.is_muted)) == (weight, marks)
    assert len(enqueued) == 1


@pytest.mark.parametrize(("act", "back"), [("pin", "unpin"), ("mute", "unmute")])
def test_undoes_pin_and_mute(browser: Client, world: World, act: str, back: str) -> None:
    make.term(world.user, "chess")
    change(browser, "chess", act)
    change(browser, "chess", back)
    row = InterestTerm.objects.get()
    assert (row.is_pinned, row.is_muted) == (False, False)


@pytest.mark.parametrize(
    ("term", "act", "status"),
    [
        pytest.param("theirs", "raise", 404, id="somebody else's"),
        pytest.param("theirs", "remove", 404, id="removing somebody else's"),
        pytest.param("theirs\x00", "mute", 404, id="zero byte"),
        pytest.param("", "raise", 404, id="none"),
        pytest.param("mine", "explode", 400, id="no such act"),
        pytest.param("mine", "", 400, id="no act"),
    ],
)
def test_does_not_find_unknown_terms(
    browser: Client, world: World, enqueued: Enqueued, term: str, act: str, status: int
) -> None:
    make.term(world.user, "mine")
    make.term(make.user(), "theirs")
    before = terms()
    assert change(browser, term, act).status_code == status
    assert (terms(), enqueued) == (before, [])


def test_restores_removed_term_once(browser: Client, world: World) -> None:
    make.term(world.user, "chess", 3.0, origin="topic", is_pinned=True)
    change(browser, "chess", "remove")
    assert terms() == {}
    page = text(browser)
    assert "Removed: “chess”." in page
    assert 'form="undo" formaction="/interests/put-back/"' in page
    browser.post("/interests/put-back/")
    row = InterestTerm.objects.get()
    assert (row.term, row.weight, row.origin, row.is_pinned) == ("chess", 3.0, "topic", True)
    InterestTerm.objects.all().delete()
    browser.post("/interests/put-back/")
    assert terms() == {}
    assert "Nothing to restore." in text(browser)


def test_shows_strongest_terms_and_link_to_all(browser: Client, world: World) -> None:
    for number in range(SHOWN + 20):
        make.term(world.user, f"term{number:03}", 1.0 + number)
    page = text(browser, "/interests/?weights=1")
    assert page.count('class="term-row') == SHOWN
    assert 'Showing the strongest 100 of 120. <a href="?all=1">Show all</a>' in page
    page = text(browser, "/interests/?all=1")
    assert page.count('class="term-row') == SHOWN + 20
    assert "Show strongest only" in page
    assert change(browser, "term000", "raise", all="1")["Location"].startswith("/interests/?all=1#t")


def test_chips_show_only_what_a_person_would_name(browser: Client, world: World) -> None:
    make.term(world.user, "chess", 3.0, origin="topic")
    make.term(world.user, "week", 9.0)
    for word in ("coral", "reefs", "golf"):
        make.term(world.user, word, -1.0 if word == "golf" else 1.0)
    for categories in (["Coral reefs", "Golf"], ["coral reefs", "golf"], ["Week"]):
        source = make.source()
        article = make.article(source=source, categories=categories, title=" ".join(categories), language="en")
        make.delivery(world.subscription, article)
        packed = pack_features(article)
        ArticleFeatures.objects.create(article=article, terms=packed.terms, attributes=packed.attributes)
        make.engagement(world.user, article, "opened")
    page = text(browser)
    assert page.count("<bdi>Coral reefs</bdi>") == 1  # two terms, one chip
    assert page.index("You added") < page.index("<bdi>chess</bdi>") < page.index("<bdi>Coral reefs</bdi>")
    assert page.index("Not interested in") < page.index("<bdi>Golf</bdi>")
    assert "week" not in page.partition("<main")[2].replace("Weekly", "")
    assert "<meter" not in page


def test_removes_all_terms_of_a_chip_and_restores_them(browser: Client, world: World) -> None:
    make.term(world.user, "coral", 2.0)
    make.term(world.user, "reefs", 1.0)
    make.term(make.user(), "coral", 5.0)
    browser.post("/interests/change/", {"term": ["coral", "reefs"], "name": "Coral reefs", "act": "remove"})
    assert list(InterestTerm.objects.values_list("weight", flat=True)) == [5.0]
    assert "Removed: “Coral reefs”." in text(browser)
    browser.post("/interests/put-back/")
    assert InterestTerm.objects.filter(user=world.user).count() == 2


@pytest.mark.parametrize("path", ["/interests/", "/interests/?all=1"])
@pytest.mark.parametrize("n", [1, 150])
def test_query_count_is_independent_of_interests(
    browser: Client, world: World, django_assert_num_queries: DjangoAssertNumQueries, n: int, path: str
) -> None:
    for _ in range(n):
        make.term(world.user)
    with django_assert_num_queries(15 if "all" in path else 20):
        browser.get(path)


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (1, "Learned from 1 choice; relevance stays near neutral until about 40."),
        (39, "Learned from 39 choices; relevance stays near neutral until about 40."),
        (40, "Learned from 40 choices."),
    ],
)
def test_shows_how_much_was_learned(browser: Client, world: World, n: int, words: str) -> None:
    for number in range(n):
        make.engagement(world.user, make.article(), "skipped" if number % 2 else "opened")
    undone = make.engagement(world.user, make.article(), "liked")
    make.engagement(world.user, undone.article, "liked", undoes=undone)
    make.engagement(world.user, make.article(), "passed")
    make.engagement(make.user(), make.article(), "opened")
    assert f'<p class="help">{words}</p>' in text(browser)


def test_saves_learning_and_recency(browser: Client, world: World, enqueued: Enqueued) -> None:
    assert 'value="0.03" id="id_recency_1" required checked' in text(browser)
    browser.post("/interests/settings/", {"recency": "0.01"})
    profile = InterestProfile.objects.get()
    assert (profile.is_learning, profile.recency_rate, profile.changed_at is not None) == (False, 0.01, True)
    assert len(enqueued) == 1
    browser.post("/interests/settings/", {"is_learning": "on", "recency": "0.05"})
    profile.refresh_from_db()
    assert (profile.is_learning, profile.recency_rate) == (True, 0.05)


@pytest.mark.parametrize("rate", ["", "0.5", "x", "nan"])
def test_refuses_unknown_recency_rate(browser: Client, world: World, rate: str) -> None:
    response = browser.post("/interests/settings/", {"is_learning": "on", "recency": rate})
    assert (response.status_code, InterestProfile.objects.exists()) == (422, False)


def test_reset_asks_for_confirmation(browser: Client, world: World) -> None:
    make.term(world.user, "chess")
    make.engagement(world.user, world.article, "opened")
    page = text(browser, "/interests/reset/")
    assert "This deletes 1 interest and what was learned from 1 choice" in page
    assert terms() == {"chess": 1.0}
    browser.post("/interests/reset/")
    assert terms() == {}
    assert Engagement.objects.count() == 1
    assert "Nothing learned from your reading yet." in text(browser)


def test_export_and_import_round_trip(browser: Client, world: World) -> None:
    make.term(world.user, "日本", 2.0, is_pinned=True)
    response = browser.get("/interests/export/")
    assert response["Content-Disposition"] == 'attachment; filename="interests.json"'
    assert "日本" in response.content.decode()
    browser.post("/interests/reset/")
    response = send(browser, response.content)
    assert (response.status_code, terms()) == (200, {"日本": 2.0})
    assert "1 interest imported, with its learned meaning." in response.content.decode()


def send(client: Client, data: bytes) -> HttpResponse:
    return client.post("/interests/import/", {"file": SimpleUploadedFile("interests.json", data)})


def test_import_reports_refused_rows(browser: Client, world: World, enqueued: Enqueued) -> None:
    rows = [{"term": "chess", "weight": 1}, {"term": "", "weight": 1}, {"term": "go", "weight": "much"}]
    response = send(browser, json.dumps({"version": 1, "terms": rows}).encode())
    page = response.content.decode()
    assert (response.status_code, terms(), len(enqueued)) == (200, {"chess": 1.0}, 1)
    assert "1 interest imported. 2 skipped:" in tight(page)
    assert "Term 2</span> The term is missing." in tight(page)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        pytest.param(b"", "This file is empty.", id="empty"),
        pytest.param(b"{", "This file isn&#x27;t valid JSON.", id="cut off"),
        pytest.param(b"\xff\xfe\x00", "This file isn&#x27;t valid JSON.", id="bytes"),
        pytest.param(b"[" * 100_000, "This file isn&#x27;t valid JSON.", id="deep"),
        pytest.param(b'"a"' + b" " * 2**21, "larger than 2 MB", id="large"),
        pytest.param(b"[]", "This isn&#x27;t an interests file of version 1.", id="a list"),
        pytest.param(b'{"version": 2, "terms": []}', "This isn&#x27;t an interests file of version 1.", id="later"),
    ],
)
def test_refuses_invalid_interest_files(
    browser: Client, world: World, enqueued: Enqueued, data: bytes, error: str
) -> None:
    response = send(browser, data)
    assert (response.status_code, error in response.content.decode()) == (422, True)
    assert (terms(), enqueued) == ({}, [])


def test_requires_a_file(browser: Client, world: World) -> None:
    response = browser.post("/interests/import/")
    assert (response.status_code, "Choose a file first." in response.content.decode()) == (422, True)


def test_model_page_without_training_shows_whats_missing(browser: Client, world: World) -> None:
    page = text(browser, "/interests/model/")
    assert "we need 50 more opened or liked and 50 more skipped or disliked" in page
    assert "No model yet." in page


def test_model_page_shows_every_training(browser: Client, world: World) -> None:
    for average_precision in (0.5, 0.91):
        make.training(world.user, average_precision=average_precision)
    make.training(make.user(), average_precision=0.123)
    page = text(browser, "/interests/model/")
    assert 'aria-label="Average precision of each training' in page
    assert (page.count("<path"), page.count('scope="row"')) == (5, 2)
    assert "<td>0.91</td><td>0.70</td><td>yes</td>" in page
    assert "0.12" not in page


def test_anchor_works_for_any_term() -> None:
    assert quote(anchor("日本 & co")) == anchor("日本 & co")
