"""Gives each entry of a document its guid and the key of its article, by comparing it with the others. Pure.

Theory. Only a document shows what its guids and links are worth. A guid identifies an entry within its feed, unless
several entries have it. A link identifies a page for all feeds, unless several entries have it or it is that of the
feed's site: status pages, podcasts, comics, changelogs and lists of deals link everything to one page. So

- an entry without a guid of its own is known by the page it links to; if others link there, by its full link, with the
  fragment and all parameters; if others have that link, too, by link and title, then with the date, then the markup;
- an article has the key of its page; if others link there, the key of that part of the page; if others have the full
  link, too, or it is the site's, a key of its own, which no other feed shares.

A parameter that tells two entries of one document apart is no tracker there, and stays in the link.

Entries that are known from the last poll are not parsed again. What is needed of them here is kept as a `Mark`.

Known errors: an entry without a guid whose link becomes shared in the same poll in which its text is rewritten is
delivered again.
Source: SPEC §5 (guid) and §6 (layer 0).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from struct import Struct

from feeds.normalizing.canonical_url import Removed, canonical_url, key_of_canonical
from feeds.normalizing.draft import Draft

MAX_GUID = 255  # characters of the column
_PACKED = Struct(">QIIII")


@dataclass(frozen=True, slots=True)
class Mark:
    """What is kept of an entry while its document lists it: 32-bit hashes of its guid as published, the guid that it
    got, the page it links to, and its full link. 0 for none, or an entry that was left out."""

    published_guid: int = 0
    guid: int = 0
    page: int = 0
    link: int = 0


@dataclass(frozen=True, slots=True)
class Identified:
    """The entries of a document with their guids and keys, their marks, and their numbers among those given, of which
    the ones that a document lists twice are left out."""

    drafts: tuple[Draft, ...]
    marks: tuple[Mark, ...]
    numbers: tuple[int, ...]


def pack_marks(marks: Iterable[tuple[int, Mark]]) -> bytes:
    """24 bytes for each entry: its raw hash (64 bits, unsigned) and its mark."""
    return b"".join(_PACKED.pack(raw, mark.published_guid, mark.guid, mark.page, mark.link) for raw, mark in marks)


def unpack_marks(packed: bytes) -> dict[int, Mark]:
    """The marks by raw hash; meaningless for other bytes, which no raw hash of an entry matches."""
    whole = packed[: len(packed) - len(packed) % _PACKED.size]
    return {raw: Mark(*values) for raw, *values in _PACKED.iter_unpack(whole)}


def number_of(text: str | bytes) -> int:
    """A 32-bit hash that is never 0; 0 for nothing."""
    if not text:
        return 0
    encoded = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    return int.from_bytes(blake2b(encoded, digest_size=4).digest()) or 1


def own_key(key: bytes, owner: str) -> bytes:
    """Return the key of a private feed's article for a page's key: no other feed's articles have it."""
    return blake2b(key + owner.encode(), digest_size=16).digest()


def key_in_feed(feed_url: str, guid: str) -> bytes:
    """The key of an article that only this feed can deliver."""
    return blake2b(f"{feed_url}\0{guid}".encode("utf-8", "replace"), digest_size=16).digest()


def fragment_of(url: str) -> str:
    """The part of its page that a URL points to, "" for the page itself; routes (`#!…`, `#/…`) are pages."""
    fragment = url.partition("#")[2]
    is_page = fragment[:1] in ("", "!", "/") or "=" in fragment or fragment.lower() == "top"
    return "" if is_page else fragment


def part_key(page_key: bytes, part: str) -> bytes:
    """The key (16 bytes) of a part of a page; with part "", of the page if a part has the page's key."""
    return blake2b(page_key + b"#" + part.encode("utf-8", "replace"), digest_size=16).digest()


def limited_guid(guid: str) -> str:
    """The guid, with a hash instead of its end if it is longer than MAX_GUID."""
    if len(guid) <= MAX_GUID:
        return guid
    return f"{guid[:190]}…{blake2b(guid.encode('utf-8', 'replace'), digest_size=16).hexdigest()}"


def identify(
    drafts: Sequence[Draft], *, known: Collection[Mark], site_url: str, feed_url: str, owner: str = ""
) -> Identified:
    """Identify the new and changed entries of a document, each with the guid and key that it has if it is alone.

    `known`: the marks of the other entries; `site_url`: the feed's link, absolute; `owner`: the private feed that keeps
    its articles to itself (`Feed.owner`), "" for others.
    """
    entries = _without_repeated(drafts)
    site = _Site.at(site_url)
    pages = Counter(number_of(entry.draft.page_key) for entry in entries if entry.link)
    pages.update(mark.page for mark in known)
    links = Counter(number_of(entry.link) for entry in entries)
    links.update(mark.link for mark in known)
    guids = _guids(entries, known, pages, links, site)
    identified, marks = [], []
    for entry, guid in zip(entries, guids, strict=True):
        draft, page, link = entry.draft, number_of(entry.draft.page_key), number_of(entry.link)
        alone = key_in_feed(feed_url, guid)
        key, url = alone, draft.canonical_url
        if entry.link and pages[page] == 1 and not site.is_page_of(draft):
            key = draft.page_key
        elif entry.link and links[link] == 1 and not site.is_link_of(draft):
            key = part_key(draft.page_key, entry.part) if entry.part else draft.page_key
            url = url if entry.part == fragment_of(draft.url) else entry.link.partition("#")[0]
        keys = (key, draft.page_key if entry.link else alone, alone)
        url_key, page_key, last_key = (own_key(each, owner) for each in keys) if owner else keys
        identified.append(
            replace(
                draft,
                guid=guid,
                canonical_url=url,
                url_key=url_key,
                page_key=page_key,
                own_key=last_key,
            )
        )
        published = number_of(draft.published_guid)
        marks.append(Mark(published, number_of(guid), page if entry.link else 0, link))
    return Identified(tuple(identified), tuple(marks), tuple(entry.number for entry in entries))


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry with its number in the document, and its full link (see `_full_link`)."""

    number: int
    draft: Draft
    link: str

    @property
    def part(self) -> str:
        """What tells the entry from others that link to its page: the fragment, or a parameter that is a tracker on
        other sites, so all of the link; "" if it links to the page itself."""
        page, _, fragment = self.link.partition("#")
        if key_of_canonical(self.link) == self.draft.page_key:
            return ""
        return (key_of_canonical(page) == self.draft.page_key and fragment_of(f"#{fragment}")) or self.link


@dataclass(frozen=True, slots=True)
class _Site:
    """The page that the feed says it is of: its key, and its link without trackers; b"" and "" if it says none."""

    page_key: bytes = b""
    link_key: bytes = b""
    fragment: str = ""

    @classmethod
    def at(cls, url: str) -> "_Site":
        if not url:
            return cls()
        link = canonical_url(url, removed=Removed.SURE)
        return cls(key_of_canonical(canonical_url(url)), key_of_canonical(link), fragment_of(url))

    def is_page_of(self, draft: Draft) -> bool:
        return draft.page_key == self.page_key

    def is_link_of(self, draft: Draft) -> bool:
        """Whether the entry links to the site, and not to a part of it."""
        if not self.is_page_of(draft):
            return False
        return key_of_canonical(draft.canonical_url) == self.link_key and fragment_of(draft.url) in ("", self.fragment)


def _without_repeated(drafts: Sequence[Draft]) -> list[_Entry]:
    """The entries; of one that a document lists several times, the version with the most words."""
    entries: dict[tuple[object, ...], _Entry] = {}
    for number, draft in enumerate(drafts):
        date = None if draft.date_uncertain else draft.published_at
        entry = _Entry(number, draft, _full_link(draft.url))
        same = (draft.guid, entry.link, draft.title, date, "" if draft.has_guid else draft.markup)
        if same not in entries or draft.word_count > entries[same].draft.word_count:
            entries[same] = entry
    return list(entries.values())


def _full_link(url: str) -> str:
    """The link in canonical form, with all its parameters and its fragment; "" without one."""
    if not url:
        return ""
    link, fragment = canonical_url(url, removed=Removed.NONE) or url, url.partition("#")[2]
    return f"{link}#{fragment}" if fragment and "#" not in link else link


def _guids(
    entries: Sequence[_Entry], known: Collection[Mark], pages: Counter[int], links: Counter[int], site: _Site
) -> list[str]:
    """The guid of each entry: its own if no other entry has it, else the first of `_substitutes` that is unique."""
    published = Counter(entry.draft.guid for entry in entries if entry.draft.has_guid)
    taken = {mark.published_guid for mark in known} | {mark.guid for mark in known}
    guids = {
        n: entry.draft.guid
        for n, entry in enumerate(entries)
        if entry.draft.has_guid and published[entry.draft.guid] == 1 and number_of(entry.draft.guid) not in taken
    }
    taken |= set(map(number_of, guids.values()))
    others = {n: _substitutes(entry, pages, links, site) for n, entry in enumerate(entries) if n not in guids}
    for level in range(_N_SUBSTITUTES):
        wanted = {n: several[level] for n, several in others.items() if n not in guids and several[level]}
        times = Counter(wanted.values())
        is_last = level == _N_SUBSTITUTES - 1
        found = {
            n: guid for n, guid in wanted.items() if is_last or (times[guid] == 1 and number_of(guid) not in taken)
        }
        guids |= found
        taken |= set(map(number_of, found.values()))
    return [guids[n] for n in range(len(entries))]


_N_SUBSTITUTES = 5


def _substitutes(entry: _Entry, pages: Counter[int], links: Counter[int], site: _Site) -> tuple[str, ...]:
    """What may identify an entry without a guid, the best first; "" for what doesn't."""
    draft, page, link = entry.draft, "", ""
    if entry.link and not site.is_link_of(draft):
        is_alone = pages[number_of(draft.page_key)] == 1 and not site.is_page_of(draft)
        page = (draft.guid if not draft.has_guid else limited_guid(entry.link)) if is_alone else ""
        link = limited_guid(entry.link) if links[number_of(entry.link)] == 1 else ""
    title = _digest(entry.link, draft.title) if entry.link or draft.has_guid else draft.guid
    dated = _digest(entry.link, draft.title, "" if draft.date_uncertain else draft.published_at.isoformat())
    return page, link, title, dated, _digest(dated, draft.markup)


def _digest(*parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "replace")
    return f"sha:{blake2b(text, digest_size=16).hexdigest()}"
