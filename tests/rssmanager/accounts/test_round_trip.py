"""Exporting, importing elsewhere and exporting again gives the same document; importing twice adds nothing."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User

from feeds.models import Article, Feed
from reader.articles.state_bulk import states_of
from reader.models import (
    ArticleState,
    Delivery,
    Engagement,
    PendingState,
    Rule,
    Subscription,
    Tag,
    TaggedArticle,
)
from reader.subscriptions.delivery import deliver
from tests import make
from tests.rssmanager.accounts.filled import NOW, article, document, export_file, import_file, lines_in, person

pytestmark = pytest.mark.django_db


def elsewhere(user: User) -> None:
    """Delete feeds and articles of all users, as if on another installation."""
    user.delete()
    Article.objects.all().delete()
    Feed.objects.all().delete()


def parsed(lines: list[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


def test_zip_contains_the_document() -> None:
    user = person()
    assert lines_in(export_file(user)) == document(user)


def test_contains_everything_but_secrets() -> None:
    user = person()
    lines = parsed(document(user))
    kinds = [line["kind"] for line in lines]
    assert sorted(set(kinds)) == sorted(
        [
            "rssmanager",
            "preferences",
            "folder",
            "feed",
            "tag",
            "rule",
            "search",
            "highlight",
            "view",
            "digest",
            "alerts",
            "article",
            "interests",
        ]
    )
    assert (kinds[0], kinds[-1]) == ("rssmanager", "interests")
    assert kinds.count("article") == 6  # neither untouched articles nor undone actions
    text = b"".join(document(user)).decode()
    assert not any(secret in text for secret in ("secret", "ada@", user.password, "correct horse"))
    starred = next(line for line in lines if "starred" in line)
    assert starred["in"][0]["feed"] == "https://paper.example/feed.xml"
    assert starred["content"]["markup"].startswith("<p>Body of")


@pytest.mark.vendor
def test_another_installation_exports_the_same_document() -> None:
    user = person()
    file, before = export_file(user), document(user)
    elsewhere(user)
    other = make.user("bob", email="bob@example.org")
    job = import_file(other, file)
    assert (job.status, job.n_refused, list(job.lines.all())) == ("done", 0, [])
    assert parsed(document(other)) == parsed(before)
    assert PendingState.objects.filter(user=other).count() == 6


def test_round_trip_restores_everything_but_secrets() -> None:
    user = person()
    file, before = export_file(user), document(user)
    other = make.user("bob", email="bob@example.org")
    assert import_file(other, file).n_refused == 0
    assert parsed(document(other)) == parsed(before)
    assert not Delivery.objects.filter(user=other).exists()  # Ada's feed has a password, which isn't in the file
    copies = PendingState.objects.filter(user=other, copy__isnull=False)
    assert copies.count() == 3
    brought = set(Delivery.objects.values_list("article_id", flat=True))
    assert not brought & set(copies.values_list("copy_id", flat=True))


def test_importing_twice_adds_nothing() -> None:
    user = person()
    file = export_file(user)
    other = make.user("bob", email="bob@example.org")
    import_file(other, file)
    before = (document(other), Engagement.objects.count(), Article.objects.count(), Rule.objects.count())
    import_file(other, file)
    assert (document(other), Engagement.objects.count(), Article.objects.count(), Rule.objects.count()) == before


def test_importing_into_the_same_account_changes_nothing() -> None:
    user = person()
    before = (document(user), Subscription.objects.count(), Engagement.objects.count(), PendingState.objects.count())
    assert import_file(user, export_file(user)).n_refused == 0
    after = (document(user), Subscription.objects.count(), Engagement.objects.count(), PendingState.objects.count())
    assert after == before


def test_other_users_are_not_affected() -> None:
    user = person()
    before = document(user)
    import_file(make.user("bob"), export_file(user))
    assert document(user) == before


def test_states_apply_when_articles_arrive() -> None:
    user = person()
    file = export_file(user)
    elsewhere(user)
    other = make.user("bob")
    import_file(other, file)
    feed = Feed.objects.get(url="https://paper.example/feed.xml")
    for number in range(8):
        make.item(feed, article(number))
    Subscription.objects.filter(feed=feed).update(is_digest_only=False, quiet_until=None, most_a_day=None)
    assert deliver() == 8
    assert not PendingState.objects.exists()
    ids = {article.title: article.pk for article in Article.objects.all()}
    assert len(ids) == Article.objects.count() == 8  # the copies are deleted
    states = states_of(other, list(ids.values()))
    assert states[ids["Title 0"]].is_read
    assert (states[ids["Title 1"]].is_starred, states[ids["Title 1"]].starred_at) == (True, NOW)
    assert [act.kind for act in states[ids["Title 2"]].acts] == ["opened", "liked"]
    assert [tag.name for tag in states[ids["Title 3"]].tags] == ["Spätere"]
    assert states[ids["Title 4"]].positions[0].seconds == 75
    assert states[ids["Title 5"]].is_seen
    assert ids["Title 6"] not in states
    assert Subscription.objects.get(feed=feed).unread_count == 7


def test_finds_article_with_changed_url_by_guid() -> None:
    user = person()
    file = export_file(user)
    item = Article.objects.get(title="Title 0").items.get()
    elsewhere(user)
    other = make.user("bob")
    import_file(other, file)
    moved = make.article(title="Moved")
    make.item(Feed.objects.get(url="https://paper.example/feed.xml"), moved, guid=item.guid)
    deliver()
    assert ArticleState.objects.get(user=other, article=moved).is_read


def test_waiting_articles_are_delivered_as_changed() -> None:
    user = person()
    file = export_file(user)
    elsewhere(user)
    other = make.user("bob")
    import_file(other, file)
    copy = PendingState.objects.get(copy__title="Title 1").copy
    TaggedArticle.objects.filter(user=other, article=copy).delete()
    make.engagement(other, copy, "liked")
    make.item(Feed.objects.get(url="https://paper.example/feed.xml"), article(1))
    deliver()
    state = states_of(other, [Article.objects.get(title="Title 1").pk]).popitem()[1]
    assert (state.is_starred, state.tags, [act.kind for act in state.acts]) == (True, [], ["liked"])


def test_merges_with_existing_data() -> None:
    user = person()
    file = export_file(user)
    other = make.user("bob")
    mine = make.subscription(other, make.feed("https://paper.example/feed.xml"), title="Bob's")
    for number in (0, 1):
        make.delivery(mine, Article.objects.get(title=f"Title {number}"))
    make.tag(other, "SPÄTERE")
    ArticleState.objects.create(user=other, article=Article.objects.get(title="Title 0"), is_starred=True)
    import_file(other, file)
    assert Subscription.objects.get(user=other, feed=mine.feed).title == "Bob's"
    state = ArticleState.objects.get(user=other, article__title="Title 0")
    assert (state.is_read, state.is_starred) == (True, True)
    assert Tag.objects.filter(user=other).count() == 3
    assert PendingState.objects.filter(user=other).count() == 4


def test_incomplete_line_is_reported_and_the_rest_imported() -> None:
    user = make.user()
    lines = [
        '{"kind": "rssmanager", "version": 1}',
        '{"kind": "feed", "url": "exec:rm"}',
        '{"kind": "feed", "url": "https://a.example/feed", "most_a_day": "many"}',
        '{"kind": "rule", "words": "x", "feed": "https://nobody.example/"}',
        '{"kind": "article", "url": "https://a.example/1", "published_at": "yesterday"}',
        '{"kind": "article", "published_at": "2026-01-01T00:00:00+00:00"}',
        "not JSON",
        '{"kind": "spell"}',
        '{"kind": "digest", "digest": "morning", "at": "23:00", "is_on": true}',
        '{"kind": "tag", "name": "Kept"}',
        '{"kind": "feed", "url": "https://b.example/feed"}',
    ]
    job = import_file(user, BytesIO("\n".join(lines).encode()))
    assert (job.status, job.n_refused, job.n_total) == ("done", 8, 11)
    assert [line.line for line in job.lines.all()] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert all(line.reason for line in job.lines.all())
    assert Tag.objects.get(user=user).name == "Kept"
    assert Subscription.objects.get(user=user).feed.url == "https://b.example/feed"


def test_url_of_a_rule_is_kept_and_its_secret_is_new() -> None:
    ada = make.user()
    rule = '{"kind": "rule", "name": "Hook", "is_on": true, "stars": true, "url": "%s", "conditions": [%s]}'
    row = '{"field": "title", "test": "contains", "value": "chess"}'
    head = '{"kind": "rssmanager", "version": 1}'
    good, bad = rule % ("https://hook.example/", row), rule % ("file:///etc/passwd", row)
    job = import_file(ada, BytesIO("\n".join([head, good, bad]).encode()))
    saved = Rule.objects.get(user=ada)
    assert (job.n_refused, saved.url, saved.secret[:6]) == (1, "https://hook.example/", "whsec_")


def test_date_of_the_future_counts_as_now() -> None:
    ada = make.user()
    head = '{"kind": "rssmanager", "version": 1}'
    line = '{"kind": "article", "url": "https://a.example/1", "title": "T", "published_at": "2099-01-01T00:00:00+00:00"'
    job = import_file(ada, BytesIO(f'{head}\n{line}, "starred": true}}'.encode()))
    assert (job.status, job.n_refused) == ("done", 0)
    article = Article.objects.get()
    assert article.published_at == article.first_seen_at
