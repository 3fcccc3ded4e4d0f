"""Rules applied to new and existing articles."""

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


def deliver_article(subscription: Subscription, title: str = "On chess", **values: Any) -> Article:
    """A new article of the feed, delivered."""
    article = make.article(title=title, **values)
    make.item(subscription.feed, article)
    deliver()
    return article


def state_of(user: User, article: Article) -> tuple[bool, bool, list[str], bool]:
    """Whether it's read, starred and listed, and its tags."""
    state = ArticleState.objects.filter(user=user, article=article).first()
    tags = TaggedArticle.objects.filter(user=user, article=article).values_list("tag__name", flat=True)
    in_lists = Delivery.objects.filter(user=user, article=article).exists()
    return bool(state and state.is_read), bool(state and state.is_starred), sorted(tags), in_lists


def n_unread(subscription: Subscription) -> tuple[int, int]:
    """The stored and the actual unread count."""
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
def test_applies_rule_to_new_articles(
    reader: User,
    subscription: Subscription,
    acts: dict[str, bool],
    expected: tuple[bool, bool, list[str], bool],
    unread: int,
) -> None:
    rule = make.rule(reader, **acts)
    met, other = deliver_article(subscription), deliver_article(subscription, "On snow")
    assert state_of(reader, met) == expected
    assert state_of(reader, other) == (False, False, [], True)
    assert n_unread(subscription) == (unread + 1, unread + 1)
    rule.refresh_from_db()
    assert rule.n_hits == 1
    assert rule.last_hit_at is not None
    assert not Arrival.objects.exists()


def test_applies_all_matching_rules(reader: User, subscription: Subscription) -> None:
    tags = [make.tag(reader, "Games"), make.tag(reader, "Later")]
    make.rule(reader, tag=tags[1])
    make.rule(reader, words="on", tag=tags[0], marks_read=True)
    make.rule(reader, stars=True)
    make.rule(reader, words="snow", mutes=True)
    assert state_of(reader, deliver_article(subscription)) == (True, True, ["Games", "Later"], True)


@pytest.mark.parametrize("values", [{"is_on": False}, {"words": "snow"}, {"words": ""}])
def test_ignores_disabled_and_unmatched_rules(reader: User, subscription: Subscription, values: dict[str, Any]) -> None:
    make.rule(reader, **{"mutes": True, "stars": True, **values})
    assert state_of(reader, deliver_article(subscription)) == (False, False, [], True)
    assert Rule.objects.get().n_hits == 0


def test_rules_apply_only_to_their_user(reader: User, subscription: Subscription) -> None:
    other = make.subscription(make.user(), subscription.feed)
    make.rule(reader, mutes=True, stars=True)
    article = deliver_article(subscription)
    assert state_of(reader, article) == (False, True, [], False)
    assert state_of(other.user, article) == (False, False, [], True)
    assert n_unread(other) == (1, 1)


def test_rule_for_feed_or_folder_applies_nowhere_else(reader: User) -> None:
    news = make.folder(reader)
    here, inside, elsewhere = (
        make.subscription(reader),
        make.subscription(reader, folder=news),
        make.subscription(reader),
    )
    make.rule(reader, words="", subscription=here, marks_read=True)
    make.rule(reader, words="", folder=news, stars=True)
    states = [state_of(reader, deliver_article(subscription)) for subscription in (here, inside, elsewhere)]
    assert states == [(True, False, [], True), (False, True, [], True), (False, False, [], True)]


def test_actions_of_rules_are_not_learned(reader: User, subscription: Subscription) -> None:
    make.rule(reader, marks_read=True, stars=True)
    deliver_article(subscription)
    assert not Engagement.objects.exists()
    assert not InterestTerm.objects.exists()


def test_resumes_after_interruption_before_rules(
    reader: User, subscription: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.rule(reader, marks_read=True)
    with monkeypatch.context() as patched:
        patched.setattr("reader.subscriptions.delivery.apply_to_arrivals", lambda ids, now: 0)  # killed here
        article = deliver_article(subscription)
    assert state_of(reader, article)[0] is False
    assert Arrival.objects.count() == 1
    assert (apply_to_arrivals(now=make.NOW), apply_to_arrivals(now=make.NOW)) == (1, 0)
    assert state_of(reader, article)[0] is True
    assert n_unread(subscription) == (0, 0)


def test_concurrent_runs_apply_and_count_once(reader: User, subscription: Subscription) -> None:
    rule = make.rule(reader, tag=make.tag(reader, "Games"))
    article = deliver_article(subscription)
    delivery = Delivery.objects.get()
    Arrival.objects.create(delivery=delivery)
    apply_to_arrivals(now=make.NOW)
    rule.refresh_from_db()
    assert (rule.n_hits, RuleHit.objects.count(), TaggedArticle.objects.count()) == (1, 1, 1)
    assert state_of(reader, article)[2] == ["Games"]


def test_users_without_rules_have_no_arrivals(subscription: Subscription, django_assert_num_queries: Any) -> None:
    deliver_article(subscription)
    assert not Arrival.objects.exists()
    with django_assert_num_queries(1):
        assert apply_to_arrivals(now=make.NOW) == 0


@pytest.mark.parametrize("n", [2, 60])
def test_takes_constant_queries_for_any_number_of_articles(
    reader: User, subscription: Subscription, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    make.rule(reader, marks_read=True, stars=True, tag=make.tag(reader, "Games"), mutes=True)
    for number in range(n):
        Arrival.objects.create(delivery=make.delivery(subscription, make.article(title=f"Chess {number}")))
    ids = list(Arrival.objects.values_list("pk", flat=True))
    with transaction.atomic(), django_assert_num_queries(39):
        apply_to_arrivals(ids, now=make.NOW)
    assert Muted.objects.count() == n


# The user's own actions are kept.


def redeliver_and_apply_all(reader: User, article: Article) -> None:
    """Deliver the article by another feed too, and apply all rules to everything."""
    comes_also = make.subscription(reader)
    make.item(comes_also.feed, article)
    deliver()
    for rule in Rule.objects.all():
        backfill.request_run(rule, now=make.NOW)
        backfill.run_rule(rule.pk, now=make.NOW)


def test_does_not_mark_read_what_user_kept_unread(reader: User, subscription: Subscription) -> None:
    make.rule(reader, marks_read=True)
    article = deliver_article(subscription)
    set_read(reader, article, is_read=False, now=make.NOW)
    make.rule(reader, words="on", marks_read=True)
    redeliver_and_apply_all(reader, article)
    assert state_of(reader, article)[0] is False
    assert n_unread(subscription) == (1, 1)


def test_does_not_restore_removed_star(reader: User, subscription: Subscription) -> None:
    make.rule(reader, stars=True)
    article, own = deliver_article(subscription), deliver_article(subscription, "Snow")
    star_article(reader, article, is_starred=False, now=make.NOW)
    star_article(reader, own, is_starred=True, now=make.NOW)
    star_article(reader, own, is_starred=False, now=make.NOW)
    make.rule(reader, words="on, snow", stars=True)
    redeliver_and_apply_all(reader, article)
    assert [state_of(reader, delivered)[1] for delivered in (article, own)] == [False, False]


def test_keeps_time_of_manual_star(reader: User, subscription: Subscription) -> None:
    article = deliver_article(subscription)
    star_article(reader, article, is_starred=True, now=make.NOW - timedelta(days=3))
    make.rule(reader, stars=True)
    redeliver_and_apply_all(reader, article)
    assert ArticleState.objects.get().starred_at == make.NOW - timedelta(days=3)


def test_does_not_restore_removed_tag(reader: User, subscription: Subscription) -> None:
    tag = make.tag(reader, "Games")
    make.rule(reader, tag=tag)
    article = deliver_article(subscription)
    remove_tag(reader, article, tag.pk)
    make.rule(reader, words="on", tag=tag)
    redeliver_and_apply_all(reader, article)
    assert state_of(reader, article)[2] == []


@pytest.mark.parametrize("act", ["star", "like", "tag"])
def test_does_not_mute_articles_the_user_valued(reader: User, subscription: Subscription, act: str) -> None:
    article = deliver_article(subscription)
    if act == "star":
        star_article(reader, article, is_starred=True, now=make.NOW)
    elif act == "like":
        vote(reader, article, "liked", now=make.NOW)
    else:
        make.tag(reader, "Games", article)
    make.rule(reader, mutes=True)
    redeliver_and_apply_all(reader, article)
    assert state_of(reader, article)[3] is True
    assert not Muted.objects.exists()


def test_effects_of_deleted_rule_remain(reader: User, subscription: Subscription) -> None:
    rule = make.rule(reader, stars=True)
    article = deliver_article(subscription)
    star_article(reader, article, is_starred=False, now=make.NOW)
    rule.delete()
    make.rule(reader, stars=True)
    redeliver_and_apply_all(reader, article)
    assert state_of(reader, article)[1] is False


# Muting.


def test_does_not_redeliver_muted_articles(reader: User) -> None:
    old, target = make.feed("https://paper.example/old"), make.feed("https://paper.example/new")
    subscription = make.subscription(reader, target)
    rule = make.rule(reader, mutes=True)
    article = deliver_article(subscription)
    rule.delete()
    old.status, old.merged_into = "merged", target
    old.save()
    make.item(old, make.article())
    move_merged_subscriptions()
    deliver()
    assert state_of(reader, article)[3] is False


def test_unfolds_articles_under_a_muted_lead(reader: User, subscription: Subscription) -> None:
    lead, other = make.article(title="On chess", word_count=900), make.article(title="Elsewhere")
    make.story(lead, other, lead=lead)
    for article in (lead, other):
        make.item(subscription.feed, article)
    deliver()
    assert Delivery.objects.get(article=other).is_folded
    rule = make.rule(reader, mutes=True)
    backfill.request_run(rule, now=make.NOW)
    backfill.run_rule(rule.pk, now=make.NOW)
    assert not Delivery.objects.get(article=other).is_folded
    assert n_unread(subscription) == (1, 1)


def test_rule_follows_merged_feed_and_is_deleted_with_unfollowed(reader: User) -> None:
    old, target = make.feed("https://paper.example/old"), make.feed("https://paper.example/new")
    left, stays = make.subscription(reader, old), make.subscription(reader, target)
    rule = make.rule(reader, words="", subscription=left)
    old.status, old.merged_into = "merged", target
    old.save()
    move_merged_subscriptions()
    rule.refresh_from_db()
    assert rule.subscription == stays
    unfollow(reader, [stays.pk], now=make.NOW)
    assert not Rule.objects.exists()


# Existing articles.


def test_applies_rule_to_existing_articles_read_or_not(
    reader: User, subscription: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfill, "CHUNK", 2)
    second = make.subscription(reader)
    met = [make.article(title=f"Chess {number}") for number in range(5)]
    for number, article in enumerate(met):
        make.delivery(second if number % 2 else subscription, article, is_read=number == 0)
    make.delivery(subscription, make.article(title="Snow"))
    rule = make.rule(reader, tag=make.tag(reader, "Games"))
    run, is_new = backfill.request_run(rule, now=make.NOW)
    assert (backfill.request_run(rule, now=make.NOW), is_new) == ((run, False), True)
    apply_rule(rule.pk)
    run.refresh_from_db()
    assert (run.n_total, run.n_done, run.n_hits, run.finished_at is not None) == (6, 6, 5, True)
    assert set(TaggedArticle.objects.values_list("article", flat=True)) == {article.pk for article in met}
    apply_rule(rule.pk)  # there is no run
    backfill.request_run(rule, now=make.NOW)
    apply_rule(rule.pk)
    rule.refresh_from_db()
    assert (rule.n_hits, RuleRun.objects.first().n_hits) == (5, 0)  # type: ignore[union-attr]


def test_interrupted_run_resumes(reader: User, subscription: Subscription, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backfill, "CHUNK", 2)
    for number in range(5):
        make.delivery(subscription, make.article(title=f"Chess {number}"))
    rule = make.rule(reader, mutes=True)
    backfill.request_run(rule, now=make.NOW)
    looked = []

    def killed(several: Any, matchers: Any) -> Any:
        if looked:
            raise KeyboardInterrupt
        looked.append(1)
        return apply.load_candidates(several, matchers)

    with monkeypatch.context() as patched:
        patched.setattr(backfill, "load_candidates", killed)
        with pytest.raises(KeyboardInterrupt):
            backfill.run_rule(rule.pk, now=make.NOW)
    assert (RuleRun.objects.get().n_done, Muted.objects.count()) == (2, 2)
    resume_rules()
    assert (RuleRun.objects.get().n_done, Muted.objects.count()) == (5, 5)
    assert n_unread(subscription) == (0, 0)


# Previews.


def test_preview_shows_newest_and_changes_nothing(reader: User, subscription: Subscription) -> None:
    rule = make.rule(reader, mutes=True)
    also = make.subscription(reader)
    for number in range(25):
        article = make.article(title=f"Chess {number}", published_at=make.NOW - timedelta(hours=number))
        make.delivery(subscription, article, is_read=number % 2 == 0)
        make.delivery(also, article)
    make.delivery(subscription, make.article(title="Snow"))
    make.delivery(make.subscription(make.user()), make.article(title="Chess of others"))
    preview = preview_rule(reader, rule.conditions, now=make.NOW)
    assert (preview.n_checked, preview.n_hits) == (26, 25)
    assert [row.article.title for row in preview.rows] == [f"Chess {number}" for number in range(20)]
    assert not RuleHit.objects.exists()
    assert Delivery.objects.count() == 52


def test_preview_limits_articles_checked(
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


def test_opening_after_a_rule_marked_read_is_still_learned(reader: User, subscription: Subscription) -> None:
    make.rule(reader, marks_read=True)
    article = deliver_article(subscription)
    open_article(reader, article, is_read=True, now=make.NOW)
    assert Engagement.objects.get().kind == "opened"
