"""Pages of rules and muted articles."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from reader.limits import RULES
from reader.models import Delivery, Muted, Rule, RuleRun, Subscription, Tag
from reader.rules.apply import apply_to_arrivals
from reader.rules.backfill import run_rule
from tests import make
from tests.markup import tight
from tests.reader.conftest import Enqueued, World

pytestmark = pytest.mark.django_db


def when(value: str, field: str = "anywhere", test: str = "contains") -> dict[str, str]:
    """A condition as it is posted."""
    return {"field": field, "test": test, "value": value}


def text(client: Client, name: str, *args: int, **query: str) -> str:
    return tight(client.get(reverse(name, args=args), query).content.decode())


def test_describes_rule_in_words(browser: Client, world: World) -> None:
    Rule.objects.all().delete()
    tag = make.tag(world.user, "Games")
    make.rule(world.user, name="Less of it", author="Ada", folder=world.folder, mutes=True, tag=tag, n_hits=1234)
    page = text(browser, "rules")
    for words in (
        "Less of it",
        "In the folder Morning, if title or text contains “chess” and author contains “Ada”: mute, tag Games",
        "1,234 articles",
    ):
        assert words in page
    assert "Every matching rule applies" in page


def test_empty_list_says_so(browser: Client, world: World) -> None:
    Rule.objects.all().delete()
    assert "No rules yet." in text(browser, "rules")


@pytest.mark.parametrize("n", [1, 30])
def test_list_takes_constant_queries(
    browser: Client, world: World, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    for _ in range(n):
        rule = make.rule(world.user, subscription=make.subscription(world.user), tag=make.tag(world.user))
        RuleRun.objects.create(rule=rule, asked_at=make.NOW)
    with django_assert_num_queries(12):
        text(browser, "rules")


def test_preview_shows_matches_and_saves_nothing(browser: Client, world: World) -> None:
    make.delivery(world.subscription, make.article(title="On chess"))
    before = world.state()
    page = browser.post(reverse("rule_new"), when("chess") | {"stars": "on", "act": "try"}).content.decode()
    assert "Matches 1 of your newest 2 articles" in page
    assert "On chess" in page
    assert 'value="chess"' in page
    assert world.state() == before


def test_preview_says_if_nothing_matches(browser: Client, world: World) -> None:
    page = browser.post(reverse("rule_new"), when("zebra") | {"act": "try"}).content.decode()
    assert "Matches none of your newest 1 articles" in page


@pytest.mark.parametrize("n", [1, 60])
def test_preview_takes_constant_queries(
    browser: Client, world: World, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    for number in range(n):
        make.delivery(world.subscription, make.article(title=f"Chess {number}"))
    with django_assert_num_queries(23):
        browser.post(reverse("rule_new"), when("chess") | {"act": "try"})


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"stars": "on"}, "Set at least one condition"),
        (when("chess"), "Choose at least one action"),
        (when("chess") | {"tag": "a, b"}, "one tag"),
        (when("chess") | {"stars": "on", "place": "feed-999999"}, "Select a valid choice"),
        (when("x" * 101) | {"stars": "on"}, "up to 100 characters"),
    ],
)
def test_refuses_invalid_rule_with_a_reason(browser: Client, world: World, data: dict[str, str], why: str) -> None:
    before = world.state()
    response = browser.post(reverse("rule_new"), data | {"act": "save"})
    assert response.status_code == 422
    assert why in response.content.decode()
    assert world.state() == before


def test_refuses_feeds_and_folders_of_other_users(browser: Client, world: World) -> None:
    other = make.user()
    places = f"feed-{make.subscription(other).pk}", f"folder-{make.folder(other).pk}"
    for place in places:
        data = when("chess") | {"stars": "on", "place": place, "act": "save"}
        assert browser.post(reverse("rule_new"), data).status_code == 422
    assert Rule.objects.count() == 1


def test_saves_and_shows_all_fields(browser: Client, world: World) -> None:
    data = {
        "name": "Openings",
        "field": ["title", "author", "category", "url"],
        "test": ["contains", "is_not", "is", "matches_not"],
        "value": ["chess, go", "Ada", "Games", "a*b|c"],
        "is_any": "1",
        "place": f"feed-{world.subscription.pk}",
        "marks_read": "on",
        "tag": "Board games",
    }
    assert browser.post(reverse("rule_new"), data | {"act": "save"})["Location"] == "/rules/"
    rule = Rule.objects.latest("pk")
    assert (rule.user, rule.subscription, rule.folder, rule.tag) == (
        world.user,
        world.subscription,
        None,
        Tag.objects.get(name="Board games"),
    )
    assert (rule.mutes, rule.marks_read, rule.stars, rule.is_on) == (False, True, False, True)
    page = text(browser, "rule_edit", rule.pk)
    assert [tuple(row.values()) for row in rule.rows] == [
        ("title", "contains", "chess, go"),
        ("author", "is_not", "Ada"),
        ("category", "is", "Games"),
        ("url", "matches_not", "a*b|c"),
    ]
    assert rule.is_any
    assert page.count('value="matches_not" selected') == 1
    for value in ("Openings", "chess, go", "Ada", "Games", "a*b|c", "Board games"):
        assert f'value="{value}"' in page
    assert f'<option value="feed-{world.subscription.pk}" selected>' in page


def test_changing_the_place_replaces_the_old_one(browser: Client, world: World) -> None:
    data = {"words": "chess", "stars": "on", "place": f"folder-{world.folder.pk}", "act": "save"}
    browser.post(reverse("rule_edit", args=[world.rule.pk]), data)
    world.rule.refresh_from_db()
    assert (world.rule.subscription, world.rule.folder) == (None, world.folder)


def test_form_is_prefilled_from_the_url(browser: Client, world: World) -> None:
    page = text(browser, "rule_new", **when("Ada", "author", "is"), place=f"folder-{world.folder.pk}")
    assert 'value="Ada"' in page
    assert f'<option value="folder-{world.folder.pk}" selected>' in page


def test_limits_number_of_rules(browser: Client, world: World) -> None:
    Rule.objects.bulk_create([Rule(user=world.user) for _ in range(RULES.most)])
    response = browser.post(reverse("rule_new"), when("chess") | {"stars": "on", "act": "save"})
    assert response.status_code == 422
    assert "You can have up to" in response.content.decode()


def test_applying_to_existing_articles_queues_task_with_progress(
    browser: Client, world: World, enqueued: Enqueued
) -> None:
    data = when("morning") | {"stars": "on", "also_here": "on", "act": "save"}
    browser.post(reverse("rule_edit", args=[world.rule.pk]), data)
    assert enqueued == [("reader.tasks.recurring.apply_rule", world.rule.pk)]
    for headers in ({}, {"X-Fragment": "progress"}):
        page = browser.get(reverse("rules"), headers=headers).content.decode()
        assert "0 of 1 articles checked" in page
        assert 'data-over="false"' in page
    run_rule(world.rule.pk, now=make.NOW)
    assert "applied to 1 existing: 1 matched" in text(browser, "rules")


def test_saving_applies_to_existing_articles_only_on_request(browser: Client, world: World, enqueued: Enqueued) -> None:
    browser.post(reverse("rule_edit", args=[world.rule.pk]), when("morning") | {"stars": "on", "act": "save"})
    assert enqueued == []
    assert not RuleRun.objects.exists()


def test_disables_and_enables(browser: Client, world: World) -> None:
    for value, is_on in (("0", False), ("1", True)):
        browser.post(reverse("rule_switch", args=[world.rule.pk]), {"is_on": value})
        world.rule.refresh_from_db()
        assert world.rule.is_on is is_on


def test_lists_opens_and_restores_muted_articles(browser: Client, world: World) -> None:
    subscription = Subscription.objects.get(pk=world.subscription.pk)
    n_unread = subscription.unread_count
    assert f"/articles/{world.muted.pk}/unmute/" in text(browser, "muted")
    page = text(browser, "article", world.muted.pk)  # marks it read
    assert "hidden from your lists" in page
    assert f'href="/articles/{world.muted.pk}/' not in text(browser, "home")
    browser.post(reverse("article_read", args=[world.muted.pk]), {"is_read": "0"})
    browser.post(reverse("article_unmute", args=[world.muted.pk]))
    assert not Muted.objects.exists()
    assert f'href="/articles/{world.muted.pk}/' in text(browser, "home")
    subscription.refresh_from_db()
    assert subscription.unread_count == n_unread + 1
    assert subscription.deliveries.filter(is_read=False).count() == n_unread + 1


def test_restored_article_is_not_muted_again(browser: Client, world: World) -> None:
    rule = make.rule(world.user, mutes=True)
    article = make.article(title="Chess")
    make.delivery(world.subscription, article)
    for _ in range(2):
        browser.post(reverse("rule_run", args=[rule.pk]))
        run_rule(rule.pk, now=make.NOW)
        browser.post(reverse("article_unmute", args=[article.pk]))
    apply_to_arrivals(now=make.NOW)
    browser.post(reverse("rule_run", args=[rule.pk]))
    run_rule(rule.pk, now=make.NOW)
    assert Delivery.objects.filter(article=article).exists()


def test_muted_list_shows_an_article_once(browser: Client, world: World) -> None:
    make.muted(world.rule, make.subscription(world.user), world.muted)
    assert text(browser, "muted").count('class="row"') == 1


@pytest.mark.parametrize("n", [1, 30])
def test_muted_list_takes_constant_queries(
    browser: Client, world: World, django_assert_num_queries: DjangoAssertNumQueries, n: int
) -> None:
    for _ in range(n):
        make.muted(world.rule, world.subscription, make.article())
    with django_assert_num_queries(16):
        text(browser, "muted")


def test_muted_list_is_empty_at_first(browser: Client, world: World) -> None:
    Muted.objects.all().delete()
    assert "No muted articles." in text(browser, "muted")


def test_preview_mentions_that_it_is_a_sample(browser: Client, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    form = when("chess") | {"stars": "on", "act": "try"}
    assert "newest 1 only" not in browser.post(reverse("rule_new"), form).content.decode()
    monkeypatch.setattr("reader.rules.preview.CHECKED", 1)
    assert "Only your newest 1 article was checked." in browser.post(reverse("rule_new"), form).content.decode()


@pytest.mark.parametrize(
    ("lift", "does"),
    [pytest.param("20", "raise relevance by 20", id="up"), pytest.param("-10", "lower relevance by 10", id="down")],
)
def test_rule_may_only_change_relevance(
    browser: Client, world: World, enqueued: Enqueued, lift: str, does: str
) -> None:
    response = browser.post(reverse("rule_new"), when("whales") | {"lift": lift, "act": "save"}, follow=True)
    page = response.content.decode()
    assert does in page
    assert "Existing articles update within minutes." in page
    rule = Rule.objects.latest("pk")
    assert RuleRun.objects.get(rule=rule).is_whole is False
    assert f'value="{lift}" selected' in text(browser, "rule_edit", rule.pk)


@pytest.mark.parametrize("lift", ["15", "x", "1000"])
def test_refuses_unknown_strength(browser: Client, world: World, lift: str) -> None:
    n = Rule.objects.count()
    assert browser.post(reverse("rule_new"), when("go") | {"lift": lift, "act": "save"}).status_code == 422
    assert Rule.objects.count() == n


def test_rows_are_added_and_removed_without_scripts(browser: Client, world: World) -> None:
    data = {"field": ["title", "author"], "test": ["is", "is"], "value": ["One", "Two"], "stars": "on"}
    page = browser.post(reverse("rule_new"), data | {"act": "add"}).content.decode()
    assert page.count('name="value"') == 3
    page = browser.post(reverse("rule_new"), data | {"act": "remove-0"}).content.decode()
    assert page.count('name="value"') == 1
    assert 'value="Two"' in page
    assert Rule.objects.count() == 1


@pytest.mark.parametrize("row", [when("x", "password"), when("x", test="regex")])
def test_ignores_unknown_fields_and_comparisons(browser: Client, world: World, row: dict[str, str]) -> None:
    response = browser.post(reverse("rule_new"), row | {"stars": "on", "act": "save"})
    assert (response.status_code, Rule.objects.count()) == (422, 1)
