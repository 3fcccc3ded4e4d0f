"""The self-check of SPEC §8: whether the top of a user's list deserves its rank."""

from datetime import datetime

from django.contrib.auth.models import User

from reader.lists.queries import important_page
from reader.scoring.self_check import Anomaly, Scored, check_top

COMPARED = 20  # articles


def check_most_important(user: User, *, now: datetime) -> Anomaly | None:
    """What is odd about the most important unread article; None if its source is better than T5."""
    return check_top(
        [
            Scored(row.article.pk, row.article.title, row.article.assessment.tier, row.rating.parts)
            for row in important_page(user, None, now=now, size=COMPARED).rows
            if row.rating is not None
        ]
    )
