"""Several real worker processes and kills: nothing is duplicated or lost."""

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.feeds.servers import ScriptedServer, answer
from tests.rssmanager.installation import Installation, installation

pytestmark = pytest.mark.slow

N_FEEDS = 24
SHARED = 10  # articles in every feed


def document(number: int) -> bytes:
    shared = [f"https://agency.example/{n}" for n in range(SHARED)]
    own = [f"https://paper{number}.example/{n}" for n in range(3)]
    items = "".join(
        f"<item><guid isPermaLink='false'>{number}-{n}</guid><link>{url}?utm_source=feed{number}</link>"
        f"<title>Story at {url}</title><description>Words about {url}.</description></item>"
        for n, url in enumerate(shared + own)
    )
    return f"<rss version='2.0'><channel><title>Feed {number}</title>{items}</channel></rss>".encode()


@pytest.fixture
def servers() -> Iterator[list[ScriptedServer]]:
    all_servers = [ScriptedServer(f"127.0.0.{2 + n}") for n in range(6)]
    yield all_servers
    for server in all_servers:
        server.close()


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Installation]:
    with installation(tmp_path) as site:
        yield site


def follow_all(reader: Installation, servers: list[ScriptedServer]) -> None:
    urls = [servers[n % len(servers)].on(f"/{n}", answer(200, document(n))) for n in range(N_FEEDS)]
    path = reader.folder / "urls.txt"
    path.write_text("\n".join(urls))
    reader.run("import_opml", str(path))


def check_everything_is_there_once(reader: Installation) -> None:
    n_articles = SHARED + 3 * N_FEEDS
    assert reader.ask("Article.objects.count(), Item.objects.count()") == f"{n_articles} {N_FEEDS * (SHARED + 3)}"
    assert reader.ask("Feed.objects.filter(last_success_at=None).count()") == "0"
    assert reader.ask("Source.objects.exclude(lease_token=None).count()") == "0"
    reader.run("poll")  # delivers articles stored by a killed process
    assert reader.ask("Delivery.objects.values('article').distinct().count()") == str(n_articles)


def test_two_workers_store_each_article_once(reader: Installation, servers: list[ScriptedServer]) -> None:
    follow_all(reader, servers)
    workers = [reader.start("poll", "--json") for _ in range(2)]
    reports = []
    for worker in workers:
        out, err = worker.communicate(timeout=120)
        assert worker.returncode == 0, err
        reports.append(json.loads(out))
    assert sum(report["feeds"] for report in reports) == N_FEEDS  # no feed twice, none omitted
    assert sum(report["new"] for report in reports) == SHARED + 3 * N_FEEDS
    check_everything_is_there_once(reader)


def test_killed_worker_loses_nothing(reader: Installation, servers: list[ScriptedServer]) -> None:
    follow_all(reader, servers)
    reached = threading.Event()

    def hang(connection: socket.socket) -> None:
        reached.set()
        servers[0].stopping.wait(60)

    servers[0].on("/0", hang)
    worker = reader.start("poll")
    assert reached.wait(120)
    worker.kill()
    worker.communicate()
    servers[0].on("/0", answer(200, document(0)))
    reader.ask("Source.objects.exclude(leased_until=None).update(leased_until='2020-01-01 00:00Z')")  # later
    reader.run("poll")
    check_everything_is_there_once(reader)
