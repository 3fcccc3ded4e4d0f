"""Highlights: saved, listed, exported, and kept when their article goes."""

import pytest
from django.test import Client
from django.urls import reverse

from reader.articles.highlights import MAX_PER_ARTICLE, add_highlight, as_markdown, by_article
from reader.errors import HighlightRefused
from reader.models import Highlight
from tests import make
from tests.reader.conftest import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def fresh(world: World) -> World:
    Highlight.objects.all().delete()
    return world


def test_saves_selection_with_surroundings(browser: Client, fresh: World) -> None:
    data = {"quote": " It rained.\r\nA lot. ", "prefix": "x" * 50 + "before", "suffix": "after" + "x" * 50}
    path = reverse("article_highlight", args=[fresh.article.pk])
    page = browser.post(path, data, headers={"X-Fragment": "highlights"}).content.decode()
    row = Highlight.objects.get()
    assert (row.user, row.article, row.quote) == (fresh.user, fresh.article, "It rained.\nA lot.")
    assert (row.prefix, row.suffix) == ("x" * 34 + "before", "after" + "x" * 35)
    assert (row.title, row.url) == (fresh.article.title, fresh.article.link)
    assert f'data-added="h{row.pk}"' in page
    browser.post(path, data)
    assert Highlight.objects.count() == 1  # the same passage once


@pytest.mark.parametrize("quote", ["", " \n ", "x" * 5001])
def test_refuses_empty_and_too_long_quotes(browser: Client, fresh: World, quote: str) -> None:
    path = reverse("article_highlight", args=[fresh.article.pk])
    page = browser.post(path, {"quote": quote}, headers={"X-Fragment": "highlights"}).content.decode()
    assert "data-refused=" in page
    assert not Highlight.objects.exists()


def test_limits_highlights_of_an_article(fresh: World) -> None:
    rows = [Highlight(user=fresh.user, article=fresh.article, quote=str(n), made_at=make.NOW) for n in range(500)]
    Highlight.objects.bulk_create(rows[:MAX_PER_ARTICLE])
    with pytest.raises(HighlightRefused):
        add_highlight(fresh.user, fresh.article, quote="one more", now=make.NOW)


def test_lists_and_edits(browser: Client, fresh: World) -> None:
    row = add_highlight(fresh.user, fresh.article, quote="A <b>line</b>", now=make.NOW)
    assert "A &lt;b&gt;line&lt;/b&gt;" in browser.get(reverse("article", args=[fresh.article.pk])).content.decode()
    browser.post(reverse("highlight_edit", args=[row.pk]), {"note": "Mine\r\nonly"})
    page = browser.get(reverse("highlights")).content.decode()
    assert "Mine<br>only" in page
    assert reverse("article", args=[fresh.article.pk]) in page
    browser.post(reverse("highlight_edit", args=[row.pk]), {"act": "remove"})
    assert "No highlights yet." in browser.get(reverse("highlights")).content.decode()


def test_outlives_its_article(browser: Client, fresh: World) -> None:
    article = make.article(title="Gone", url="https://paper.example/gone")
    make.delivery(fresh.subscription, article)
    add_highlight(fresh.user, article, quote="A line", now=make.NOW)
    article.delete()
    page = browser.get(reverse("highlights")).content.decode()
    assert 'href="https://paper.example/gone"' in page
    assert "A line" in page


def test_article_stays_visible_after_unfollowing(browser: Client, fresh: World) -> None:
    article = make.article()
    assert browser.get(reverse("article", args=[article.pk])).status_code == 404
    add_highlight(fresh.user, article, quote="A line", now=make.NOW)
    assert browser.get(reverse("article", args=[article.pk])).status_code == 200


def test_writes_markdown(browser: Client, fresh: World) -> None:
    make_one = Highlight(title="A [title]\n# two", url="https://x.example/a b", quote="One *line*\ntwo", note="Why?")
    assert as_markdown(by_article([make_one])) == (
        "# Highlights\n\n## [A \\[title\\] \\# two](<https://x.example/ab>)\n\n> One \\*line\\*\n> two\n\nWhy?\n"
    )
    response = browser.get(reverse("highlights_export"))
    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="highlights.md"'
