"""Liking, disliking, skipping and undoing, with and without script; reports of articles on screen."""

import pytest
from django.test import Client
from django.urls import reverse

from reader.models import ArticleState, Delivery, Engagement
from tests import make
from tests.markup import tight
from tests.reader.conftest import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def untouched(world: World) -> World:
    """A world without any engagements."""
    Engagement.objects.all().delete()
    return world


def engage(client: Client, world: World, kind: str, **headers: str) -> object:
    url = reverse("article_engage", args=[world.article.pk])
    return client.post(url, {"kind": kind, "next": "/starred/"}, headers=headers)


def log() -> list[str]:
    return list(Engagement.active.values_list("kind", flat=True))


@pytest.mark.parametrize("kind", ["liked", "disliked", "skipped"])
def test_message_offers_undo_without_script(browser: Client, untouched: World, kind: str) -> None:
    response = engage(browser, untouched, kind)
    assert response["Location"] == f"/starred/#a{untouched.article.pk}"  # type: ignore[index]
    text = browser.get("/starred/").content.decode()
    assert f"{kind.capitalize()}: “Morning”." in text
    undo = reverse("engagement_undo", args=[Engagement.objects.get().pk]) + ("?unread=1" if kind == "skipped" else "")
    assert f'form="undo" formaction="{undo}"' in text
    assert log() == [kind]
    response = browser.post(undo, {"next": "/starred/"})
    assert response["Location"] == f"/starred/#a{untouched.article.pk}"
    assert log() == []
    assert "Undone." in browser.get("/starred/").content.decode()


def test_scripts_get_undo_url(browser: Client, untouched: World) -> None:
    response = engage(browser, untouched, "skipped", **{"X-Quiet": "1"})
    undo = reverse("engagement_undo", args=[Engagement.objects.get().pk]) + "?unread=1"
    assert response.json() == {"undo": undo}  # type: ignore[attr-defined]
    untouched.delivery.refresh_from_db()
    assert untouched.delivery.is_read
    assert browser.post(undo, headers={"X-Quiet": "1"}).status_code == 204
    untouched.delivery.refresh_from_db()
    assert (untouched.delivery.is_read, log()) == (False, [])
    assert "message" not in browser.get("/starred/").context["messages"]._loaded_data


def test_undoing_a_skip_keeps_read_article_read(browser: Client, untouched: World) -> None:
    browser.get(reverse("article", args=[untouched.article.pk]))
    response = engage(browser, untouched, "skipped", **{"X-Quiet": "1"})
    assert "unread" not in response.json()["undo"]  # type: ignore[attr-defined]


def test_vote_button_toggles(browser: Client, untouched: World) -> None:
    pressed = 'value="neither" aria-pressed="true" data-act="liked"'
    assert pressed not in browser.get("/all/").content.decode()
    engage(browser, untouched, "liked")
    for path in ("/all/", reverse("article", args=[untouched.article.pk]), reverse("story", args=[untouched.story.pk])):
        assert pressed in tight(browser.get(path).content.decode())
    assert engage(browser, untouched, "neither", **{"X-Quiet": "1"}).status_code == 204  # type: ignore[attr-defined]
    assert pressed not in browser.get("/all/").content.decode()
    assert "liked" not in log()


@pytest.mark.parametrize("kind", ["", "opened", "starred", "LIKED", "x" * 1000, "liked\x00"])
def test_refuses_unknown_kind(browser: Client, untouched: World, kind: str) -> None:
    assert engage(browser, untouched, kind).status_code == 400  # type: ignore[attr-defined]
    assert log() == []


def test_undoing_twice_says_so(browser: Client, untouched: World) -> None:
    engage(browser, untouched, "skipped")
    url = reverse("engagement_undo", args=[Engagement.objects.get().pk])
    browser.post(url)
    browser.get("/all/")
    browser.post(url)
    assert "This was already undone." in browser.get("/all/").content.decode()
    assert Engagement.objects.count() == 2


def test_marking_all_read_is_not_learned(browser: Client, untouched: World) -> None:
    browser.post(reverse("read_all"), {"up_to": "999999999"})
    assert (Delivery.objects.get().is_read, log()) == (True, [])


def test_records_articles_on_screen(browser: Client, untouched: World) -> None:
    other = make.article()
    make.delivery(untouched.subscription, other)
    sent = {"ids": f"{other.pk},{untouched.article.pk}", "above": str(other.pk), "opened": str(untouched.article.pk)}
    assert browser.post("/seen/", sent).status_code == 204
    assert Delivery.objects.filter(is_seen=True).count() == 2
    assert list(Engagement.objects.values_list("article", "kind")) == [(other.pk, "passed")]


def test_opening_the_original_counts_as_opening(browser: Client, untouched: World) -> None:
    report = {"opened": untouched.article.pk, "original": "1"}
    for _ in range(2):
        assert browser.post(reverse("rows_seen"), report).status_code == 204
    untouched.delivery.refresh_from_db()
    assert (untouched.delivery.is_read, log()) == (True, ["opened"])


def test_opening_the_original_of_an_invisible_article_records_nothing(browser: Client, untouched: World) -> None:
    foreign = make.article()
    assert browser.post(reverse("rows_seen"), {"opened": foreign.pk, "original": "1"}).status_code == 204
    assert (log(), ArticleState.objects.filter(article=foreign).exists()) == ([], False)


def test_scrolled_articles_are_read_but_not_learned(browser: Client, untouched: World) -> None:
    theirs = make.delivery(make.subscription(make.user()), make.article())
    sent = {"passed": f"{untouched.article.pk},{theirs.article_id},999999999"}
    assert browser.post("/seen/", sent).status_code == 204
    assert list(Delivery.objects.filter(is_read=True)) == [untouched.delivery]
    assert list(ArticleState.objects.values_list("article", "is_read")) == [(untouched.article.pk, True)]
    assert log() == []


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"ids": "a,-1,²,,99999999999999999999"}, id="no numbers"),
        pytest.param({"ids": "1" * 100_000}, id="one very long"),
        pytest.param({"opened": "0", "above": "x"}, id="opened what is not there"),
    ],
)
def test_ignores_invalid_screen_report(browser: Client, untouched: World, sent: dict[str, str]) -> None:
    before = untouched.state()
    assert browser.post("/seen/", sent).status_code == 204
    assert untouched.state() == before


def test_limits_screen_report_to_200_rows(browser: Client, untouched: World) -> None:
    ids = [str(10**6 + n) for n in range(199)]
    browser.post("/seen/", {"ids": ",".join([*ids, "7", str(untouched.article.pk)])})
    assert not Delivery.objects.filter(is_seen=True).exists()
    browser.post("/seen/", {"ids": ",".join([*ids, str(untouched.article.pk)])})
    assert Delivery.objects.get(is_seen=True) == untouched.delivery
