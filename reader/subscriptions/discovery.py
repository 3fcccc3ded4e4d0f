"""Find a feed for a URL: the URL itself, the feeds its page links to, or common paths."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from feeds.discovery.feed_address import InvalidAddress, feed_address
from feeds.discovery.find import Candidate, common_paths, discover, known_site_feeds
from feeds.errors import FetchError, ParseError
from feeds.fetching import FetchResult
from feeds.models import Feed, FeedStatus
from feeds.parsing import parse
from feeds.polling.merge_feeds import final_feed, resume
from feeds.polling.poller import FeedFetcher
from feeds.publishers.hosts import origin_of
from feeds.publishers.names import distinct_title, name_key, name_without_domain
from feeds.subscription_lists.model import ListedFeed
from reader.errors import NothingToFollow
from reader.subscriptions.follow import feeds_for

MAX_CANDIDATES = 12  # URLs to try
MAX_OTHERS = 8  # further feeds of a site to offer


@dataclass(frozen=True, slots=True)
class FoundFeed:
    """The feed for a URL, and the other feeds that the site declares, if the URL was a page."""

    feed: Feed
    others: tuple[Candidate, ...] = ()


def find_feed(
    address: str, *, fetcher: FeedFetcher, now: datetime, default_max_items: int, language: str = ""
) -> FoundFeed:
    """The feed at or behind `address`, created if it's new; a dead one is tried and polled again if it responds.

    `language`: to set for a new feed, "" for its own. Raises NothingToFollow with a message for the user.
    """
    url = _completed(address)
    known = Feed.objects.filter(url_key=Feed.key_of(url)).first()
    if known is not None and known.last_success_at is not None and final_feed(known).status != FeedStatus.DEAD:
        return FoundFeed(_added_by_hand(known))
    tried: list[str] = []
    problem = ""
    for candidate in [*known_site_feeds(url), url]:
        answer, problem = _fetch(candidate, fetcher)
        tried.append(candidate)
        if answer is None:
            continue
        title = _feed_title(answer)
        if title is not None:
            feed = _feed(candidate, answer, title, now=now, default_max_items=default_max_items, language=language)
            return FoundFeed(feed)
        if candidate == url:
            linked = discover(answer.body, url=answer.url, content_type=answer.headers.get("content-type", ""))
            found = _behind_page(answer, [link.url for link in linked], fetcher, tried)
            if found is not None:
                feed = _feed(*found, now=now, default_max_items=default_max_items, language=language)
                return FoundFeed(feed, _others(linked, found[0]))
            problem = _("No feed found on the page %(url)s.") % {"url": url}
    raise NothingToFollow(problem or _("No feed found at %(url)s.") % {"url": url}, candidates=tuple(tried))


def fetch_list(address: str, *, fetcher: FeedFetcher) -> bytes:
    """The content of a subscription list's URL. Raises NothingToFollow."""
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
    except InvalidAddress as error:
        raise NothingToFollow(_("This address can't be followed: %(reason)s.") % {"reason": error}) from error


def _fetch(url: str, fetcher: FeedFetcher) -> tuple[FetchResult | None, str]:
    try:
        answer = fetcher.fetch(url)
    except FetchError as error:
        return None, str(error)
    if answer.status != 200:
        return None, _("%(url)s responded with status %(status)s.") % {"status": answer.status, "url": answer.url}
    return answer, ""


def _feed_title(answer: FetchResult) -> str | None:
    try:
        parsed = parse(answer.body, url=answer.url, content_type=answer.headers.get("content-type", ""))
    except ParseError:
        return None
    return parsed.title


def _others(linked: Sequence[Candidate], chosen: str) -> tuple[Candidate, ...]:
    """The other feeds that the page declares, without those of comments."""
    declared = [link for link in linked if link.how == "link" and not link.is_of_comments and link.url != chosen]
    return tuple(declared[:MAX_OTHERS])


def _behind_page(
    page: FetchResult, linked: Sequence[str], fetcher: FeedFetcher, tried: list[str]
) -> tuple[str, FetchResult, str] | None:
    for candidate in [*linked, *common_paths(page.url)]:
        if candidate in tried:
            continue
        if len(tried) >= MAX_CANDIDATES:
            return None
        tried.append(candidate)
        answer = _fetch(candidate, fetcher)[0]
        title = _feed_title(answer) if answer is not None else None
        if answer is not None and title is not None:
            return candidate, answer, title
    return None


def _feed(url: str, answer: FetchResult, title: str, *, now: datetime, default_max_items: int, language: str) -> Feed:
    wanted = ListedFeed(url=answer.moved_permanently_to or url, language=language)
    stopped = Feed.objects.filter(url_key=Feed.key_of(wanted.url), status__in=(FeedStatus.DEAD, FeedStatus.MERGED))
    resume(stopped, now)
    created = feeds_for([wanted], now=now, default_max_items=default_max_items)
    feed = created[Feed.key_of(wanted.url)]
    if not feed.title and title:
        feed.title = distinct_title(feed, title, origin=origin_of(feed.url, answer.url))
        feed.name_key = name_key(name_without_domain(feed.title))
        feed.save(update_fields=["title", "name_key"])
    return _added_by_hand(feed)


def _added_by_hand(feed: Feed) -> Feed:
    """The feed, marked as added by a user: an unknown publisher is worth more then (SPEC §8)."""
    if not feed.is_added_by_hand:
        Feed.objects.filter(pk=feed.pk).update(is_added_by_hand=True)
        feed.is_added_by_hand = True
    return feed
