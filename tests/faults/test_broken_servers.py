"""Servers that cut connections or never finish: other feeds arrive in time, and theirs eventually."""

import random
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.checking import check_whole, inspect_reader
from tests.faults.processes import follow, n_rows, sql
from tests.faults.published import Publishers, document
from tests.feeds.servers import Script, answer, dripping, moved, silent
from tests.rssmanager.installation import Installation, installation

N_FEEDS, N_ENTRIES = 30, 10
MAX_ROUNDS = 12
FOREVER = b"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n"


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Installation]:
    with installation(tmp_path) as site:
        yield site


def poll(reader: Installation) -> None:
    """Poll all feeds, as if each was due and its domain available."""
    sql(reader, "UPDATE feeds_feed SET next_poll_at = '2020-01-01 00:00:00+00:00'")
    sql(reader, "UPDATE feeds_source SET rate_limited_until = NULL")
    reader.run("poll")


def cutting(whole: bytes, chance: random.Random, cuts: list[bool]) -> Script:
    """Responds with `whole`, but resets one connection in five halfway through."""

    def script(connection: socket.socket) -> None:
        is_cut = chance.random() < 0.2
        cuts.append(is_cut)
        if is_cut:
            connection.sendall(whole[: len(whole) // 2])
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        else:
            connection.sendall(whole)

    return script


def test_everything_arrives_despite_cut_connections(reader: Installation, publishers: Publishers) -> None:
    cuts: list[bool] = []
    for number in range(N_FEEDS):
        publishers.add(cutting(answer(200, document(number, N_ENTRIES)), random.Random(number), cuts))
    follow(reader, publishers.urls)
    for _ in range(MAX_ROUNDS):
        poll(reader)
        if not n_rows(reader, "feeds_feed", "last_success_at IS NULL") and len(cuts) > 2 * N_FEEDS:
            break
    assert sum(cuts) >= N_FEEDS // 5, "too few were cut"
    check_whole(reader, N_FEEDS * N_ENTRIES)
    n_failed = n_rows(reader, "feeds_poll", "outcome IN ('unreachable', 'timeout')")
    n_well = n_rows(reader, "feeds_poll", "outcome IN ('new', 'unchanged')")
    assert n_failed + n_well == n_rows(reader, "feeds_poll")
    assert n_rows(reader, "feeds_feed", "status != 'active'") == 0


def test_endless_responses_are_cut_off_and_delay_no_others(reader: Installation, publishers: Publishers) -> None:
    """Endless bodies and headers, slow bytes, silence and redirect loops each have their message."""
    reader.environment |= {"FETCH_TIMEOUT": "3", "FETCH_MAX_BYTES": "300000"}
    publishers.publish(12, N_ENTRIES)
    server = publishers.servers[0]
    item = b"<item><title>" + b"x" * 5000 + b"</title></item>"
    circle = f"/{len(publishers.urls) + 4}"
    endless = {
        "body": dripping(server, FOREVER + b"\r\n<rss version='2.0'><channel>", item, every=0.001),
        "headers": dripping(server, FOREVER, b"X-More: and more\r\n", every=0.001),
        "a byte now and then": dripping(server, FOREVER + b"\r\n", b" ", every=0.5),
        "silence": silent(server),
        "redirects": moved(302, circle),
    }
    for script in endless.values():
        publishers.urls.append(server.on(f"/{len(publishers.urls)}", script))
    follow(reader, publishers.urls)
    poll(reader)
    state = inspect_reader(reader)
    assert (state["articles"], state["doubled"], state["counted wrong"]) == (publishers.n_entries, [], [])
    assert n_rows(reader, "feeds_feed", "last_success_at IS NULL") == len(endless)
    messages = [row[0] for row in sql(reader, "SELECT message FROM feeds_poll WHERE n_new = 0 ORDER BY feed_id")]
    assert len(messages) == len(endless)
    assert all(messages), messages
