"""Breaking news is told at once, to whom it concerns, and once a story; what was asked for by mail is mailed once."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from digests.alerts import BREAKING_WITHIN, notify_breaking_news
from digests.delivery.alert_mail import PAUSE, queue_alert_mails
from digests.models import AlertSettings, MailedNotification, Mailing, MailingKind
from feeds.models import Article, Condition, Disposition, Feed, Link, Split
from reader.articles.read_state import mark_read
from reader.lists.queries import important_page
from reader.models import Delivery, InterestProfile, Notification, NotificationKind, Quiet, Subscription
from reader.scoring.importance import corroboration, static_importance
from reader.scoring.ranked_order import slot_of
from reader.stories.collapse import fold
from tests import make
from tests.make import NOW
from tests.reader.archive import articles as stored_articles
from tests.reader.assessed import assess
from tests.rssmanager.installation import installation

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
WIRE = {"tier": 1, "authority": 95.0, "depth": 100.0, "shared_importance": 38.75}
Queries = Callable[[int], Any]


@pytest.fixture
def user() -> User:
    return make.user(email="reader@example.org")


@pytest.fixture
def wire(user: User) -> Subscription:
    return make.subscription(user, make.feed("https://wire.example/feed", title="The Wire"))


def bring(
    subscription: Subscription,
    *,
    hours_old: float = 1.0,
    relevance: float | None = 100.0,
    n_publishers: int = 4,
    **values: Any,
) -> Article:
    """A rated article of a wire service that nobody read, worth as much as an article can be."""
    assessed = {name: values.pop(name) for name in (*WIRE,) if name in values}
    article = make.article(
        published_at=NOW - timedelta(hours=hours_old), feed=subscription.feed, source=subscription.feed.source, **values
    )
    assess(article, **{**WIRE, **assessed})
    also_bring(subscription, article, relevance=relevance, n_publishers=n_publishers)
    return article


def also_bring(
    subscription: Subscription, article: Article, *, relevance: float | None = 100.0, n_publishers: int = 4
) -> None:
    AlertSettings.objects.get_or_create(user=subscription.user, defaults={"breaking": True})
    made = make.delivery(subscription, article)
    if relevance is not None:
        rated = static_importance(article.assessment.shared_importance, corroboration(n_publishers, 1), relevance)
        slot = slot_of(article.published_at)
        Delivery.objects.filter(pk=made.pk).update(
            relevance=relevance, static_importance=rated, slot=slot, is_rated=True, n_publishers=n_publishers
        )


def told(user: User) -> list[Article | None]:
    return [
        notification.article for notification in Notification.objects.filter(user=user, kind="breaking").order_by("pk")
    ]


def test_breaking_news_is_announced_once(user: User, wire: Subscription) -> None:
    article = bring(wire, title="Dam bursts above the city")
    assert notify_breaking_news(NOW) == 1
    [news] = Notification.objects.all()
    assert (news.user, news.article, news.feed, news.kind) == (user, article, None, NotificationKind.BREAKING)
    assert (news.happened_at, news.seen_at) == (NOW, None)
    assert news.text == "Breaking: Dam bursts above the city (The Wire), importance 98."
    assert notify_breaking_news(NOW) == 0
    assert notify_breaking_news(NOW + HOUR) == 0
    assert Notification.objects.count() == 1


def test_email_shows_importance_and_feed_name_like_pages(user: User, wire: Subscription) -> None:
    wire.title = "Fire & <floods>"
    other = make.subscription(user, title="Elsewhere")
    article = bring(wire, hours_old=5.0, date_uncertain=False)
    also_bring(other, article)
    notify_breaking_news(NOW)
    [row] = important_page(user, None, now=NOW).rows
    assert row.rating
    [news] = Notification.objects.all()
    assert news.text == f"Breaking: {article.title} (Fire & <floods>), importance {row.rating.points}."
    assert row.rating.points == 96


LONG = {"fits": (371, 371, "a"), "does not fit": (372, 371, "…"), "far too long": (5000, 371, "…")}


@pytest.mark.parametrize(("length", "expected", "ends"), LONG.values(), ids=LONG)
def test_a_long_title_is_cut_where_the_sentence_would_not_fit(
    wire: Subscription, length: int, expected: int, ends: str
) -> None:
    wire.title = "W" * 300
    bring(wire, title="a" * length)
    notify_breaking_news(NOW)
    text = Notification.objects.get().text
    title, _, rest = text.removeprefix("Breaking: ").partition(" (")
    assert (len(title), title[-1]) == (expected, ends)
    assert rest == "W" * 300 + "), importance 98."
    assert len(text) == 700


QUIET = {
    "a source of the third tier": {"tier": 3},
    "of two publishers": {"n_publishers": 2, "authority": 135.0, "shared_importance": 48.75},
    "exactly 85 points": {"hours_old": 0.0, "relevance": 31.25},
    "less than 85 points": {"hours_old": 0.0, "relevance": 31.2},
    "of little relevance": {"relevance": 33.0},
    "of little worth": {"shared_importance": 24.0, "authority": 36.0},
    "not rated yet": {"relevance": None},
    "older than a day": {"hours_old": 24.01, "shared_importance": 50.0, "depth": 175.0},
}


@pytest.mark.parametrize("values", QUIET.values(), ids=QUIET)
def test_not_breaking_news(wire: Subscription, values: dict[str, Any]) -> None:
    bring(wire, **values)
    assert notify_breaking_news(NOW) == 0
    assert not Notification.objects.exists()


LOUD = {
    "just above 85 points": {"hours_old": 0.0, "relevance": 31.3},
    "a major outlet, not a wire": {"tier": 2, "authority": 80.0, "shared_importance": 35.0},
    "of three publishers": {"n_publishers": 3},
    "of just enough relevance": {"relevance": 35.0},
    "for a user without a profile": {"hours_old": 0.0, "relevance": 50.0},
    "dated ahead": {"hours_old": -3.0},
    "almost a day old": {"hours_old": 23.99, "shared_importance": 50.0, "depth": 175.0},
}


@pytest.mark.parametrize("values", LOUD.values(), ids=LOUD)
def test_what_is_breaking_news(wire: Subscription, values: dict[str, Any]) -> None:
    bring(wire, **values)
    assert notify_breaking_news(NOW) == 1


def test_weekly_readers_keep_more_recency(user: User, wire: Subscription) -> None:
    from_yesterday = bring(wire, hours_old=23, relevance=75.0)
    assert notify_breaking_news(NOW) == 0
    InterestProfile.objects.create(user=user, recency_rate=0.01)
    assert notify_breaking_news(NOW) == 1
    assert told(user) == [from_yesterday]


def test_announces_only_unread_articles(user: User, wire: Subscription) -> None:
    read, unread = bring(wire), bring(wire)
    mark_read(user, [read.pk])
    assert notify_breaking_news(NOW) == 1
    assert told(user) == [unread]


SETTINGS = {
    "nothing said": (None, 0),
    "feed problems alone": ({"feeds_by_mail": True}, 0),
    "in the reader": ({"breaking": True}, 1),
    "by mail alone": ({"breaking": False, "breaking_by_mail": True}, 1),
    "not at all": ({"breaking": False}, 0),
}


@pytest.mark.parametrize(("chosen", "expected"), SETTINGS.values(), ids=SETTINGS)
def test_alert_preferences_are_respected(
    user: User, wire: Subscription, chosen: dict[str, bool] | None, expected: int
) -> None:
    if chosen is not None:
        AlertSettings.objects.create(user=user, **chosen)
    bring(wire)
    if chosen is None:
        AlertSettings.objects.all().delete()
    assert notify_breaking_news(NOW) == expected


@pytest.mark.parametrize(
    ("quiet", "n_told"),
    [
        pytest.param(Quiet.OWN_LIST, 0, id="wanted in the feed's own list alone"),
        pytest.param(Quiet.DIGEST, 1, id="wanted in digests"),
    ],
)
def test_muted_articles_are_not_breaking(wire: Subscription, quiet: Quiet, n_told: int) -> None:
    bring(wire)
    Delivery.objects.update(quiet=quiet)
    assert (notify_breaking_news(NOW), Notification.objects.count()) == (n_told, n_told)


def test_users_are_notified_by_their_own_scores(user: User, wire: Subscription) -> None:
    second, third, gone = make.user(), make.user(), make.user(is_active=False)
    article = bring(wire)
    also_bring(make.subscription(second, wire.feed), article)
    also_bring(make.subscription(third, wire.feed), article, relevance=10.0)
    also_bring(make.subscription(gone, wire.feed), article)
    assert notify_breaking_news(NOW) == 2
    assert [told(each) for each in (user, second, third, gone)] == [[article], [article], [], []]
    Delivery.objects.filter(user=third).update(relevance=100.0, static_importance=F("static_importance") + 0.2 * 90)
    assert notify_breaking_news(NOW + MINUTE) == 1
    assert told(third) == [article]


def test_announces_the_most_important_of_a_story(user: User, wire: Subscription) -> None:
    older, newer = bring(wire, hours_old=3), bring(wire, hours_old=1)
    make.story(older, newer)
    assert notify_breaking_news(NOW) == 1
    assert told(user) == [newer]


def test_folded_article_can_be_breaking(user: User, wire: Subscription) -> None:
    article = bring(wire)
    fuller = bring(wire, tier=3, word_count=900)
    make.story(article, fuller)
    fold([article.pk])
    assert Delivery.objects.get(article=article).is_folded
    assert notify_breaking_news(NOW) == 1
    assert told(user) == [article]


def test_second_article_of_an_announced_story_is_not(user: User, wire: Subscription) -> None:
    first, second = bring(wire), bring(wire, relevance=10.0)
    make.story(first, second)
    assert notify_breaking_news(NOW) == 1
    Delivery.objects.filter(article=second).update(relevance=100.0)
    make.delivery(wire, make.article())  # and something else came
    assert notify_breaking_news(NOW + MINUTE) == 0
    assert told(user) == [first]


def test_later_copy_is_not_announced(user: User, wire: Subscription) -> None:
    first = bring(wire)
    assert notify_breaking_news(NOW) == 1
    copy = bring(make.subscription(user), hours_old=0)
    make.story(first, copy, disposition=Disposition.NEAR_DUPLICATE)
    assert notify_breaking_news(NOW + MINUTE) == 0
    assert told(user) == [first]


def test_merged_stories_are_not_announced_again(user: User, wire: Subscription) -> None:
    first, mate = bring(wire), bring(wire, relevance=10.0)
    story = make.story(first, mate)
    assert notify_breaking_news(NOW) == 1
    other, its_mate = bring(wire), bring(wire, relevance=10.0)
    merged = make.story(other, its_mate)
    merged.articles.update(story=story)
    assert notify_breaking_news(NOW + MINUTE) == 0
    assert told(user) == [first]


def test_split_story_is_not_announced_again(user: User, wire: Subscription) -> None:
    first, second = bring(wire), bring(wire, relevance=10.0)
    story = make.story(first, second)
    assert notify_breaking_news(NOW) == 1
    Delivery.objects.filter(article=second).update(relevance=100.0)
    story.articles.update(story=None)  # grouped otherwise by now; the tie between them is known
    assert notify_breaking_news(NOW + MINUTE) == 0
    Link.objects.all().delete()
    Split.objects.create(one=first, other=second, made_at=NOW + MINUTE)  # or by a person, after it was told
    assert notify_breaking_news(NOW + 2 * MINUTE) == 0
    assert told(user) == [first]


def test_what_was_split_off_before_is_another_story(user: User, wire: Subscription) -> None:
    first, second = bring(wire), bring(wire)
    make.link(first, second)
    Split.objects.create(one=first, other=second, made_at=NOW - MINUTE)
    assert notify_breaking_news(NOW) == 2
    assert set(told(user)) == {first, second}


def test_two_events_are_two_pieces_of_news(user: User, wire: Subscription) -> None:
    first, second = bring(wire), bring(wire)
    make.link(first, second, Disposition.REVISION)  # which ties nothing
    assert notify_breaking_news(NOW) == 2
    assert set(told(user)) == {first, second}


def test_notifying_one_user_does_not_affect_another(user: User, wire: Subscription) -> None:
    first, second = bring(wire), bring(wire, relevance=10.0)
    make.story(first, second)
    notify_breaking_news(NOW)
    stranger = make.user()
    also_bring(make.subscription(stranger, wire.feed), second)
    assert notify_breaking_news(NOW) == 1
    assert told(stranger) == [second]


def test_check_is_one_query_without_candidates(wire: Subscription, django_assert_num_queries: Queries) -> None:
    bring(wire, shared_importance=20.0)
    bring(wire, tier=3)
    with django_assert_num_queries(1):
        assert notify_breaking_news(NOW) == 0


@pytest.mark.parametrize("n", [1, 12])
def test_query_count_is_constant_for_users_and_articles(
    wire: Subscription, n: int, django_assert_num_queries: Queries
) -> None:
    for number in range(n):
        article = bring(wire)
        also_bring(make.subscription(make.user(), wire.feed if number == 0 else make.feed()), article)
        make.story(article, bring(wire, relevance=10.0))
    with django_assert_num_queries(12):
        assert notify_breaking_news(NOW) == 2 * n


def plan_of(sql: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return [row[-1] for row in cursor.fetchall()]


# A constant; and the partial index of feeds that are being left at the moment.
OF_FEW_ROWS = ("CONSTANT ROW", "INDEX subscription_being_emptied")


def test_no_statement_scans_the_archive(wire: Subscription) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL plans by statistics, which a few rows do not give")
    for old in stored_articles([NOW - timedelta(days=30)] * 200):
        assess(old, **WIRE)
    make.story(bring(wire), bring(wire, relevance=10.0))
    with CaptureQueriesContext(connection) as captured:
        assert notify_breaking_news(NOW) == 1
    looks = [line for each in captured for line in plan_of(each["sql"]) if each["sql"].startswith("SELECT")]
    assert not [line for line in looks if line.startswith("SCAN") and not line.endswith(OF_FEW_ROWS)]
    recent, brought = (plan_of(captured_query["sql"]) for captured_query in captured.captured_queries[:2])
    assert "INDEX article_newest (published_at>?)" in recent[0]
    assert [line for line in brought if "reader_delivery" in line and "INDEX delivery_of_article (article_id=?" in line]


FILL = """
from django.contrib.auth.models import User
from tests.digests.test_alerts import bring
from tests import make
user = User.objects.get()
make.story(*(bring(make.subscription(user)) for _ in range(2)))
"""
WORK = """
import pathlib, time, types
from django.contrib.auth.models import User
from django.db import transaction
from digests import alerts
from feeds.models import Article
from tests.make import NOW
folder, number = pathlib.Path({folder!r}), {number}
def together():
    (folder / str(number)).touch()
    while len(list(folder.iterdir())) < 2:
        time.sleep(0.001)
    return transaction.atomic()
alerts.transaction = types.SimpleNamespace(atomic=together)  # both have looked, and neither has written
alerts._candidates = lambda now: [Article.objects.order_by("pk")[number].pk]
print(alerts.notify_breaking_news(NOW))
"""


@pytest.mark.slow
def test_concurrent_workers_announce_a_story_once(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    ready.mkdir()
    with installation(tmp_path) as made:
        made.run("shell", "--no-imports", "-c", FILL)
        workers = [
            made.start("shell", "--no-imports", "-c", WORK.format(folder=str(ready), number=number))
            for number in range(2)
        ]
        reports = []
        for worker in workers:
            out, err = worker.communicate(timeout=60)
            assert worker.returncode == 0, err
            reports.append(int(out))
        assert sorted(reports) == [0, 1]
        assert made.ask("Notification.objects.count()") == "1"


# By mail


@pytest.fixture
def asked(user: User) -> AlertSettings:
    return AlertSettings.objects.create(user=user, breaking_by_mail=True, feeds_by_mail=True, mail_from=NOW - HOUR)


def condition(subscription: Subscription, kind: Condition, *, ago: timedelta = MINUTE, **values: Any) -> Notification:
    """The feed is so since then, and the person was told."""
    at = NOW - ago
    Feed.objects.filter(pk=subscription.feed_id).update(condition=kind, condition_changed_at=at)
    return make.notification(subscription, kind=kind, text=f"It is {kind}.", happened_at=at, **values)


def news(subscription: Subscription, *, ago: timedelta = MINUTE, **values: Any) -> Notification:
    article = bring(subscription)
    return Notification.objects.create(
        user=subscription.user, article=article, kind="breaking", text="Breaking.", happened_at=NOW - ago, **values
    )


def mailed() -> list[set[int]]:
    """The notifications in each mail, the first mail first."""
    return [
        set(MailedNotification.objects.filter(mailing=mailing).values_list("pk", flat=True))
        for mailing in Mailing.objects.filter(kind=MailingKind.ALERTS).order_by("created_at", "pk")
    ]


def test_requested_alerts_share_one_email(user: User, wire: Subscription, asked: AlertSettings) -> None:
    waiting = [news(wire), *(condition(make.subscription(user), kind) for kind in ("unhealthy", "silent", "dead"))]
    assert queue_alert_mails(NOW) == 1
    assert mailed() == [{each.pk for each in waiting}]
    assert Mailing.objects.get().user == user
    assert queue_alert_mails(NOW + PAUSE) == 0
    assert Mailing.objects.count() == 1


def told_later(user: User, wire: Subscription) -> Notification:
    return condition(wire, Condition.DEAD, ago=2 * HOUR)


def healed(user: User, wire: Subscription) -> Notification:
    made = condition(wire, Condition.UNHEALTHY)
    Feed.objects.update(condition=Condition.WELL, condition_changed_at=NOW)
    return made


def ill_again(user: User, wire: Subscription) -> Notification:
    made = condition(wire, Condition.UNHEALTHY, ago=10 * MINUTE)
    Feed.objects.update(condition_changed_at=NOW)  # and that is announced next
    return made


def unfollowed(user: User, wire: Subscription) -> Notification:
    made = condition(wire, Condition.DEAD)
    wire.delete()
    return made


def read_already(user: User, wire: Subscription) -> Notification:
    made = news(wire)
    assert made.article
    mark_read(user, [made.article.pk])
    return made


def old_news(user: User, wire: Subscription) -> Notification:
    AlertSettings.objects.update(mail_from=NOW - timedelta(days=9))
    return news(wire, ago=BREAKING_WITHIN + MINUTE)


def without_address(user: User, wire: Subscription) -> Notification:
    User.objects.filter(pk=user.pk).update(email="")
    return news(wire)


def shut_out(user: User, wire: Subscription) -> Notification:
    User.objects.filter(pk=user.pk).update(is_active=False)
    return news(wire)


def by_mail_off(user: User, wire: Subscription) -> Notification:
    AlertSettings.objects.update(breaking_by_mail=False)
    return news(wire)


def feeds_off(user: User, wire: Subscription) -> Notification:
    AlertSettings.objects.update(feeds_by_mail=False)
    return condition(wire, Condition.DEAD)


def never_asked(user: User, wire: Subscription) -> Notification:
    AlertSettings.objects.all().delete()
    return news(wire)


NOT_MAILED: dict[str, Callable[[User, Subscription], Notification]] = {
    "from before mail was asked for": told_later,
    "a feed that is well again": healed,
    "a feed that failed anew": ill_again,
    "a feed that nobody follows any more": unfollowed,
    "a feed that is well": lambda user, wire: condition(wire, Condition.WELL),
    "seen in the reader": lambda user, wire: condition(wire, Condition.DEAD, seen_at=NOW),
    "news that was read": read_already,
    "news of the day before": old_news,
    "without an address": without_address,
    "shut out": shut_out,
    "breaking news not by mail": by_mail_off,
    "news of feeds not by mail": feeds_off,
    "nothing asked for": never_asked,
}


@pytest.mark.parametrize("make_it", NOT_MAILED.values(), ids=NOT_MAILED)
def test_what_is_not_mailed(
    user: User, wire: Subscription, asked: AlertSettings, make_it: Callable[[User, Subscription], Notification]
) -> None:
    make_it(user, wire)
    assert Notification.objects.count() == 1
    assert queue_alert_mails(NOW) == 0
    assert not Mailing.objects.exists()


def test_news_of_feeds_waits_ten_minutes_after_a_mail(user: User, wire: Subscription, asked: AlertSettings) -> None:
    first = condition(wire, Condition.DEAD)
    assert queue_alert_mails(NOW) == 1
    second = condition(make.subscription(user), Condition.UNHEALTHY)
    assert queue_alert_mails(NOW + PAUSE - MINUTE) == 0
    third = condition(make.subscription(user), Condition.SILENT)
    assert queue_alert_mails(NOW + PAUSE) == 1
    assert mailed() == [{first.pk}, {second.pk, third.pk}]


def test_breaking_news_does_not_wait_and_takes_the_others_along(
    user: User, wire: Subscription, asked: AlertSettings
) -> None:
    first = condition(wire, Condition.DEAD)
    queue_alert_mails(NOW)
    second, breaking = condition(make.subscription(user), Condition.UNHEALTHY), news(wire)
    assert queue_alert_mails(NOW + MINUTE) == 1
    assert mailed() == [{first.pk}, {second.pk, breaking.pk}]


def test_users_get_separate_email(user: User, wire: Subscription, asked: AlertSettings) -> None:
    second = make.user(email="second@example.org")
    AlertSettings.objects.create(user=second, breaking_by_mail=True, mail_from=NOW - HOUR)
    other = make.subscription(second)
    mine, theirs = news(wire), news(other)
    condition(other, Condition.DEAD)  # which the second person did not ask for
    assert queue_alert_mails(NOW) == 2
    found = {mailing.user_id: mailing.pk for mailing in Mailing.objects.all()}
    assert dict(MailedNotification.objects.values_list("pk", "mailing")) == {
        mine.pk: found[user.pk],
        theirs.pk: found[second.pk],
    }


def test_finding_unsent_alerts_is_one_query(
    user: User, wire: Subscription, asked: AlertSettings, django_assert_num_queries: Queries
) -> None:
    for _ in range(5):
        healed(user, make.subscription(user))
    with django_assert_num_queries(1):
        assert queue_alert_mails(NOW) == 0
