"""Past digests: the list, a digest's own page, and what became of its mail."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from digests.edition import SectionName
from digests.kinds import Kind
from digests.models import Digest, DigestPlan, Mailing, MailingState
from digests.views.archive import PAGE_SIZE
from feeds.models import Article
from reader.models import Preferences, Subscription
from tests import make
from tests.digests import editions, kept

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

NOW = make.NOW
DAY = timedelta(days=1)


@pytest.fixture
def ada(client: Client) -> User:
    user = make.user("ada", email="ada@example.org")
    client.force_login(user)
    return user


@pytest.fixture
def subscription(ada: User) -> Subscription:
    return make.subscription(ada)


def text(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", answer.content.decode())


def page_of(client: Client, digest: Digest) -> str:
    return text(client, reverse("digest", args=[digest.pk]))


def test_digests_stand_by_day_with_what_led_them_and_became_of_their_mail(client: Client, ada: User) -> None:
    label = editions.topic(1, label="Geneva: talks", lead=editions.entry(article_id=None))
    second = editions.topic(2, label="Second", lead=editions.entry(article_id=None))
    first = kept.digest(ada, label, second, made_at=NOW - DAY, n_articles=1204, n_feeds=1)
    kept.mailing(first, MailingState.SENT)
    kept.digest(ada, kind=Kind.EVENING, made_at=NOW - DAY + timedelta(hours=6))
    calm = editions.topic(1, SectionName.NOTEWORTHY, lead=editions.entry(1, article_id=None))
    kept.digest(ada, calm, made_at=NOW, n_articles=1)
    kept.front_page(ada, label, made_at=NOW)
    found = text(client, "/digests/")
    assert re.findall(r"half-heading\">([^<]+)<|data-open>([^<]+)<", found) == [
        ("Wednesday 4 March 2026", ""),
        ("", "Morning brief"),
        ("Tuesday 3 March 2026", ""),
        ("", "Evening recap"),
        ("", "Morning brief"),
    ]
    assert f'<a href="/digests/{first.pk}/" data-open>' in found
    for words in (
        "1,204 articles from 1 feed<",
        "1 article from 14 feeds<",
        "<bdi>Geneva: talks</bdi>",
        "<bdi>Article 1</bdi>",
        "> mailed <",
    ):
        assert found.count(words) == 1
    assert found.count("not mailed") == 2
    assert "Second" not in found


@pytest.mark.parametrize(
    ("state", "n_tries", "words"),
    [
        (MailingState.WAITING, 0, "waits to be mailed"),
        (MailingState.WAITING, 2, "not mailed yet"),
        (MailingState.HANDING_OVER, 1, "being mailed"),
        (MailingState.SENT, 1, "mailed"),
        (MailingState.FAILED, 5, "mail failed"),
        (MailingState.UNCERTAIN, 1, "perhaps mailed"),
    ],
)
def test_the_list_says_what_became_of_mail(client: Client, ada: User, state: str, n_tries: int, words: str) -> None:
    kept.mailing(kept.digest(ada), state, n_tries=n_tries)
    assert re.search(rf"<span[^>]*> {words} </span>", text(client, "/digests/"))


def test_pages_without_gap_or_repetition(client: Client, ada: User) -> None:
    for number in range(PAGE_SIZE + 3):
        kept.digest(ada, kind=(Kind.MORNING, Kind.EVENING)[number % 2], made_at=NOW - (number // 2) * DAY)
    first = client.get("/digests/")
    second = client.get("/digests/", {"after": first.context["next_after"]})
    shown = [each.pk for answer in (first, second) for _, digests in answer.context["days"] for each in digests]
    assert (len(shown), len(set(shown)), second.context["next_after"]) == (PAGE_SIZE + 3, PAGE_SIZE + 3, None)
    assert "Nothing older is here." in text(client, f"/digests/?after={shown[-1]}")


@pytest.mark.parametrize("after", ["x", "0", "-1", "9" * 30, "²"])
def test_a_place_that_is_none_begins_anew(client: Client, ada: User, after: str) -> None:
    kept.digest(ada)
    assert len(client.get("/digests/", {"after": after}).context["days"]) == 1


def test_the_place_of_another_persons_digest_is_none(client: Client, ada: User) -> None:
    kept.digest(ada)
    theirs = kept.digest(make.user(), made_at=NOW - DAY)
    answer = client.get("/digests/", {"after": theirs.pk})
    assert [each.user for _, digests in answer.context["days"] for each in digests] == [ada]


@pytest.mark.parametrize(
    ("is_on", "words"), [(True, "The next one is made when its time comes"), (False, "Choose which")]
)
def test_an_empty_list_says_what_would_fill_it(client: Client, ada: User, is_on: bool, words: str) -> None:
    DigestPlan.objects.create(user=ada, kind=Kind.MORNING, at="07:00", is_on=is_on)
    found = text(client, "/digests/")
    assert "No digest was made yet." in found
    assert words in found


def test_a_past_digest_says_what_it_said(client: Client, ada: User, subscription: Subscription) -> None:
    Preferences.objects.create(user=ada, time_zone="Asia/Tokyo")
    digest = kept.digest(
        ada, kept.topic(subscription, label="Geneva: talks", summary="They met."), time_zone="Europe/Berlin"
    )
    found = page_of(client, digest)
    for words in (
        "<title>Morning brief, Wednesday 4 March 2026 · rssmanager</title>",
        "<h1>Wednesday 4 March 2026</h1>",
        "Tue 3 Mar, 13:00 to Wed 4 Mar, 13:00 (CET)",
        "They met.",
        "data-open>Geneva: talks</a>",
        'data-act="skipped"',
    ):
        assert words in found


def test_it_stays_whole_when_its_articles_are_purged(client: Client, ada: User, subscription: Subscription) -> None:
    digest = kept.digest(ada, kept.topic(subscription, n_related=1, label="Geneva: talks"))
    for pk in kept.articles_of(digest):
        kept.purge(pk)
    found = page_of(client, digest)
    assert ("data-open data-original>Geneva: talks</a>" in found, "Article 2</a>" in found) == (True, True)
    assert "/articles/" not in found


@pytest.mark.parametrize(
    ("state", "values", "words", "button"),
    [
        (None, {}, "Not sent by mail.", "Send it to me"),
        (MailingState.WAITING, {}, "It waits to be sent by mail.", ""),
        (MailingState.WAITING, {"n_tries": 1, "answer": "451: later."}, "<bdi>451: later.</bdi> The next try is", ""),
        (MailingState.HANDING_OVER, {}, "It is being handed to the mail server.", ""),
        (MailingState.SENT, {"sent_at": NOW}, "Sent by mail", ""),
        (MailingState.FAILED, {"answer": "550: no such user."}, "<bdi>550: no such user.</bdi>", "Send it again"),
        (MailingState.UNCERTAIN, {}, "It was perhaps sent by mail", "Send it again"),
    ],
    ids=["none", "waiting", "tried", "under way", "sent", "failed", "uncertain"],
)
def test_the_page_says_what_became_of_the_mail(
    client: Client, ada: User, state: str | None, values: dict[str, object], words: str, button: str
) -> None:
    digest = kept.digest(ada)
    if state is not None:
        kept.mailing(digest, state, **values)
    found = page_of(client, digest)
    assert words in found
    assert re.findall(r'type="submit">(Send [^<]+)<', found) == ([button] if button else [])


def test_the_next_try_is_told(client: Client, ada: User) -> None:
    kept.mailing(kept.digest(ada), n_tries=1, answer="451", next_try_at=NOW + timedelta(minutes=4))
    assert ">in 4 min</time>." in page_of(client, Digest.objects.get())


@pytest.mark.parametrize("state", [MailingState.FAILED, MailingState.UNCERTAIN])
def test_mail_that_failed_is_sent_again(client: Client, ada: User, state: str) -> None:
    mailing = kept.mailing(kept.digest(ada), state, n_tries=9, answer="550")
    answer = client.post(reverse("digest_send", args=[mailing.digest_id]), follow=True)
    assert "It is sent once more to ada@example.org" in answer.content.decode()
    mailing.refresh_from_db()
    assert (mailing.state, mailing.n_tries, mailing.next_try_at) == (MailingState.WAITING, 0, NOW)


def test_a_digest_that_was_not_mailed_is_mailed_once(client: Client, ada: User) -> None:
    digest = kept.digest(ada)
    for words in ("It is sent to ada@example.org within a minute.", "It was sent, or is on its way."):
        answer = client.post(reverse("digest_send", args=[digest.pk]), follow=True)
        assert words in answer.content.decode()
    mailing = Mailing.objects.get()
    assert (mailing.user, mailing.digest, mailing.state, mailing.next_try_at) == (ada, digest, "waiting", NOW)


@pytest.mark.parametrize("state", [MailingState.WAITING, MailingState.HANDING_OVER, MailingState.SENT])
def test_what_was_sent_or_is_on_its_way_is_not_sent_twice(client: Client, ada: User, state: str) -> None:
    mailing = kept.mailing(kept.digest(ada), state, n_tries=1)
    answer = client.post(reverse("digest_send", args=[mailing.digest_id]), follow=True)
    assert "It was sent, or is on its way." in answer.content.decode()
    mailing.refresh_from_db()
    assert (mailing.state, mailing.n_tries) == (state, 1)


def test_without_an_address_nothing_is_sent(client: Client, ada: User) -> None:
    digest = kept.digest(ada)
    User.objects.update(email="")
    found = page_of(client, digest)
    assert ("Send it to me" in found, 'href="/digests/settings/">Give an address' in found) == (False, True)
    answer = client.post(reverse("digest_send", args=[digest.pk]), follow=True)
    assert "There is no address to send it to." in answer.content.decode()
    assert not Mailing.objects.exists()


def test_what_a_mail_server_says_stays_text(client: Client, ada: User) -> None:
    kept.mailing(kept.digest(ada), MailingState.FAILED, answer="<script>alert(1)</script>")
    assert "&lt;script&gt;alert(1)" in page_of(client, Digest.objects.get())


@pytest.mark.parametrize(("n_topics", "n_related"), [(1, 1), (15, 6)], ids=["one topic", "fifteen with six articles"])
def test_a_digest_costs_the_same_whatever_it_holds(
    client: Client,
    subscription: Subscription,
    django_assert_num_queries: DjangoAssertNumQueries,
    n_topics: int,
    n_related: int,
) -> None:
    other = make.subscription(subscription.user)
    topics = [kept.topic(subscription, n_related=n_related, by=other) for _ in range(n_topics)]
    for topic in topics:
        make.story(*(Article.objects.get(pk=each.article_id) for each in topic.entries))
    digest = kept.digest(subscription.user, *topics)
    kept.mailing(digest)
    with django_assert_num_queries(18):
        page_of(client, digest)


@pytest.mark.parametrize("n", [1, 30])
def test_the_list_costs_the_same_however_long(
    client: Client, ada: User, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    for number in range(n):
        topic = editions.topic(1, lead=editions.entry(article_id=None))
        kept.mailing(kept.digest(ada, topic, made_at=NOW - number * DAY))
    with django_assert_num_queries(13):
        client.get("/digests/")
