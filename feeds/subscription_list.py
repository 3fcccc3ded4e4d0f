"""What a file of subscriptions holds, whatever its format, and the one place that builds it.

Order is kept. Of two entries with one feed URL (scheme and `www.` aside) the first stays and the second is refused
as listed twice, so that an import never makes two subscriptions of one feed.
"""

import re
from dataclasses import dataclass, field

from feeds.feed_address import RefusedAddress, feed_address
from feeds.normalizing.canonical_url import feed_url_key
from feeds.normalizing.language_tag import primary_language
from feeds.wording import gettext as _

MAX_NAME_LENGTH = 300  # characters of a title or folder name; longer ones are article text in disguise
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class WantedFeed:
    """One feed that a file asks to follow.

    `folder` is the path of folder names, outermost first, () for none; `language` a primary subtag such as `zh`,
    "" when not said; `max_items` the newest entries a poll may take, None when not said; `source_name` the name
    that articles of this feed should show, "" for the feed's own.
    """

    url: str
    title: str = ""
    site_url: str = ""
    folder: tuple[str, ...] = ()
    language: str = ""
    category: str = ""
    max_items: int | None = None
    source_name: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One entry that was not taken: its line (from 1; None when unknown), what it calls itself, and a sentence why."""

    line: int | None
    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class TabSettings:
    """One tab of a feeds.yaml: `item_limit_per_category` is None when the file does not say."""

    name: str
    key: str
    language: str
    item_limit_per_category: int | None
    max_items_per_feed: int


@dataclass(frozen=True, slots=True)
class SubscriptionList:
    """Everything read from one file; `notes` are sentences on what had to be recovered, `tabs` feeds.yaml's own."""

    title: str
    feeds: tuple[WantedFeed, ...]
    refusals: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()
    tabs: tuple[TabSettings, ...] = ()


def clean_name(text: str) -> str:
    """Return a title or folder name on one line, without control characters, at most MAX_NAME_LENGTH characters."""
    return " ".join(_UNSAFE.sub("", text).split())[:MAX_NAME_LENGTH].rstrip()


@dataclass(slots=True)
class SubscriptionListBuilder:
    """Collects feeds in order, refusing bad addresses and repetitions with the line they stand on."""

    _feeds: list[WantedFeed] = field(default_factory=list)
    _refusals: list[Refusal] = field(default_factory=list)
    _first_lines: dict[bytes, int | None] = field(default_factory=dict)

    def add(self, wanted: WantedFeed, *, line: int | None) -> None:
        """Take `wanted`, whose URL is as the file had it, or refuse it."""
        label = wanted.title or clean_name(wanted.url)
        try:
            url = feed_address(wanted.url)
        except RefusedAddress as refused:
            self.refuse(line, label, str(refused))
            return
        key = feed_url_key(url)
        if key in self._first_lines:
            first = self._first_lines[key]
            told = _("listed twice") if first is None else _("listed twice, first on line %(line)s") % {"line": first}
            self.refuse(line, label, told)
            return
        self._first_lines[key] = line
        self._feeds.append(_finished(wanted, url))

    def refuse(self, line: int | None, label: str, reason: str) -> None:
        """Remember an entry that was not taken."""
        self._refusals.append(Refusal(line, clean_name(label), reason))

    def finish(
        self, title: str = "", notes: tuple[str, ...] = (), tabs: tuple[TabSettings, ...] = ()
    ) -> SubscriptionList:
        """Return the list, refusals in the order of their lines."""
        refusals = sorted(self._refusals, key=lambda refusal: refusal.line or 0)
        return SubscriptionList(clean_name(title), tuple(self._feeds), tuple(refusals), notes, tabs)


def _finished(wanted: WantedFeed, url: str) -> WantedFeed:
    """Return `wanted` with its address mapped, its names clean; a title that repeats the URL is none."""
    title = clean_name(wanted.title)
    return WantedFeed(
        url=url,
        title="" if title in (url, clean_name(wanted.url)) else title,
        site_url=_site_address(wanted.site_url),
        folder=tuple(name for name in map(clean_name, wanted.folder) if name),
        language=primary_language(wanted.language),
        category=clean_name(wanted.category),
        max_items=wanted.max_items,
        source_name=clean_name(wanted.source_name),
    )


def _site_address(raw: str) -> str:
    """Return the site's URL, "" when there is none that a browser should be sent to."""
    try:
        return feed_address(raw) if raw.strip() else ""
    except RefusedAddress:
        return ""
