"""Reads and writes OPML 1.0, 1.1 and 2.0 (SPEC §15; http://opml.org/spec2.opml).

Reading: an outline with a feed URL is a feed; one without a URL that contains others is a folder; any other is skipped
and reported with its line. Attribute names ignore case. `category` is the folder only of feeds outside folders. Titles
come from `text`, then `title`, as in the specification. A feed is never a folder: outlines inside it belong to the
feed's own folder. Values that OPML has no attribute for (category, entries per poll, the user's own title; language and
limit of a folder) are written in a namespace of our own, so that an export can be imported without loss.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime

from lxml import etree

from feeds.errors import ImportFileError
from feeds.normalizing.language import primary_language
from feeds.subscription_lists.model import (
    PATH_SEPARATOR,
    ListedFeed,
    SubscriptionList,
    SubscriptionListBuilder,
    TabSettings,
    clean_name,
)
from feeds.subscription_lists.opml_parser import Outlines, OutlineStart, read_outlines
from feeds.wording import gettext as _

MAX_FOLDER_DEPTH = 64  # deeper outlines belong to the folder at this depth
NAMESPACE = "urn:rssmanager:opml"
_FEED_TYPES = ("rss", "rss1", "rss2", "atom", "rdf", "feed", "json")
_ROOTS = ("opml", "outlinedocument")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_opml(text: str, notes: tuple[str, ...] = ()) -> SubscriptionList:
    """Return the feeds of an OPML file, with what was skipped and repaired; `notes` are added to the result's.

    Raises ImportFileError when the file has no outlines and is not OPML; the message says what it seems to be.
    """
    outlines = read_outlines(text)
    if outlines.root not in _ROOTS:
        if not any(isinstance(event, OutlineStart) for event in outlines.events):
            raise ImportFileError(
                _("This is not a subscription list: it looks like %(what)s.") % {"what": _description(outlines)}
            )
        if outlines.root != "outline":
            outlines.notes.append(_("The outermost element is <%(root)s>, not <opml>.") % {"root": outlines.root})
    reader = _Reader()
    for event in outlines.events:
        if isinstance(event, OutlineStart):
            reader.open(event)
        else:
            reader.close()
    return reader.finish(outlines.title, (*notes, *outlines.notes))


def _description(outlines: Outlines) -> str:
    if not outlines.root:
        return _("plain text without an outline")
    seems_to_be = {
        "html": _("a web page (HTML). To follow a site, enter its address instead"),
        "rss": _("a feed (RSS). To follow it, enter its address instead"),
        "rdf": _("a feed (RSS 1.0). To follow it, enter its address instead"),
        "feed": _("a feed (Atom). To follow it, enter its address instead"),
        "project": _("a build file (Maven's pom.xml)"),
    }
    return seems_to_be.get(outlines.root, _("other XML (<%(root)s>)") % {"root": outlines.root})


@dataclass(slots=True)
class _Open:
    """An open outline. `folder` is the folder of the outlines inside it."""

    line: int
    label: str
    folder: tuple[str, ...]
    is_comment: bool
    refusal: str = ""  # the reason to skip it if it contains nothing


class _Reader:
    """Turns starts and ends into feeds, folders and refusals, without recursion."""

    def __init__(self) -> None:
        self._builder = SubscriptionListBuilder()
        self._path: list[_Open] = []
        self._notes: dict[str, None] = {}
        self._tabs: dict[tuple[str, ...], TabSettings] = {}

    def open(self, start: OutlineStart) -> None:
        attributes = start.attributes
        outer = self._path[-1] if self._path else _Open(0, "", (), is_comment=False)
        outer.refusal = ""
        url = _feed_url(attributes)
        label = clean_name(attributes.get("text", "")) or clean_name(attributes.get("title", ""))
        is_comment = outer.is_comment or (attributes.get("iscomment") or "").strip().lower() == "true"
        this = _Open(start.line, label or url, outer.folder, is_comment=is_comment)
        self._path.append(this)
        if is_comment:
            self._builder.refuse(start.line, this.label, _("commented out in the file (isComment)"))
        elif url:
            self._builder.add(_listed_feed(attributes, url, label, outer.folder), line=start.line)
            self._note_about(attributes, is_damaged=start.is_damaged)
        else:
            this.refusal = _why_no_feed(start)
            this.folder = self._inside(outer.folder, label)
            self._note_settings(this.folder, attributes)

    def _inside(self, folder: tuple[str, ...], name: str) -> tuple[str, ...]:
        if not name:
            return folder
        if len(folder) >= MAX_FOLDER_DEPTH:
            self._notes[_("Folders nested too deeply were joined into one.")] = None
            return folder
        return (*folder, name)

    def _note_settings(self, folder: tuple[str, ...], attributes: dict[str, str]) -> None:
        language, limit = primary_language(_own(attributes, "language")), _number(_own(attributes, "itemlimit"))
        if folder and (language or limit):
            name = PATH_SEPARATOR.join(folder)
            self._tabs[folder] = TabSettings(name, language=language, item_limit_per_category=limit)

    def _note_about(self, attributes: dict[str, str], *, is_damaged: bool) -> None:
        if attributes.get("filtercmd", "").strip():
            self._notes[_("Filter commands (filtercmd) were ignored: commands from a file are never run.")] = None
        if is_damaged:
            self._notes[_("An unclosed outline was imported, because its feed URL is complete.")] = None

    def close(self) -> None:
        if self._path:
            closed = self._path.pop()
            if closed.refusal:
                self._builder.refuse(closed.line, closed.label, closed.refusal)

    def finish(self, title: str, notes: tuple[str, ...]) -> SubscriptionList:
        while self._path:
            self.close()
        return self._builder.finish(title, (*notes, *self._notes), tuple(self._tabs.values()))


def _feed_url(attributes: dict[str, str]) -> str:
    """Return the feed's URL as written, "" for an outline that is not a feed."""
    url = attributes.get("xmlurl", "").strip() or attributes.get("feedurl", "").strip()
    if not url and attributes.get("type", "").strip().lower() in _FEED_TYPES:
        url = attributes.get("url", "").strip()
    return url


def _listed_feed(attributes: dict[str, str], url: str, title: str, folder: tuple[str, ...]) -> ListedFeed:
    own = {name: _own(attributes, name) for name in ("category", "maxitems", "sourcename")}
    categories = _first_category(attributes.get("category", ""))
    return ListedFeed(
        url=url,
        title=title,
        site_url=attributes.get("htmlurl", ""),
        folder=folder or categories,
        language="" if attributes.get("language") == "unknown" else attributes.get("language", ""),
        category=own["category"] or ("/".join(categories) if folder else ""),
        max_items=_number(own["maxitems"]),
        source_name=own["sourcename"],
    )


def _own(attributes: dict[str, str], name: str) -> str:
    """Return an attribute in our namespace, under the prefix that `write_opml` uses."""
    return attributes.get(f"rssmanager:{name}", "")


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[1-9][0-9]{0,5}", text) else None


def _first_category(value: str) -> tuple[str, ...]:
    """Return the first of comma-separated, slash-delimited categories as a path, () for none."""
    first = next((part for part in value.split(",") if part.strip(" /")), "")
    names = (clean_name(name) for name in first.split("/"))
    return tuple(name for name in names if name)[:MAX_FOLDER_DEPTH]


def _why_no_feed(start: OutlineStart) -> str:
    """Return why an outline without a feed URL is skipped if it contains nothing."""
    if start.is_damaged:
        return _("the file is cut off or damaged inside this outline")
    kind = start.attributes.get("type", "").strip().lower()
    if kind == "include" or (kind == "link" and start.attributes.get("url", "").lower().endswith(".opml")):
        return _("a list at another URL; import that file separately")
    if kind == "link":
        return _("a link to a page, not a feed")
    if kind in _FEED_TYPES:
        return _("it is marked as a feed but has no feed URL (xmlUrl)")
    return _("no feed URL (xmlUrl) and nothing inside it")


def write_opml(
    subscriptions: Iterable[ListedFeed], *, title: str, created_at: datetime, tabs: Iterable[TabSettings] = ()
) -> bytes:
    """Return an OPML 2.0 document in UTF-8, with folders as nested outlines in order of their first feed.

    `created_at` is an aware datetime. `tabs`: folders with a language or a limit. Control characters that XML forbids
    are dropped.
    """
    root = etree.Element("opml", {"version": "2.0"}, nsmap={"rssmanager": NAMESPACE})
    head = etree.SubElement(root, "head")
    etree.SubElement(head, "title").text = _written(title)
    etree.SubElement(head, "dateCreated").text = format_datetime(created_at)
    folders: dict[tuple[str, ...], etree._Element] = {(): etree.SubElement(root, "body")}
    for feed in subscriptions:
        etree.SubElement(_folder_element(folders, feed.folder), "outline", _feed_attributes(feed))
    by_name = {tab.name: tab for tab in tabs}
    for names, element in folders.items():
        if tab := by_name.get(PATH_SEPARATOR.join(names)):
            for key, value in _folder_attributes(tab).items():
                element.set(key, value)
    document: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return document


def _folder_element(folders: dict[tuple[str, ...], etree._Element], folder: tuple[str, ...]) -> etree._Element:
    """Return the outline of `folder`, creating missing outlines of its path."""
    names = tuple(name for name in map(clean_name, folder) if name)[:MAX_FOLDER_DEPTH]
    for depth in range(1, len(names) + 1):
        if names[:depth] not in folders:
            name = _written(names[depth - 1])
            folders[names[:depth]] = etree.SubElement(
                folders[names[: depth - 1]], "outline", {"text": name, "title": name}
            )
    return folders[names]


def _folder_attributes(tab: TabSettings) -> dict[str, str]:
    limit = "" if tab.item_limit_per_category is None else str(tab.item_limit_per_category)
    optional = {f"{{{NAMESPACE}}}language": tab.language, f"{{{NAMESPACE}}}itemLimit": limit}
    return {key: _written(value) for key, value in optional.items() if value}


def _feed_attributes(feed: ListedFeed) -> dict[str, str]:
    name = _written(feed.title or feed.url)
    optional = {
        "htmlUrl": feed.site_url,
        "language": feed.language,
        f"{{{NAMESPACE}}}category": feed.category,
        f"{{{NAMESPACE}}}maxItems": "" if feed.max_items is None else str(feed.max_items),
        f"{{{NAMESPACE}}}sourceName": feed.source_name,
    }
    written = {key: _written(value) for key, value in optional.items() if value}
    return {"type": "rss", "text": name, "title": name, "xmlUrl": _written(feed.url), **written}


def _written(text: str) -> str:
    return _NOT_XML.sub("", text)
