"""Several worker processes share one language model within its limit, rating no article twice."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.reader.language_server import Exchange, LanguageServer, rating, says
from tests.rssmanager.installation import Installation, installation

pytestmark = [pytest.mark.slow, pytest.mark.vendor]

N_ARTICLES = 12
LIMIT = 7
N_WORKERS = 3

FILL = """
from datetime import UTC, datetime
from django.contrib.auth.models import User
from tests import make
from tests.reader.assessed import assess
subscription = make.subscription(User.objects.get())
for number in range({n}):
    article = make.article(title=f"Number {{number}}", published_at=datetime.now(UTC))
    make.delivery(subscription, article)
    assess(article)
"""
ASK = """
from datetime import UTC, datetime, timedelta
from reader.scoring.llm_sensitivity import run_configured
print(run_configured(until=datetime.now(UTC) + timedelta(seconds=50)).n_answered)
"""


def answer_slowly(exchange: Exchange) -> None:
    """Answer after a delay, so that workers overlap."""
    exchange.until_the_end(0.1)
    says(rating(5))(exchange)


@pytest.fixture
def server() -> Iterator[LanguageServer]:
    language_server = LanguageServer(answer_slowly)
    yield language_server
    language_server.close()


@pytest.fixture
def reader(tmp_path: Path, server: LanguageServer) -> Iterator[Installation]:
    with installation(tmp_path) as site:
        site.environment |= {"LLM_BASE_URL": server.address, "LLM_RATE": str(LIMIT), "LLM_API_KEY": ""}
        site.run("shell", "--no-imports", "-c", FILL.format(n=N_ARTICLES))
        yield site


def test_workers_share_the_limit_and_the_articles(reader: Installation, server: LanguageServer) -> None:
    began_at = datetime.now(UTC)
    workers = [reader.start("shell", "--no-imports", "-c", ASK) for _ in range(N_WORKERS)]
    n_answered = 0
    for worker in workers:
        out, err = worker.communicate(timeout=60)
        assert worker.returncode == 0, err
        n_answered += int(out)
    if (datetime.now(UTC) - began_at).total_seconds() > 55:
        pytest.skip("this machine took over a minute, and the limit is one a minute")
    assert (len(server.asked), n_answered) == (LIMIT, LIMIT)
    titles = Counter(asked.prompt.partition('"title": "')[2].partition('"')[0] for asked in server.asked)
    assert set(titles.values()) == {1}
    assert (
        reader.ask("Assessment.objects.filter(source='llm').count(), LanguageModelRequest.objects.count()")
        == f"{LIMIT} 0"
    )
