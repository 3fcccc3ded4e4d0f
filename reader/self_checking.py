"""The self-check of SPEC §8 over one person's list: is what stands on top there for good reasons?"""

from collections.abc import Iterable
from datetime import datetime

from django.contrib.auth.models import User

from reader.queries import Row, important_page
from reader.scoring.self_check import Anomaly, Scored, check_top

COMPARED = 20  # the most important articles


def check_most_important(user: User, *, now: datetime) -> Anomaly | None:
    """What is odd about the most important unread article of `user`; None when its source is better than T5."""
    return check_rows(important_page(user, None, now=now, size=COMPARED).rows)


def check_rows(rows: Iterable[Row]) -> Anomaly | None:
    """The same of rows at hand, such as a digest's."""
    return check_top(
        [
            Scored(row.article.pk, row.article.title, row.article.assessment.tier, row.rating.parts)
            for row in rows
            if row.rating is not None
        ]
    )
