"""What mails say, read out of rows, with addresses that lead back."""

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from digests.delivery.content import email_content_of, links_of
from digests.delivery.enqueue import queue, queue_alerts
from digests.delivery.links import ALERTS, EmailAction, Subscribed, read_action_token, read_unsubscribe_token
from digests.edition.document import Edition
from digests.models import Mailing
from reader.models import Notification
from reader.preferences.store import set_time_zone
from tests import make
from tests.digests.editions import edition, entry, full_edition, topic
from tests.digests.mails import reader_with_mail, stored
from tests.make import NOW

pytestmark = pytest.mark.django_db

SITE = "https://reader.example.org"


@pytest.fixture(autouse=True)
def _site(settings: Settings) -> None:
    settings.BASE_URL = SITE


def mail_of(made: Edition | None = None) -> Mailing:
    return queue(stored(reader_with_mail(), made or edition(topic())), now=NOW)


def token_in(address: str) -> str:
    return address.rstrip("/").rpartition("/")[2]


def test_a_digest_is_mailed_as_it_was_stored() -> None:
    written = email_content_of(mail_of(edition(topic(lead=entry(1, title="Talks, second round")))))
    assert written
    for form in (written.text, written.html):
        assert "Talks, second round" in form
        assert "Morning brief" in form


def test_a_full_digest_takes_no_more_queries_than_a_short_one(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    short, full = mail_of(), mail_of(full_edition())
    for mailing in (short, full):
        with django_assert_num_queries(6):
            assert email_content_of(mailing)


def test_links_are_for_the_person_the_digest_and_its_kind() -> None:
    mailing = mail_of()
    links = links_of(mailing)
    assert links.page == f"{SITE}/digests/{mailing.digest_id}/"
    assert links.settings == f"{SITE}/digests/settings/"
    assert read_unsubscribe_token(token_in(links.unsubscribe)) == Subscribed(mailing.user_id, "morning")
    asked = read_action_token(token_in(links.act(5, "skip")), now=NOW + timedelta(days=30))
    assert (asked.user_id, asked.article_id, asked.act) == (mailing.user_id, 5, EmailAction.SKIP)
    written = email_content_of(mailing)
    assert written
    for address in (links.page, links.settings, links.unsubscribe):
        assert address in written.text
        assert address in written.html


def test_retry_sends_the_same_email() -> None:
    mailing = mail_of(full_edition())
    assert email_content_of(mailing) == email_content_of(Mailing.objects.get())


def test_alerts_show_event_time_and_link() -> None:
    user = reader_with_mail()
    set_time_zone(user, "Europe/Berlin")
    subscription = make.subscription(user)
    article = make.article(title="Quake")
    make.delivery(subscription, article)
    told = [
        Notification.objects.create(
            user=user, article=article, kind="breaking", text="Breaking: Quake (Paper), importance 93.", happened_at=NOW
        ),
        make.notification(subscription, text="Paper is no more.", kind="dead", happened_at=NOW + timedelta(hours=1)),
    ]
    mailing = queue_alerts(user, [each.pk for each in told], now=NOW)
    assert mailing
    written = email_content_of(mailing)
    assert written
    assert "Breaking news: Quake" in written.subject
    assert "Breaking: " not in written.text
    assert "13:00" in written.text  # in Berlin
    assert f"{SITE}/articles/{article.pk}/" in written.text
    assert f"{SITE}/feeds/{subscription.pk}/" in written.text
    assert written.text.index("Quake") < written.text.index("Paper is no more.")
    assert read_unsubscribe_token(token_in(links_of(mailing).unsubscribe)) == Subscribed(user.pk, ALERTS)
    assert links_of(mailing).page == f"{SITE}/notifications/"


def test_alert_does_not_link_to_others_articles() -> None:
    user, other = reader_with_mail(), reader_with_mail()
    article = make.article()
    subscription = make.subscription(other)
    make.delivery(subscription, article)
    told = [
        Notification.objects.create(user=user, article=article, kind="breaking", text="It broke.", happened_at=NOW),
        Notification.objects.create(user=user, feed=subscription.feed, kind="dead", text="It died.", happened_at=NOW),
    ]
    mailing = queue_alerts(user, [each.pk for each in told], now=NOW)
    assert mailing
    written = email_content_of(mailing)
    assert written
    assert "It broke." in written.text
    assert "It died." in written.text
    assert "/articles/" not in written.text
    assert "/feeds/" not in written.text


def test_no_email_without_content() -> None:
    user = reader_with_mail()
    subscription = make.subscription(user)
    mailing = queue_alerts(user, [make.notification(subscription).pk], now=NOW)
    assert mailing
    assert email_content_of(mailing)
    Notification.objects.all().delete()
    assert email_content_of(mailing) is None
