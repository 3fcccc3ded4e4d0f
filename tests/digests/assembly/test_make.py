"""A digest is made once a person, kind and day, whole with its mail and its plan's next date, or not at all."""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta

import pytest
from django.contrib.auth.models import User

from digests.assembly import make as making
from digests.assembly.make import (
    digest_request_for,
    make,
    make_due,
    make_planned,
    make_today,
    preview,
    request_texts_of_planned,
)
from digests.edition.document import Edition, SectionName, Trend
from digests.edition.kinds import Kind
from digests.models import Digest, DigestArticle, DigestPlan, Mailing, MailingState
from digests.models.edition_store import edition_of, with_topics
from digests.schedule.plans import save_plan
from feeds.models import FullText
from reader.models import Subscription
from reader.preferences.store import set_time_zone
from tests import make as rows
from tests.digests.windows import bring, came

pytestmark = pytest.mark.django_db

SEVEN = datetime(2026, 3, 4, 7, 0, tzinfo=UTC)
NOON, SIX = SEVEN.replace(hour=12), SEVEN.replace(hour=18)
LONG = (
    "The harbour council voted on Tuesday to widen the northern lock before the winter storms arrive. Engineers had"
    " warned for years that the old gates could not hold back a flood like that of 1998. The work will cost forty"
    " million and take three summers, according to the plan that was shown to residents. Ships with a draught of more"
    " than nine metres will have to use the southern entrance until then. The mayor said that nobody would be moved"
    " from the quays while the cranes are working there."
)


@pytest.fixture
def user() -> User:
    return rows.user("ada", email="ada@example.org")


@pytest.fixture
def paper(user: User) -> Subscription:
    return rows.subscription(user, rows.feed("https://paper.example/feed", title="Paper"))


def story(*subscriptions: Subscription, now: datetime, hours_old: float = 2.0, points: float = 95.0) -> list[int]:
    """Reports of one event, one of each subscription; returns their articles."""
    articles = [
        came(
            each,
            now=now,
            hours_old=hours_old,
            points=points,
            title=f"Harbour council votes to widen the northern lock, {number}",
            text=LONG,
            word_count=90,
        )
        for number, each in enumerate(subscriptions)
    ]
    if len(articles) > 1:
        rows.story(*articles)
    return [article.pk for article in articles]


def kept(digest: Digest) -> Edition:
    return edition_of(with_topics(Digest.objects.filter(pk=digest.pk)).get())


def leads(digest: Digest) -> set[int | None]:
    return {topic.lead.article_id for topic in kept(digest).news}


def test_window_becomes_a_complete_digest(user: User, paper: Subscription) -> None:
    gazette = rows.subscription(user, rows.feed(title="Gazette"))
    told = story(paper, gazette, now=SEVEN)
    poor = came(paper, now=SEVEN, points=5.0, title="A bake sale", text="Cakes on Friday.")
    made = make(user, Kind.MORNING, now=SEVEN)
    edition = kept(made.digest)
    assert made.is_new
    assert (edition.kind, edition.day, edition.n_articles, edition.n_feeds) == (Kind.MORNING, SEVEN.date(), 3, 2)
    top, also = edition.topics
    assert {entry.article_id for entry in top.entries} == set(told)
    assert top.section is SectionName.TOP
    assert "lock" in top.label.lower() or "harbour" in top.label.lower()
    assert 50 <= len(top.summary.split()) <= 75
    assert top.sources in (("Gazette",), ("Paper",))
    assert (also.lead.article_id, also.section, also.summary) == (poor.pk, SectionName.ALSO, "")
    assert all(finding.is_good for finding in edition.findings)


def test_a_preview_stores_nothing(user: User, paper: Subscription) -> None:
    story(paper, now=SEVEN)
    assert preview(user, Kind.MORNING, now=SEVEN).topics
    assert not Digest.objects.exists()


def test_the_same_window_gives_the_same_digest(user: User, paper: Subscription) -> None:
    story(paper, now=SEVEN)
    came(paper, now=SEVEN, points=50.0)
    assert preview(user, Kind.MORNING, now=SEVEN) == preview(user, Kind.MORNING, now=SEVEN)


@pytest.mark.vendor
def test_the_second_digest_of_the_day_is_the_first(user: User, paper: Subscription) -> None:
    story(paper, now=SEVEN)
    first = make(user, Kind.MORNING, now=SEVEN, by_mail=True)
    came(paper, now=SEVEN, points=99.0)
    again = make(user, Kind.MORNING, now=SEVEN + timedelta(hours=1), by_mail=True)
    assert (again.digest.pk, again.is_new) == (first.digest.pk, False)
    assert Mailing.objects.count() == 1
    assert len(kept(first.digest).topics) == 1


def test_empty_window_makes_an_explained_digest(user: User, paper: Subscription) -> None:
    edition = kept(make(user, Kind.MORNING, now=SEVEN).digest)
    assert edition.is_empty
    assert (edition.n_articles, edition.n_feeds) == (0, 0)


def test_user_without_feeds_gets_an_empty_digest(user: User) -> None:
    assert kept(make(user, Kind.WEEKLY, now=SEVEN).digest).is_empty


def test_midday_update_starts_after_the_morning(user: User, paper: Subscription) -> None:
    make(user, Kind.MORNING, now=SEVEN)
    window = digest_request_for(user, Kind.MIDDAY, now=NOON).window
    assert (window.begins_at, window.ends_at) == (SEVEN, NOON)
    alone = digest_request_for(rows.user(), Kind.MIDDAY, now=NOON).window
    assert alone.begins_at == NOON - timedelta(hours=24)


def test_midday_repeats_morning_topics_only_if_they_moved(user: User, paper: Subscription) -> None:
    gazette = rows.subscription(user, rows.feed(title="Gazette"))
    (known,) = story(paper, now=SEVEN)
    make(user, Kind.MORNING, now=SEVEN)
    fresh = came(paper, now=NOON, points=99.0, title="Orchard prize", text="Pears won at the autumn fair in Ghent.")
    Digest.objects.update(ends_at=SEVEN - timedelta(hours=3))  # so that the known article is in the window again
    noon = make(user, Kind.MIDDAY, now=NOON).digest
    assert leads(noon) == {fresh.pk}
    assert [topic.lead.article_id for topic in kept(noon).unchanged] == [known]
    later = came(gazette, now=NOON, points=95.0, title="Harbour council votes to widen the lock", text=LONG)
    rows.story(rows.Article.objects.get(pk=known), later)
    noon.delete()
    again = kept(make(user, Kind.MIDDAY, now=NOON).digest)
    (moved,) = (topic for topic in again.topics if topic.moved)
    assert moved.moved == "Changed since the morning brief of 4 March: now also covered by Gazette."


def test_weekly_repeats_daily_topics_not_last_weeks(user: User, paper: Subscription) -> None:
    (known,) = story(paper, now=SEVEN)
    make(user, Kind.MORNING, now=SEVEN)
    first = make(user, Kind.WEEKLY, now=NOON).digest
    assert leads(first) == {known}
    assert leads(make(user, Kind.WEEKLY, now=NOON + timedelta(days=1)).digest) == set()


def test_the_day_is_that_of_the_person(user: User, paper: Subscription) -> None:
    set_time_zone(user, "Pacific/Auckland")
    evening = datetime(2026, 3, 4, 18, 30, tzinfo=UTC)
    digest = make(user, Kind.MORNING, now=evening).digest
    assert (digest.day.isoformat(), digest.time_zone) == ("2026-03-05", "Pacific/Auckland")


def test_trends_compare_with_the_previous_window(user: User, paper: Subscription) -> None:
    feeds = [rows.subscription(user, rows.feed(title=f"Paper {number}")) for number in range(3)]
    story(*feeds, now=SEVEN)
    (topic,) = preview(user, Kind.MORNING, now=SEVEN).topics
    assert topic.trend is None  # nothing was polled before
    for subscription in feeds:
        rows.poll(subscription.feed, started_at=SEVEN - timedelta(hours=30))
    (topic,) = kept(make(user, Kind.MORNING, now=SEVEN).digest).topics
    assert topic.trend is Trend.EMERGING


def test_others_articles_are_not_in_it(user: User, paper: Subscription) -> None:
    story(rows.subscription(rows.user("ben"), rows.feed()), now=SEVEN)
    assert kept(make(user, Kind.MORNING, now=SEVEN).digest).is_empty


def test_makes_the_requested_number_of_topics(user: User, paper: Subscription) -> None:
    for number, word in enumerate(("harbour", "orchard", "glacier", "library", "railway", "violin")):
        came(paper, now=SEVEN, points=80.0 + number, title=f"The {word} opens", text=f"Of the {word} much is said.")
    assert len(preview(user, Kind.MORNING, now=SEVEN, n_topics=2).topics) == 2


def plan(user: User, kind: Kind = Kind.MORNING, at: time = time(7), **values: bool) -> DigestPlan:
    wanted = {"is_on": True, "by_mail": True, **values}
    return save_plan(user, kind, at=at, weekday=None, n_topics=None, now=SEVEN - timedelta(hours=6), **wanted)


def due(now: datetime) -> int:
    ticks = iter([now] * 20)
    return make_due(until=now + timedelta(seconds=50), clock=lambda: next(ticks))


@pytest.mark.vendor
def test_due_plan_makes_a_digest_and_advances(user: User, paper: Subscription) -> None:
    story(paper, now=SEVEN)
    plan(user)
    assert due(SEVEN - timedelta(minutes=1)) == 0
    assert due(SEVEN) == 1
    assert due(SEVEN) == 0
    mailing = Mailing.objects.get()
    assert (mailing.state, mailing.digest.kind, mailing.user) == (MailingState.WAITING, Kind.MORNING, user)
    kept_plan = DigestPlan.objects.get()
    assert (kept_plan.next_at, kept_plan.claimed_until) == (SEVEN + timedelta(days=1), None)


def test_a_plan_without_mail_queues_none(user: User, paper: Subscription) -> None:
    plan(user, by_mail=False)
    assert due(SEVEN) == 1
    assert not Mailing.objects.exists()


def test_unsubscribing_during_making_stops_the_email(
    user: User, paper: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = plan(user)

    def unsubscribe_meanwhile(*args: object, **options: object) -> Edition:
        DigestPlan.objects.update(by_mail=False)
        return preview(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(making, "preview", unsubscribe_meanwhile)
    assert make_planned(found, now=SEVEN).is_new
    assert not Mailing.objects.exists()


def test_missed_digest_is_made_the_same_day_only(user: User, paper: Subscription) -> None:
    plan(user)
    assert due(SEVEN + timedelta(hours=13)) == 1
    DigestPlan.objects.update(next_at=SEVEN + timedelta(days=1))
    assert due(SEVEN + timedelta(days=2, hours=-1)) == 0
    assert Digest.objects.count() == 1
    assert DigestPlan.objects.get().next_at == SEVEN + timedelta(days=2)


def test_users_get_their_own_link(user: User, paper: Subscription) -> None:
    ben = rows.user("ben")
    bens = rows.subscription(ben, paper.feed)
    (article,) = story(paper, now=SEVEN)
    bring(bens, rows.Article.objects.get(pk=article))
    plan(user)
    plan(ben)
    assert due(SEVEN) == 2
    assert {digest.user_id for digest in Digest.objects.all()} == {user.pk, ben.pk}
    assert Mailing.objects.count() == 2


@pytest.mark.parametrize("step", ["queue", "move_on", "store"])
@pytest.mark.django_db(transaction=True)
@pytest.mark.vendor
def test_error_while_storing_leaves_nothing_and_is_retried(
    user: User, paper: Subscription, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    story(paper, now=SEVEN)
    plan(user)
    right: Callable[..., object] = getattr(making, step)

    def broken(*args: object, **options: object) -> None:
        right(*args, **options)
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(making, step, broken)
        with pytest.raises(OSError, match="disk full"):
            due(SEVEN)
    assert not Digest.objects.exists()
    assert not Mailing.objects.exists()
    assert not DigestArticle.objects.exists()
    assert due(SEVEN + timedelta(minutes=1)) == 0  # held by the worker that failed
    assert due(SEVEN + timedelta(minutes=25)) == 1
    assert (Digest.objects.count(), Mailing.objects.count()) == (1, 1)


def test_front_page_is_replaced_in_place(user: User, paper: Subscription) -> None:
    (first,) = story(paper, now=SEVEN)
    page = make_today(user, now=SEVEN)
    assert leads(page) == {first}
    second = came(paper, now=NOON, points=90.0, title="Orchard prize", text="Pears won at the autumn fair in Ghent.")
    assert make_today(user, now=NOON).pk == page.pk
    assert leads(page) == {first, second.pk}
    assert Digest.objects.count() == 1


def test_front_page_requests_pages_of_top_stories_that_are_excerpts(user: User, paper: Subscription) -> None:
    excerpt = came(paper, now=SEVEN, points=99.0, title="Dam bursts", partial_content=True, url="https://a.example/1")
    came(paper, now=SEVEN, points=98.0, title="Orchard prize", word_count=80, url="https://a.example/2")
    short = came(paper, now=SEVEN, points=98.0, title="Bridge reopens", word_count=79, url="https://a.example/4")
    came(paper, now=SEVEN, points=40.0, title="Cakes sold", partial_content=True, url="https://a.example/3")
    for _ in range(2):
        make_today(user, now=SEVEN)
    requested = FullText.objects.order_by("article").values_list("article", "status")
    assert list(requested) == [(excerpt.pk, "waiting"), (short.pk, "waiting")]


def test_pages_are_requested_before_a_digest_is_due(user: User, paper: Subscription) -> None:
    excerpt = came(paper, now=SEVEN, points=99.0, title="Dam bursts", word_count=20, url="https://a.example/1")
    values = {"user": user, "kind": Kind.MORNING, "at": time(7), "is_on": True}
    plan = DigestPlan.objects.create(**values, next_at=SEVEN + timedelta(hours=1))
    request_texts_of_planned(SEVEN)
    assert not FullText.objects.exists()
    DigestPlan.objects.filter(pk=plan.pk).update(next_at=SEVEN + timedelta(minutes=5))
    request_texts_of_planned(SEVEN)
    assert [text.article_id for text in FullText.objects.all()] == [excerpt.pk]
    assert not Digest.objects.exists()


def test_a_digest_without_news_is_not_sent(user: User, paper: Subscription) -> None:
    make(user, Kind.MORNING, now=SEVEN, by_mail=True)
    assert not Mailing.objects.exists()
    came(paper, now=SEVEN, points=99.0, title="Dam bursts")
    make(user, Kind.EVENING, now=SEVEN, by_mail=True)
    assert Mailing.objects.count() == 1


def test_summary_uses_the_page_where_the_feed_has_an_excerpt(user: User, paper: Subscription) -> None:
    excerpt = came(paper, now=SEVEN, points=99.0, title="Dam bursts", text="The dam above the city […]")
    sentence = "The dam above the old city burst on Monday after a week of heavy rain in the mountains."
    FullText.objects.create(article=excerpt, status="done", requested_at=SEVEN, text=sentence)
    [topic] = preview(user, Kind.MORNING, now=SEVEN).topics
    assert topic.summary == sentence
