"""Which pages a user saved: the items of a feed of their own, "Saved pages".

Theory. A saved page is an article like any other: read or unread, starred, tagged, searched, rated, in reading apps.
What makes it the user's is an item in a feed that exists for them alone (`FeedStatus.SAVED`): it has no URL and a key
that no URL has, so it can't be polled, found, followed or merged by anyone, and it keeps everything.

- A page that is already among the user's articles is that article, with one more item. Otherwise it is an article of
  theirs alone (`reader.articles.own_copies`), even if other users' feeds have it: looking it up among all articles
  would reveal what others follow, and what one user sends must not be shown to others. If a feed of the user delivers
  the page later, its article takes over what they did with the copy, the saved item and the fetched text.
- Other users can't tell: nothing is compared with a copy, so it is in no story; the item of a shared article counts
  for no other user, neither as a source nor as "also in".
- Saving is no news: digests, feed health, duplicates, overlap and lists of subscriptions leave the feed out. It can't
  be unfollowed; pages are removed one by one.
- A copy is dated when it was saved, so that the list has the latest first. An article that a feed delivered keeps its
  date.

Saving, removing and restoring are in `reader.subscriptions.save_page`; here is what import and export need too.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from hashlib import blake2b

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from feeds.models import Article, Feed, FeedStatus, Item, Source
from reader.models import Subscription

_DOMAIN = "saved-pages.invalid"  # every feed has the source of its address; this one has none


def saved_items(user: User) -> QuerySet[Item]:
    """The items of the user's saved pages."""
    return Item.objects.filter(feed__url_key=_feed_key(user.pk))


def is_saved(user: User, article: Article) -> bool:
    """Whether the article is among the user's saved pages."""
    return saved_items(user).filter(article=article).exists()


def saved_pages_of(user: User, *, now: datetime) -> Subscription:
    """The user's saved pages, created if needed."""
    source, _created = Source.objects.get_or_create(domain=_DOMAIN)
    feed, _created = Feed.objects.get_or_create(
        url_key=_feed_key(user.pk),
        defaults={
            "source": source,
            "title": _("Saved pages"),
            "status": FeedStatus.SAVED,
            "last_polled_at": now,
            "last_success_at": now,
            "keep_days": 0,
            "keep_items": 0,
        },
    )
    settings = {"fetches_full_text": True, "has_alerts": False, "tells_of_trouble": False, "is_kept": True}
    return Subscription.objects.select_related("feed").get_or_create(user=user, feed=feed, defaults=settings)[0]


def add_saved(user: User, saved_at: Mapping[int, datetime], *, now: datetime) -> set[int]:
    """Add these articles to the user's saved pages; returns those that weren't there. The next delivery lists them.

    The caller checks that they are the user's.
    """
    if not saved_at:
        return set()
    with transaction.atomic():
        feed = Feed.objects.select_for_update().get(pk=saved_pages_of(user, now=now).feed_id)  # so that ids only grow
        known = set(Item.objects.filter(feed=feed, article__in=saved_at).values_list("article_id", flat=True))
        articles = Article.objects.filter(pk__in=saved_at.keys() - known).order_by("pk")
        rows = [
            Item(
                feed=feed,
                article_id=pk,
                guid=str(pk),
                published_at=published_at,
                first_seen_at=saved_at[pk],
                content_hash=content_hash,
            )
            for pk, published_at, content_hash in articles.values_list("pk", "published_at", "content_hash")
        ]
        created = Item.objects.bulk_create(rows)
        if created:
            newest = max(item.pk for item in created)
            Feed.objects.filter(pk=feed.pk).update(newest_item_id=newest, last_success_at=now, last_new_at=now)
    return {item.article_id for item in created}


def delete_saved_pages(user_id: int) -> None:
    """Delete the feed of a user whose other data was deleted."""
    Subscription.everything.filter(user=user_id, feed__status=FeedStatus.SAVED).delete()
    Feed.objects.filter(url_key=_feed_key(user_id)).delete()


def saved_times(user: User, article_ids: Collection[int]) -> dict[int, datetime]:
    """When the user saved each of these articles, without those they didn't."""
    return dict(saved_items(user).filter(article__in=article_ids).values_list("article_id", "first_seen_at"))


def _feed_key(user_id: int) -> bytes:
    """The key of a user's feed of saved pages, which no URL has."""
    return blake2b(str(user_id).encode(), person=b"saved pages", digest_size=16).digest()
