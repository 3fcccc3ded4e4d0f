"""Rules shift relevance while they're in effect, and aren't learned from."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from feeds.models import Article, Pending
from reader.models import Delivery, Engagement, InterestTerm, Rule, RuleBoost, RuleRun, Subscription
from reader.rules.backfill import request_run, run_rule
from reader.rules.store import RuleDraft, delete_rule, save_rule, set_enabled
from reader.scoring.explain import explain
from reader.scoring.importance import static_importance
from reader.scoring.rate import rate_waiting
from reader.scoring.rule_boosts import boosted
from reader.subscriptions.delivery import deliver
from reader.subscriptions.folders import delete_folder
from reader.subscriptions.unfollow import restore, unfollow
from tests import make

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("relevance", "points", "expected"),
    [
        pytest.param(50.0, 20, 70.0, id="up"),
        pytest.param(50.0, -10, 40.0, id="down"),
        pytest.param(50.0, 0, 50.0, id="not at all"),
        pytest.param(95.0, 20, 100.0, id="no further than the top"),
        pytest.param(5.0, -20, 0.0, id="nor than the bottom"),
        pytest.param(50.0, 60, 70.0, id="several rules, together no more than one may"),
        pytest.param(50.0, -60, 30.0, id="and no less"),
    ],
)
def test_stays_within_bounds(relevance: float, points: int, expected: float) -> None:
    assert boosted(relevance, points) == expected


@pytest.fixture
def reader() -> User:
    return make.user()


@pytest.fixture
def subscription(reader: User) -> Subscription:
    return make.subscription(reader)


def deliver_article(subscription: Subscription, title: str = "On chess") -> Article:
    article = make.article(title=title)
    make.item(subscription.feed, article)
    deliver()
    rate()
    return article


def rate() -> None:
    Pending.objects.all().delete()
    rate_waiting()


def saved(user: User, rule: Rule | None = None, *, words: str = "chess", lift: int = 20) -> Rule:
    """The rule, saved as its page does it, applied, with everything rated."""
    conditions = make.conditions(words=words)
    draft = RuleDraft("Chess", conditions, mutes=False, marks_read=False, stars=lift == 0, tag="", lift=lift)
    rule, runs = save_rule(user, rule, draft, now=make.NOW)
    if runs:
        run_rule(rule.pk, now=make.NOW)
    rate()
    return rule


def reloaded(rule: Rule) -> Rule:
    return Rule.objects.get(pk=rule.pk)


def relevance(user: User, article: Article) -> float | None:
    (value,) = set(Delivery.objects.filter(user=user, article=article).values_list("relevance", flat=True))
    return value


def test_lifts_new_and_existing_articles(reader: User, subscription: Subscription) -> None:
    here, other = deliver_article(subscription), deliver_article(subscription, "On whales")
    saved(reader)
    coming = deliver_article(subscription)
    assert [relevance(reader, article) for article in (here, other, coming)] == [70.0, 50.0, 70.0]
    delivery = Delivery.objects.select_related("article__assessment").get(article=here)
    assert delivery.static_importance == static_importance(delivery.article.assessment.shared_importance, 0, 70.0)


def test_lifts_only_deliveries_of_its_user(reader: User, subscription: Subscription) -> None:
    second, others = make.subscription(reader), make.subscription(make.user(), subscription.feed)
    article = deliver_article(subscription)
    make.item(second.feed, article)
    deliver()
    saved(reader)
    assert Delivery.objects.filter(user=reader, article=article).count() == 2
    assert relevance(reader, article) == 70.0
    assert relevance(others.user, article) == 50.0


@pytest.mark.parametrize("lift", [10, -20, 0])
def test_follows_changes_of_the_rule(reader: User, subscription: Subscription, lift: int) -> None:
    article, other = deliver_article(subscription), deliver_article(subscription, "On whales")
    rule = saved(reader)
    saved(reader, reloaded(rule), lift=lift)
    assert (relevance(reader, article), relevance(reader, other)) == (50.0 + lift, 50.0)
    saved(reader, reloaded(rule), words="whales", lift=lift)
    assert (relevance(reader, article), relevance(reader, other)) == (50.0, 50.0 + lift)


def test_is_reverted_while_rule_is_disabled_or_deleted(reader: User, subscription: Subscription) -> None:
    article = deliver_article(subscription)
    rule = saved(reader)
    assert set_enabled(reloaded(rule), is_on=False, now=make.NOW)
    run_rule(rule.pk, now=make.NOW)
    rate()
    assert (relevance(reader, article), RuleBoost.objects.count()) == (50.0, 0)
    assert set_enabled(reloaded(rule), is_on=True, now=make.NOW)
    run_rule(rule.pk, now=make.NOW)
    rate()
    assert relevance(reader, article) == 70.0
    delete_rule(reloaded(rule))
    rate()
    assert relevance(reader, article) == 50.0


def test_has_no_effect_before_it_is_reverted(reader: User, subscription: Subscription) -> None:
    article = deliver_article(subscription)
    rule = saved(reader)
    Rule.objects.filter(pk=rule.pk).update(version=7)
    Delivery.objects.update(is_rated=False)
    rate()
    assert relevance(reader, article) == 50.0


def test_unfollowing_a_rules_feed_stops_its_lift_and_restoring_resumes_it(
    reader: User, subscription: Subscription
) -> None:
    article = deliver_article(subscription)
    second = make.subscription(reader)
    make.item(second.feed, article)
    deliver()
    rule = make.rule(reader, words="", subscription=subscription, lift=20)
    request_run(rule, now=make.NOW, is_whole=False)
    run_rule(rule.pk, now=make.NOW)
    rate()
    assert relevance(reader, article) == 70.0
    unfollow(reader, [subscription.pk], now=make.NOW)
    rate()
    assert relevance(reader, article) == 50.0
    restore(reader, [subscription.pk])
    rate()
    assert relevance(reader, article) == 70.0


def test_is_reverted_when_the_rules_folder_is_deleted(reader: User, subscription: Subscription) -> None:
    article = deliver_article(subscription)
    folder = make.folder(reader, "Games")
    Subscription.objects.update(folder=folder)
    Delivery.objects.update(folder=folder)
    rule = make.rule(reader, words="", folder=folder, lift=20)
    request_run(rule, now=make.NOW, is_whole=False)
    run_rule(rule.pk, now=make.NOW)
    rate()
    assert relevance(reader, article) == 70.0
    delete_folder(folder)
    rate()
    assert relevance(reader, article) == 50.0


def test_is_reverted_when_admin_deletes_the_rule(
    reader: User, subscription: Subscription, admin_client: Client
) -> None:
    article = deliver_article(subscription)
    rate()
    before = relevance(reader, article)
    rule = saved(reader)
    run_rule(rule.pk, now=make.NOW)
    rate()
    assert relevance(reader, article) != before
    chosen = {"action": "delete_selected", "_selected_action": [rule.pk], "post": "yes"}
    admin_client.post("/admin/reader/rule/", chosen)
    rate()
    assert (Rule.objects.exists(), relevance(reader, article)) == (False, before)


def test_run_for_relevance_applies_no_actions(reader: User, subscription: Subscription) -> None:
    deliver_article(subscription)
    rule = make.rule(reader, lift=20, marks_read=True)
    request_run(rule, now=make.NOW, is_whole=False)
    run_rule(rule.pk, now=make.NOW)
    assert (Delivery.objects.get().is_read, RuleBoost.objects.count()) == (False, 1)
    request_run(rule, now=make.NOW)
    run_rule(rule.pk, now=make.NOW)
    assert Delivery.objects.get().is_read


def test_run_restarts_if_the_request_or_rule_changed(reader: User) -> None:
    rule = make.rule(reader, lift=20)
    run, _ = request_run(rule, now=make.NOW, is_whole=False)
    RuleRun.objects.update(article_at=5, n_done=3)
    repeated, is_new = request_run(rule, now=make.NOW, is_whole=False)
    assert (repeated.pk, is_new, repeated.article_at) == (run.pk, False, 5)
    more, _ = request_run(rule, now=make.NOW + timedelta(seconds=1))
    assert (more.pk, more.article_at, more.n_done, more.is_whole) == (run.pk, 0, 0, True)
    RuleRun.objects.update(article_at=5)
    rule.version = 2
    other, _ = request_run(rule, now=make.NOW + timedelta(seconds=2), is_whole=False)
    assert (other.article_at, other.version, other.is_whole) == (0, 2, True)


def test_is_not_learned_from(reader: User, subscription: Subscription) -> None:
    deliver_article(subscription)
    saved(reader)
    assert (Engagement.objects.count(), InterestTerm.objects.count()) == (0, 0)


def test_is_explained(reader: User, subscription: Subscription) -> None:
    article = deliver_article(subscription)
    saved(reader)
    why = explain(reader, article, now=make.NOW)
    assert why is not None
    assert why.relevance.value == 70.0
    neutral = "We don't know your interests yet, so this is neutral: 50 of 100."
    assert why.relevance.sentence == f"{neutral} Your rule “Chess” raises it by 20. Total: 70."
    RuleBoost.objects.create(user=reader, rule=make.rule(reader, name="More", lift=20), article=article, version=1)
    why = explain(reader, article, now=make.NOW)
    assert why is not None
    assert "Together, rules change it by at most 20." in why.relevance.sentence
