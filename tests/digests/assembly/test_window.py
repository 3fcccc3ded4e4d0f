"""What belongs to a window, as whom it concerns sees it."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from digests.assembly.window import (
    LATE,
    OTHERS,
    Window,
    feed_report,
    load_window,
    names_in,
    polled_feeds,
    texts_of,
)
from feeds.models import Condition, Disposition, PollOutcome, Sketch
from reader.models import Delivery, Separation, Subscription
from tests import make
from tests.digests.windows import DAY, bring, came

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    return make.user("ada")


@pytest.fixture
def paper(user: User) -> Subscription:
    return make.subscription(user, make.feed("https://paper.example/feed", title="Paper"))


def ids(user: User, window: Window = DAY, **options: Any) -> list[int]:
    return [candidate.article_id for candidate in load_window(user, window, **options).candidates]


HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("published", "seen", "revised", "belongs"),
    [
        pytest.param(-2 * HOUR, -HOUR, None, True, id="published and seen within"),
        pytest.param(-24 * HOUR, -24 * HOUR, None, True, id="at its very beginning"),
        pytest.param(-25 * HOUR, -2 * HOUR, None, True, id="published before, seen within"),
        pytest.param(-25 * HOUR, -25 * HOUR, None, False, id="published and seen before"),
        pytest.param(-25 * HOUR, -25 * HOUR, -2 * HOUR, True, id="revised within"),
        pytest.param(-25 * HOUR, -25 * HOUR, 2 * HOUR, False, id="revised after it"),
        pytest.param(-24 * HOUR - LATE, -2 * HOUR, None, True, id="as late as may be"),
        pytest.param(-25 * HOUR - LATE, -2 * HOUR, None, False, id="an archive that a new feed brought"),
        pytest.param(-HOUR, HOUR, None, False, id="seen after it"),
    ],
)
def test_window_membership(
    user: User, paper: Subscription, published: timedelta, seen: timedelta, revised: timedelta | None, belongs: bool
) -> None:
    article = came(
        paper,
        published_at=make.NOW + published,
        first_seen_at=make.NOW + seen,
        revised_at=revised and make.NOW + revised,
        points=90,
    )
    assert ids(user) == ([article.pk] if belongs else [])


def test_windows_follow_each_other_without_gap_or_overlap(user: User, paper: Subscription) -> None:
    for hours in range(0, 48, 3):
        came(paper, hours_old=hours + 1, first_seen_at=make.NOW - timedelta(hours=hours + 0.5), points=99)
    now, before = ids(user), ids(user, DAY.before)
    assert DAY.before.ends_at == DAY.begins_at
    assert len(now) + len(before) == 16
    assert not set(now) & set(before)


def test_unimportant_articles_are_counted_not_shown(user: User, paper: Subscription) -> None:
    worthy = came(paper, points=50)
    came(paper, points=0, relevance=0.0, hours_old=20)
    found = load_window(user, DAY)
    assert [candidate.article_id for candidate in found.candidates] == [worthy.pk]
    assert (found.n_articles, found.n_feeds, found.n_duplicates) == (2, 1, 0)


def test_importance_is_that_of_the_windows_end(user: User, paper: Subscription) -> None:
    came(paper, points=60, relevance=80.0, hours_old=12)
    (found,) = load_window(user, DAY).candidates
    recency = 100 * 2.718281828459045 ** (-0.03 * 12)
    assert found.importance == pytest.approx(0.6 * 60 + 0.2 * 80 + 0.2 * recency)
    later = Window(DAY.begins_at, DAY.ends_at + timedelta(hours=10))
    assert load_window(user, later).candidates[0].importance < found.importance


def test_others_see_nothing_of_it(user: User, paper: Subscription) -> None:
    came(paper)
    stranger = make.user("ben")
    assert load_window(stranger, DAY).n_articles == 0
    assert ids(stranger) == []


def test_an_article_of_two_feeds_is_one_duplicate(user: User, paper: Subscription) -> None:
    other = make.subscription(user, make.feed(title="Gazette"), title="My gazette")
    front_page = make.subscription(user, make.feed("https://paper.example/front"), title="Front page")
    article = came(paper)
    bring(other, article)
    bring(front_page, article)
    found = load_window(user, DAY)
    (candidate,) = found.candidates
    assert (found.n_articles, found.n_feeds, found.n_duplicates) == (1, 3, 2)
    assert (candidate.source, candidate.also_in) == ("Paper", ("My gazette",))


def test_near_duplicates_are_under_their_storys_lead(user: User, paper: Subscription) -> None:
    other = make.subscription(user, make.feed(title="Gazette"))
    lead, copy = came(paper, word_count=900), came(other, points=90)
    make.story(lead, copy, disposition=Disposition.NEAR_DUPLICATE, lead=lead)
    event, elsewhere = came(paper), came(other)
    make.story(event, elsewhere, disposition=Disposition.SAME_EVENT)
    found = load_window(user, DAY)
    assert {candidate.article_id: candidate.copy_of for candidate in found.candidates} == {
        lead.pk: None,
        copy.pk: lead.pk,
        event.pk: None,
        elsewhere.pk: None,
    }
    assert found.n_duplicates == 1


def test_the_next_copy_replaces_a_lead_outside(user: User, paper: Subscription) -> None:
    lead = came(paper, hours_old=100, first_seen_at=make.NOW - timedelta(hours=99))
    low, high = came(paper, points=50, word_count=10), came(paper, points=50, word_count=20)
    make.story(lead, low, high, disposition=Disposition.NEAR_DUPLICATE, lead=lead)
    assert {candidate.article_id: candidate.copy_of for candidate in load_window(user, DAY).candidates} == {
        low.pk: high.pk,
        high.pk: None,
    }


def test_copy_of_an_unimportant_article_is_left_out(user: User, paper: Subscription) -> None:
    poor, copy = came(paper, points=0, relevance=0.0, hours_old=23), came(paper, points=70)
    make.story(poor, copy, disposition=Disposition.NEAR_DUPLICATE, lead=poor)
    assert ids(user, least=30.0) == []


def test_article_separated_by_the_user_is_alone(user: User, paper: Subscription) -> None:
    one, other = came(paper), came(paper)
    story = make.story(one, other, disposition=Disposition.NEAR_DUPLICATE)
    Separation.objects.create(user=user, article=other, made_at=make.NOW)
    found = {
        candidate.article_id: (candidate.story_id, candidate.copy_of) for candidate in load_window(user, DAY).candidates
    }
    assert found == {one.pk: (story.pk, None), other.pk: (None, None)}


@pytest.mark.parametrize(
    ("category", "folder", "categories", "expected"),
    [
        pytest.param("Space", "News", ["science"], "Space", id="the subscription's own"),
        pytest.param("", "News", ["science"], "News", id="its folder"),
        pytest.param("", "", ["science", "moon"], "science", id="the publisher's first"),
        pytest.param("", "", [], OTHERS, id="none"),
        pytest.param("20", "News", ["science"], "News", id="a number"),
        pytest.param("A", "", ["Uncategorized", "2026-11", "x", "science"], "science", id="what says nothing"),
        pytest.param("", "", ["20"], OTHERS, id="nothing but a number"),
        pytest.param("", "", ["書"], "書", id="a Chinese word"),
        pytest.param("", "", ["Politics, Latin America"], "Politics", id="the first of the publisher's list"),
        pytest.param("", "", ["Trump, Donald J (1946- )"], "Trump", id="a publisher's index entry"),
        pytest.param("", "Arts, letters", [], "Arts, letters", id="a folder with a comma"),
    ],
)
def test_the_category_is_where_the_person_put_it(
    user: User, paper: Subscription, category: str, folder: str, categories: list[str], expected: str
) -> None:
    paper.category, paper.folder = category, make.folder(user, folder) if folder else None
    paper.save()
    came(paper, categories=categories)
    assert load_window(user, DAY).candidates[0].category == expected


@pytest.mark.parametrize(
    ("url", "site", "expected"),
    [
        pytest.param("https://paper.example/1", "https://paper.example/", "https://paper.example/1", id="its own"),
        pytest.param("", "https://paper.example/", "https://paper.example/", id="without one, the site's"),
        pytest.param("", "", "", id="neither"),
    ],
)
def test_the_address_is_the_articles_or_the_sites(
    user: User, paper: Subscription, url: str, site: str, expected: str
) -> None:
    paper.feed.site_url = site
    paper.feed.save()
    came(paper, url=url)
    assert load_window(user, DAY).candidates[0].url == expected


def test_unassessed_article_is_only_counted(user: User, paper: Subscription) -> None:
    article = make.article(first_seen_at=make.NOW - HOUR, published_at=make.NOW - HOUR)
    make.delivery(paper, article)
    found = load_window(user, DAY)
    assert (found.candidates, found.n_articles) == ((), 1)


def test_query_count_is_independent_of_arrivals(user: User, paper: Subscription) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            load_window(user, DAY)
        return len(captured)

    came(paper)
    first = queries()
    for _ in range(30):
        make.story(came(paper), came(paper), disposition=Disposition.NEAR_DUPLICATE)
    assert queries() == first + 2  # a look at leads and one at links, once there are stories


def test_the_window_is_a_stretch_of_an_index(user: User, paper: Subscription) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("SQLite's query plans")
    came(paper)
    with CaptureQueriesContext(connection) as captured:
        load_window(user, DAY)
    sql = next(each["sql"] for each in captured if '"reader_delivery"' in each["sql"])
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        plan = " ".join(row[3] for row in cursor.fetchall())
    assert "delivery_of_user" in plan
    assert "published_at>? AND published_at<?" in plan


def test_names_and_texts_are_those_of_the_articles(user: User, paper: Subscription) -> None:
    one, other = came(paper, text="Whole text."), came(paper)
    Sketch.objects.create(article=one, names={"people": ["angela merkel"], "places": [], "organizations": ["un"]})
    assert names_in([one.pk, other.pk]) == {
        one.pk: {"people": ("angela merkel",), "places": (), "organizations": ("un",)}
    }
    assert texts_of([one.pk]) == {one.pk: "Whole text."}


def test_report_counts_the_users_feeds_in_the_window(user: User, paper: Subscription) -> None:
    make.subscription(user, make.feed(title="Well"))
    at = make.NOW - timedelta(hours=2)
    ill = make.feed(
        condition=Condition.UNHEALTHY,
        condition_reason="3 polls running failed",
        condition_changed_at=at,
        title="Ill",
    )
    make.subscription(user, ill)
    make.subscription(user, make.feed(condition=Condition.SILENT, condition_changed_at=at, title="Writes seldom"))
    known = make.feed(condition=Condition.DEAD, condition_changed_at=make.NOW - timedelta(hours=25), title="Known")
    make.subscription(user, known)
    make.subscription(user, make.feed(consecutive_failures=1, title="Failed once"))
    for feed, outcome, hours in (
        (paper.feed, PollOutcome.NEW, 1),
        (paper.feed, PollOutcome.NOT_MODIFIED, 23),
        (paper.feed, PollOutcome.NEW, 25),
        (ill, PollOutcome.TIMEOUT, 2),
        (make.feed(), PollOutcome.TIMEOUT, 2),
    ):
        make.poll(feed, outcome, started_at=make.NOW - timedelta(hours=hours))
    report = feed_report(user, DAY)
    assert (report.n_polled, report.n_polls, report.n_successes, report.n_errors) == (2, 3, 2, 1)
    assert [(each.name, each.reason) for each in report.unhealthy] == [("Ill", "3 polls running failed")]
    assert feed_report(make.user(), DAY).success_rate is None


def test_read_and_folded_articles_belong_as_well(user: User, paper: Subscription) -> None:
    article = came(paper)
    Delivery.objects.filter(article=article).update(is_read=True, is_folded=True)
    assert ids(user) == [article.pk]


def test_polled_feeds_are_those_of_the_user_in_the_window(user: User, paper: Subscription) -> None:
    earlier = make.subscription(user).feed
    make.poll(paper.feed, started_at=make.NOW - timedelta(hours=1))
    make.poll(earlier, started_at=make.NOW - timedelta(hours=25))
    make.poll(make.feed(), started_at=make.NOW - timedelta(hours=1))
    assert polled_feeds(user, DAY) == {paper.feed_id}
    assert polled_feeds(user, DAY.before) == {earlier.pk}
