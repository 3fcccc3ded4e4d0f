"""Input by users and publishers is escaped on every page; only sanitized bodies are markup."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from feeds.models import Article, Condition, Link, Revision
from reader.models import Delivery
from reader.templatetags.formatting import fill, whole_sentences
from rssmanager.env import PROJECT
from tests import make
from tests.markup import tight
from tests.reader.conftest import World
from tests.tables import table

TEMPLATES = sorted((PROJECT / "templates").rglob("*.html"))
ROOMS = ("feeds", "reader", "digests", "account", "rssmanager")
MODULES = sorted(path for room in ROOMS for path in (PROJECT / room).rglob("*.py"))
SAFE = re.compile(r"(?P<what>[\w.]*)\s*\|\s*(?:safe|safeseq)\b")
RAW = re.compile(r"\bmark_safe\b|\bSafeString\(|\bSafeText\b|is_safe\s*=\s*True")

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7|add:7 }}"


def test_finds_templates() -> None:
    assert len(TEMPLATES) > 20


@table("path", TEMPLATES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_only_sanitized_markup_is_marked_safe(path: Path) -> None:
    text = path.read_text()
    assert {match["what"] for match in SAFE.finditer(text)} <= {"article_html"}
    assert not re.search(r"autoescape\s+off", text)


@table("path", TEMPLATES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_templates_have_no_inline_script_or_style(path: Path) -> None:
    """The content security policy would refuse them."""
    text = path.read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style\b|\sstyle=|\son[a-z]+=", text)


def test_only_the_sanitizer_package_marks_markup_safe() -> None:
    naming = [str(path.relative_to(PROJECT)) for path in MODULES if RAW.search(path.read_text())]
    assert naming == []


def test_bodies_reach_templates_only_through_safe_html() -> None:
    calls = [
        line.strip()
        for path in MODULES
        for line in path.read_text().splitlines()
        if re.search(r"""["']article_html["']\s*:|article_html\s*=""", line)
    ]
    assert calls == ['"article_html": _first_picture_first(proxy_images(body, found.link)),']
    view = (PROJECT / "reader/views/article.py").read_text()
    expected = "body = safe_html(found) if choice.page is None else safe_full_text(choice.page)"
    assert re.findall(r"\bbody = .*", view) == [expected]


@pytest.fixture
def hostile(make_world: Callable[..., World]) -> World:
    world = make_world(HOSTILE)
    feed = world.subscription.feed
    feed.site_url, feed.condition, feed.condition_reason = "javascript:alert(1)", Condition.SILENT, HOSTILE
    feed.interval_reason, feed.consecutive_failures = HOSTILE, 1
    feed.save()
    make.poll(feed, "parse_error", message=HOSTILE)
    world.article.text = world.article.summary = HOSTILE
    world.article.language = '"><b>'[:8]
    world.article.media = [{"url": 'https://a.example/"><script>alert(1)</script>.mp3', "mime_type": "audio/mpeg"}]
    world.article.save()
    Revision.objects.create(
        article=world.article, replaced_at=make.NOW, title=HOSTILE, text=HOSTILE, markup=HOSTILE, content_hash=1
    )
    second = make.subscription(world.user, make.feed(title=HOSTILE), title=HOSTILE)
    make.delivery(second, world.article)
    Link.objects.update(evidence=HOSTILE)
    make.delivery(second, Article.objects.exclude(pk=world.article.pk).get(story=world.story))
    world.article.items.update(rival=world.story.articles.exclude(pk=world.article.pk).get(), evidence=HOSTILE)
    Delivery.objects.update(static_importance=40.0, slot=1, sensitivity=3, decay_key=1.0, relevance=60.0)
    make.term(world.user, f"avoided {HOSTILE}"[:100].lower(), -2.0)
    make.term(world.user, f"muted {HOSTILE}"[:100].lower(), is_muted=True)
    User.objects.filter(pk=world.user.pk).update(username=HOSTILE[:150])
    return world


@pytest.mark.django_db
@table(
    ("name", "about"),
    [
        ("home", ""),
        ("stories", ""),
        ("folder", "folder"),
        ("selection", "folder"),
        ("feed", "subscription"),
        ("feed_edit", "subscription"),
        ("feed_unfollow", "subscription"),
        ("feed_health", "subscription"),
        ("duplicates", ""),
        ("duplicate_merge", "duplicate"),
        ("folders", ""),
        ("folder_edit", "folder"),
        ("article", "article"),
        ("story", "story"),
        ("subscribe", ""),
        ("import", "job"),
        ("health", ""),
        ("notifications", ""),
        ("for_you", ""),
        ("search", ""),
        ("saved_search", "saved"),
        ("saved_search_edit", "saved"),
        ("important", ""),
        ("article_why", "article"),
        ("article_changes", "article"),
        ("interests", ""),
        ("interests_reset", ""),
        ("interests_model", ""),
    ],
)
def test_hostile_text_is_escaped(hostile: World, client: Client, name: str, about: str) -> None:
    client.force_login(hostile.user)
    url = reverse(name, args=[getattr(hostile, about).pk] if about else [])
    client.post(reverse("feed_poll", args=[hostile.subscription.pk]))  # adds a message with the feed's name
    page = client.get(url, {"q": HOSTILE, "address": HOSTILE, "folder": HOSTILE}).content.decode()
    assert "&lt;script&gt;alert(1)" in page
    for markup in ("<script>alert", "<img src=x", 'href="javascript:', '"><b>'):
        assert markup not in page


def test_filled_rows_show_braces_and_percent_signs_as_they_are() -> None:
    shown = fill("components/_unread.html", place="{pk}%s", pk=1, n="{place} & {0}")
    assert '<span class="count" data-count="{pk}%s1">{place} &amp; {0}<span' in tight(shown)


def test_a_value_that_is_missing_is_empty_in_a_filled_row() -> None:
    for missing in (None, "", False):
        assert tight(fill("components/_unread.html", place="all", pk="", n=missing)) == (
            '<span class="count" data-count="all"></span>'
        )


@pytest.mark.parametrize(
    ("excerpt", "shown"),
    [
        ("The dam burst. Nobody was hurt.", "The dam burst. Nobody was hurt."),
        ("The dam burst. Nobody in the …", "The dam burst."),
        ("The dam burst in the U.S. Nobody was hurt. Then the …", "The dam burst in the U.S. Nobody was hurt."),
        ("“The dam burst.” Nobody in the...", "“The dam burst.”"),
        ("The dam at the old …", "The dam at the old …"),
        ("大坝决口。没有人…", "大坝决口。"),
    ],
)
def test_excerpts_end_with_a_sentence(excerpt: str, shown: str) -> None:
    assert whole_sentences(excerpt) == shown
