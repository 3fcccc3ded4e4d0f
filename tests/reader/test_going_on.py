"""Leaving and coming back in steps: interrupted after each of them, taken up by two, turned round half-way."""

from datetime import timedelta
from itertools import islice

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from feeds.models import StoryChange
from reader import going_on, packing, tasks
from reader.delivery import deliver
from reader.folding import fold_changes, note_ids, settle
from reader.leaving import leave
from reader.lifting import points_of
from reader.marking import mark_read, star
from reader.models import (
    Arrival,
    ArticleState,
    Bundle,
    Course,
    Delivery,
    Lift,
    Muted,
    Parting,
    Rule,
    RuleHit,
    Subscription,
    Twins,
)
from reader.returning import come_back
from reader.sidebar import sidebar_of
from tests import make
from tests.reader.conftest import Enqueued

pytestmark = pytest.mark.django_db

N_STEPS = 8  # of leaving all of `shelves` and of coming back; asserted


@pytest.fixture(autouse=True)
def in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two articles in one transaction, and none in the request."""
    monkeypatch.setattr(packing, "BATCH", 2)
    monkeypatch.setattr(going_on, "AT_ONCE", 0)


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def shelves(reader: User) -> list[Subscription]:
    """Three feeds; two in a folder, that share articles and a story; and one that stays and shares one, too."""
    folder = make.folder(reader)
    one, other = make.subscription(reader, folder=folder, title="One", most_a_day=3), make.subscription(reader)
    third, stays = make.subscription(reader), make.subscription(reader)
    articles = [make.article(word_count=5 - number) for number in range(5)]
    for article in articles:
        make.delivery(one, article)
    for article in articles[3:]:
        make.delivery(other, article)
    for _ in range(5):
        make.delivery(third, make.article())
    make.delivery(stays, articles[4])
    lone = make.article()
    make.delivery(stays, lone)
    make.story(articles[0], articles[1], lone)
    settle(note_ids([articles[0].pk]), user=reader)
    mark_read(reader, [articles[2].pk, articles[3].pk])
    mark_read(reader, [articles[1].pk], is_read=False)
    star(reader, articles[2].pk, is_starred=True, now=make.NOW)
    Delivery.objects.filter(subscription=third).update(is_seen=True)
    rule = make.rule(reader, words="chess", subscription=one, lift=10)
    make.muted(rule, one, make.article())
    RuleHit.objects.create(user=reader, rule=rule, article=articles[1], acts=["read"])
    Lift.objects.create(user=reader, rule=rule, article=articles[4], version=rule.version)
    Twins.objects.create(user=reader, one=one, other=other, why="site", is_denied=True)
    Delivery.objects.update(is_rated=True)
    return [one, other, third]


def state() -> dict[str, list[str]]:
    """Every row that leaving touches, as far as a person could tell."""
    dropped = {
        Delivery: ("id", "is_rated"),
        ArticleState: ("id",),
        Subscription: (),
        Rule: (),
        Muted: (),
        RuleHit: (),
        Lift: (),
        Twins: (),
    }
    found = {}
    for model, names in dropped.items():
        rows = list(model._base_manager.order_by("pk").values())
        found[model.__name__] = sorted(
            str({key: value for key, value in row.items() if key not in names}) for row in rows
        )
    return found


def ids_of(subscriptions: list[Subscription]) -> list[int]:
    return [each.pk for each in subscriptions]


def left(reader: User, subscriptions: list[Subscription]) -> Parting:
    parting = leave(reader, ids_of(subscriptions), now=make.NOW)
    assert parting is not None
    assert parting.course == Course.LEAVING
    return parting


def take(reader: User, n: int | None = None) -> int:
    """Do at most so many steps, as a worker that is killed then; returns how many there were."""
    return len(list(islice(going_on.steps(reader, now=make.NOW), n)))


def test_all_is_gone_before_any_step(client: Client, reader: User, shelves: list[Subscription]) -> None:
    left(reader, shelves)
    client.force_login(reader)
    assert Delivery.everything.count() == 14
    assert Delivery.objects.count() == 2
    beside = sidebar_of(reader, here="all")
    assert (beside.n_feeds, beside.n_unread, [each.n_unread for each in beside.folders]) == (1, 1, [0])
    for address in ("/all/", "/for-you/", "/important/", "/", "/health/", "/rules/", "/muted/", "/search/?q=article"):
        page = client.get(address).content.decode()
        assert "One" not in page.replace("One tap", ""), address
    for name in ("feed", "feed_health", "feed_edit", "feed_unfollow"):
        assert client.get(reverse(name, args=[shelves[0].pk])).status_code == 404
    assert client.get(reverse("rule_edit", args=[Rule.everything.get().pk])).status_code == 404
    assert deliver() == 0


def test_leaving_interrupted_after_any_step_is_finished_by_the_schedule(
    reader: User, shelves: list[Subscription]
) -> None:
    whole = before = state()
    for n in range(N_STEPS + 1):
        parting = left(reader, shelves)
        take(reader, n)
        Parting.objects.update(moved_at=make.NOW - timedelta(days=1))
        tasks.resume_partings()
        parting.refresh_from_db()
        assert (parting.course, parting.n_moved, Delivery.everything.count()) == (Course.LEFT, 12, 2)
        assert ArticleState.objects.filter(is_starred=False).count() == 0
        come_back(reader, parting, now=make.NOW)
        take(reader)
        assert state() == whole
    assert before["Delivery"]


def test_coming_back_interrupted_after_any_step_ends_as_it_was(reader: User, shelves: list[Subscription]) -> None:
    before = state()
    for n in range(N_STEPS + 1):
        parting = left(reader, shelves)
        assert take(reader) == N_STEPS - 1
        come_back(reader, parting, now=make.NOW)
        assert {each.pk for each in Subscription.objects.filter(user=reader)} > set(ids_of(shelves))
        assert take(reader, n) == min(n, N_STEPS - 1)
        assert take(reader) == max(N_STEPS - 1 - n, 0)
        parting.refresh_from_db()
        assert parting.course == Course.BACK
        assert state() == before
        assert not Bundle.objects.exists()


@pytest.mark.parametrize("n", range(N_STEPS + 1))
def test_turned_round_at_any_step_nothing_is_lost_or_doubled(reader: User, shelves: list[Subscription], n: int) -> None:
    before = state()
    parting = left(reader, shelves)
    take(reader, n)
    come_back(reader, parting, now=make.NOW)
    for each in Subscription.objects.all():
        assert each.unread_count == Delivery.objects.filter(subscription=each, is_read=False).count()
    take(reader)
    assert state() == before


@pytest.mark.parametrize("n", range(N_STEPS))
def test_killed_between_the_transaction_and_folding(
    reader: User, shelves: list[Subscription], n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state()
    parting = left(reader, shelves)
    take(reader, n)

    def killed(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(going_on, "settle", killed)
        if n < N_STEPS - 1:
            with pytest.raises(KeyboardInterrupt):
                take(reader, 1)
    take(reader)
    while fold_changes():
        pass
    come_back(reader, parting, now=make.NOW)
    take(reader)
    assert state() == before
    assert not StoryChange.objects.exists()


def test_a_step_that_fails_changes_nothing(
    reader: User, shelves: list[Subscription], monkeypatch: pytest.MonkeyPatch
) -> None:
    left(reader, shelves)
    take(reader, 2)
    between = state()

    def fails(*args: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(packing, "put_by", fails)
    with pytest.raises(OSError, match="full"):
        take(reader, 1)
    assert state() == between
    assert Bundle.objects.count() == 2


def test_left_again_while_it_returns(reader: User, shelves: list[Subscription]) -> None:
    before = state()
    first = left(reader, shelves)
    take(reader)
    come_back(reader, first, now=make.NOW)
    take(reader, 3)
    second = left(reader, shelves[:1])
    take(reader)
    assert not Delivery.everything.filter(subscription=shelves[0]).exists()
    come_back(reader, second, now=make.NOW)
    take(reader)
    assert state() == before


@pytest.mark.parametrize("n", range(N_STEPS))
def test_a_feed_followed_anew_while_it_is_left_gets_back_its_list(
    reader: User, shelves: list[Subscription], n: int
) -> None:
    before = set(Delivery.objects.filter(subscription=shelves[0]).values_list("article", "is_read"))
    parting = left(reader, shelves)
    take(reader, n)
    anew = make.subscription(reader, shelves[0].feed, title="Anew")
    come_back(reader, parting, now=make.NOW)
    take(reader)
    assert set(Delivery.objects.filter(subscription=anew).values_list("article", "is_read")) == before
    assert [Rule.objects.get().subscription, Muted.objects.get().subscription] == [anew, anew]
    assert not Subscription.everything.filter(pk=shelves[0].pk).exists()
    assert Delivery.everything.count() == Delivery.objects.count() == 14


def test_what_was_read_elsewhere_meanwhile_is_read(reader: User, shelves: list[Subscription]) -> None:
    parting = left(reader, shelves)
    take(reader)
    shared = Delivery.objects.filter(subscription__title="").exclude(article__story__isnull=False).get()
    mark_read(reader, [shared.article_id])
    come_back(reader, parting, now=make.NOW)
    take(reader)
    assert set(Delivery.objects.filter(article=shared.article_id).values_list("is_read", flat=True)) == {True}


def test_a_lift_counts_while_its_feed_is_followed_and_not_meanwhile(reader: User, shelves: list[Subscription]) -> None:
    lifted = Lift.objects.get().article_id
    assert points_of([reader.pk], [lifted]) == {(reader.pk, lifted): 10}
    parting = left(reader, shelves)
    assert points_of([reader.pk], [lifted]) == {}
    take(reader)
    assert Delivery.objects.get(article=lifted).is_rated is False
    come_back(reader, parting, now=make.NOW)
    assert points_of([reader.pk], [lifted]) == {(reader.pk, lifted): 10}


def test_what_rules_had_not_seen_yet_goes_with_its_delivery(reader: User, shelves: list[Subscription]) -> None:
    Arrival.objects.bulk_create(Arrival(delivery=each) for each in Delivery.objects.filter(subscription=shelves[2]))
    left(reader, shelves)
    take(reader)
    assert not Arrival.objects.exists()


def test_another_persons_partings_are_theirs(reader: User, shelves: list[Subscription]) -> None:
    left(reader, shelves)
    assert take(make.user()) == 0
    assert Delivery.everything.count() == 14


def test_the_schedule_leaves_alone_what_a_worker_is_at(reader: User, shelves: list[Subscription]) -> None:
    left(reader, shelves)
    assert going_on.unfinished(now=make.NOW + timedelta(seconds=50)) == []
    assert going_on.unfinished(now=make.NOW + timedelta(seconds=70)) == [reader.pk]
    take(reader)
    assert going_on.unfinished(now=make.NOW + timedelta(days=1)) == []


def test_much_is_left_to_a_worker_both_ways(
    client: Client, reader: User, shelves: list[Subscription], enqueued: Enqueued
) -> None:
    client.force_login(reader)
    client.post(reverse("feed_acts"), {"act": "unfollow", "feed": ids_of(shelves)})
    assert enqueued == [("reader.tasks.go_on_with_partings", reader.pk)]
    enqueued.clear()
    tasks.go_on_with_partings(reader.pk)
    answer = client.post(reverse("parting_undo", args=[Parting.objects.get().pk]), follow=True)
    assert enqueued == [("reader.tasks.go_on_with_partings", reader.pk)]
    assert "You follow 3 feeds again. Their articles are coming back." in answer.content.decode()
    assert Subscription.objects.filter(user=reader).count() == 4
    tasks.go_on_with_partings(reader.pk)
    assert Delivery.objects.count() == 14
