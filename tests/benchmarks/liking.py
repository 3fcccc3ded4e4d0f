"""Who likes what among synthetic articles (`readership`): five topics of forty each, and which articles are of them."""

from django.contrib.auth.models import User

from feeds.models import Item
from tests.benchmarks.topics import N_TOPICS, own_words

LIKED_TOPICS = 5


def liked_topics(user: User) -> set[int]:
    return {(LIKED_TOPICS * user.pk + number) % N_TOPICS for number in range(LIKED_TOPICS)}


def topics_of(user: User) -> list[str]:
    """Words of two of the topics that a person likes, as they would name them."""
    words = own_words()
    return [words[topic][1] for topic in sorted(liked_topics(user))[:2]]


def some_of(user: User, n: int) -> tuple[list[int], list[int]]:
    """At most `n` newest articles that the person likes, and as many that they do not.

    Every tenth is on the wrong side, for people are not consistent.
    """
    liked_by = liked_topics(user)
    sides: tuple[list[int], list[int]] = ([], [])
    for number, (pk, guid) in enumerate(Item.objects.order_by("-article").values_list("article_id", "guid").iterator()):
        is_liked = (int(guid.split()[1]) in liked_by) != (number % 10 == 0)
        if len(side := sides[not is_liked]) < n:
            side.append(pk)
        if min(map(len, sides)) == n:
            break
    return sides
