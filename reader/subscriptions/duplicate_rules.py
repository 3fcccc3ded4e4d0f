"""Whether two feeds are the same publication at two URLs. Pure.

Observed: publishers offer a publication as RSS and as Atom, at an old and a new URL, and through services that count
subscribers. In order:

1. Two URLs of the same document are duplicates.
2. With enough articles, the share of common articles decides: in the time both cover, because one may be followed for
   years, and of the larger feed, because a section's feed shares all of its articles with the main feed.
3. With few articles, the same title on the same site. This is the weakest evidence: some publishers use one title for
   all sections.
"""

import re
from collections.abc import Set
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

MIN_SHARED = 0.8  # of the larger side's articles
MIN_ARTICLES = 5  # of each side, for a share to mean anything
_KINDS = re.compile(r"[\s\-–|:»(\[]*\b(rss|atom|rdf|json|xml|feed|feeds)\b(\s*[0-9.]+)?[\s)\]]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Traits:
    """A feed for comparison. `addresses`: keys of all URLs of its document; `site`: key of its site, "" for none."""

    title: str
    site: str
    addresses: Set[bytes]


@dataclass(frozen=True, slots=True)
class Shared:
    """The articles both feeds have, and those of the larger and the smaller feed, in the time both cover."""

    n_common: int = 0
    n_larger: int = 0
    n_smaller: int = 0

    @property
    def share(self) -> float:
        return self.n_common / self.n_larger if self.n_larger else 0.0

    @property
    def is_conclusive(self) -> bool:
        return self.n_smaller >= MIN_ARTICLES


def likeness(one: Traits, other: Traits, shared: Shared) -> str:
    """Why the feeds seem to be duplicates: `address`, `articles` or `site`; "" if they don't."""
    if one.addresses & other.addresses:
        return "address"
    if shared.is_conclusive:
        return "articles" if shared.share >= MIN_SHARED else ""
    if one.site and one.site == other.site and plain_title(one.title) and alike(one.title, other.title):
        return "site"
    return ""


def alike(one: str, other: str) -> bool:
    """Whether two titles differ only in the kind of feed."""
    return plain_title(one) == plain_title(other)


def plain_title(title: str) -> str:
    """A title without "RSS", "Atom feed" and the like, in lower case."""
    return " ".join(_KINDS.sub(" ", title).casefold().split())


def evidence(why: str, *, n_common: int, n_recent: int, title: str = "", domain: str = "") -> str:
    """The reason in a sentence."""
    if why == "address":
        return _("Both addresses lead to the same feed.")
    if why == "articles":
        text = ngettext(
            "They share %(n_common)s of %(n_recent)s article from the last 90 days.",
            "They share %(n_common)s of %(n_recent)s articles from the last 90 days.",
            n_recent,
        )
        return text % {"n_common": n_common, "n_recent": n_recent}
    return _("Both are called “%(title)s” and come from %(domain)s.") % {"title": title, "domain": domain}
