"""Metrics: access, correct values, and constant queries."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.signing import dumps
from django.test import Client
from django.utils import timezone
from django_q.models import OrmQ
from django_q.tasks import async_task
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries, Settings

from digests.models import Mailing, MailingState
from feeds.models import PollOutcome, PollTally, Stage
from feeds.search import indexer as search_indexer
from feeds.storage.work_queue import enqueue
from rssmanager.operations.models import TaskTally, Worker
from rssmanager.schedules import write_schedules
from tests import make
from tests.feeds.push.subscriptions import pushed
from tests.rssmanager.installation import installation
from tests.rssmanager.operations.conftest import TOKEN
from tests.rssmanager.operations.servers import Server, serving

MINUTES = timedelta(minutes=1)
N_QUERIES = 19  # of any scrape


def read(client: Client) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert response.status_code == 200
    return parsed(response.content.decode())


def parsed(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def key(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return f"rssmanager_{name}", frozenset(labels.items())


@pytest.mark.django_db
class TestAccess:
    @pytest.mark.parametrize(
        "given", ["", "Bearer", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN, "Bearer tökén"]
    )
    def test_without_token_is_404(self, client: Client, measured: None, given: str) -> None:
        response = client.get("/metrics", headers={"Authorization": given.encode().decode("latin-1")})
        assert response.status_code == 404
        assert b"rssmanager_" not in response.content

    @pytest.mark.parametrize("given", ["Bearer ", "Bearer none", ""])
    def test_without_a_configured_token_is_404(self, client: Client, given: str) -> None:
        client.force_login(make.user(is_superuser=True, is_staff=True))
        assert client.get("/metrics", headers={"Authorization": given}).status_code == 404

    def test_token_needs_no_host_name(self, client: Client, measured: None) -> None:
        headers = {"Authorization": f"bearer {TOKEN}", "Host": "10.1.2.3"}
        assert client.get("/metrics", headers=headers).status_code == 200


@pytest.mark.django_db
def test_worker_metrics_come_from_the_database(client: Client, measured: None) -> None:
    now = timezone.now()
    PollTally.objects.create(
        outcome=PollOutcome.NEW, n=6, seconds=9.5, n_new=40, n_duplicates=4, within=[1, 2, 3, 0, 0, 0]
    )
    PollTally.objects.create(outcome=PollOutcome.TIMEOUT, n=1, seconds=30.1, within=[0, 0, 0, 0, 0, 1])
    make.feed(next_poll_at=now - 10 * MINUTES)
    TaskTally.objects.create(task="feeds.tasks.polling.poll", n_done=7, n_failed=2, seconds=12.5, last_success_at=now)
    Worker.objects.create(host="a", pid=1, seen_at=now)
    Worker.objects.create(host="a", pid=2, seen_at=now, task="feeds.tasks.polling.poll", task_began_at=now)
    enqueue([make.article().pk], Stage.ENRICH)
    search_indexer.queue_articles([make.article().pk, make.article().pk])
    for number, state in enumerate([MailingState.WAITING, MailingState.SENT, MailingState.SENT]):
        Mailing.objects.create(
            user=make.user(), kind="alerts", state=state, message_id=str(number), created_at=now, next_try_at=now
        )
    Mailing.objects.create(
        user=make.user(),
        kind="alerts",
        state="sent",
        message_id="old",
        created_at=now - 1500 * MINUTES,
        next_try_at=now,
    )
    pushed(make.feed(next_poll_at=None))
    make.poll(make.feed(next_poll_at=None), started_at=now, is_pushed=True)
    make.poll(make.feed(next_poll_at=None), started_at=now - 1500 * MINUTES, is_pushed=True)
    metrics = read(client)
    assert metrics[key("push_subscriptions", state="verified")] == 1
    assert metrics[key("push_subscriptions", state="denied")] == 0
    assert metrics[key("push_polls")] == 1
    assert metrics[key("poll_seconds_count", outcome="new")] == 6
    assert metrics[key("poll_seconds_sum", outcome="new")] == 9.5
    assert metrics[key("poll_seconds_bucket", outcome="new", le="1.0")] == 3
    assert metrics[key("poll_seconds_bucket", outcome="timeout", le="30.0")] == 0
    assert metrics[key("poll_seconds_bucket", outcome="timeout", le="+Inf")] == 1
    assert (metrics[key("articles_total", **{"as": "new"})], metrics[key("articles_total", **{"as": "duplicate"})]) == (
        40,
        4,
    )
    assert metrics[key("feeds_due")] == 1
    assert 600 <= metrics[key("feeds_lag_seconds")] < 660
    assert metrics[key("task_runs_total", task="feeds.tasks.polling.poll", outcome="failed")] == 2
    assert metrics[key("task_last_success_timestamp_seconds", task="feeds.tasks.polling.poll")] == now.timestamp()
    assert (metrics[key("workers", state="busy")], metrics[key("workers", state="idle")]) == (1, 1)
    assert [
        metrics[key("stage_waiting", stage=stage)] for stage in ("match", "enrich", "index", "deliver", "rate")
    ] == [
        0,
        1,
        2,
        0,
        0,
    ]
    assert (metrics[key("mails", state="waiting")], metrics[key("mails", state="sent")]) == (1, 2)
    assert metrics[key("database_bytes")] > 100_000
    assert metrics[key("database_up")] == 1


@pytest.mark.django_db
def test_queue_size_and_age_of_oldest_task(client: Client, measured: None, settings: Settings) -> None:
    if settings.ENV.REDIS_URL:
        pytest.skip("the queue is in Redis here; test_queue.py has it")
    async_task("feeds.tasks.polling.tidy")
    OrmQ.objects.update(lock=timezone.now() - 3 * MINUTES)
    async_task("feeds.tasks.polling.poll")
    metrics = read(client)
    assert metrics[key("queue_waiting")] == 2
    assert 180 <= metrics[key("queue_oldest_seconds")] < 240
    OrmQ.objects.update(lock=timezone.now() + 3 * MINUTES)  # claimed
    assert read(client)[key("queue_waiting")] == 0


@pytest.mark.django_db
def test_scrape_takes_constant_queries(
    client: Client, measured: None, settings: Settings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    write_schedules()
    Worker.objects.create(host="a", pid=1, seen_at=timezone.now())
    n_queries = N_QUERIES - 2 if settings.ENV.REDIS_URL else N_QUERIES
    with django_assert_num_queries(n_queries):
        read(client)
    for _ in range(3):
        make.delivery(make.subscription(make.user()), make.article())
        enqueue([make.article().pk])
    with django_assert_num_queries(n_queries):
        read(client)


@pytest.mark.django_db
def test_counts_requests_by_route_not_by_url(client: Client, measured: None) -> None:
    client.force_login(make.user())
    token = dumps("a secret")
    for number in range(3):
        client.get(f"/articles/{number}/")
        client.get(f"/mail/act/{token}{number}/")
        client.get(f"/nowhere/{number}/")
    text = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).content.decode()
    metrics = parsed(text)
    assert metrics[key("http_requests_total", method="GET", route="article", status="4xx")] >= 3
    assert metrics[key("http_requests_total", method="GET", route="unmatched", status="4xx")] >= 3
    assert metrics[key("http_request_seconds_count", route="article")] >= 3
    assert token not in text
    assert not re.search(r'route="[^"]*\d/', text)


@pytest.mark.slow
@pytest.mark.django_db
def test_each_web_process_counts_its_own_requests(tmp_path: Path) -> None:
    with installation(tmp_path) as reader:
        reader.prepare()
        with serving(reader, METRICS_TOKEN=TOKEN) as first, serving(reader, METRICS_TOKEN=TOKEN) as second:
            assert {first.ask("/login/")[0] for _ in range(30)} == {200}
            assert {second.ask("/login/")[0] for _ in range(5)} == {200}
            assert {(_counted(first), _counted(second)) for _ in range(5)} == {(30, 5)}


def _counted(server: Server) -> float:
    status, text = server.ask("/metrics", Authorization=f"Bearer {TOKEN}")
    assert status == 200
    return parsed(text)[key("http_requests_total", method="GET", route="login", status="2xx")]
