"""What everybody likes, said and done: `Installation.run("tastes_round", n_acts)` after assessing.

Each person names two topics and does so many acts with articles of theirs and of others, one by one, as the views do.
"""

import argparse
import json
from collections.abc import Iterator

from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from feeds.models import Article
from reader.interests.engagement import record_action
from reader.interests.terms import add_starting_interests
from reader.models import Engagement, EngagementKind, InterestTerm
from tests.benchmarks.clock import Spent, milliseconds, spent
from tests.benchmarks.liking import some_of, topics_of
from tests.benchmarks.tidying import tidy

LIKES = (EngagementKind.OPENED, EngagementKind.OPENED, EngagementKind.OPENED, EngagementKind.LIKED)
DISLIKES = (EngagementKind.SKIPPED, EngagementKind.SKIPPED, EngagementKind.SKIPPED, EngagementKind.DISLIKED)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("n_acts", type=int)
    n_acts = parser.parse_args().n_acts
    acts: list[Spent] = []
    for user in User.objects.order_by("pk"):
        add_starting_interests(user, topics_of(user), (), timezone.now())
        acts += _acts(user, n_acts)
    tidy()
    first = User.objects.order_by("pk")[0]
    printed = {
        "acts": milliseconds(acts),
        "n_acts": len(acts),
        "n_statements": _statements(first),
        "n_terms": InterestTerm.objects.filter(user=first).count(),
    }
    print(json.dumps(printed))


def _acts(user: User, n: int) -> Iterator[Spent]:
    now = timezone.now()
    for number, (liked, left) in enumerate(zip(*some_of(user, n // 2), strict=False)):
        articles = Article.objects.in_bulk([liked, left])
        for pk, kinds in ((liked, LIKES), (left, DISLIKES)):
            with spent() as act:
                record_action(user, articles[pk], kinds[number % len(kinds)], now=now)
            yield act


def _statements(user: User) -> int:
    """Of one more act; the beginning and the end of its transaction are not counted."""
    engaged = Engagement.objects.filter(user=user).values("article")
    article = Article.objects.exclude(pk__in=engaged).order_by("-pk")[0]
    with CaptureQueriesContext(connection) as captured:
        record_action(user, article, EngagementKind.OPENED, now=timezone.now())
    said = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
    return sum(not query["sql"].startswith(said) for query in captured.captured_queries)


if __name__ == "__main__":
    main()
