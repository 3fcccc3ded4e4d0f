"""What a person does with an article, as one act: marked where lists look, and written down where learning looks.

Each function is one transaction: what is read, starred and folded (`reader.marking`) and the log that teaches the
interest profile (`reader.engaging`) never disagree. Marking read by itself teaches nothing: only opening does.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from feeds.models import Article
from reader.access import visible_articles
from reader.engaging import engage, passed_over, seen, take_back, undo
from reader.marking import mark_read, star
from reader.models import ArticleState, Delivery, Engagement, EngagementKind

VOTES = (EngagementKind.LIKED, EngagementKind.DISLIKED)


@dataclass(frozen=True, slots=True)
class Done:
    """An act that can be undone; `was_unread`: it marked the article read, so undoing it marks it unread again."""

    engagement_id: int
    was_unread: bool = False


def open_article(user: User, article: Article, *, is_read: bool, now: datetime) -> None:
    """The person opened it, which marks it read unless it `is_read` and teaches once, however often they come back."""
    if is_read and _last_act(user, article) == EngagementKind.OPENED:
        return  # without waiting for whoever writes
    with transaction.atomic():
        if not is_read:
            mark_read(user, [article.pk])
        engage(user, article, EngagementKind.OPENED, now=now)


def set_read(user: User, article: Article, *, is_read: bool, now: datetime) -> None:
    """Mark read, which says nothing of interest, or keep unread, which is written down."""
    with transaction.atomic():
        mark_read(user, [article.pk], is_read=is_read)
        if not is_read:
            engage(user, article, EngagementKind.UNREAD, now=now)


def star_article(user: User, article: Article, *, is_starred: bool, now: datetime) -> None:
    """Star it, or take the star and what it taught away."""
    with transaction.atomic():
        star(user, article.pk, is_starred=is_starred, now=now)
        if is_starred:
            engage(user, article, EngagementKind.STARRED, now=now)
        else:
            take_back(user, article, EngagementKind.STARRED, now=now)


def skip_article(user: User, article: Article, *, now: datetime) -> Done:
    """Not this one: read, and less of its kind."""
    with transaction.atomic():
        was_unread = not ArticleState.objects.filter(user=user, article=article, is_read=True).exists()
        mark_read(user, [article.pk])
        made = engage(user, article, EngagementKind.SKIPPED, now=now)
    return Done(made.pk, was_unread)


def vote(user: User, article: Article, kind: str, *, now: datetime) -> Done:
    """Like or dislike it; the later of the two counts."""
    return Done(engage(user, article, kind, now=now).pk)


def withdraw_vote(user: User, article: Article, *, now: datetime) -> None:
    """Neither like nor dislike it: a dislike that an undone like had hidden does not come back."""
    with transaction.atomic():
        for kind in VOTES:
            while take_back(user, article, kind, now=now):
                continue


def undo_act(user: User, engagement: Engagement, *, make_unread: bool, now: datetime) -> bool:
    """Take back an act of the user's own: its lesson, its star, and, if it had marked read, that. False if undone."""
    with transaction.atomic():
        if not undo(user, engagement.pk, now=now):
            return False
        if engagement.kind == EngagementKind.STARRED:
            star(user, engagement.article_id, is_starred=False, now=now)
        if make_unread and engagement.kind == EngagementKind.SKIPPED:
            mark_read(user, [engagement.article_id], is_read=False)
    return True


def votes_of(user: User, article_ids: Collection[int]) -> dict[int, str]:
    """`liked` or `disliked` for each of the articles that the user said so of; one query."""
    votes = Engagement.objects.filter(
        user=user, article__in=article_ids, kind__in=VOTES, undoes=None, undone_by=None
    ).order_by("happened_at", "pk")
    return dict(votes.values_list("article_id", "kind"))


def note_screen(
    user: User, seen_ids: Collection[int], above: Sequence[int], opened_id: int | None, *, now: datetime
) -> None:
    """Rows were on the screen; where one was opened, those `above` it, in the screen's order, were passed over.

    Only what the user may see counts.
    """
    with transaction.atomic():
        seen(user, seen_ids)
        if opened_id is not None and visible_articles(user).filter(pk=opened_id).exists():
            passed_over(user, [*above, opened_id], opened_id, now=now)


def read_past(user: User, article_ids: Collection[int]) -> int:
    """Mark read what was scrolled past, as far as it was brought to the user; it teaches nothing. Returns how many."""
    brought = Delivery.objects.filter(user=user, article__in=article_ids, is_read=False)
    return mark_read(user, list(brought.values_list("article_id", flat=True).distinct()))


def _last_act(user: User, article: Article) -> str:
    """The kind of what the user did last with the article and did not undo; "" if they did nothing."""
    acts = Engagement.objects.filter(user=user, article=article, undoes=None, undone_by=None)
    return acts.order_by("-happened_at", "-pk").values_list("kind", flat=True).first() or ""
