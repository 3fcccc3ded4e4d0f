"""From what a person typed to a feed: the address itself, else what its page links to, else the usual places."""

from datetime import datetime

from django.utils.translation import gettext as _

from feeds.discovery import common_paths, discover, known_site_feeds
from feeds.errors import FetchError, ParseError
from feeds.feed_address import RefusedAddress, feed_address
from feeds.fetching import Fetcher, FetchResult
from feeds.models import Feed
from feeds.parsing import parse
from feeds.subscription_list import WantedFeed
from reader.errors import NothingToFollow
from reader.subscriptions import feeds_for

MOST_CANDIDATES = 12  # addresses tried before giving up; each is one request to somebody's server


def find_feed(address: str, *, fetcher: Fetcher, now: datetime, default_max_items: int) -> Feed:
    """The feed at or behind `address`, made when it is new. Raises NothingToFollow with a sentence for the person."""
    url = _completed(address)
    known = Feed.objects.filter(url_key=Feed.key_of(url)).first()
    if known is not None and known.last_success_at is not None:
        return known
    tried: list[str] = []
    problem = ""
    for candidate in [*known_site_feeds(url), url]:
        answer, problem = _fetch(candidate, fetcher)
        tried.append(candidate)
        if answer is None:
            continue
        title = _feed_title(answer)
        if title is not None:
            return _feed(candidate, answer, title, now=now, default_max_items=default_max_items)
        if candidate == url:
            found = _behind_page(answer, fetcher, tried)
            if found is not None:
                return _feed(found[0], found[1], found[2], now=now, default_max_items=default_max_items)
            problem = _("%(url)s is a page, and no feed was found behind it.") % {"url": url}
    raise NothingToFollow(problem or _("No feed was found at %(url)s.") % {"url": url}, candidates=tuple(tried))


def fetch_list(address: str, *, fetcher: Fetcher) -> bytes:
    """The document at an address that is said to be a list of subscriptions. Raises NothingToFollow."""
    answer, problem = _fetch(_completed(address), fetcher)
    if answer is None:
        raise NothingToFollow(problem)
    return answer.body


def _completed(address: str) -> str:
    text = address.strip()
    if "://" not in text and not text.lower().startswith(("feed:", "http:", "https:")):
        text = f"https://{text}"
    try:
        return feed_address(text)
    except RefusedAddress as error:
        raise NothingToFollow(
            _("This is not an address that can be followed: %(reason)s.") % {"reason": error}
        ) from error


def _fetch(url: str, fetcher: Fetcher) -> tuple[FetchResult | None, str]:
    try:
        answer = fetcher.fetch(url)
    except FetchError as error:
        return None, str(error)
    if answer.status != 200:
        return None, _("The server answered %(status)s at %(url)s.") % {"status": answer.status, "url": answer.url}
    return answer, ""


def _feed_title(answer: FetchResult) -> str | None:
    try:
        parsed = parse(answer.body, url=answer.url, content_type=answer.headers.get("content-type", ""))
    except ParseError:
        return None
    return parsed.title


def _behind_page(page: FetchResult, fetcher: Fetcher, tried: list[str]) -> tuple[str, FetchResult, str] | None:
    linked = [each.url for each in discover(page.body, url=page.url, content_type=page.headers.get("content-type", ""))]
    for candidate in [*linked, *common_paths(page.url)]:
        if candidate in tried:
            continue
        if len(tried) >= MOST_CANDIDATES:
            return None
        tried.append(candidate)
        answer = _fetch(candidate, fetcher)[0]
        title = _feed_title(answer) if answer is not None else None
        if answer is not None and title is not None:
            return candidate, answer, title
    return None


def _feed(url: str, answer: FetchResult, title: str, *, now: datetime, default_max_items: int) -> Feed:
    wanted = WantedFeed(url=answer.moved_permanently_to or url, title="")
    made = feeds_for([wanted], now=now, default_max_items=default_max_items)
    feed = made[Feed.key_of(wanted.url)]
    if not feed.title and title:
        feed.title = title[:300]
        feed.save(update_fields=["title"])
    return feed
