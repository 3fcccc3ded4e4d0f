"""Muting and rules from an article's menu."""

import pytest
from django.test import Client
from django.urls import reverse

from reader.models import Delivery, Muted, Rule, RuleHit
from reader.rules.backfill import run_rule
from tests import make
from tests.reader.conftest import Enqueued, World

pytestmark = pytest.mark.django_db


def mute(browser: Client, pk: int, **data: str) -> str:
    return browser.post(reverse("article_mute", args=[pk]), data, follow=True).content.decode()


@pytest.mark.parametrize(
    ("data", "n_muted", "words"),
    [
        pytest.param({"what": "author"}, 1, "Articles by Ada are muted.", id="author"),
        pytest.param({"what": "feed"}, 3, "New articles from", id="feed"),
        pytest.param({"what": "word", "word": "harbour"}, 2, "Articles with “harbour” in the title", id="word"),
    ],
)
def test_mutes_and_undoes(
    browser: Client, world: World, enqueued: Enqueued, data: dict[str, str], n_muted: int, words: str
) -> None:
    Muted.objects.all().delete()
    world.article.delete()
    titles = (("Harbour opens", "Ada"), ("The harbour", "Ada, Bob"), ("Snow", ""))
    articles = [make.article(title=title, author=author) for title, author in titles]
    for article in articles:
        make.delivery(world.subscription, article)
    page = mute(browser, articles[0].pk, **data)
    rule = Rule.objects.latest("pk")
    assert words in page
    assert f'formaction="/rules/{rule.pk}/undo/"' in page
    assert enqueued == [("reader.tasks.recurring.apply_rule", rule.pk)]
    run_rule(rule.pk, now=make.NOW)
    assert Muted.objects.count() == n_muted
    assert (
        f'href="{reverse("rule_edit", args=[rule.pk])}"'
        in browser.get(reverse("article", args=[articles[0].pk])).content.decode()
    )
    browser.post(reverse("rule_undo", args=[rule.pk]))
    assert not Muted.objects.exists()
    assert Delivery.objects.filter(article__in=articles).count() == 3
    assert not Rule.objects.filter(pk=rule.pk).exists()
    assert not RuleHit.objects.filter(article__in=articles).exists()  # so that muting again works


def test_muting_twice_makes_one_rule(browser: Client, world: World, enqueued: Enqueued) -> None:
    mute(browser, world.article.pk, what="author")
    page = mute(browser, world.article.pk, what="author")
    assert "Articles by Morning are muted." in page
    assert "/undo/" not in page
    assert (Rule.objects.filter(mutes=True).count(), len(enqueued)) == (1, 1)


@pytest.mark.parametrize("data", [{}, {"what": "word"}, {"what": "word", "word": " ,"}, {"what": "x", "word": "y"}])
def test_mutes_nothing_without_a_word(browser: Client, world: World, data: dict[str, str]) -> None:
    before = world.state()
    assert "message-warning" in mute(browser, world.article.pk, **data)
    assert world.state() | {"engagements": 0} == before | {"engagements": 0}


def test_fills_in_the_form_from_an_article(browser: Client, world: World) -> None:
    article = make.article(title="The harbour opens its gates", author="Ada")
    make.delivery(world.subscription, article)
    page = browser.get(reverse("rule_new"), {"article": article.pk}).content.decode()
    assert f'<option value="feed-{world.subscription.pk}" selected>' in page
    assert 'value="Ada"' in page
    assert 'value="harbour, opens, gates"' in page
    other = make.article(title="Not theirs")
    assert browser.get(reverse("rule_new"), {"article": other.pk}).status_code == 404
