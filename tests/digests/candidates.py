"""Candidates for tests, without a database."""

from datetime import timedelta
from typing import Any

from digests.assembly.selection import TopicCluster
from digests.edition.candidates import Candidate
from reader.scoring.importance import Parts
from tests.digests.editions import MADE_AT


def parts(importance: float) -> Parts:
    """Five equal parts, whose weighted sum they are."""
    return Parts(importance, importance, importance, importance, importance)


def candidate(number: int = 1, importance: float = 50.0, **values: Any) -> Candidate:
    values = {
        "article_id": number,
        "title": f"Article {number}",
        "text": f"The text of article {number}.",
        "language": "en",
        "source": "Paper",
        "publisher": f"paper{number}.example",
        "url": f"https://paper.example/{number}",
        "tier": 3,
        "published_at": MADE_AT - timedelta(hours=2, minutes=number),
        "date_uncertain": False,
        "first_seen_at": MADE_AT - timedelta(hours=1),
        "revised_at": None,
        "parts": parts(importance),
        **values,
    }
    return Candidate(**values)


def cluster(number: int, *members: Candidate, **values: Any) -> TopicCluster:
    """A topic of these articles, led by the first; they are put into their order."""
    ordered = tuple(sorted(members, key=lambda each: (-each.importance, each.article_id)))
    return TopicCluster(number=number, members=ordered, **{"lead": members[0], "n_now": len(members), **values})
