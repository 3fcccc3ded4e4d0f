"""Queue size and oldest task, in the database and in Redis."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone
from django_q.brokers.redis_broker import Redis
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.signing import SignedPackage
from django_q.tasks import async_task
from pytest_django import Settings

from rssmanager.operations.queue import QueueState, queue_key, queue_state, redis_client
from tests.rssmanager.redis_server import RedisServer

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]


@pytest.fixture
def redis_queue(settings: Settings, monkeypatch: pytest.MonkeyPatch, redis_server: RedisServer) -> Iterator[None]:
    settings.ENV = replace(settings.ENV, REDIS_URL=redis_server.url)
    monkeypatch.setattr(Conf, "REDIS", redis_server.url)
    redis_client.cache_clear()
    yield
    redis_client.cache_clear()


class TestInTheDatabase:
    @pytest.fixture(autouse=True)
    def queue_of_the_database(self, settings: Settings) -> None:
        settings.ENV = replace(settings.ENV, REDIS_URL="")

    def test_empty_queue(self) -> None:
        assert queue_state(timezone.now()) == QueueState(0, None, 0)

    def test_counts_unclaimed_tasks(self) -> None:
        now = timezone.now()
        for minutes in (-5, -2, 20):  # two are waiting, one is claimed for twenty more minutes
            OrmQ.objects.create(key=Conf.CLUSTER_NAME, payload="x", lock=now + timedelta(minutes=minutes))
        OrmQ.objects.create(key="another", payload="x", lock=now - timedelta(days=1))
        assert queue_state(now) == QueueState(2, now - timedelta(minutes=5), 1)


@pytest.mark.usefixtures("redis_queue")
class TestInRedis:
    def test_empty_queue(self) -> None:
        assert queue_state(timezone.now()) == QueueState(0, None, None)

    def test_oldest_task_has_its_time(self) -> None:
        before = timezone.now()
        for _ in range(2):
            async_task("feeds.tasks.polling.tidy", broker=Redis())
        state = queue_state(timezone.now())
        assert (state.n_waiting, state.n_claimed) == (2, None)
        assert state.oldest_at is not None
        assert before <= state.oldest_at <= timezone.now()

    def test_foreign_signature_is_not_unpacked(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(Conf, "SECRET_KEY", "another installation's key")
            package = SignedPackage.dumps({"started": timezone.now()})
        redis_client().rpush(queue_key(), package)
        assert queue_state(timezone.now()) == QueueState(1, None, None)
