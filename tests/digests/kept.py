"""Stored digests with articles from their user's feeds."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from digests.edition.document import Edition, Entry, SectionName, Topic
from digests.edition.kinds import Kind
from digests.models import Digest, Mailing, MailingKind, MailingState
from digests.models.edition_store import store, store_today
from feeds.models import Article
from reader.models import Subscription
from tests import make
from tests.digests import editions


def brought(subscription: Subscription, entry: Entry) -> Entry:
    """The entry with an article behind it that the subscription brought."""
    article = make.article(
        title=entry.title,
        url=entry.url,
        language=entry.language,
        feed=subscription.feed,
        source=subscription.feed.source,
        published_at=entry.published_at,
    )
    make.delivery(subscription, article)
    return replace(entry, article_id=article.pk)


def topic(
    subscription: Subscription,
    section: SectionName = SectionName.TOP,
    n_related: int = 0,
    by: Subscription | None = None,
    **values: Any,
) -> Topic:
    """A topic whose articles the subscription brought; the related ones `by` another where one is given."""
    made = editions.topic(1, section, **values)
    lead = brought(subscription, replace(made.lead, **({"title": values["label"]} if "label" in values else {})))
    others = (editions.entry(place + 2, source="Reuters") for place in range(n_related))
    related = tuple(brought(by or subscription, other) for other in others)
    return replace(made, lead=lead, related=related, sources=("Reuters",) if n_related else ())


def front_page(user: User, *topics: Topic, made_at: datetime, **values: Any) -> Digest:
    """The user's front page as a worker left it."""
    day = values.pop("day", made_at.date())
    edition = editions.edition(
        *topics,
        **{"kind": Kind.TODAY, "day": day, "time_zone": "UTC", "ends_at": made_at, "made_at": made_at, **values},
    )
    with transaction.atomic():
        return store_today(user, edition)


def digest(
    user: User, *topics: Topic, kind: Kind = Kind.MORNING, made_at: datetime = make.NOW, **values: Any
) -> Digest:
    """A digest that was made then, of the 24 hours before."""
    return of(
        user,
        editions.edition(
            *topics, **{"kind": kind, "day": made_at.date(), "ends_at": made_at, "made_at": made_at, **values}
        ),
    )


def of(user: User, edition: Edition) -> Digest:
    with transaction.atomic():
        return store(user, edition)[0]


def mailing(digest: Digest, state: str = MailingState.WAITING, **values: Any) -> Mailing:
    """What became of a digest's mail."""
    return Mailing.objects.create(
        user=digest.user,
        kind=MailingKind.DIGEST,
        digest=digest,
        message_id=f"<{digest.pk}@reader.example>",
        state=state,
        **{"created_at": digest.made_at, "next_try_at": digest.made_at + timedelta(minutes=5), **values},
    )


def articles_of(digest: Digest) -> list[int]:
    """The ids of a digest's articles, in their order."""
    rows = digest.topics.order_by("position", "articles__position").values_list("articles__article", flat=True)
    return [pk for pk in rows if pk is not None]


def purge(article_id: int) -> None:
    """Remove an article from the archive, as purging does."""
    Article.objects.filter(pk=article_id).delete()
