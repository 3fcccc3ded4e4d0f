"""Past digests: the list, a digest's page, and its email status."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from digests.edition.document import SectionName
from digests.edition.kinds import Kind
from digests.models import Digest, DigestPlan, Mailing, MailingState
from digests.views.archive import PAGE_SIZE
from feeds.models import Article
from reader.models import Preferences, Subscription
from tests import make
from tests.digests import editions, kept
from tests.markup import tight

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
    return tight(answer.content.decode())


def page_of(client: Client, digest: Digest) -> str:
    return text(client, reverse("digest", args=[digest.pk]))


def test_lists_digests_by_day_with_lead_and_email_state(client: Client, ada: User) -> None:
    label = editions.topic(1, lead=editions.entry(article_id=None, title="Geneva: talks"))
    second = editions.topic(2, lead=editions.entry(article_id=None, title="Second"))
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
        ">emailed<",
    ):
        assert found.count(words) == 1
    assert found.count("not emailed") == 2
    assert "Second" not in found


@pytest.mark.parametrize(
    ("state", "n_tries", "words"),
    [
        (MailingState.WAITING, 0, "waiting to be emailed"),
        (MailingState.WAITING, 2, "not emailed yet"),
        (MailingState.HANDING_OVER, 1, "sending"),
        (MailingState.SENT, 1, "emailed"),
        (MailingState.FAILED, 5, "email failed"),
        (MailingState.UNCERTAIN, 1, "delivery unconfirmed"),
    ],
)
def test_list_shows_email_state(client: Client, ada: User, state: str, n_tries: int, words: str) -> None:
    kept.mailing(kept.digest(ada), state, n_tries=n_tries)
    assert re.search(rf"<span[^>]*>{words}</span>", text(client, "/digests/"))


def test_pages_without_gap_or_repetition(client: Client, ada: User) -> None:
    for number in range(PAGE_SIZE + 3):
        kept.digest(ada, kind=(Kind.MORNING, Kind.EVENING)[number % 2], made_at=NOW - (number // 2) * DAY)
    first = client.get("/digests/")
    second = client.get("/digests/", {"after": first.context["next_after"]})
    shown = [digest.pk for answer in (first, second) for _, digests in answer.context["days"] for digest in digests]
    assert (len(shown), len(set(shown)), second.context["next_after"]) == (PAGE_SIZE + 3, PAGE_SIZE + 3, None)
    assert "No older items." in text(client, f"/digests/?after={shown[-1]}")


@pytest.mark.parametrize("after", ["x", "0", "-1", "9" * 30, "²"])
def test_invalid_cursor_starts_from_the_top(client: Client, ada: User, after: str) -> None:
    kept.digest(ada)
    assert len(client.get("/digests/", {"after": after}).context["days"]) == 1


def test_the_place_of_another_persons_digest_is_none(client: Client, ada: User) -> None:
    kept.digest(ada)
    theirs = kept.digest(make.user(), made_at=NOW - DAY)
    answer = client.get("/digests/", {"after": theirs.pk})
    assert [digest.user for _, digests in answer.context["days"] for digest in digests] == [ada]


@pytest.mark.parametrize(("is_on", "words"), [(True, "Your next digest will appear here"), (False, "Choose which")])
def test_empty_list_explains_what_appears(client: Client, ada: User, is_on: bool, words: str) -> None:
    DigestPlan.objects.create(user=ada, kind=Kind.MORNING, at="07:00", is_on=is_on)
    found = text(client, "/digests/")
    assert "No digests yet." in found
    assert words in found


def test_stored_digest_does_not_change(client: Client, ada: User, subscription: Subscription) -> None:
    Preferences.objects.create(user=ada, time_zone="Asia/Tokyo")
    digest = kept.digest(
        ada, kept.topic(subscription, label="Geneva: talks", summary="They met."), time_zone="Europe/Berlin"
    )
    found = page_of(client, digest)
    for words in (
        "<title>Morning brief, Wednesday 4 March 2026 · RSS Manager</title>",
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
        (None, {}, "Not emailed.", "Email this to me"),
        (MailingState.WAITING, {}, "Waiting to be emailed.", ""),
        (MailingState.WAITING, {"n_tries": 1, "answer": "451: later."}, "<bdi>451: later.</bdi> Next try", ""),
        (MailingState.HANDING_OVER, {}, "Sending…", ""),
        (MailingState.SENT, {"sent_at": NOW}, "Emailed", ""),
        (MailingState.FAILED, {"answer": "550: no such user."}, "<bdi>550: no such user.</bdi>", "Send again"),
        (MailingState.UNCERTAIN, {}, "Delivery unconfirmed", "Send again"),
    ],
    ids=["none", "waiting", "tried", "under way", "sent", "failed", "uncertain"],
)
def test_page_shows_email_state(
    client: Client, ada: User, state: str | None, values: dict[str, object], words: str, button: str
) -> None:
    digest = kept.digest(ada)
    if state is not None:
        kept.mailing(digest, state, **values)
    found = page_of(client, digest)
    assert words in found
    assert re.findall(r'type="submit">(Send again|Email this to me)<', found) == ([button] if button else [])


def test_shows_the_next_try(client: Client, ada: User) -> None:
    kept.mailing(kept.digest(ada), n_tries=1, answer="451", next_try_at=NOW + timedelta(minutes=4))
    assert ">in 4 min</time>." in page_of(client, Digest.objects.get())


@pytest.mark.parametrize("state", [MailingState.FAILED, MailingState.UNCERTAIN])
def test_mail_that_failed_is_sent_again(client: Client, ada: User, state: str) -> None:
    mailing = kept.mailing(kept.digest(ada), state, n_tries=9, answer="550")
    answer = client.post(reverse("digest_send", args=[mailing.digest_id]), follow=True)
    assert "Sending again to ada@example.org" in answer.content.decode()
    mailing.refresh_from_db()
    assert (mailing.state, mailing.n_tries, mailing.next_try_at) == (MailingState.WAITING, 0, NOW)


def test_a_digest_that_was_not_mailed_is_mailed_once(client: Client, ada: User) -> None:
    digest = kept.digest(ada)
    for words in ("Sending to ada@example.org within a minute.", "This was already sent, or is being sent."):
        answer = client.post(reverse("digest_send", args=[digest.pk]), follow=True)
        assert words in answer.content.decode()
    mailing = Mailing.objects.get()
    assert (mailing.user, mailing.digest, mailing.state, mailing.next_try_at) == (ada, digest, "waiting", NOW)


@pytest.mark.parametrize("state", [MailingState.WAITING, MailingState.HANDING_OVER, MailingState.SENT])
def test_sent_or_sending_email_is_not_resent(client: Client, ada: User, state: str) -> None:
    mailing = kept.mailing(kept.digest(ada), state, n_tries=1)
    answer = client.post(reverse("digest_send", args=[mailing.digest_id]), follow=True)
    assert "This was already sent, or is being sent." in answer.content.decode()
    mailing.refresh_from_db()
    assert (mailing.state, mailing.n_tries) == (state, 1)


def test_without_an_address_nothing_is_sent(client: Client, ada: User) -> None:
    digest = kept.digest(ada)
    User.objects.update(email="")
    found = page_of(client, digest)
    assert ("Email this to me" in found, 'href="/digests/settings/">Add an email address' in found) == (False, True)
    answer = client.post(reverse("digest_send", args=[digest.pk]), follow=True)
    assert "Add your email address in the settings first." in answer.content.decode()
    assert not Mailing.objects.exists()


def test_without_a_mail_server_it_says_so_and_sends_nothing(client: Client, ada: User, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    digest = kept.digest(ada)
    page = page_of(client, digest)
    assert "send emails yet. An administrator needs to set <code>EMAIL_URL</code>." in page
    assert "Email this to me" not in page
    assert "send emails yet." in client.post(reverse("digest_send", args=[digest.pk]), follow=True).content.decode()
    assert not Mailing.objects.exists()


def test_mail_server_messages_stay_text(client: Client, ada: User) -> None:
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
        make.story(*(Article.objects.get(pk=entry.article_id) for entry in topic.entries))
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
