"""What a sample publisher's site answers to a path: pure, no sockets."""

from dataclasses import dataclass, field
from http import HTTPStatus

from rssmanager.demo import media, pages, troubles
from rssmanager.demo.documents import CONTENT_TYPES, render
from rssmanager.demo.prose import Edition
from rssmanager.demo.publishers import Publisher, PublisherFeed, load_publishers

RETRY_AFTER_SECONDS = 1800
_HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer before compression. `slow` asks the server to drip the body instead of sending it at once."""

    status: HTTPStatus
    content_type: str
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    slow: bool = False


def answer(publisher: Publisher, path: str, edition: Edition) -> Reply:
    """The reply to a GET of `path`, which is without the publisher's prefix and without query."""
    for feed in publisher.feeds:
        if path == feed.path:
            return _feed_reply(publisher, feed, edition)
        if path == feed.subscribe_path and feed.trouble == "moved":
            location = {"Location": edition.base_url + feed.path}
            return Reply(HTTPStatus.MOVED_PERMANENTLY, _HTML, b"", location)
    if path == "/":
        return Reply(HTTPStatus.OK, _HTML, pages.home_page(publisher, edition).encode())
    return _below(publisher, path, edition) or _missing(publisher, edition)


def medium(key: str, path: str) -> Reply | None:
    """A picture that an article of that publisher shows, or a sound that one brings; None for any other path."""
    for publisher in load_publishers():
        if publisher.key == key and _is_shown(publisher, path):
            return _medium(publisher, path)
    return None


def _is_shown(publisher: Publisher, path: str) -> bool:
    return any(
        f'"{{site}}{path}"' in article.first.body or path == f"/audio/{article.audio}.mp3"
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
        document = troubles.malformed(document)
    elif feed.trouble == "truncated":
        document = troubles.truncated(document)
    content_type = f"{CONTENT_TYPES[feed.format]}; charset={feed.encoding}"
    return Reply(HTTPStatus.OK, content_type, document, slow=feed.trouble == "slow")


def _below(publisher: Publisher, path: str, edition: Edition) -> Reply | None:
    """An article, a picture or a sound; None where there is none of that name."""
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


def _missing(publisher: Publisher, edition: Edition) -> Reply:
    return Reply(HTTPStatus.NOT_FOUND, _HTML, pages.missing_page(publisher, edition).encode())
