"""Files of subscriptions: OPML, feeds.yaml, a URL a line; and what is written of them."""

from datetime import UTC, datetime
from random import Random

from feeds.errors import ImportFileError
from feeds.subscription_lists.detect import read_subscriptions
from feeds.subscription_lists.model import SubscriptionList
from feeds.subscription_lists.opml import MAX_FOLDER_DEPTH, write_opml
from tests.fuzzing import mutating
from tests.fuzzing.samples import FEEDS_YAML, LIST_PIECES, LISTS, OPML, URL_LIST
from tests.fuzzing.target import Case, Target, must

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)


def make_any(random: Random) -> Case:
    return mutating.text(random, LISTS, LIST_PIECES).encode("utf-8", "replace")


def make_opml(random: Random) -> Case:
    return mutating.text(random, (OPML,), LIST_PIECES).encode("utf-8", "replace")


def make_yaml(random: Random) -> Case:
    return mutating.text(random, (FEEDS_YAML,), LIST_PIECES).encode("utf-8", "replace")


def make_urls(random: Random) -> Case:
    return mutating.text(random, (URL_LIST,), LIST_PIECES).encode("utf-8", "replace")


def check(case: Case) -> None:
    data = case if isinstance(case, bytes) else case.encode("utf-8", "surrogatepass")
    try:
        found = read_subscriptions(data, "feeds.yaml" if b"tabs" in data else "feeds.opml")
    except ImportFileError as error:
        must(str(error), "a refusal says why")
        return
    for feed in found.feeds:
        must(feed.url.startswith(("http://", "https://")), "an address to poll is http(s)")
        must(not feed.site_url or feed.site_url.startswith(("http://", "https://")), "a site's address too")
        must(feed.max_items is None or feed.max_items > 0, "a limit is positive")
    for refusal in found.refusals:
        must(refusal.reason, "a refusal says why")
    if found.feeds:
        again = read_subscriptions(write_opml(found.feeds, title=found.title, created_at=NOW))
        must(_told(again) == _told(found), "an export imports to the same feeds, titles and folders")


def _told(listed: SubscriptionList) -> set[tuple[str, str, tuple[str, ...]]]:
    return {(feed.url, feed.title, feed.folder[:MAX_FOLDER_DEPTH]) for feed in listed.feeds}


TARGETS = (
    Target("subscriptions", "files of subscriptions of any kind", make_any, check),
    Target("opml", "OPML", make_opml, check),
    Target("feeds-yaml", "feeds.yaml", make_yaml, check),
    Target("url-lists", "a URL a line", make_urls, check),
)
