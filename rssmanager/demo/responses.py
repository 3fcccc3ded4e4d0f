"""The responses of a sample publisher's site. Pure."""

from dataclasses import dataclass, field
from http import HTTPStatus

from rssmanager.demo import media, pages
from rssmanager.demo.feed_documents import CONTENT_TYPES, render
from rssmanager.demo.publishers import Publisher, PublisherFeed, load_publishers
from rssmanager.demo.templating import Edition

RETRY_AFTER_SECONDS = 1800
ICON_PATHS = ("/icon.png", "/favicon.ico")
_HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Reply:
    """A response before compression. If `slow`, the server sends the body little by little."""

    status: HTTPStatus
    content_type: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    slow: bool = False


def answer(publisher: Publisher, path: str, edition: Edition) -> Reply:
    """The response to a GET of `path`, without the publisher's prefix and query."""
    for feed in publisher.feeds:
        if path == feed.path:
            return _feed_reply(publisher, feed, edition)
        if path == feed.subscribe_path and feed.trouble == "moved":
            location = {"Location": edition.base_url + feed.path}
            return Reply(HTTPStatus.MOVED_PERMANENTLY, _HTML, b"", location)
    if path in ICON_PATHS and publisher.icon:
        return Reply(HTTPStatus.OK, "image/png", media.icon(publisher.key, publisher.icon))
    if path == "/":
        return Reply(HTTPStatus.OK, _HTML, pages.home_page(publisher, edition).encode())
    return _below(publisher, path, edition) or Reply(
        HTTPStatus.NOT_FOUND, _HTML, pages.missing_page(publisher, edition).encode()
    )


def medium(key: str, path: str) -> Reply | None:
    """An image or audio file of a publisher's article; None for other paths."""
    for publisher in load_publishers():
        if publisher.key == key and _is_shown(publisher, path):
            return _medium(publisher, path)
    return None


def _is_shown(publisher: Publisher, path: str) -> bool:
    return any(
        f'"{{site}}{path}"' in article.first.body
        or path == f"/audio/{article.audio}.mp3"
        or (publisher.is_illustrated and path == f"/images/{article.slug}.png")
        for article in publisher.articles
    )


def _feed_reply(publisher: Publisher, feed: PublisherFeed, edition: Edition) -> Reply:
    if feed.trouble == "gone":
        return Reply(HTTPStatus.GONE, "text/plain; charset=utf-8", b"This feed has ended. Thank you for reading.\n")
    if feed.trouble == "limited":
        wait = {"Retry-After": str(RETRY_AFTER_SECONDS)}
        return Reply(HTTPStatus.TOO_MANY_REQUESTS, "text/plain; charset=utf-8", b"Too many requests\n", wait)
    document = render(publisher, feed, edition)
    if feed.trouble == "malformed":
        document = _malformed(document)
    elif feed.trouble == "truncated":
        document = _truncated(document)
    content_type = f"{CONTENT_TYPES[feed.format]}; charset={feed.encoding}"
    return Reply(HTTPStatus.OK, content_type, document, slow=feed.trouble == "slow")


def _below(publisher: Publisher, path: str, edition: Edition) -> Reply | None:
    """An article, image or audio file; None if there is none with this name."""
    folder, _, name = path.removeprefix("/").partition("/")
    if folder == "articles":
        for article in publisher.articles:
            if article.slug == name and article.since <= edition.generation:
                return Reply(HTTPStatus.OK, _HTML, pages.article_page(publisher, article, edition).encode())
    return _medium(publisher, path)


def _medium(publisher: Publisher, path: str) -> Reply | None:
    folder, _, name = path.removeprefix("/").partition("/")
    stem, _, suffix = name.partition(".")
    if (folder, suffix) == ("images", "png"):
        return Reply(HTTPStatus.OK, "image/png", media.picture(stem))
    if (folder, suffix) == ("audio", "mp3") and any(article.audio == stem for article in publisher.articles):
        return Reply(HTTPStatus.OK, "audio/mpeg", media.silence())
    return None


def _malformed(document: bytes) -> bytes:
    """The document with bare ampersands, an HTML entity undefined in XML, and a vertical tab in its first title.

    A tolerant parser repairs all three without loss.
    """
    damaged = document.replace(b"&amp;", b"&").replace("é".encode(), b"&eacute;")
    head, title, tail = damaged.partition(b"<item>\n      <title>")
    return head + title + b"\x0b" + tail


def _truncated(document: bytes) -> bytes:
    """The document cut off in the middle of its last item; earlier items are complete."""
    start = document.rindex(b"<item>")
    return document[: start + (len(document) - start) // 2]
