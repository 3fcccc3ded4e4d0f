"""Whether two feeds are one publication at two addresses. Decides only; asks the database nothing.

Observed: publishers offer one publication as RSS and as Atom, at an old and a new address, and through a service that
counts subscribers. Deduplication makes one article of what both bring, so the plainest evidence is the articles they
share: of the time that both cover, for one of them may be followed for years. A feed of one section shares all of its
articles with the whole and is no twin of it, so the share is of the larger side. Addresses that lead to one document
need no articles. One title on one site says least: some publishers call all their sections alike. It counts only where
articles do not speak against it.
"""

import re
from collections.abc import Set
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

LEAST_SHARED = 0.8  # of the larger side's articles
LEAST_ARTICLES = 5  # of each side, for a share to mean anything
_KINDS = re.compile(r"[\s\-–|:»(\[]*\b(rss|atom|rdf|json|xml|feed|feeds)\b(\s*[0-9.]+)?[\s)\]]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Traits:
    """What two feeds are compared by. `addresses` are keys of all addresses that lead to its document; `site` is the
    key of its site, "" if it names none."""

    title: str
    site: str
    addresses: Set[bytes]


@dataclass(frozen=True, slots=True)
class Shared:
    """How many articles both have, of how many the larger side has, in the time that both cover; and how many the
    smaller side has."""

    n_common: int = 0
    n_larger: int = 0
    n_smaller: int = 0

    @property
    def share(self) -> float:
        return self.n_common / self.n_larger if self.n_larger else 0.0

    @property
    def speaks(self) -> bool:
        return self.n_smaller >= LEAST_ARTICLES


def likeness(one: Traits, other: Traits, shared: Shared) -> str:
    """Why they seem to be one: `address`, `articles` or `site`; "" if they do not."""
    if one.addresses & other.addresses:
        return "address"
    if shared.speaks:
        return "articles" if shared.share >= LEAST_SHARED else ""
    if one.site and one.site == other.site and plain_title(one.title) and alike(one.title, other.title):
        return "site"
    return ""


def alike(one: str, other: str) -> bool:
    """Whether two titles differ in nothing but the kind of feed they name."""
    return plain_title(one) == plain_title(other)


def plain_title(title: str) -> str:
    """A title without "RSS", "Atom feed" and the like, in lower case."""
    return " ".join(_KINDS.sub(" ", title).casefold().split())


def evidence(why: str, *, n_common: int, n_recent: int, title: str = "", domain: str = "") -> str:
    """The reason in a sentence."""
    if why == "address":
        return _("Both addresses lead to the same document.")
    if why == "articles":
        told = ngettext(
            "%(n_common)s of %(n_recent)s articles of the last 90 days are in both.",
            "%(n_common)s of %(n_recent)s articles of the last 90 days are in both.",
            n_recent,
        )
        return told % {"n_common": n_common, "n_recent": n_recent}
    return _("Both are called “%(title)s” and belong to %(domain)s.") % {"title": title, "domain": domain}
