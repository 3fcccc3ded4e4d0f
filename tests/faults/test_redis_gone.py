"""Redis is killed under a running web server and workers, and comes back empty."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.checking import check_whole
from tests.faults.processes import FEW_MODELS, cluster, make_schedules_due, n_rows, sql, wait_until
from tests.faults.published import Publishers
from tests.faults.redis_of_its_own import OwnRedis
from tests.faults.visitor import Visitor
from tests.rssmanager.installation import Installation, installation
from tests.rssmanager.operations.servers import serving

_FOUND = "status = 'preview'"  # looked up, and offered to the user

pytestmark = pytest.mark.skipif(shutil.which("redis-server") is None, reason="no redis-server is installed")


@pytest.fixture
def queue() -> Iterator[OwnRedis]:
    redis = OwnRedis()
    redis.start()
    yield redis
    redis.kill()


@pytest.fixture
def reader(tmp_path: Path, queue: OwnRedis) -> Iterator[Installation]:
    with installation(tmp_path) as site:
        site.environment |= {**FEW_MODELS, "REDIS_URL": queue.url}
        site.prepare()
        yield site


def test_pages_work_and_requested_tasks_run_after_its_return(
    reader: Installation, queue: OwnRedis, publishers: Publishers
) -> None:
    first, second, third = publishers.publish(3, 20)
    with serving(reader) as server, cluster(reader) as workers:
        visitor = Visitor(server, reader)
        assert visitor.post("/subscribe/", address=first).status_code == 200
        _follow_what_was_found(reader, visitor, 1)
        wait_until(lambda: n_rows(reader, "reader_delivery") == 20, "the first feed did not come")
        parts = set(workers.parts())

        queue.kill()
        for path in ("/", "/all/", "/subscribe/", "/health/", "/search/?q=harbour", "/settings/"):
            assert visitor.get(path).status_code == 200, path
        response = visitor.post("/subscribe/", address=second)
        assert response.status_code == 200
        assert "Your import will start as soon as one is." in response.text
        assert visitor.get("/feeds/1/").status_code == 200
        assert visitor.get("/healthz").status_code == 200
        wait_until(lambda: "Failed to pull task from broker" in workers.log.read_text(), "nobody noticed")

        queue.start()
        assert visitor.post("/subscribe/", address=third).status_code == 200
        wait_until(lambda: n_rows(reader, "reader_import", _FOUND) >= 1, "the workers did not go on")
        # a minute later
        statement = f"UPDATE reader_import SET created_at = '2020-01-01 00:00:00' WHERE NOT ({_FOUND})"  # noqa: S608 - our own
        sql(reader, statement)
        make_schedules_due(reader)
        for pk in (2, 3):
            _follow_what_was_found(reader, visitor, pk)
        wait_until(lambda: n_rows(reader, "reader_delivery") == 60, "not everything came")
        assert workers.process.poll() is None
        assert parts & set(workers.parts())
    check_whole(reader, publishers.n_entries)


def _follow_what_was_found(reader: Installation, visitor: Visitor, pk: int) -> None:
    """Wait until a worker has looked up the address, then follow the feed there."""
    wait_until(lambda: n_rows(reader, "reader_import", f"id = {pk} AND {_FOUND}"), "what was asked was forgotten")
    token = visitor.token_of(f"/imports/{pk}/")
    assert visitor.send(f"/imports/{pk}/confirm/", token, feed="0").status_code == 200
