"""Every "may this user see this row" of digests. Views get rows from here and nowhere else; not theirs is a 404."""

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from digests.keeping import with_topics
from digests.kinds import Kind
from digests.models import AlertSettings, Digest, PrivateFeed

TRIES = 3  # at reading the front page whole, while a worker puts a newer one in its place


def front_pages(user: User) -> QuerySet[Digest]:
    """The user's front page, if it was ever asked for."""
    return Digest.objects.filter(user=user, kind=Kind.TODAY)


def today_of(user: User) -> Digest | None:
    """The user's front page with its topics; None before it was ever asked for.

    Three statements read it, and a worker may replace it between two of them: topics that lost their articles so are
    read again.
    """
    found = None
    for _ in range(TRIES):
        found = with_topics(front_pages(user)).first()
        if found is None or all(topic.articles.all() for topic in found.topics.all()):
            break
    return found


def digests_of(user: User) -> QuerySet[Digest]:
    """The user's digests, with what became of their mail; the front page is none."""
    return Digest.objects.filter(user=user).exclude(kind=Kind.TODAY).select_related("mailing")


def digest_of(user: User, pk: int) -> Digest:
    """The user's own digest with its topics. Raises Http404."""
    return get_object_or_404(with_topics(digests_of(user)), pk=pk)


def alerts_of(user: User) -> AlertSettings:
    """What the user wants to hear of; the defaults, not saved, where they never said."""
    return AlertSettings.objects.filter(user=user).first() or AlertSettings(user=user)


def private_feed_of(user: User) -> PrivateFeed | None:
    """The user's private feed while it is on."""
    return PrivateFeed.objects.filter(user=user).first()
