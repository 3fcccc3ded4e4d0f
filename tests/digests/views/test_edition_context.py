"""An edition as its user sees it now."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from digests.edition.document import Edition, SectionName
from digests.views.edition_context import EarlierTopic, ShownEdition, ShownEntry, shown_to
from feeds.models import Article, Feed, Icon
from reader.models import ArticleState, Subscription
from tests import make
from tests.digests import editions, kept

pytestmark = pytest.mark.django_db

TOP, NOTEWORTHY, ALSO = SectionName


@pytest.fixture
def subscription() -> Subscription:
    return make.subscription(make.user(), title="My paper")


def shown(user: User, *topics: object) -> ShownEdition:
    return shown_to(user, editions.edition(*topics))  # type: ignore[arg-type]


def topics_of(edition: ShownEdition) -> list[EarlierTopic]:
    return [topic for section in edition.sections for _, topics in section.groups for topic in topics]


def lead(edition: ShownEdition) -> ShownEntry:
    return topics_of(edition)[0].lead


def test_shows_actions_taken_since(subscription: Subscription) -> None:
    user = subscription.user
    topic = kept.topic(subscription, n_related=1)
    first, second = topic.lead.article_id, topic.related[0].article_id
    ArticleState.objects.create(user=user, article_id=first, is_read=True, is_starred=True, starred_at=make.NOW)
    ArticleState.objects.create(user=make.user(), article_id=second, is_read=True)
    make.engagement(user, Article.objects.get(pk=first), "liked")
    edition = shown(user, topic)
    [found] = topics_of(edition)
    assert (found.lead.pk, found.lead.is_read, found.lead.is_starred) == (first, True, True)
    assert [(each.pk, each.is_read, each.is_starred) for each in found.related] == [(second, False, False)]
    assert edition.votes == {first: "liked"}


def test_shows_the_icon_of_the_users_feed(subscription: Subscription) -> None:
    topic = kept.topic(subscription, n_related=1)
    assert lead(shown(subscription.user, topic)).icon == ""
    icon = Icon.objects.create(key=b"1", home_url="https://paper.example/", due_at=make.NOW, digest="abc")
    Feed.objects.filter(pk=subscription.feed_id).update(icon=icon)
    [found] = topics_of(shown(subscription.user, topic))
    assert [each.icon for each in (found.lead, *found.related)] == ["abc", "abc"]
    Article.objects.update(feed=make.feed())  # another feed's version is stored
    assert lead(shown(subscription.user, topic)).icon == "abc"


def test_purged_article_keeps_title_and_publisher_link(subscription: Subscription) -> None:
    topic = kept.topic(subscription)
    edition = shown(subscription.user, replace(topic, lead=replace(topic.lead, article_id=None)))
    assert (lead(edition).pk, lead(edition).title, lead(edition).link) == (None, "Article 1", "https://paper.example/1")


def test_unfollowed_article_links_to_publisher_unless_starred(subscription: Subscription) -> None:
    topic = kept.topic(subscription)
    user = subscription.user
    subscription.delete()
    assert lead(shown(user, topic)).pk is None
    ArticleState.objects.create(user=user, article_id=topic.lead.article_id, is_starred=True, starred_at=make.NOW)
    assert lead(shown(user, topic)).pk == topic.lead.article_id


def test_article_of_anothers_feed_is_not_opened(subscription: Subscription) -> None:
    topic = kept.topic(make.subscription(make.user()))
    assert lead(shown(subscription.user, topic)).pk is None


def test_lead_links_to_its_story_if_other_feeds_cover_it(subscription: Subscription) -> None:
    topic = kept.topic(subscription, n_related=1)
    alone = kept.topic(subscription)
    told, more, single = (
        Article.objects.get(pk=pk) for pk in (topic.lead.article_id, topic.related[0].article_id, alone.lead.article_id)
    )
    story = make.story(told, more)
    make.story(single, make.article())  # the other came by nobody's feed
    first, second = topics_of(shown(subscription.user, topic, alone))
    assert first.lead.story is not None
    assert (first.lead.story.story_id, first.lead.story.n_more) == (story.pk, 1)
    assert second.lead.story is None
    assert first.related[0].story is None


def test_sections_and_categories_are_in_digest_order(subscription: Subscription) -> None:
    made = [
        editions.topic(1, TOP),
        editions.topic(2, NOTEWORTHY, category="Science"),
        editions.topic(3, NOTEWORTHY, category="World"),
        editions.topic(4, NOTEWORTHY, category="Science"),
        editions.topic(5, ALSO, category="World"),
    ]
    edition = shown(subscription.user, *made)
    found = [
        (each.section.name, [(name, [topic.topic.label for topic in topics]) for name, topics in each.groups])
        for each in edition.sections
    ]
    assert found == [
        (TOP, [("", ["Topic 1"])]),
        (NOTEWORTHY, [("Science", ["Topic 2", "Topic 4"]), ("World", ["Topic 3"])]),
        (ALSO, [("", ["Topic 5"])]),
    ]
    assert [section.is_top for section in edition.sections] == [True, False, False]
    assert [topic.item.anchor for topic in topics_of(edition)] == [f"topic-{number}" for number in range(1, 6)]


@pytest.mark.parametrize(("tier", "label"), [(1, "T1"), (5, "T5"), (0, None), (9, None)])
def test_a_tier_that_is_none_is_not_named(subscription: Subscription, tier: int, label: str | None) -> None:
    found = lead(shown(subscription.user, editions.topic(1, lead=editions.entry(article_id=None, tier=tier)))).tier
    assert (found and f"T{found.value}") == label


@pytest.mark.parametrize(
    ("n_related", "n_unlisted", "whole", "expected"),
    [
        (12, 0, None, (12, 0, False)),
        (13, 0, None, (12, 1, True)),
        (13, 40, None, (12, 41, True)),
        (13, 0, 1, (13, 0, False)),
        (13, 40, 1, (13, 40, False)),
        (13, 0, 2, (12, 1, True)),
    ],
    ids=["few", "many", "more than are kept", "all asked for", "all that are kept", "all of another"],
)
def test_lists_all_related_on_request(
    n_related: int, n_unlisted: int, whole: int | None, expected: tuple[int, int, bool]
) -> None:
    topic = replace(
        editions.topic(1, lead=editions.entry(article_id=None)),
        related=tuple(editions.entry(place, article_id=None) for place in range(n_related)),
        n_unlisted=n_unlisted,
    )
    [found] = topics_of(shown_to(make.user(), editions.edition(topic), whole=whole))
    assert (len(found.related), found.n_unlisted, found.can_list_more) == expected
    assert found.is_whole == (whole == 1)


def test_counts_what_the_checks_repaired_and_could_not() -> None:
    edition = shown_to(make.user(), editions.full_edition())
    assert (edition.n_repaired, edition.n_faults) == (1, 0)


def test_an_empty_edition_has_no_sections() -> None:
    edition = shown_to(make.user(), editions.edition())
    assert (edition.sections, edition.votes) == ((), {})


@pytest.mark.parametrize(("n_topics", "n_related"), [(1, 1), (15, 16)], ids=["one topic", "fifteen with many articles"])
def test_costs_the_same_whatever_it_holds(
    subscription: Subscription, django_assert_num_queries: DjangoAssertNumQueries, n_topics: int, n_related: int
) -> None:
    other = make.subscription(subscription.user)
    topics = [kept.topic(subscription, n_related=n_related, by=other) for _ in range(n_topics)]
    for topic in topics:
        articles = [Article.objects.get(pk=entry.article_id) for entry in topic.entries]
        make.story(*articles)
    edition: Edition = editions.edition(*topics)
    with django_assert_num_queries(5):  # articles, states, two for stories, votes
        shown_to(subscription.user, edition)
