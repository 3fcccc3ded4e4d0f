"""Who says it: the publisher of an article or a feed, its display name and its tier. SPEC §8.

Everything that names a source, scores one or counts several asks here, so that a feed's page, an article, its story,
its score and a digest agree.

1. The publisher of an article is stored with it (`Article.source`, from `feeds.publishers.hosts` when it arrives), that
   of a feed with each document (`Feed.publisher`). On a shared host each feed counts as a publisher of its own.
2. The tier is the feed's own, if an administrator set one; else the publisher's, from the registry or the admin. An
   unknown publisher is T4 if a user added the feed by its address, else T5.
3. The name of a publisher is that in the registry or the admin, else its domain. A feed is named after its publisher,
   unless the user gave it a title; without a known name, by its own title (`source_name`). The title of a feed is only
   shown to its followers.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from feeds.publishers.hosts import is_shared
from feeds.publishers.names import contains_name, name_without_domain
from feeds.wording import gettext as _

if TYPE_CHECKING:
    from feeds.models import Article, Feed, Source

ADDED_BY_HAND_TIER, UNKNOWN_TIER = 4, 5  # of an unknown publisher; SPEC §8

# The columns of an article that `attribute` takes, in its order.
ARTICLE_COLUMNS = (
    "source__domain", "source__name", "source__tier",
    "feed_id", "feed__tier", "feed__is_added_by_hand",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attribution:
    """Who says it. `publisher` is equal for two articles of one publisher, "" if unknown; `name` is for display, "" if
    unknown; `tier` is 1 (best) to 5. `is_feed_tier`: the tier was set for the feed."""

    publisher: str
    name: str
    tier: int
    is_feed_tier: bool = False


def attribute(
    domain: str | None,
    name: str | None,
    tier: int | None,
    feed_id: int | None,
    feed_tier: int | None,
    is_added_by_hand: bool | None,
) -> Attribution:
    """Who says it, from the columns of the publisher (all None if unknown) and of the feed (all None if deleted)."""
    domain = domain or ""
    is_unknown = feed_id is not None and (not domain or is_shared(domain))
    unknown_tier = ADDED_BY_HAND_TIER if is_added_by_hand else UNKNOWN_TIER
    return Attribution(
        publisher=f"feed {feed_id}" if is_unknown else domain,
        name=name or domain,
        tier=feed_tier or tier or unknown_tier,
        is_feed_tier=bool(feed_tier),
    )


def attribution_of(article: "Article") -> Attribution:
    """Who says it, for an article with its source and feed."""
    return _attribute(article.source, article.feed)


def attribution_of_feed(feed: "Feed") -> Attribution:
    """The same for a feed with its publisher."""
    return _attribute(feed.publisher, feed)


def _attribute(source: "Source | None", feed: "Feed | None") -> Attribution:
    return attribute(
        domain=source.domain if source else None,
        name=source.name if source else None,
        tier=source.tier if source else None,
        feed_id=feed.pk if feed else None,
        feed_tier=feed.tier if feed else None,
        is_added_by_hand=feed.is_added_by_hand if feed else None,
    )


def source_name(
    own_title: str, publisher_name: str | None, feed_title: str, via: str = "", *, is_own: bool = False
) -> str:
    """The name of a feed as a source, for a user: their own title, else its publisher's name, else the feed's title; ""
    if it has none of them. `via`: the host that serves the publisher's feed, "" if it is the publisher's own.

    Imported lists set each feed's published title as the user's. Unless the user gave it (`is_own`), a title that
    repeats the feed's or contains its publisher's name (`BBC News – World`) doesn't count as their own.
    """
    if own_title and (is_own or not _repeats(own_title, feed_title, publisher_name or "")):
        return own_title
    if publisher_name and via:
        return _("%(name)s via %(host)s") % {"name": publisher_name, "host": via}
    return publisher_name or own_title or feed_title


def _repeats(own_title: str, feed_title: str, publisher_name: str) -> bool:
    if not publisher_name:
        return False
    is_published = name_without_domain(own_title) == name_without_domain(feed_title)
    return is_published or contains_name(own_title, publisher_name)
