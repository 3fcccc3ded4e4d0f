"""Learning moves articles against each other: it neither empties nor fills Important."""

import random

import pytest
from django.contrib.auth.models import User

from feeds.models import Article
from reader.interests.engagement import record_action
from reader.models import Assessment, Delivery
from reader.scoring.assess import assess
from reader.scoring.importance import TOP_FROM, hours_between, importance_at, recency
from reader.scoring.rate import rate_waiting
from tests import make
from tests.rssmanager.evaluation.test_for_you import WORDS, documents

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def articles() -> dict[str, list[Article]]:
    """Articles of today by subject, some of which are top stories for everyone."""
    chance = random.Random(8)
    found: dict[str, list[Article]] = {subject: [] for subject in WORDS}
    for document in documents()[::2]:
        article = make.article(title=document.title, text=document.text, language="en", published_at=make.NOW)
        found[document.title.split()[0]].append(article)
    ids = [article.pk for several in found.values() for article in several]
    assess(ids, now=make.NOW)
    for assessment in Assessment.objects.all():
        assessment.shared_importance = 48 - 68 * chance.random()  # 3 or 4 articles per point, as on a day of news
        assessment.save(update_fields=["shared_importance"])
    return found


def n_top(user: User) -> int:
    rows = Delivery.objects.filter(user=user).values_list("static_importance", "published_at")
    recent = [(static, recency(hours_between(at, make.NOW))) for static, at in rows]
    return sum(importance_at(static, value) >= TOP_FROM for static, value in recent)


def mean_relevance(user: User, articles: list[Article]) -> float:
    values = Delivery.objects.filter(user=user, article__in=articles).values_list("relevance", flat=True)
    return sum(values) / len(values)


@pytest.mark.parametrize("subject", ["rust", "council", "weather"])
def test_number_of_top_stories_stays_and_the_subject_rises(articles: dict[str, list[Article]], subject: str) -> None:
    user = make.user()
    subscription = make.subscription(user)
    for several in articles.values():
        for article in several:
            make.delivery(subscription, article)
    rate_waiting()
    untaught = n_top(user)
    assert untaught > 15
    others = [article for name, several in articles.items() if name != subject for article in several]
    chance = random.Random(3)
    opened, skipped = chance.sample(articles[subject], 30), chance.sample(others, 70)
    for first, last in (((0, 0), (6, 6)), ((6, 6), (30, 70))):
        for article in opened[first[0] : last[0]]:
            record_action(user, article, "opened", now=make.NOW)
        for article in skipped[first[1] : last[1]]:
            record_action(user, article, "skipped", now=make.NOW)
        rate_waiting()
        assert abs(n_top(user) - untaught) <= 3
        assert mean_relevance(user, articles[subject]) > 60
        assert mean_relevance(user, [one for several in articles.values() for one in several]) == pytest.approx(
            50, abs=6
        )
