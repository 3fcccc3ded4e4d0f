"""Rules applied to what comes and to what is here."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from feeds.models import Article
from reader.articles.actions import open_article, set_read, star_article, vote
from reader.articles.tags import remove_tag
from reader.models import (
    Arrival,
    ArticleState,
    Delivery,
    Engagement,
    InterestTerm,
    Muted,
    Rule,
    RuleHit,
    RuleRun,
    Subscription,
    TaggedArticle,
)
from reader.rules import apply, backfill
from reader.rules.apply import apply_to_arrivals
from reader.rules.preview import preview_rule
from reader.subscriptions.delivery import deliver
from reader.subscriptions.follow import move_merged_subscriptions
from reader.subscriptions.unfollow import unfollow
from reader.tasks.recurring import apply_rule, resume_rules
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def subscription(reader: User) -> Subscription:
    return make.subscription(reader)


def comes(subscription: Subscription, title: str = "On chess", **values: Any) -> Article:
    """A new article of the feed, delivered."""
    article = make.article(title=title, **values)
    make.item(subscription.feed, article)
    deliver()
    return article


def how(user: User, article: Article) -> tuple[bool, bool, list[str], bool]:
    """Read, starred, its tags, and whether it stands in the user's lists."""
    state = ArticleState.objects.filter(user=user, article=article).first()
    tags = TaggedArticle.objects.filter(user=user, article=article).values_list("tag__name", flat=True)
    in_lists = Delivery.objects.filter(user=user, article=article).exists()
    return bool(state and state.is_read), bool(state and state.is_starred), sorted(tags), in_lists


def n_unread(subscription: Subscription) -> tuple[int, int]:
    """As it is counted, and as it is."""
    subscription.refresh_from_db()
    return subscription.unread_count, subscription.deliveries.filter(is_read=False).count()


@pytest.mark.parametrize(
    ("acts", "expected", "unread"),
    [
        pytest.param({}, (False, False, [], True), 1, id="nothing"),
        pytest.param({"marks_read": True}, (True, False, [], True), 0, id="read"),
        pytest.param({"stars": True}, (False, True, [], True), 1, id="star"),
        pytest.param({"mutes": True}, (False, False, [], False), 0, id="mute"),
        pytest.param({"marks_read": True, "stars": True}, (True, True, [], True), 0, id="two"),
    ],
)
def test_what_a_rule_meets_is_done_as_it_comes(
    reader: User,
    subscription: Subscription,
    acts: dict[str, bool],
    expected: tuple[bool, bool, list[str], bool],
    unread: int,
) -> None:
    made = make.rule(reader, **acts)
    met, other = comes(subscription), comes(subscription, "On snow")
    assert how(reader, met) == expected
    assert how(reader, other) == (False, False, [], True)
    assert n_unread(subscription) == (unread + 1, unread + 1)
    made.refresh_from_db()
    assert made.n_hits == 1
    assert made.last_hit_at is not None
    assert not Arrival.objects.exists()


def test_all_rules_that_match_apply_in_any_order(reader: User, subscription: Subscription) -> None:
    tags = [make.tag(reader, "Games"), make.tag(reader, "Later")]
    make.rule(reader, tag=tags[1])
    make.rule(reader, words="on", tag=tags[0], marks_read=True)
    make.rule(reader, stars=True)
    make.rule(reader, words="snow", mutes=True)
    assert how(reader, comes(subscription)) == (True, True, ["Games", "Later"], True)


@pytest.mark.parametrize("values", [{"is_on": False}, {"words": "snow"}, {"words": ""}])
def test_a_rule_that_is_off_or_meets_nothing_does_nothing(
    reader: User, subscription: Subscription, values: dict[str, Any]
) -> None:
    make.rule(reader, **{"mutes": True, "stars": True, **values})
    assert how(reader, comes(subscription)) == (False, False, [], True)
    assert Rule.objects.get().n_hits == 0


def test_rules_are_ones_own(reader: User, subscription: Subscription) -> None:
    other = make.subscription(make.user(), subscription.feed)
    make.rule(reader, mutes=True, stars=True)
    article = comes(subscription)
    assert how(reader, article) == (False, True, [], False)
    assert how(other.user, article) == (False, False, [], True)
    assert n_unread(other) == (1, 1)


def test_a_rule_about_a_feed_or_folder_is_about_no_other(reader: User) -> None:
    news = make.folder(reader)
    here, inside, elsewhere = (
        make.subscription(reader),
        make.subscription(reader, folder=news),
        make.subscription(reader),
    )
    make.rule(reader, words="", subscription=here, marks_read=True)
    make.rule(reader, words="", folder=news, stars=True)
    found = [how(reader, comes(subscription)) for subscription in (here, inside, elsewhere)]
    assert found == [(True, False, [], True), (False, True, [], True), (False, False, [], True)]


def test_what_rules_do_teaches_nothing(reader: User, subscription: Subscription) -> None:
    make.rule(reader, marks_read=True, stars=True)
    comes(subscription)
    assert not Engagement.objects.exists()
    assert not InterestTerm.objects.exists()


def test_an_interruption_before_the_rules_leaves_word(
    reader: User, subscription: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.rule(reader, marks_read=True)
    with monkeypatch.context() as patched:
        patched.setattr("reader.subscriptions.delivery.apply_to_arrivals", lambda ids, now: 0)  # killed here
        article = comes(subscription)
    assert how(reader, article)[0] is False
    assert Arrival.objects.count() == 1
    assert (apply_to_arrivals(now=make.NOW), apply_to_arrivals(now=make.NOW)) == (1, 0)
    assert how(reader, article)[0] is True
    assert n_unread(subscription) == (0, 0)


def test_applied_twice_at_once_it_is_done_and_counted_once(reader: User, subscription: Subscription) -> None:
    made = make.rule(reader, tag=make.tag(reader, "Games"))
    article = comes(subscription)
    delivery = Delivery.objects.get()
    Arrival.objects.create(delivery=delivery)
    apply_to_arrivals(now=make.NOW)
    made.refresh_from_db()
    assert (made.n_hits, RuleHit.objects.count(), TaggedArticle.objects.count()) == (1, 1, 1)
    assert how(reader, article)[2] == ["Games"]


def test_nobody_without_rules_has_arrivals(subscription: Subscription, django_assert_num_queries: Any) -> None:
    comes(subscription)
    assert not Arrival.objects.exists()
    with django_assert_num_queries(1):
        assert apply_to_arrivals(now=make.NOW) == 0


@pytest.mark.parametrize("n", [2, 60])
def test_rules_cost_the_same_statements_however_many_articles(
    reader: User, subscription: Subscription, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    make.rule(reader, marks_read=True, stars=True, tag=make.tag(reader, "Games"), mutes=True)
    for number in range(n):
        Arrival.objects.create(delivery=make.delivery(subscription, make.article(title=f"Chess {number}")))
    ids = list(Arrival.objects.values_list("pk", flat=True))
    with transaction.atomic(), django_assert_num_queries(38):
        apply_to_arrivals(ids, now=make.NOW)
    assert Muted.objects.count() == n


# What a person did stays.


def again(reader: User, article: Article) -> None:
    """The article comes by another feed as well, and all rules are applied to everything."""
    comes_also = make.subscription(reader)
    make.item(comes_also.feed, article)
    deliver()
    for rule in Rule.objects.all():
        backfill.request_run(rule, now=make.NOW)
        backfill.run_rule(rule.pk, now=make.NOW)


def test_what_was_kept_unread_is_not_marked_read(reader: User, subscription: Subscription) -> None:
    make.rule(reader, marks_read=True)
    article = comes(subscription)
    set_read(reader, article, is_read=False, now=make.NOW)
    make.rule(reader, words="on", marks_read=True)
    again(reader, article)
    assert how(reader, article)[0] is False
    assert n_unread(subscription) == (1, 1)


def test_a_star_that_was_taken_away_does_not_come_back(reader: User, subscription: Subscription) -> None:
    make.rule(reader, stars=True)
    article, own = comes(subscription), comes(subscription, "Snow")
    star_article(reader, article, is_starred=False, now=make.NOW)
    star_article(reader, own, is_starred=True, now=make.NOW)
    star_article(reader, own, is_starred=False, now=make.NOW)
    make.rule(reader, words="on, snow", stars=True)
    again(reader, article)
    assert [how(reader, delivered)[1] for delivered in (article, own)] == [False, False]


def test_a_star_by_hand_keeps_its_moment(reader: User, subscription: Subscription) -> None:
    article = comes(subscription)
    star_article(reader, article, is_starred=True, now=make.NOW - timedelta(days=3))
    make.rule(reader, stars=True)
    again(reader, article)
    assert ArticleState.objects.get().starred_at == make.NOW - timedelta(days=3)


def test_a_tag_that_was_taken_away_does_not_come_back(reader: User, subscription: Subscription) -> None:
    tag = make.tag(reader, "Games")
    make.rule(reader, tag=tag)
    article = comes(subscription)
    remove_tag(reader, article, tag.pk)
    make.rule(reader, words="on", tag=tag)
    again(reader, article)
    assert how(reader, article)[2] == []


@pytest.mark.parametrize("act", ["star", "like", "tag"])
def test_what_a_person_values_is_not_muted(reader: User, subscription: Subscription, act: str) -> None:
    article = comes(subscription)
    if act == "star":
        star_article(reader, article, is_starred=True, now=make.NOW)
    elif act == "like":
        vote(reader, article, "liked", now=make.NOW)
    else:
        make.tag(reader, "Games", article)
    make.rule(reader, mutes=True)
    again(reader, article)
    assert how(reader, article)[3] is True
    assert not Muted.objects.exists()


def test_a_deleted_rule_is_remembered_by_what_it_did(reader: User, subscription: Subscription) -> None:
    made = make.rule(reader, stars=True)
    article = comes(subscription)
    star_article(reader, article, is_starred=False, now=make.NOW)
    made.delete()
    make.rule(reader, stars=True)
    again(reader, article)
    assert how(reader, article)[1] is False


# Muting.


def test_what_is_muted_by_one_feed_is_not_brought_again_by_it(reader: User) -> None:
    old, target = make.feed("https://paper.example/old"), make.feed("https://paper.example/new")
    subscription = make.subscription(reader, target)
    made = make.rule(reader, mutes=True)
    article = comes(subscription)
    made.delete()
    old.status, old.merged_into = "merged", target
    old.save()
    make.item(old, make.article())
    move_merged_subscriptions()
    deliver()
    assert how(reader, article)[3] is False


def test_what_stood_under_the_muted_stands_by_itself(reader: User, subscription: Subscription) -> None:
    lead, other = make.article(title="On chess", word_count=900), make.article(title="Elsewhere")
    make.story(lead, other, lead=lead)
    for article in (lead, other):
        make.item(subscription.feed, article)
    deliver()
    assert Delivery.objects.get(article=other).is_folded
    made = make.rule(reader, mutes=True)
    backfill.request_run(made, now=make.NOW)
    backfill.run_rule(made.pk, now=make.NOW)
    assert not Delivery.objects.get(article=other).is_folded
    assert n_unread(subscription) == (1, 1)


def test_a_rule_moves_with_a_merged_feed_and_goes_with_a_left_one(reader: User) -> None:
    old, target = make.feed("https://paper.example/old"), make.feed("https://paper.example/new")
    left, stays = make.subscription(reader, old), make.subscription(reader, target)
    made = make.rule(reader, words="", subscription=left)
    old.status, old.merged_into = "merged", target
    old.save()
    move_merged_subscriptions()
    made.refresh_from_db()
    assert made.subscription == stays
    unfollow(reader, [stays.pk], now=make.NOW)
    assert not Rule.objects.exists()


# What is here already.


def test_a_rule_is_applied_to_what_is_here_read_or_not(
    reader: User, subscription: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfill, "CHUNK", 2)
    second = make.subscription(reader)
    met = [make.article(title=f"Chess {number}") for number in range(5)]
    for number, article in enumerate(met):
        make.delivery(second if number % 2 else subscription, article, is_read=number == 0)
    make.delivery(subscription, make.article(title="Snow"))
    made = make.rule(reader, tag=make.tag(reader, "Games"))
    run, is_new = backfill.request_run(made, now=make.NOW)
    assert (backfill.request_run(made, now=make.NOW), is_new) == ((run, False), True)
    apply_rule(made.pk)
    run.refresh_from_db()
    assert (run.n_total, run.n_done, run.n_hits, run.finished_at is not None) == (6, 6, 5, True)
    assert set(TaggedArticle.objects.values_list("article", flat=True)) == {article.pk for article in met}
    apply_rule(made.pk)  # there is no run
    backfill.request_run(made, now=make.NOW)
    apply_rule(made.pk)
    made.refresh_from_db()
    assert (made.n_hits, RuleRun.objects.first().n_hits) == (5, 0)  # type: ignore[union-attr]


def test_an_interrupted_run_goes_on_where_it_was(
    reader: User, subscription: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfill, "CHUNK", 2)
    for number in range(5):
        make.delivery(subscription, make.article(title=f"Chess {number}"))
    made = make.rule(reader, mutes=True)
    backfill.request_run(made, now=make.NOW)
    looked = []

    def killed(several: Any, **values: Any) -> Any:
        if looked:
            raise KeyboardInterrupt
        looked.append(1)
        return apply.load_candidates(several, **values)

    with monkeypatch.context() as patched:
        patched.setattr(backfill, "load_candidates", killed)
        with pytest.raises(KeyboardInterrupt):
            backfill.run_rule(made.pk, now=make.NOW)
    assert (RuleRun.objects.get().n_done, Muted.objects.count()) == (2, 2)
    resume_rules()
    assert (RuleRun.objects.get().n_done, Muted.objects.count()) == (5, 5)
    assert n_unread(subscription) == (0, 0)


# Trying.


def test_trying_shows_the_newest_and_changes_nothing(reader: User, subscription: Subscription) -> None:
    made = make.rule(reader, mutes=True)
    also = make.subscription(reader)
    for number in range(25):
        article = make.article(title=f"Chess {number}", published_at=make.NOW - timedelta(hours=number))
        make.delivery(subscription, article, is_read=number % 2 == 0)
        make.delivery(also, article)
    make.delivery(subscription, make.article(title="Snow"))
    make.delivery(make.subscription(make.user()), make.article(title="Chess of others"))
    preview = preview_rule(reader, made.conditions, now=make.NOW)
    assert (preview.n_checked, preview.n_hits) == (26, 25)
    assert [row.article.title for row in preview.rows] == [f"Chess {number}" for number in range(20)]
    assert not RuleHit.objects.exists()
    assert Delivery.objects.count() == 52


def test_trying_looks_over_so_many_only(
    reader: User, subscription: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reader.rules.preview.CHECKED", 2)
    for number in range(3):
        make.delivery(
            subscription, make.article(title=f"Chess {number}", published_at=make.NOW - timedelta(hours=number))
        )
    preview = preview_rule(reader, make.rule(reader).conditions, now=make.NOW)
    assert [row.article.title for row in preview.rows] == ["Chess 0", "Chess 1"]
    assert (preview.n_checked, preview.n_hits) == (2, 2)


def test_opening_after_a_rule_read_it_still_teaches(reader: User, subscription: Subscription) -> None:
    make.rule(reader, marks_read=True)
    article = comes(subscription)
    open_article(reader, article, is_read=True, now=make.NOW)
    assert Engagement.objects.get().kind == "opened"
