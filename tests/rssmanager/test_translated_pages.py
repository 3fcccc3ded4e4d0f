"""Whole pages, emails and digests in a pseudo-language: no interface text is unmarked."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import translation
from pytest_django import Settings

from digests.delivery.links import EmailLinks
from digests.edition.document import Edition, FeedReport, LeftOut, Movement, SectionName, Trend, UnhealthyFeed
from digests.rendering.atom import as_atom
from digests.rendering.html import as_html
from digests.rendering.mail import AlertLine, alerts_email, digest_email
from digests.rendering.markdown import as_markdown
from digests.rendering.text import as_text
from digests.schedule.user_language import in_language_of
from feeds.models import Link
from reader.models import Notification, TermOrigin
from tests import make
from tests.digests import editions, kept
from tests.rssmanager.pseudo import CODE, speaking_marked, unmarked, unmarked_in_page

NAMES = {"UTC", "Esperanto"}  # not translated
TITLE = "标题"  # for all names by publishers and users, so that any Latin word is interface text


@pytest.fixture(autouse=True)
def marked(settings: Settings) -> Iterator[None]:
    settings.LANGUAGES = [(CODE, "Esperanto")]
    settings.LANGUAGE_CODE = CODE
    with speaking_marked():
        yield


@pytest.fixture
def edition() -> Edition:
    """Two topics of each section, with every possible field."""
    topics = []
    for number, section in enumerate(list(SectionName) * 2):
        topic = editions.topic(number, section)
        lead = replace(topic.lead, article_id=None, title=TITLE, source=TITLE, url="", date_uncertain=True)
        related = (lead,)
        values = {
            "label": f"{TITLE}{number}",
            "summary": TITLE,
            "category": TITLE if number % 2 else "",
            "n_unlisted": 2,
        }
        topics.append(
            replace(topic, lead=lead, related=related, sources=(TITLE,) * 6, trend=Trend.EMERGING, **values)  # type: ignore[arg-type]
        )
    report = FeedReport(
        n_polled=14,
        n_polls=96,
        n_successes=94,
        unhealthy=tuple(UnhealthyFeed(TITLE, TITLE) for _ in range(12)),
        movements=(Movement(TITLE, Trend.FADING, 2, 0),),
    )
    return editions.edition(*topics, report=report, left_out=LeftOut(6, 3), time_zone="Asia/Yangon")


LINKS = EmailLinks(1, make.NOW)


def test_digest_is_fully_translated(edition: Edition) -> None:
    letter = digest_email(edition, links=LINKS)
    texts = (as_text(edition), as_markdown(edition), letter.subject)
    assert [unmarked(_without_addresses(text)) for text in texts] == [[], [], []]
    assert unmarked_in_page(as_html(edition)) == unmarked_in_page(letter.html) == []
    assert f'<html lang="{CODE}"' in as_html(edition)


def test_empty_digest_and_feed_are_fully_translated(edition: Edition) -> None:
    empty = replace(edition, topics=(), n_articles=0)
    assert unmarked(_without_addresses(as_text(empty))) == []
    urls = {"self_url": "https://a.example/f", "site_url": "https://a.example/"}
    feed = as_atom([edition], **urls, page_url=lambda _: "https://a.example/1").decode()
    assert f'xml:lang="{CODE}"' in feed


def test_alert_email_is_fully_translated() -> None:
    letter = alerts_email([AlertLine(TITLE, happened_at=make.NOW)] * 60, links=LINKS)
    assert unmarked_in_page(letter.html) == []
    assert unmarked(_without_addresses(letter.text)) == unmarked(letter.subject) == []


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["login", "offline"])
def test_public_pages(client: Client, name: str) -> None:
    User.objects.create_user("x")
    page = client.get(reverse(name)).content.decode()
    assert set(unmarked_in_page(page)) == {"RSS", "Manager"}
    assert f'<html lang="{CODE}"' in page


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["digests", "digest_settings"])
def test_pages_of_digests(client: Client, edition: Edition, name: str) -> None:
    user = make.user("x")
    kept.of(user, edition)
    client.force_login(user)
    page = client.get(reverse(name)).content.decode()
    main = page[page.index("<main") : page.index("</main>")]
    assert set(unmarked_in_page(main)) <= {"Asia", "Yangon"}


@pytest.fixture
def reading(client: Client) -> dict[str, str]:
    """URLs of the reading pages of a user with a story in two feeds, without any Latin letters."""
    user = make.user("x")
    articles = [make.article(title=TITLE, markup=TITLE, text=TITLE, language="zh", author=TITLE) for _ in range(2)]
    for article in articles:
        of = make.subscription(user, title=TITLE)
        make.item(of.feed, article)
        make.delivery(of, article)
    story = make.story(*articles)
    Link.objects.update(evidence=TITLE)
    make.tag(user, TITLE, articles[0])
    client.force_login(user)
    names = ("home", "for_you", "important", "starred", "stories", "keys")
    of_one = {"article": articles[0].pk, "article_why": articles[0].pk, "story": story.pk}
    return {name: reverse(name) for name in names} | {name: reverse(name, args=[pk]) for name, pk in of_one.items()}


@pytest.mark.django_db
def test_reading_pages(client: Client, reading: dict[str, str]) -> None:
    unmarked_words = {name: set(unmarked_in_page(client.get(url).content.decode())) for name, url in reading.items()}
    names = {"RSS", "Manager", "https", "paper", "example"}
    assert {name: words - names for name, words in unmarked_words.items() if words - names} == {}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    [
        "account",
        "account_delete",
        "data",
        "habits",
        "habits_forget",
        "interests",
        "interests_model",
        "interests_reset",
        "notifications",
        "settings",
    ],
)
def test_account_pages(client: Client, name: str) -> None:
    user = make.user("x")
    article = make.article(title=TITLE)
    make.delivery(make.subscription(user, title=TITLE), article)
    for kind in ("opened", "skipped"):
        make.engagement(user, article, kind)
    for number, origin in enumerate(TermOrigin.values):
        make.term(user, f"{TITLE}{number}", number - 1.5, origin=origin, is_pinned=number == 1, is_muted=number == 2)
    Notification.objects.create(user=user, kind="breaking", text=TITLE, happened_at=make.NOW)
    client.force_login(user)
    page = client.get(reverse(name)).content.decode()
    main = page[page.index("<main") : page.index("</main>")]
    assert set(unmarked_in_page(re.sub(r"<time.*?</time>", "", main))) <= NAMES


@pytest.mark.django_db
def test_background_text_uses_the_users_language() -> None:
    with translation.override("en"), in_language_of(1):
        assert translation.get_language() == CODE


def test_finds_unmarked_word() -> None:
    assert unmarked("⟦Saved by ⟦somebody⟧⟧ here") == ["here"]
    assert unmarked_in_page('<p title="Open it">⟦Read⟧</p><code>manage.py</code>') == ["Open", "it"]


def _without_addresses(text: str) -> str:
    """The text without URLs."""
    return re.sub(r'<a id="[^"]*"></a>|\]\([^)]*\)|https?://\S+', " ", text)
