"""Reading statistics in the user's time zone, and deleting them."""

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from reader.interests.clear_history import clear_history
from reader.interests.stats import load_stats, summary
from reader.interests.stats_counts import Outcome, Tally, busiest_hours, color_level, count_outcomes, stats_start
from reader.models import ArticleState, Engagement, InterestProfile, InterestTerm, PendingState, RelevanceModel
from tests import make
from tests.markup import tight
from tests.reader.conftest import Enqueued

NOW = make.NOW  # a Wednesday
BERLIN, UTC_ZONE = ZoneInfo("Europe/Berlin"), ZoneInfo("UTC")


def day(*hours: int) -> list[list[int]]:
    """A week whose Monday has one opening at each of these hours."""
    return [[hours.count(hour) for hour in range(24)], *([0] * 24 for _ in range(6))]


@pytest.mark.parametrize(
    ("heat_map", "expected"),
    [
        (day(), None),
        (day(7), (6, 8)),
        (day(7, 8), (7, 9)),
        (day(23, 0), (23, 1)),
        (day(7, 8, 9, 15), (7, 9)),
        (day(1, 3, 20), (1, 4)),
        (day(*range(24)), None),
    ],
    ids=["never", "one hour", "two", "over midnight", "half is enough", "three", "all day"],
)
def test_busiest_hours_are_the_shortest_span_with_half(
    heat_map: list[list[int]], expected: tuple[int, int] | None
) -> None:
    assert busiest_hours(heat_map) == expected


@pytest.mark.parametrize(
    ("n_opened", "n_passed", "place", "hours", "words"),
    [
        (0, 0, "", None, "Not enough data yet: 0 articles opened in 12 weeks."),
        (1, 50, "A", (7, 9), "Not enough data yet: 1 article opened in 12 weeks."),
        (
            10,
            80,
            "A",
            (7, 9),
            "You open one in nine of the articles you see, most from A, mostly between 7:00 and 9:00.",
        ),
        (10, 0, "", None, "You open nearly every article you see."),
        (20, 10, "", (22, 0), "You open two in three of the articles you see, mostly between 22:00 and 24:00."),
        (10, 990, "", None, "You open one in 100 of the articles you see."),
    ],
    ids=["nothing", "little", "all of it", "every one", "two in three, until midnight", "hardly any"],
)
def test_summary(n_opened: int, n_passed: int, place: str, hours: tuple[int, int] | None, words: str) -> None:
    assert summary(Tally(n_opened, 0, n_passed), place=place, hours=hours) == words


def test_uses_time_zone_across_clock_changes() -> None:
    """The clock goes forward on 29 March 2026: Saturday 23:30 UTC is Sunday 00:30; a day later it is Monday 01:30."""
    now = datetime(2026, 4, 1, tzinfo=UTC)
    late = datetime(2026, 3, 28, 23, 30, tzinfo=UTC)
    outcomes = count_outcomes(
        [Outcome(1, "opened", late, 7, 90), Outcome(2, "opened", late + timedelta(days=1), 7, 30)], now=now, zone=BERLIN
    )
    assert (outcomes.heat[6][0], outcomes.heat[0][1]) == (1, 1)
    assert [(week, tally.n_opened) for week, tally in outcomes.weeks][-2:] == [
        (date(2026, 3, 23), 1),
        (date(2026, 3, 30), 1),
    ]
    assert outcomes.by_place[7].minutes == 2


def test_shows_twelve_weeks_ending_with_this_one() -> None:
    assert stats_start(NOW, UTC_ZONE) == datetime(2025, 12, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("n", "most", "expected"), [(0, 0, 0), (0, 9, 0), (1, 1, 4), (1, 100, 1), (25, 100, 1), (26, 100, 2), (100, 100, 4)]
)
def test_shades_hours_by_quarters_of_the_busiest(n: int, most: int, expected: int) -> None:
    assert color_level(n, most) == expected


@pytest.mark.django_db
def test_counts_strongest_action_per_article() -> None:
    user = make.user()
    subscription = make.subscription(user, title="Harbour Post", folder=make.folder(user, "Mornings"))
    opened, skipped, passed, undone, read_later = (make.article(reading_seconds=120) for _ in range(5))
    for article in (opened, skipped, passed, undone, read_later):
        make.delivery(subscription, article)
    for kind in ("skipped", "opened", "liked"):
        make.engagement(user, opened, kind)
    make.engagement(user, skipped, "disliked")
    make.engagement(user, passed, "passed")
    gone = make.engagement(user, undone, "skipped")
    make.engagement(user, undone, "skipped", undoes=gone)
    make.engagement(user, read_later, "passed")
    make.engagement(user, read_later, "opened")
    make.engagement(make.user(), passed, "opened")
    make.engagement(user, make.article(), "opened", happened_at=NOW - timedelta(weeks=20))
    stats = load_stats(user, now=NOW, zone=UTC_ZONE)
    assert (stats.everything.n_opened, stats.everything.n_skipped, stats.everything.n_passed) == (2, 1, 1)
    assert stats.everything.minutes == 4
    assert [(feed.name, feed.tally.percent) for feed in (*stats.feeds, *stats.folders)] == [
        ("Harbour Post", 50),
        ("Mornings", 50),
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("n", [1, 40])
def test_takes_constant_queries(n: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    user = make.user()
    for _ in range(n):
        article = make.article(title="Chess in Geneva")
        make.delivery(make.subscription(user), article)
        make.engagement(user, article)
    with django_assert_num_queries(3):
        load_stats(user, now=NOW, zone=UTC_ZONE)


@pytest.mark.django_db
def test_deleting_history_keeps_everything_else() -> None:
    user, other = make.user(), make.user()
    article = make.article()
    make.delivery(make.subscription(user), article)
    ArticleState.objects.create(user=user, article=article, is_read=True, is_starred=True)
    engagement = make.engagement(user, article)
    make.engagement(user, article, undoes=engagement)
    make.engagement(other, article)
    for whose in (user, other):
        make.term(whose, "learned", origin="reading")
        make.term(whose, "named", origin="topic")
        make.training(whose)
    InterestProfile.objects.create(user=user, evidence=3.0, vector=b"")
    data = {"acts": [{"kind": "liked"}], "read": True}
    PendingState.objects.create(user=user, key=b"k" * 16, data=data)
    assert clear_history(user, NOW) == 2
    assert clear_history(user, NOW) == 0
    assert list(Engagement.objects.values_list("user", flat=True)) == [other.pk]
    assert list(InterestTerm.objects.filter(user=user).values_list("term", flat=True)) == ["named"]
    assert InterestTerm.objects.filter(user=other).count() == 2
    assert list(RelevanceModel.objects.values_list("user", flat=True)) == [other.pk]
    assert InterestProfile.objects.get(user=user).evidence == 0
    assert ArticleState.objects.filter(user=user, is_read=True, is_starred=True).exists()
    assert PendingState.objects.get().data == {"read": True}


@pytest.mark.django_db
def test_page_shows_summary_and_offers_deletion(client: Client, enqueued: Enqueued) -> None:
    user = make.user()
    client.force_login(user)
    assert "Nothing opened or skipped" in client.get("/habits/").content.decode()
    subscription = make.subscription(user, title="<b>Post</b>")
    for _ in range(12):
        article = make.article()
        make.delivery(subscription, article)
        make.engagement(user, article, happened_at=datetime.now(UTC))
    page = tight(client.get("/habits/").content.decode())
    assert len(re.findall(r'<td class="heat-4" title="\d+:00 – 12"><span class="spoken">12</span>', page)) == 1
    assert page.count('<td class="heat-0"') == 7 * 24 - 1
    assert '<rect class="bar-opened" x="11" width="0.8" height="100">' in page
    assert "You open nearly every article you see, most from &lt;b&gt;Post&lt;/b&gt;" in page
    assert "This deletes 12 recorded actions" in client.get("/habits/forget/").content.decode()
    response = client.post("/habits/forget/", follow=True)
    assert "Deleted your reading history: 12 entries." in response.content.decode()
    assert enqueued == [("reader.tasks.learning.rate",)]
