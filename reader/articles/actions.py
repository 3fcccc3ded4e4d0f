"""What users do with an article: updates lists and the engagement log in one transaction.

The article's state (`reader.articles.read_state`) and the log that the interest profile learns from
(`reader.interests.engagement`) never disagree. Marking as read teaches nothing; only opening does.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from feeds.models import Article
from feeds.storage.compiled import compiled
from reader.access import visible_articles
from reader.articles.read_state import mark_read, star
from reader.interests.engagement import mark_seen, record_action, record_passed, undo, undo_latest
from reader.models import ArticleState, Delivery, Engagement, EngagementKind, EngagementSource

VOTES = (EngagementKind.LIKED, EngagementKind.DISLIKED)


@dataclass(frozen=True, slots=True)
class Done:
    """An action that can be undone; `was_unread`: it marked the article read, so undoing it marks it unread again."""

    engagement_id: int
    was_unread: bool = False


def open_article(
    user: User, article: Article, *, is_read: bool, now: datetime, source: str = EngagementSource.READER
) -> None:
    """Record that the user opened the article, which marks it read; repeated openings count once."""
    if is_read and _last_act(user, article) == EngagementKind.OPENED:
        return  # without waiting for a write lock
    with transaction.atomic():
        if not is_read:
            mark_read(user, [article.pk])
        record_action(user, article, EngagementKind.OPENED, now=now, source=source)


def open_original(user: User, article_id: int, *, now: datetime) -> None:
    """Record that the user opened the publisher's page of an article, if they may see it."""
    article = visible_articles(user).filter(pk=article_id).first()
    if article is not None:
        is_read = ArticleState.objects.filter(user=user, article=article, is_read=True).exists()
        open_article(user, article, is_read=is_read, now=now)


def set_read(
    user: User, article: Article, *, is_read: bool, now: datetime, source: str = EngagementSource.READER
) -> None:
    """Mark read, which isn't logged, or keep unread, which is."""
    with transaction.atomic():
        mark_read(user, [article.pk], is_read=is_read)
        if not is_read:
            record_action(user, article, EngagementKind.UNREAD, now=now, source=source)


def star_article(
    user: User, article: Article, *, is_starred: bool, now: datetime, source: str = EngagementSource.READER
) -> None:
    """Star the article, or remove the star and what was learned from it."""
    with transaction.atomic():
        star(user, article.pk, is_starred=is_starred, now=now)
        if is_starred:
            record_action(user, article, EngagementKind.STARRED, now=now, source=source)
        else:
            undo_latest(user, article, EngagementKind.STARRED, now=now)


def skip_article(user: User, article: Article, *, now: datetime) -> Done:
    """Skip the article: mark it read and show fewer like it."""
    with transaction.atomic():
        was_unread = not ArticleState.objects.filter(user=user, article=article, is_read=True).exists()
        mark_read(user, [article.pk])
        engagement = record_action(user, article, EngagementKind.SKIPPED, now=now)
    return Done(engagement.pk, was_unread)


def vote(user: User, article: Article, kind: str, *, now: datetime, source: str = EngagementSource.READER) -> Done:
    """Like or dislike the article; the later vote counts."""
    return Done(record_action(user, article, kind, now=now, source=source).pk)


def withdraw_vote(user: User, article: Article, *, now: datetime) -> None:
    """Remove the user's votes, including earlier ones that a later vote had replaced."""
    with transaction.atomic():
        for kind in VOTES:
            while undo_latest(user, article, kind, now=now):
                continue


def undo_act(user: User, engagement: Engagement, *, make_unread: bool, now: datetime) -> bool:
    """Undo one of the user's actions: what was learned, the star, and the read state if it had changed. False if
    already undone.
    """
    with transaction.atomic():
        if not undo(user, engagement.pk, now=now):
            return False
        if engagement.kind == EngagementKind.STARRED:
            star(user, engagement.article_id, is_starred=False, now=now)
        if make_unread and engagement.kind == EngagementKind.SKIPPED:
            mark_read(user, [engagement.article_id], is_read=False)
    return True


def votes_of(user: User, article_ids: Collection[int]) -> dict[int, str]:
    """`liked` or `disliked` for each article the user voted on; one query."""
    return dict(_votes(user.pk, article_ids))


@compiled
def _votes(user: int, articles: Collection[int]) -> QuerySet[Engagement, tuple[int, str]]:
    votes = Engagement.active.filter(user=user, article__in=articles, kind__in=VOTES)
    return votes.order_by("happened_at", "pk").values_list("article_id", "kind")


def record_screen(
    user: User, seen_ids: Collection[int], above: Sequence[int], opened_id: int | None, *, now: datetime
) -> None:
    """Record that articles were on screen, and if one was opened, that those `above` it (in order) were passed over.

    Ignores articles that the user may not see.
    """
    with transaction.atomic():
        mark_seen(user, seen_ids)
        if opened_id is not None and visible_articles(user).filter(pk=opened_id).exists():
            record_passed(user, [*above, opened_id], opened_id, now=now)


def read_past(user: User, article_ids: Collection[int]) -> int:
    """Mark articles read that were scrolled past, without learning from it. Returns how many."""
    unread = Delivery.objects.filter(user=user, article__in=article_ids, is_read=False)
    return mark_read(user, list(unread.values_list("article_id", flat=True).distinct()))


def _last_act(user: User, article: Article) -> str:
    """The kind of the user's last action on the article that wasn't undone; "" if there is none."""
    return next(iter(_last_acts(user.pk, article.pk)), "")


@compiled
def _last_acts(user: int, article: int) -> QuerySet[Engagement, str]:
    acts = Engagement.active.filter(user=user, article=article).order_by("-happened_at", "-pk")
    return acts.values_list("kind", flat=True)[:1]
