"""The content of a subscription list in any format, and the builder that validates it.

Order is kept. Of two entries with the same feed URL (ignoring scheme and `www.`), the second is skipped, so that an
import never creates two subscriptions to one feed.
"""

import re
from dataclasses import dataclass, field

from feeds.discovery.feed_address import InvalidAddress, feed_address
from feeds.normalizing.canonical_url import feed_url_key
from feeds.normalizing.language import primary_language
from feeds.wording import gettext as _

PATH_SEPARATOR = " / "  # between the names of nested folders
MAX_NAME_LENGTH = 300  # characters of a title or folder name
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class ListedFeed:
    """A feed in a subscription list.

    `folder` is the path of folder names, outermost first, () for none; `language` a primary subtag such as `zh`, "" if
    not given; `max_items` the limit of entries per poll, None if not given; `source_name` the name to show on its
    articles, "" for the feed's own.
    """

    url: str
    title: str = ""
    site_url: str = ""
    folder: tuple[str, ...] = ()
    language: str = ""
    category: str = ""
    max_items: int | None = None
    source_name: str = ""

    @property
    def own_title(self) -> str:
        """The title that the user chose, "" for the feed's own.

        Lists of ours have it in `source_name` and a limit for every feed; other lists don't distinguish the two.
        """
        return self.source_name or ("" if self.max_items else self.title)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An entry that was skipped: its line (from 1; None if unknown), its label, and the reason for the user."""

    line: int | None
    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class TabSettings:
    """One tab of a feeds.yaml, or a folder of an export with these settings; `name` is the folder's, with its path."""

    name: str
    key: str = ""
    language: str = ""
    item_limit_per_category: int | None = None
    max_items_per_feed: int | None = None


@dataclass(frozen=True, slots=True)
class SubscriptionList:
    """The content of a file; `notes` describe repairs for the user. `updates`: the file is edited by hand and imported
    again, so that feeds already followed take its settings."""

    title: str
    feeds: tuple[ListedFeed, ...]
    refusals: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()
    tabs: tuple[TabSettings, ...] = ()
    updates: bool = False


def clean_name(text: str) -> str:
    """Return a title or folder name on one line, without control characters, at most MAX_NAME_LENGTH characters."""
    return " ".join(_UNSAFE.sub("", text).split())[:MAX_NAME_LENGTH].rstrip()


@dataclass(slots=True)
class SubscriptionListBuilder:
    """Collects feeds in order, and skips invalid URLs and duplicates with their line."""

    _feeds: list[ListedFeed] = field(default_factory=list)
    _refusals: list[Refusal] = field(default_factory=list)
    _first_lines: dict[bytes, int | None] = field(default_factory=dict)

    def add(self, feed: ListedFeed, *, line: int | None) -> None:
        """Add a feed with its URL as in the file, or skip it."""
        label = feed.title or clean_name(feed.url)
        try:
            url = feed_address(feed.url)
        except InvalidAddress as error:
            self.refuse(line, label, str(error))
            return
        key = feed_url_key(url)
        if key in self._first_lines:
            first = self._first_lines[key]
            reason = _("listed twice") if first is None else _("listed twice, first on line %(line)s") % {"line": first}
            self.refuse(line, label, reason)
            return
        self._first_lines[key] = line
        self._feeds.append(_cleaned(feed, url))

    def refuse(self, line: int | None, label: str, reason: str) -> None:
        """Skip an entry."""
        self._refusals.append(Refusal(line, clean_name(label), reason))

    def finish(
        self, title: str = "", notes: tuple[str, ...] = (), tabs: tuple[TabSettings, ...] = ()
    ) -> SubscriptionList:
        """Return the list, with refusals ordered by line."""
        refusals = sorted(self._refusals, key=lambda refusal: refusal.line or 0)
        return SubscriptionList(clean_name(title), tuple(self._feeds), tuple(refusals), notes, tabs)


def _cleaned(feed: ListedFeed, url: str) -> ListedFeed:
    """Return `feed` with its final URL and cleaned names; a title that repeats the URL is dropped."""
    title = clean_name(feed.title)
    return ListedFeed(
        url=url,
        title="" if title in (url, clean_name(feed.url)) else title,
        site_url=_site_address(feed.site_url),
        folder=tuple(name for name in map(clean_name, feed.folder) if name),
        language=primary_language(feed.language),
        category=clean_name(feed.category),
        max_items=feed.max_items,
        source_name=clean_name(feed.source_name),
    )


def _site_address(raw: str) -> str:
    """Return the site's URL, "" if it isn't a valid web address."""
    try:
        return feed_address(raw) if raw.strip() else ""
    except InvalidAddress:
        return ""
