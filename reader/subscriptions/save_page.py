"""Saving a page, removing it, and putting it back. What a saved page is: `reader.articles.saved_items`.

Saving stores the article at once; a worker fetches its text (`feeds.content.fetch_pages`), again and again if it's
interrupted, and a failure keeps the page with the reason. Removing deletes the item and its delivery. A page of the
user's own stays for seven days, with its text and states, so that it can be put back; longer if it was starred, tagged
or highlighted.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from feeds.content.full_text_queue import request_again, request_full_texts
from feeds.discovery.feed_address import feed_address
from feeds.models import Article, FullText, FullTextStatus, Item
from feeds.normalizing.canonical_url import absolute, url_key
from feeds.normalizing.text import clean_title, shorten
from feeds.tasks.enqueue import call_worker
from reader.access import is_seen_by
from reader.articles.own_copies import create_copy
from reader.articles.read_state import recount
from reader.articles.saved_items import add_saved, saved_items, saved_pages_of
from reader.articles.state_bulk import add_states
from reader.articles.state_json import moment_as_json, state_from_json
from reader.models import ArticleState, Delivery, Highlight, PendingState, Subscription, TaggedArticle, lock_deliveries
from reader.subscriptions.delivery import deliver_to
from reader.subscriptions.unfollow import remove as remove_deliveries

KEPT_FOR = timedelta(days=7)  # after removing
MAX_TITLE = 300  # characters of what a program shared
_SALT = "reader.saved"
_ADDRESS = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
_AROUND = " ()[]<>.:;,-–—|"  # of a title without its address
_TRAILING = ".,;:!?)]}'’”»"  # of the sentence around an address


@dataclass(frozen=True, slots=True)
class Shared:
    """What another program shared: an address, "" if there is none, and a title."""

    url: str
    title: str


def read_shared(url: str, text: str, title: str) -> Shared:
    """The address and title in what a program shared; many put the address into the text, some into the title."""
    url, text, title = (" ".join(part.replace("\0", "").split())[:4000] for part in (url, text, title))
    found = next((match[0] for part in (url, text, title) if (match := _ADDRESS.search(part))), url)
    if found not in (url, text, title):  # within a text; a bracket may belong to it
        while found[-1:] in _TRAILING and not (found.endswith(")") and found.count("(") >= found.count(")")):
            found = found[:-1]
    words = title or text
    words = words.replace(found, " ") if found else words
    return Shared(found, shorten(clean_title(words).strip(_AROUND), MAX_TITLE))


def save_page(user: User, address: str, *, title: str = "", now: datetime) -> tuple[Article, bool]:
    """Save the page at an address; returns its article, and whether it wasn't saved before.

    Raises InvalidAddress.
    """
    url = absolute("", feed_address(address if "://" in address else f"https://{address.strip()}"))
    key = url_key(url, frozenset(settings.ENV.FETCH_EXTRA_TRACKERS))
    with transaction.atomic():
        subscription = saved_pages_of(user, now=now)
        article = Article.objects.filter(is_seen_by(user), url_key=key).first()
        if article is None:
            article = _own_copy(user, key, url, shorten(clean_title(title), MAX_TITLE), subscription, now)
        is_new = bool(add_saved(user, {article.pk: now}, now=now))
        _request_text(article, now=now)
    deliver_to([subscription.pk])
    return article, is_new


def save_and_fetch(user: User, address: str, *, title: str = "", now: datetime) -> tuple[Article, bool]:
    """`save_page`, for a user who waits for the text."""
    article, is_new = save_page(user, address, title=title, now=now)
    if FullText.objects.filter(article=article, status=FullTextStatus.WAITING).exists():
        call_worker("feeds.tasks.full_text.fetch_page", article.pk)
    return article, is_new


def _own_copy(user: User, key: bytes, url: str, title: str, subscription: Subscription, now: datetime) -> Article:
    """The user's own copy of a page, with the states that were imported for it."""
    identity = {"key": key.hex(), "url": url, "title": title, "author": "", "in": []}
    pending, _created = PendingState.objects.select_for_update().get_or_create(
        user=user, key=key, defaults={"data": identity | {"published_at": moment_as_json(now)}}
    )
    if pending.copy is None:
        pending.copy = create_copy(
            user,
            key,
            url=url,
            title=title or url.partition("://")[2],
            published_at=now,
            now=now,
            feed=subscription.feed,
        )
        add_states(user, {pending.copy.pk: state_from_json(pending.data)})
    elif pending.removed_at:
        pending.removed_at = None
    pending.save()
    return pending.copy


def _request_text(article: Article, *, now: datetime) -> None:
    """Request the page, again if it failed."""
    if request_full_texts([article.pk], now=now):
        return
    failed = FullText.objects.filter(article=article, status=FullTextStatus.FAILED).first()
    if failed is not None:
        request_again(failed, now=now)


def remove_page(user: User, article: Article, *, now: datetime) -> str:
    """Remove an article from the user's saved pages; returns a token for putting it back, "" if it wasn't there."""
    with transaction.atomic():
        saved = list(saved_items(user).select_for_update(of=("self",)).filter(article=article))
        if not saved:
            return ""
        deliveries = Delivery.everything.filter(user=user, subscription__feed=saved[0].feed_id, article=article)
        affected = lock_deliveries(deliveries)
        remove_deliveries(list(deliveries.values_list("pk", flat=True)))
        recount(affected)
        saved_items(user).filter(article=article).delete()
        PendingState.objects.filter(user=user, copy=article).update(removed_at=now)
    return signing.dumps([user.pk, article.pk, saved[0].first_seen_at.isoformat()], salt=_SALT)


def put_back(user: User, token: str, *, now: datetime) -> Article | None:
    """Undo `remove_page`; None if the token isn't this user's, or it's too late."""
    try:
        user_id, article_id, saved_at = signing.loads(token, salt=_SALT, max_age=KEPT_FOR)
    except signing.BadSignature:
        return None
    article = Article.objects.filter(pk=article_id).first()
    if user_id != user.pk or article is None:
        return None
    with transaction.atomic():
        PendingState.objects.filter(user=user, copy=article).update(removed_at=None)
        add_saved(user, {article.pk: datetime.fromisoformat(saved_at)}, now=now)
    deliver_to([saved_pages_of(user, now=now).pk])
    return article


def delete_removed(*, now: datetime) -> int:
    """Delete users' own copies that were removed more than seven days ago and not kept otherwise; returns how many."""
    expired = PendingState.objects.filter(removed_at__lt=now - KEPT_FOR, copy__isnull=False)
    mine = {"user": OuterRef("user"), "article": OuterRef("copy")}
    kept = (
        Q(Exists(ArticleState.objects.filter(**mine, is_starred=True)))
        | Q(Exists(TaggedArticle.objects.filter(**mine)))
        | Q(Exists(Highlight.objects.filter(**mine)))
        | Q(Exists(Item.objects.filter(article=OuterRef("copy"))))
    )
    n_deleted = 0
    for pk, copy in expired.exclude(kept).values_list("pk", "copy_id"):
        with transaction.atomic():
            PendingState.objects.filter(pk=pk).delete()
            Article.objects.filter(pk=copy).only("pk").delete()
        n_deleted += 1
    return n_deleted
