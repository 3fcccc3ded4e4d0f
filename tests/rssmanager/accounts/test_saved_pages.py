"""Saved pages in an export, after importing it elsewhere, and when their account is deleted."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from feeds.models import Article, Feed, Item
from reader.access import visible_articles
from reader.articles.saved_items import saved_items, saved_pages_of
from reader.models import Delivery, PendingState
from reader.subscriptions.delivery import deliver
from reader.subscriptions.save_page import save_page
from rssmanager.accounts.deletion import close, delete_data
from tests import make
from tests.rssmanager.accounts.filled import NOW, document, export_file, import_file

pytestmark = pytest.mark.django_db

URL = "https://page.example/lighthouse"


def saved(user: User, url: str = URL) -> Article:
    """A saved page whose text was fetched."""
    article = save_page(user, url, title="Shared", now=NOW)[0]
    values = {"title": "The keeper", "markup": "<p>All of it</p>", "text": "All of it", "word_count": 3}
    Article.objects.filter(pk=article.pk).update(**values)
    return article


def test_round_trip_keeps_pages_with_their_text() -> None:
    user = make.user("ada")
    saved(user)
    make.rule(user, words="keeper", subscription=saved_pages_of(user, now=NOW), mutes=True)
    file, before = export_file(user), document(user)
    text = b"".join(before).decode()
    assert ('"saved":"2026-03-04T12:00:00+00:00"' in text, '"title":"The keeper"' in text) == (True, True)
    assert '"kind":"feed"' not in text
    assert '"kind":"rule"' not in text  # elsewhere it would mute in all feeds
    user.delete()
    Article.objects.all().delete()
    Feed.objects.all().delete()
    other = make.user("bob")
    for _ in range(2):
        import_file(other, file)
    deliver()
    kept = visible_articles(other).get()
    assert (kept.title, kept.markup, kept.url) == ("The keeper", "<p>All of it</p>", URL)
    [item] = saved_items(other)
    assert (item.article_id, item.first_seen_at) == (kept.pk, NOW)
    assert saved_pages_of(other, now=NOW).unread_count == 1
    assert [line for line in document(other) if b'"article"' in line] == [
        line for line in before if b'"article"' in line
    ]


def test_deleting_the_account_deletes_them_and_nothing_of_others() -> None:
    user, other = make.user("ada"), make.user("bob")
    gone, kept = saved(user), saved(other)
    shared = make.article()
    make.delivery(make.subscription(other), shared)
    save_page(other, shared.url, now=NOW)
    close(user, due_at=NOW)
    assert delete_data(user.pk, now=NOW + timedelta(days=1))
    assert not Article.objects.filter(pk=gone.pk).exists()
    assert set(saved_items(other).values_list("article", flat=True)) >= {kept.pk}
    assert (Feed.objects.filter(status="saved").count(), PendingState.objects.filter(user=other).exists()) == (1, True)
    assert not Item.objects.filter(article=gone.pk).exists()
    assert not Delivery.objects.filter(article=gone.pk).exists()
