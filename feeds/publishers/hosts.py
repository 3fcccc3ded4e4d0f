"""Which publisher a URL and a document belong to. Pure.

Theory. A publisher is usually a registrable domain, with three exceptions, listed in `hosts.tsv` and `registry.tsv`:

- *Other domains of a publisher* (`bbci.co.uk`, `bbc.com`) count as its main domain. A host can serve the feeds of
  several publishers (`dj.com`).
- *Shared hosts* are never a publisher. FeedBurner, podcast hosts and feed generators publish for anyone; on Medium,
  YouTube or the server of a university each feed is a publisher of its own, on Substack each subdomain.
- *Parts of a site* that `registry.tsv` lists on their own (`ecb.europa.eu`) are publishers of their own.

1. The *origin* of a document is the publisher at the address that answered after all redirects. Addresses that redirect
   don't count, because of open redirects (`victim.example/out?to=…`). Exceptions are shared hosts, to which publishers
   redirect their feeds.
2. A document *speaks for* the URLs of its origin. Only a feed that speaks for a URL is the publisher's own, and its
   version of an article replaces any other.
3. The *publisher* of a document is the one that its site link and all its entries agree on, wherever the document came
   from: a bridge, a proxy or a machine at home serves the feeds of others. If they don't agree, it is the origin, or
   nobody on a shared host.
4. Articles are credited to the publisher of their link if the document speaks for it, else to the publisher of the
   document, in name and tier, until the publisher's own feed delivers them.

So a feed can claim to be any site and gets its name and tier, but its text never replaces the site's, its name is
followed by "via" and its host, and it counts only for those who chose to follow it.

Known limits: accounts of a platform on one host (`medium.com/@ada`, `gitlab.com/ada`) speak for each other.
Source: SPEC §8.
"""

import functools
from collections.abc import Iterable

from feeds.normalizing.domains import host_of, registrable_domain
from feeds.publishers.registry import load_registry
from feeds.word_lists import read_rows

_ANYONE = ("anyone",)  # in `hosts.tsv`: a shared host, whose feeds say whose they are
_SUBDOMAINS = ("subdomains",)  # each subdomain is a publisher
_ACCOUNTS = ("accounts",)  # each feed is a publisher, and its account decides what it says
_KINDS = (_ANYONE, _SUBDOMAINS, _ACCOUNTS)
_NO_ACCOUNTS = frozenset({"www", "feed", "feeds", "rss", "blog", "api", "m"})  # subdomains of `SUBDOMAINS` hosts
_CACHED_HOSTS = 16_384


@functools.cache
def _listed() -> dict[str, tuple[str, ...]]:
    return {host: tuple(publishers.split()) for host, publishers, *_ in read_rows("feeds.publishers", "hosts.tsv")}


@functools.cache
def _registered() -> frozenset[str]:
    return frozenset(entry.domain for entry in load_registry())


def publisher_at(host_or_url: str) -> str:
    """The publisher at a URL or host: a main domain, or a listed part of one; "" without a host.

    A host of several publishers is returned as it is listed (see `is_shared`).
    """
    return _publisher_at_host(host_of(host_or_url))


def is_shared(publisher: str) -> bool:
    """Whether it is a host of several publishers, and so none itself."""
    return publisher in _listed()


def publisher_of_link(url: str, canonical_url: str) -> str:
    """The publisher at an article's link, "" without a link."""
    return publisher_at(canonical_url or url)


def origin_of(feed_url: str, document_url: str) -> str:
    """The publisher that a document came from. `document_url`: the address after redirects, "" for the feed's."""
    publisher = publisher_at(document_url)
    return publisher_at(feed_url) if not publisher or is_shared(publisher) else publisher


def speaks_for(origin: str, publisher: str) -> bool:
    """Whether documents from `origin` are the publisher's own."""
    ours, theirs = publisher_at(origin), publisher_at(publisher)
    return ours == theirs or theirs in _listed().get(ours, ())


def publisher_of_document(
    feed_url: str, *, document_url: str = "", site_url: str = "", links: Iterable[str] = ()
) -> str:
    """The publisher of a document: the one it claims, else its origin; "" if that is a shared host.

    `site_url` is its link to the site, `links` are those of its entries; both absolute or "".
    """
    origin = origin_of(feed_url, document_url)
    listed = _listed().get(origin, ())
    if listed == _ACCOUNTS:
        return ""
    claimed = _agreed(site_url, links, needs_links=not listed)
    if not listed:
        return claimed or origin
    return claimed if listed in _KINDS or claimed in listed else listed[0]


def _agreed(site_url: str, links: Iterable[str], *, needs_links: bool) -> str:
    """The publisher of the site, if it is that of all entries that link to publishers; else ""."""
    site = publisher_at(site_url)
    if not site or is_shared(site):
        return ""
    linked = {publisher for publisher in map(publisher_at, links) if publisher and not is_shared(publisher)}
    return site if linked == {site} or not (linked or needs_links) else ""


@functools.lru_cache(maxsize=_CACHED_HOSTS)
def _publisher_at_host(host: str) -> str:
    domain = registrable_domain(host)
    name, before = host, ""
    while True:  # the longest listed name wins
        publishers = _listed().get(name, ())
        if publishers == _SUBDOMAINS and before and before not in _NO_ACCOUNTS:
            return f"{before}.{name}"
        if len(publishers) == 1 and publishers not in _KINDS:
            return publishers[0]
        if publishers or name in _registered():
            return name
        if name == domain or "." not in name:
            return domain
        before, _, name = name.partition(".")
