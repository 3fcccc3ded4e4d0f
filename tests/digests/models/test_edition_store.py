"""Editions go into rows and come back as they were; a digest is stored once."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from digests.delivery.content import email_content_of
from digests.edition.document import MAX_RELATED, Edition, SectionName, Trend
from digests.edition.kinds import Kind
from digests.models import Digest, DigestArticle, DigestTopic
from digests.models.edition_store import edition_of, store, store_today, with_topics
from feeds.models import Article
from tests import make
from tests.digests.editions import DAY, edition, entry, full_edition, topic
from tests.digests.kept import mailing, of

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

HOUR = timedelta(hours=1)


@pytest.fixture
def user() -> User:
    return make.user("ada")


def kept(digest: Digest) -> Edition:
    return edition_of(with_topics(Digest.objects.filter(pk=digest.pk)).get())


def without_ids(made: Edition) -> Edition:
    """Articles that no row stands for are stored without their number."""
    topics = tuple(
        replace(
            each,
            lead=replace(each.lead, article_id=None),
            related=tuple(replace(one, article_id=None) for one in each.related),
        )
        for each in made.topics
    )
    return replace(made, topics=topics)


@pytest.mark.parametrize("kind", list(Kind))
def test_full_edition_round_trips(user: User, kind: Kind) -> None:
    made = without_ids(full_edition(kind))
    digest, is_new = store(user, made)
    assert is_new
    assert kept(digest) == made


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    label=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=120),
    importance=st.floats(15, 100),
    section=st.sampled_from(SectionName),
    trend=st.sampled_from([None, *Trend]),
    n_related=st.integers(0, 4),
    is_unchanged=st.booleans(),
)
def test_any_topic_round_trips(
    user: User,
    label: str,
    importance: float,
    section: SectionName,
    trend: Trend | None,
    n_related: int,
    is_unchanged: bool,
) -> None:
    related = tuple(entry(number + 2, is_copy=number % 2 == 0, story_id=number) for number in range(n_related))
    values = {"label": label, "importance": importance, "trend": trend, "is_unchanged": is_unchanged}
    made = without_ids(edition(topic(1, section, related=related, **values)))
    Digest.objects.all().delete()
    assert kept(store(user, made)[0]) == made


def test_an_article_that_is_purged_stays_in_its_digest(user: User) -> None:
    article = make.article(title="Gone tomorrow")
    made = edition(topic(1, lead=entry(article.pk, title="Gone tomorrow")))
    digest, _ = store(user, made)
    assert kept(digest).topics[0].lead.article_id == article.pk
    article.delete()
    lead = kept(digest).topics[0].lead
    assert (lead.article_id, lead.title, lead.url) == (None, "Gone tomorrow", made.topics[0].lead.url)


def test_the_second_digest_of_a_kind_and_day_changes_nothing(user: User) -> None:
    first = without_ids(edition(topic(1)))
    digest, _ = store(user, first)
    again, is_new = store(user, without_ids(edition(topic(2), topic(3))))
    assert (again.pk, is_new) == (digest.pk, False)
    assert kept(digest) == first
    assert DigestTopic.objects.count() == 1


def test_other_days_kinds_and_people_have_their_own(user: User) -> None:
    made = without_ids(edition(topic(1)))
    for each in (made, replace(made, day=DAY + timedelta(days=1)), replace(made, kind=Kind.EVENING)):
        assert store(user, each)[1]
    assert store(make.user("ben"), made)[1]


def test_database_refuses_a_second_digest(user: User) -> None:
    digest, _ = store(user, edition())
    values = {name: getattr(digest, name) for name in ("user", "kind", "day", "begins_at", "ends_at", "made_at")}
    with pytest.raises(IntegrityError), transaction.atomic():
        Digest.objects.create(**values, time_zone="UTC")


def test_front_page_is_one_replaced_row(user: User) -> None:
    first = store_today(user, edition(topic(1), kind=Kind.TODAY))
    Digest.objects.filter(pk=first.pk).update(requested_at=make.NOW, opened_at=make.NOW)
    later = without_ids(
        edition(
            topic(2), topic(3), kind=Kind.TODAY, made_at=first.made_at + timedelta(hours=20), day=DAY + timedelta(1)
        )
    )
    second = store_today(user, later)
    assert (second.pk, second.requested_at, second.opened_at) == (first.pk, None, make.NOW)
    assert kept(second) == later
    assert (DigestTopic.objects.count(), DigestArticle.objects.count()) == (2, 2)


def test_slow_worker_does_not_replace_a_newer_front_page(user: User) -> None:
    newer = without_ids(edition(topic(1), kind=Kind.TODAY))
    digest = store_today(user, newer)
    store_today(user, edition(topic(2), kind=Kind.TODAY, made_at=newer.made_at - timedelta(minutes=1)))
    assert kept(digest) == newer


def test_related_articles_that_are_not_listed_are_still_counted(user: User) -> None:
    related = tuple(entry(number + 2) for number in range(MAX_RELATED))
    made = without_ids(edition(topic(1, related=related, n_unlisted=7)))
    back = kept(store(user, made)[0])
    assert back.topics[0].n_more == MAX_RELATED + 7
    assert back == made


def test_a_digest_is_read_in_three_queries_however_long(
    user: User, django_assert_num_queries: "pytest.FixtureRequest"
) -> None:
    store(user, without_ids(edition(topic(1))))
    store(user, without_ids(full_edition(Kind.WEEKLY)))
    for kind in (Kind.MORNING, Kind.WEEKLY):
        with django_assert_num_queries(3):  # type: ignore[operator]
            edition_of(with_topics(Digest.objects.filter(kind=kind)).get())


@pytest.mark.django_db(transaction=True)
def test_concurrent_stores_make_one_digest(user: User) -> None:
    if connection.vendor == "sqlite" and connection.is_in_memory_db():  # type: ignore[attr-defined]
        pytest.skip("threads cannot share a database in memory")
    news: list[bool] = []

    def work(number: int) -> None:
        try:
            with transaction.atomic():
                news.append(store(user, without_ids(edition(topic(number))))[1])
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(news) == [False, False, False, True]
    assert DigestTopic.objects.count() == 1


def test_digest_shows_the_publishers_text_once_reclaimed(user: User) -> None:
    """Another feed delivered an invention under the publisher's URL; the digest was made of it, and is not sent yet."""
    subscription = make.subscription(user)
    lie = topic(1, SectionName.TOP, label="Harbour for sale", summary="The harbour is for sale.")
    kept_articles = [
        make.article(title="Harbour for sale", url="https://paper.example/a?x=liar", feed=subscription.feed),
        make.article(title="Library opens", feed=subscription.feed),
    ]
    other = topic(2, SectionName.TOP, label="Library", summary="It opens.")
    topics = [
        replace(each, lead=replace(each.lead, article_id=article.pk, title=article.title))
        for each, article in zip((lie, other), kept_articles, strict=True)
    ]
    digest = of(user, edition(*topics))
    Article.objects.filter(pk=kept_articles[0].pk).update(
        title="Cranes come down", url="https://paper.example/a", language="en", reclaimed_at=digest.made_at + HOUR
    )
    with CaptureQueriesContext(connection) as asked:
        changed, unchanged = kept(digest).topics
    assert len(asked) == 3
    assert (changed.lead.title, changed.lead.url, changed.label) == (
        "Cranes come down",
        "https://paper.example/a",
        "Cranes come down",
    )
    assert (changed.summary, changed.summary_by) == ("", None)
    assert (unchanged.label, unchanged.summary) == ("Library", "It opens.")
    letter = email_content_of(mailing(digest))
    assert letter is not None
    for body in (letter.subject, letter.text, letter.html):
        assert "for sale" not in body
    assert "Cranes come down" in letter.text


def test_article_reclaimed_earlier_keeps_its_summary(user: User) -> None:
    article = make.article(title="Cranes come down")
    made = topic(1, SectionName.TOP, label="Cranes", summary="They come down.")
    digest = of(user, edition(replace(made, lead=replace(made.lead, article_id=article.pk))))
    Article.objects.filter(pk=article.pk).update(reclaimed_at=digest.made_at - HOUR)
    assert [(each.label, each.summary) for each in kept(digest).topics] == [("Cranes", "They come down.")]
