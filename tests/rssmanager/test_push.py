"""A hub, a publisher, the real web server and the real worker: an article is there seconds after it is published."""

import hashlib
import hmac
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlencode
from urllib.request import Request, urlopen

import pytest

from tests.faults.processes import FEW_MODELS, cluster, follow, make_schedules_due, n_rows, sql, wait_until
from tests.rssmanager.installation import Installation, installation
from tests.rssmanager.operations.servers import serving

pytestmark = pytest.mark.slow

SECONDS = 30  # for a machine where other tests run beside it; nothing but the hub makes the article come
ACTIVE = "state = 'verified'"


class Hub(ThreadingHTTPServer):
    """Serves a feed and is its hub: verifies intent and delivers signed content."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.titles: list[str] = ["First"]
        self.subscriptions: dict[str, str] = {}  # secrets by callback
        self.n_polls = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def document(self) -> bytes:
        items = "".join(
            f"<item><guid isPermaLink='false'>{title}</guid><link>https://paper.example/{title}</link>"
            f"<title>{title}</title><description>About {title}.</description></item>"
            for title in reversed(self.titles)
        )
        links = "".join(
            f"<atom:link rel='{rel}' href='{self.address}{path}'/>" for rel, path in (("hub", "/hub"), ("self", "/f"))
        )
        return (
            f"<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom'><channel><title>Paper</title>"
            f"{links}{items}</channel></rss>"
        ).encode()

    def verify(self, form: dict[str, str]) -> None:
        """Ask the subscriber whether it meant this request."""
        time.sleep(0.2)  # after the answer to it
        query = {"hub.mode": form["hub.mode"], "hub.topic": form["hub.topic"], "hub.challenge": "a & b"}
        if form["hub.mode"] == "subscribe":
            query["hub.lease_seconds"] = form["hub.lease_seconds"]
        callback = form["hub.callback"]
        with urlopen(f"{callback}?{urlencode(query)}") as response:
            assert response.read() == b"a & b"
        if form["hub.mode"] == "subscribe":
            self.subscriptions[callback] = form["hub.secret"]
        else:
            del self.subscriptions[callback]

    def publish(self, title: str, *, secret: str = "") -> list[int]:
        """Add an entry and deliver it to all subscribers; returns their responses."""
        self.titles.append(title)
        statuses = []
        for callback, own in self.subscriptions.items():
            signed = hmac.new((secret or own).encode(), self.document, hashlib.sha512).hexdigest()
            headers = {"Content-Type": "application/rss+xml", "X-Hub-Signature": f"sha512={signed}"}
            halves = iter([self.document[:100], self.document[100:]])  # chunked, as some hubs send it
            with urlopen(Request(callback, halves, headers)) as response:
                statuses.append(response.status)
        return statuses


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        self.server.n_polls += self.path == "/f"  # not the search for an icon
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.server.document)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        self.send_response(202)
        self.end_headers()
        threading.Thread(target=self.server.verify, args=(form,), daemon=True).start()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()
    yield hub
    hub.shutdown()
    hub.server_close()


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Installation]:
    with installation(tmp_path) as site:
        site.environment.update(FEW_MODELS)
        site.prepare()
        yield site


def has(reader: Installation, title: str) -> bool:
    delivered = "article_id IN (SELECT id FROM feeds_article WHERE title = '{}')"
    return n_rows(reader, "reader_delivery", delivered.format(title)) > 0


def by_schedule(reader: Installation, is_so: object, what: str) -> None:
    """Run recurring tasks, again and again, until it is so."""
    due = 0.0

    def check() -> object:
        nonlocal due
        if time.monotonic() > due:
            due = time.monotonic() + 3
            make_schedules_due(reader)
        return is_so()  # type: ignore[operator]

    wait_until(check, what)


def without_schedule(reader: Installation) -> None:
    """From now on, nothing recurs."""
    make_schedules_due(reader, datetime.now(UTC) + timedelta(days=1))
    wait_until(
        lambda: not n_rows(reader, "django_q_ormq") and not n_rows(reader, "operations_worker", "task != ''"),
        "recurring tasks never ended",
    )


def test_articles_arrive_within_seconds(reader: Installation, hub: Hub) -> None:
    with serving(reader) as web:
        reader.environment["BASE_URL"] = f"http://127.0.0.1:{web.port}"
        follow(reader, [f"{hub.address}/f"])
        with cluster(reader):
            by_schedule(
                reader,
                lambda: n_rows(reader, "feeds_pushsubscription", ACTIVE) and hub.subscriptions,  # each on its side
                "no hub confirmed",
            )
            without_schedule(reader)

            began = time.monotonic()
            assert hub.publish("Second") == [202]
            wait_until(lambda: has(reader, "Second"), "the announced article didn't arrive")
            assert time.monotonic() - began < SECONDS
            assert n_rows(reader, "feeds_poll", "is_pushed") == 1
            assert n_rows(reader, "feeds_pushsubscription", "announces") == 1

            n_polls = hub.n_polls
            assert hub.publish("Third", secret="wrong") == [202]
            time.sleep(2)
            assert (hub.n_polls, has(reader, "Third")) == (n_polls, False)

        # No worker runs, and the one that takes the task dies with it.
        assert hub.publish("Fourth") == [202]
        assert n_rows(reader, "django_q_ormq", "key = 'rssmanager-urgent'") == 1
        sql(reader, "DELETE FROM django_q_ormq")
        with cluster(reader):
            by_schedule(reader, lambda: has(reader, "Fourth"), "an announcement was lost")
            assert has(reader, "Third")
            assert n_rows(reader, "feeds_article") == 4
            assert n_rows(reader, "reader_delivery") == 4

            sql(reader, "UPDATE reader_subscription SET unfollowed_at = '2026-01-01 00:00:00+00:00'")
            by_schedule(reader, lambda: not hub.subscriptions, "the hub was never told that nobody follows the feed")
