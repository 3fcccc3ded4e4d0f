"""The sample publishers over HTTP: feeds, generations, conditional requests, and each problem."""

import gzip
import http.client
import json
import socket
from calendar import timegm
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http import HTTPStatus
from io import BytesIO
from urllib.parse import urlsplit

import feedparser
import pytest
import requests
from lxml import etree

from rssmanager.demo.feed_documents import entry_url
from rssmanager.demo.publishers import LAST_GENERATION, Publisher, PublisherFeed, load_publishers
from rssmanager.demo.server import DemoFeed, DemoServer, can_bind

NOW = datetime(2026, 3, 4, 9, 30, 15, 250_000, tzinfo=UTC)
FOREVER_SECONDS = 36_000.0
PATIENCE = 10  # seconds a test waits for a response

PAIRS = [(publisher, feed) for publisher in load_publishers() for feed in publisher.feeds]
GOOD = [
    pytest.param(publisher, feed, id=f"{publisher.key}-{feed.key}") for publisher, feed in PAIRS if not feed.trouble
]
XML_GOOD = [param for param in GOOD if param.values[1].format != "json"]  # type: ignore[union-attr]
JSON_GOOD = [param for param in GOOD if param not in XML_GOOD]


@pytest.fixture
def server() -> Iterator[DemoServer]:
    with DemoServer(NOW, slow_seconds=0) as server:
        yield server


def get(url: str, **headers: str) -> requests.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with requests.Session() as session:
        session.trust_env = False
        return session.get(url, headers=named, allow_redirects=False, timeout=PATIENCE)


def document(server: DemoServer, publisher: Publisher, feed: PublisherFeed) -> requests.Response:
    return get(server.edition(publisher).base_url + feed.path)


def troubled(server: DemoServer, trouble: str) -> tuple[DemoFeed, Publisher, PublisherFeed]:
    sample = next(feed for feed in server.feeds if feed.trouble == trouble)
    publisher, feed = next((publisher, feed) for publisher, feed in PAIRS if feed.trouble == trouble)
    return sample, publisher, feed


def parsed(answer: requests.Response) -> feedparser.FeedParserDict:
    headers = {"content-type": answer.headers["Content-Type"]}
    return feedparser.parse(BytesIO(answer.content), response_headers=headers, sanitize_html=False)


def titles_and_links(server: DemoServer, publisher: Publisher, feed: PublisherFeed) -> list[tuple[str, str]]:
    edition = server.edition(publisher)
    return [
        (article.wording(server.generation).title, entry_url(feed, article, edition))
        for article in publisher.delivered(feed, server.generation)
    ]


def moments(server: DemoServer, publisher: Publisher, feed: PublisherFeed) -> list[datetime]:
    edition = server.edition(publisher)
    return [edition.published_at(article) for article in publisher.delivered(feed, server.generation)]


@pytest.mark.parametrize(("publisher", "feed"), XML_GOOD)
def test_good_feeds_are_well_formed_and_complete(server: DemoServer, publisher: Publisher, feed: PublisherFeed) -> None:
    while server.generation < LAST_GENERATION:
        server.advance()
    response = document(server, publisher, feed)
    result = parsed(response)
    assert response.status_code == HTTPStatus.OK
    assert not result.bozo, result.get("bozo_exception")
    assert result.feed.title == feed.title
    assert [(entry.title, entry.link) for entry in result.entries] == titles_and_links(server, publisher, feed)
    name = "updated_parsed" if feed.format == "rdf" else "published_parsed"  # feedparser's name for dc:date
    dates = [datetime.fromtimestamp(timegm(entry[name]), UTC) for entry in result.entries]
    assert dates == moments(server, publisher, feed)
    assert all(timedelta(0) < NOW - date <= timedelta(days=8) for date in dates)


@pytest.mark.parametrize(("publisher", "feed"), JSON_GOOD)
def test_json_feeds_have_required_fields(server: DemoServer, publisher: Publisher, feed: PublisherFeed) -> None:
    response = document(server, publisher, feed)
    result = json.loads(response.content)
    assert response.headers["Content-Type"] == "application/feed+json; charset=utf-8"
    assert result["version"] == "https://jsonfeed.org/version/1.1"
    assert (result["title"], result["feed_url"]) == (feed.title, response.url)
    assert [(item["title"], item["url"]) for item in result["items"]] == titles_and_links(server, publisher, feed)
    dates = [datetime.fromisoformat(item["date_published"]) for item in result["items"]]
    assert dates == moments(server, publisher, feed)
    assert len({item["id"] for item in result["items"]}) == len(result["items"]) > 0
    assert all(item["content_html"] and item["authors"][0]["name"] for item in result["items"])


def test_generations_add_only_arrivals_and_revisions(server: DemoServer) -> None:
    generations = []
    for generation in range(1, LAST_GENERATION + 1):
        assert server.generation == generation
        generations.append(
            {(publisher.key, feed.key): document_of(server, publisher, feed) for publisher, feed in PAIRS}
        )
        if generation < LAST_GENERATION:
            assert server.advance() == generation + 1
    for (before, after), generation in zip(
        ((generations[0], generations[1]), (generations[1], generations[2])), (2, 3), strict=True
    ):
        changed = {key for key in before if before[key] != after[key]}
        assert changed == expected_changes(generation)
        assert changed


def document_of(server: DemoServer, publisher: Publisher, feed: PublisherFeed) -> bytes:
    return document(server, publisher, feed).content


def expected_changes(generation: int) -> set[tuple[str, str]]:
    return {
        (publisher.key, feed.key)
        for publisher, feed in PAIRS
        if feed.trouble not in ("gone", "limited")
        for article in publisher.articles
        if feed.key in article.feeds
        and (article.since == generation or (generation == 2 and article.revised and article.since == 1))
    }


def test_refuses_unknown_generation(server: DemoServer) -> None:
    server.generation = LAST_GENERATION
    with pytest.raises(ValueError, match="3 is the last"):
        server.advance()
    assert server.generation == LAST_GENERATION


@pytest.mark.parametrize(("publisher", "feed"), GOOD)
def test_conditional_requests_skip_the_document(server: DemoServer, publisher: Publisher, feed: PublisherFeed) -> None:
    first = document(server, publisher, feed)
    by_tag = get(first.url, If_None_Match=first.headers["ETag"])
    by_date = get(first.url, If_Modified_Since=first.headers["Last-Modified"])
    for response in (by_tag, by_date):
        assert response.status_code == HTTPStatus.NOT_MODIFIED
        assert response.content == b""
        assert response.headers["ETag"] == first.headers["ETag"]


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"If-None-Match": '"other"'}, id="other-tag"),
        pytest.param({"If-Modified-Since": format_datetime(NOW - timedelta(days=1), usegmt=True)}, id="old-date"),
        pytest.param({"If-Modified-Since": "yesterday"}, id="nonsense-date"),
        pytest.param(
            {"If-None-Match": '"other"', "If-Modified-Since": format_datetime(NOW, usegmt=True)},
            id="tag-decides-before-date",
        ),
    ],
)
def test_sends_document_if_the_condition_fails(server: DemoServer, headers: dict[str, str]) -> None:
    publisher, feed = GOOD[0].values
    url = document(server, publisher, feed).url  # type: ignore[arg-type]
    response = requests.get(url, headers=headers, timeout=PATIENCE)
    assert response.status_code == HTTPStatus.OK
    assert response.content == document(server, publisher, feed).content  # type: ignore[arg-type]


def test_date_of_previous_generation_is_stale(server: DemoServer) -> None:
    publisher, feed = next(
        (publisher, feed) for publisher, feed in PAIRS if (publisher.key, feed.key) in expected_changes(2)
    )
    first = document(server, publisher, feed)
    server.advance()
    assert get(first.url, If_Modified_Since=first.headers["Last-Modified"]).status_code == HTTPStatus.OK
    assert get(first.url, If_None_Match=first.headers["ETag"]).status_code == HTTPStatus.OK


def test_compresses_if_accepted(server: DemoServer) -> None:
    for publisher, feed in PAIRS:
        if feed.trouble:
            continue
        address = urlsplit(server.edition(publisher).base_url)
        plain, packed = (
            raw_answer(address.hostname or "", address.port or 0, feed.path, accepts) for accepts in ("", "br, gzip")
        )
        assert plain[0].get("Content-Encoding") is None
        assert packed[0]["Content-Encoding"] == "gzip"
        assert packed[0]["Content-Length"] == str(len(packed[1]))
        assert len(packed[1]) < len(plain[1])
        assert gzip.decompress(packed[1]) == plain[1]


def raw_answer(host: str, port: int, path: str, accepts: str) -> tuple[dict[str, str], bytes]:
    connection = http.client.HTTPConnection(host, port, timeout=PATIENCE)
    connection.request("GET", path, headers={"Accept-Encoding": accepts})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return dict(response.getheaders()), body


def test_head_returns_same_headers_without_body(server: DemoServer) -> None:
    url = server.feeds[0].url
    whole, head = get(url), requests.head(url, timeout=PATIENCE)
    assert head.headers == whole.headers
    assert head.content == b""


def test_serves_articles_images_and_sounds(server: DemoServer) -> None:
    base = server.article_url("night-bus-radio/episode-88-the-piano-tuner").rsplit("/articles/", 1)[0]
    page = get(server.article_url("night-bus-radio/episode-88-the-piano-tuner"))
    assert "<h1>Episode 88: The piano tuner of Line 6</h1>" in page.text
    assert get(f"{base}/audio/episode-88.mp3").headers["Content-Type"] == "audio/mpeg"
    assert get(f"{base}/images/any.png").content.startswith(b"\x89PNG\r\n\x1a\n")
    assert get(f"{base}/articles/none").status_code == HTTPStatus.NOT_FOUND
    assert get(f"{base}/audio/none.mp3").status_code == HTTPStatus.NOT_FOUND


def test_articles_of_later_generations_are_not_found(server: DemoServer) -> None:
    late = next(article for publisher, _ in PAIRS for article in publisher.articles if article.since == 2)
    assert get(server.article_url(late.entry_id)).status_code == HTTPStatus.NOT_FOUND
    server.advance()
    assert get(server.article_url(late.entry_id)).status_code == HTTPStatus.OK


def test_moved_feed_redirects_to_its_new_url(server: DemoServer) -> None:
    sample, publisher, feed = troubled(server, "moved")
    response = get(sample.url)
    assert response.status_code == HTTPStatus.MOVED_PERMANENTLY
    assert response.headers["Location"] == server.edition(publisher).base_url + feed.path != sample.url
    assert not parsed(get(response.headers["Location"])).bozo


def test_gone_feed_responds_410(server: DemoServer) -> None:
    assert get(troubled(server, "gone")[0].url).status_code == HTTPStatus.GONE


def test_limiting_feed_sends_retry_after(server: DemoServer) -> None:
    response = get(troubled(server, "limited")[0].url)
    assert response.status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert response.headers["Retry-After"] == "1800"


def test_page_instead_of_a_feed_links_to_it(server: DemoServer) -> None:
    sample, publisher, feed = troubled(server, "page")
    response = get(sample.url)
    real = server.edition(publisher).base_url + feed.path
    assert response.status_code == HTTPStatus.OK
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert f'<link rel="alternate" type="application/rss+xml" title="{feed.title}" href="{real}">' in response.text
    assert len(parsed(get(real)).entries) == len(publisher.delivered(feed, 1))


def test_malformed_feed_is_invalid_xml_with_all_entries(server: DemoServer) -> None:
    _, publisher, feed = troubled(server, "malformed")
    body = document(server, publisher, feed).content
    with pytest.raises(etree.XMLSyntaxError):
        etree.fromstring(body)
    assert b"\x0b" in body
    assert b"&eacute;" in body
    assert b" & " in body
    assert body.count(b"</item>") == len(publisher.delivered(feed, 1))


def test_truncated_feed_ends_within_its_last_entry(server: DemoServer) -> None:
    _, publisher, feed = troubled(server, "truncated")
    body = document(server, publisher, feed).content
    n_entries = len(publisher.delivered(feed, 1))
    assert (body.count(b"<item>"), body.count(b"</item>")) == (n_entries, n_entries - 1)
    assert b"</rss>" not in body


def test_hostile_feed_is_well_formed_with_its_markup(server: DemoServer) -> None:
    _, publisher, feed = troubled(server, "hostile")
    result = parsed(document(server, publisher, feed))
    assert not result.bozo
    assert any("<script>" in part.value for entry in result.entries for part in entry.get("content", ()))


def test_slow_feed_arrives_completely(server: DemoServer) -> None:
    _, publisher, feed = troubled(server, "slow")
    result = parsed(document(server, publisher, feed))
    assert not result.bozo
    assert len(result.entries) == len(publisher.delivered(feed, 1))


def test_stopping_aborts_a_slow_response() -> None:
    server = DemoServer(NOW, slow_seconds=FOREVER_SECONDS)
    server.start()
    address = urlsplit(troubled(server, "slow")[0].url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port or 0, timeout=PATIENCE)
    connection.request("GET", address.path)
    response = connection.getresponse()
    server.stop()
    with pytest.raises(http.client.IncompleteRead):
        response.read()
    connection.close()


def test_publishers_have_distinct_addresses() -> None:
    if not can_bind("127.0.1.1"):
        pytest.skip("this system has only 127.0.0.1")
    with DemoServer(NOW) as server:
        hosts = {urlsplit(feed.url).hostname for feed in server.feeds}
    assert hosts == {f"127.0.1.{publisher.number}" for publisher in load_publishers()}


def test_publishers_share_the_only_address() -> None:
    with DemoServer(NOW, own_addresses=False, slow_seconds=0) as server:
        addresses = {urlsplit(feed.url).netloc for feed in server.feeds}
        statuses = {get(feed.url).status_code for feed in server.feeds if not feed.trouble}
        missing = get(f"http://{next(iter(addresses))}/nobody/feed")
    assert len(addresses) == 1
    assert statuses == {HTTPStatus.OK}
    assert missing.status_code == HTTPStatus.NOT_FOUND


def test_port_in_use_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        server = DemoServer(NOW, bound.getsockname()[1], own_addresses=False)
        with pytest.raises(OSError, match="in use"):
            server.start()
    assert server.feeds == ()


def test_refuses_time_without_time_zone() -> None:
    with pytest.raises(ValueError, match="aware"):
        DemoServer(NOW.replace(tzinfo=None))


def test_subscription_list_names_every_feed_in_its_folder(server: DemoServer) -> None:
    outlines = etree.fromstring(server.opml()).findall("body/outline")
    listed = {(folder.get("text"), feed.get("xmlUrl"), feed.get("text")) for folder in outlines for feed in folder}
    assert listed == {(feed.folder, feed.url, feed.title) for feed in server.feeds}
    assert len(listed) == len(PAIRS)
