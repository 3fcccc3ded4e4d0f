"""The demo user's topics, actions, stars, rules and saved search."""

from datetime import datetime

from django.contrib.auth.models import User

from feeds.models import Article
from reader.articles.actions import open_article, skip_article, star_article, vote
from reader.interests.terms import add_starting_interests
from reader.models import Delivery, EngagementKind
from reader.rules.backfill import run_rule
from reader.rules.conditions import Comparison, Condition, Conditions, Field
from reader.rules.store import RuleDraft, save_rule
from reader.scoring.rate import rate_waiting
from reader.search.saved import save_search

TOPICS = ("space", "ocean", "open source")
CATEGORIES = ("Science", "Technology", "Culture")  # folders of the sample feeds
OPENED_OF = ("Orbital Notes", "Tidepool Science", "Patchbay", "激流科技")
SKIPPED_OF = ("Ledger Street", "Valley Tribune", "Toll House Times")
STARRED_OF = ("Circuit Ledger", "The Long Table", "みなと新聞")
N_OPENED = 4  # the oldest of each
N_SKIPPED = 3


def make_choices(user: User, *, now: datetime) -> None:
    """Add topics, and open, like and skip some articles."""
    add_starting_interests(user, TOPICS, CATEGORIES, now)
    for title in OPENED_OF:
        for place, article in enumerate(_oldest(user, title, N_OPENED)):
            open_article(user, article, is_read=False, now=now)
            if place == 0:
                vote(user, article, EngagementKind.LIKED, now=now)
    for title in SKIPPED_OF:
        for article in _oldest(user, title, N_SKIPPED):
            skip_article(user, article, now=now)


def make_own_lists(user: User, *, now: datetime) -> None:
    """Add stars, a saved search, a rule that tags, and one that raises relevance."""
    for title in STARRED_OF:
        for article in _oldest(user, title, 1):
            star_article(user, article, is_starred=True, now=now)
    save_search(user, name="Space and sea", query="(space OR ocean) -market")
    for name, words, tag, lift in (
        ("Reefs and whales", "reef*, coral*, whale*, ocean", "Sea", 0),
        ("More open source", "open source, maintainer*, Linux, Rust", "", 10),
    ):
        conditions = Conditions((Condition(Field.ANYWHERE, Comparison.CONTAINS, words),))
        draft = RuleDraft(name, conditions, mutes=False, marks_read=False, stars=False, tag=tag, lift=lift)
        rule, _ = save_rule(user, None, draft, also_here=True, now=now)
        run_rule(rule.pk, now=now)
    rate_waiting()


def _oldest(user: User, feed_title: str, n: int) -> list[Article]:
    """The oldest articles outside of stories, so that stories stay unread and grouped."""
    brought = Delivery.objects.filter(user=user, subscription__feed__title=feed_title, article__story=None)
    rows = brought.select_related("article__source", "article__feed").order_by("published_at", "article")
    return [row.article for row in rows[:n]]
