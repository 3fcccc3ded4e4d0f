"""Every "may this user see this row" of digests. Views get rows only from here; other users' rows are a 404."""

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from digests.edition.kinds import Kind
from digests.models import AlertSettings, Digest, PrivateFeed
from digests.models.edition_store import with_topics

TRIES = 3  # to read the front page while a worker replaces it


def front_pages(user: User) -> QuerySet[Digest]:
    """The user's front page, if it was ever requested."""
    return Digest.objects.filter(user=user, kind=Kind.TODAY)


def today_of(user: User) -> Digest | None:
    """The user's front page with its topics; None if it was never requested.

    Three queries read it, and a worker may replace it in between: if topics have lost their articles, it is read again.
    """
    digest = None
    for _ in range(TRIES):
        digest = with_topics(front_pages(user)).first()
        if digest is None or all(topic.articles.all() for topic in digest.topics.all()):
            break
    return digest


def digests_of(user: User) -> QuerySet[Digest]:
    """The user's digests with their emails, without the front page."""
    return Digest.objects.filter(user=user).exclude(kind=Kind.TODAY).select_related("mailing")


def digest_of(user: User, pk: int) -> Digest:
    """The user's own digest with its topics. Raises Http404."""
    return get_object_or_404(with_topics(digests_of(user)), pk=pk)


def alerts_of(user: User) -> AlertSettings:
    """The user's alert settings; unsaved defaults if there are none."""
    return AlertSettings.objects.filter(user=user).first() or AlertSettings(user=user)


def private_feed_of(user: User) -> PrivateFeed | None:
    """The user's private feed, if it is on."""
    return PrivateFeed.objects.filter(user=user).first()
