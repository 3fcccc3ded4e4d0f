"""Find the feeds for a URL: the URL itself, the feeds its page links to, or common paths."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _

from feeds.discovery.feed_address import InvalidAddress, feed_address
from feeds.discovery.find import FEED_TYPES, Candidate, common_paths, discover, known_site_feeds
from feeds.errors import FetchError, OutOfTime, ParseError
from feeds.fetching import FetchResult
from feeds.fetching.challenges import challenge_of
from feeds.fetching.credentials import without_credentials
from feeds.fetching.headers import link_urls
from feeds.fetching.result import READABLE
from feeds.models import Feed, FeedStatus, Item
from feeds.parsing.limited import read_document
from feeds.polling.merge_feeds import final_feed, resume
from feeds.polling.poller import FeedFetcher
from feeds.publishers.hosts import origin_of
from feeds.publishers.names import distinct_title, name_key, name_without_domain
from feeds.storage.drafts import NormalizingRules, ReadOptions
from feeds.subscription_lists.model import ListedFeed
from reader.articles.enclosures import picture_of
from reader.errors import NothingToFollow
from reader.subscriptions.follow import feeds_for

MAX_CANDIDATES = 12  # URLs to try
MAX_READ = 4  # feeds of a site to read for their preview
MAX_FOUND = 8  # feeds of a site to offer
PREVIEWED = 3  # articles


@dataclass(frozen=True, slots=True)
class PreviewArticle:
    """One of a feed's newest articles; `published_at` is None if its date is uncertain, `picture` "" without one."""

    title: str
    published_at: datetime | None
    picture: str = ""


@dataclass(frozen=True, slots=True)
class FoundFeed:
    """A feed at or behind a URL. `origin` is the domain it came from; `is_read`: it was fetched or is known to work."""

    url: str
    title: str
    origin: str = ""
    is_read: bool = True
    articles: tuple[PreviewArticle, ...] = ()


def find_feeds(address: str, *, fetcher: FeedFetcher, now: datetime) -> tuple[FoundFeed, ...]:
    """The feeds at or behind `address`, likeliest first: one unless it's a page that links to several.

    Stores nothing. A feed that already works is not fetched. Raises NothingToFollow with a message for the user.
    """
    url, *plain = _addresses(address)
    known = Feed.objects.filter(url_key=Feed.key_of(url)).first()
    if known is not None and known.last_success_at is not None and final_feed(known).status != FeedStatus.DEAD:
        return (_known(final_feed(known)),)
    tried: list[str] = []
    problems: list[str] = []
    for candidate in [*known_site_feeds(url), url, *plain]:
        answer, problem = _fetch(candidate, fetcher)
        tried.append(candidate)
        if answer is None:
            problems.append(problem)
            continue
        found = _read(candidate, answer, now)
        if found is not None:
            return (found,)
        if candidate not in (url, *plain):
            continue
        if service := challenge_of(answer):
            raise NothingToFollow(_challenged(service), candidates=tuple(tried))
        linked = discover(
            answer.body,
            url=answer.url,
            content_type=answer.headers.get("content-type", ""),
            in_headers=link_urls(answer.headers, "alternate", base=answer.url, types=FEED_TYPES),
        )
        if several := _behind_page(answer, linked, fetcher, tried, now):
            return several
        text = _("No feed found on the page %(url)s.") % {"url": without_credentials(candidate)}
        raise NothingToFollow(text, candidates=tuple(tried))
    raise NothingToFollow(problems[-1 - len(plain)], candidates=tuple(tried))


def create_feed(found: FoundFeed, *, now: datetime, default_max_items: int, language: str = "") -> Feed:
    """The feed of a found one, created if it's new; a dead one is polled again.

    `language`: to set for a new feed, "" for its own.
    """
    wanted = ListedFeed(url=found.url, language=language)
    key = Feed.key_of(wanted.url)
    resume(Feed.objects.filter(url_key=key, status__in=(FeedStatus.DEAD, FeedStatus.MERGED)), now)
    is_new = not Feed.objects.filter(url_key=key).exists()
    feed = feeds_for([wanted], now=now, default_max_items=default_max_items)[key]
    if not feed.title and found.title:
        feed.title = distinct_title(feed, found.title, origin=found.origin)
        feed.name_key = name_key(name_without_domain(feed.title))
        feed.save(update_fields=["title", "name_key"])
    return _added_by_hand(feed) if is_new else feed


def fetch_list(address: str, *, fetcher: FeedFetcher) -> bytes:
    """The content of a subscription list's URL. Raises NothingToFollow."""
    problems: list[str] = []
    for url in _addresses(address):
        answer, problem = _fetch(url, fetcher)
        if answer is not None:
            return answer.body
        problems.append(problem)
    raise NothingToFollow(problems[0])


def _addresses(address: str) -> tuple[str, ...]:
    """The address with its scheme; with https, then with http, if it has none. Raises as `completed_address`."""
    url = completed_address(address)
    return (url,) if _has_scheme(address.strip()) else (url, f"http{url.removeprefix('https')}")


def _has_scheme(text: str) -> bool:
    return "://" in text or text.lower().startswith(("feed:", "http:", "https:"))


def completed_address(address: str) -> str:
    """The address with a scheme. Raises NothingToFollow if it can't be one of a feed or page."""
    text = address.strip()
    if not _has_scheme(text):
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
    if answer.status not in READABLE:
        if service := challenge_of(answer):
            return None, _challenged(service)
        return None, _("%(url)s responded with status %(status)s.") % {"status": answer.status, "url": answer.url}
    return answer, ""


def _challenged(service: str) -> str:
    return _(
        "This site blocks feed readers with a bot check (%(service)s). Ask the publisher to allow feed readers."
    ) % {"service": service}


def _read(url: str, answer: FetchResult, now: datetime) -> FoundFeed | None:
    """The feed in a response with its newest articles; None if it isn't one."""
    url = answer.url_to_store(url)
    wanted = ReadOptions(
        url=answer.url,
        content_type=answer.headers.get("content-type", ""),
        known={},
        set_language="",
        now=now,
        max_items=PREVIEWED,
        rules=NormalizingRules(),
        since=now,
    )
    try:
        document = read_document(answer.body, wanted=wanted)
    except ParseError:
        return None
    articles = tuple(
        PreviewArticle(
            title=draft.title,
            published_at=None if draft.date_uncertain else draft.published_at,
            picture=next((media.url for media in draft.media if media.mime_type.startswith("image/")), ""),
        )
        for draft in sorted(document.drafts, key=lambda draft: draft.published_at, reverse=True)
    )
    return FoundFeed(url, document.parsed.title, origin_of(url, answer.url), articles=articles)


def _known(feed: Feed) -> FoundFeed:
    newest = Item.objects.filter(feed=feed).order_by("-published_at").select_related("article")[:PREVIEWED]
    articles = tuple(
        PreviewArticle(item.article.title, item.published_at, picture_of(item.article.media)) for item in newest
    )
    return FoundFeed(feed.url, feed.title, articles=articles)


def _behind_page(
    page: FetchResult, linked: Sequence[Candidate], fetcher: FeedFetcher, tried: list[str], now: datetime
) -> tuple[FoundFeed, ...]:
    """The feeds that a page declares, without those of comments; else the first that it links to, or at a common path.

    Only the first few are fetched; time may run out after the first.
    """
    declared = [link for link in linked if link.how == "link" and not link.is_of_comments]
    titles = {link.url: link.title for link in linked}
    found: list[FoundFeed] = []
    for url in [*titles, *common_paths(page.url)]:
        if found and (url not in {link.url for link in declared} or len(found) >= MAX_READ):
            break
        if url in tried:
            continue
        if len(tried) >= MAX_CANDIDATES:
            break
        tried.append(url)
        try:
            answer = _fetch(url, fetcher)[0]
        except OutOfTime:
            if not found:
                raise
            break
        read = _read(url, answer, now) if answer is not None else None
        if read is not None and read.url not in {feed.url for feed in found}:
            found.append(read if read.title else replace(read, title=titles.get(url, "")))
    rest = [FoundFeed(link.url, link.title, is_read=False) for link in declared if link.url not in tried]
    return (*found, *rest[: MAX_FOUND - len(found)]) if found else ()


def _added_by_hand(feed: Feed) -> Feed:
    """The feed, marked as added by a user: an unknown publisher is worth more then (SPEC §8)."""
    if not feed.is_added_by_hand:
        Feed.objects.filter(pk=feed.pk).update(is_added_by_hand=True)
        feed.is_added_by_hand = True
    return feed
