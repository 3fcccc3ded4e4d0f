"""Which publisher a document speaks for. Pure.

Theory. A feed's title, site link, authors and entry URLs are only claims. It can't choose where it was fetched from, so
only that decides:

1. The *origin* of a document is the registrable domain that answered after all redirects. Domains that redirect don't
   count, because of open redirects (`victim.example/out?to=…`). Exceptions are services like FeedBurner, to which
   publishers redirect their feeds.
2. A document *speaks for* URLs of its origin's domain and of the publishers that own the origin (`bbci.co.uk` serves
   the feeds of bbc.co.uk and bbc.com). Only a feed that speaks for a URL is the publisher's own.
3. All other articles are credited to the feed's origin, in name and tier, until the publisher's own feed delivers them.

Known limits: users of a platform with one registrable domain (`medium.com/@ada`, `gitlab.com/ada`) speak for each
other, unless the Public Suffix List has the platform (`github.io`, `blogspot.com`). A publisher's open redirect to a
feed host of rule 1 counts as the publisher. A publisher with feeds on another domain that isn't listed here is treated
as an aggregator of its own articles.
"""

from feeds.normalizing.domains import registrable_domain

# Feed hosts to which publishers redirect.
FEED_HOSTS = frozenset({"feedburner.com", "feedblitz.com", "feedpress.me", "rapidfeeds.com"})

# Domains that serve the feeds of publishers on other domains.
_PUBLISHERS_OF: dict[str, frozenset[str]] = {
    "bbci.co.uk": frozenset({"bbc.co.uk", "bbc.com"}),
    "bbc.co.uk": frozenset({"bbc.com"}),
    "bbc.com": frozenset({"bbc.co.uk"}),
    "dj.com": frozenset({"wsj.com", "marketwatch.com", "barrons.com"}),
    "dowjones.io": frozenset({"wsj.com", "marketwatch.com", "barrons.com"}),
    "epimg.net": frozenset({"elpais.com"}),
    "skynews.com": frozenset({"sky.com"}),
    "abcnews.com": frozenset({"go.com"}),
    "francetvinfo.fr": frozenset({"franceinfo.fr"}),
    "nyt.com": frozenset({"nytimes.com"}),
}


def origin_of(feed_domain: str, document_url: str) -> str:
    """The domain a document came from. `feed_domain`: of the feed's address; `document_url`: the address after
    redirects, "" for the feed's address."""
    domain = registrable_domain(document_url) or feed_domain
    return feed_domain if domain in FEED_HOSTS else domain


def speaks_for(origin: str, domain: str) -> bool:
    """Whether documents from `origin` are the publisher's own at `domain`; both are registrable domains."""
    return origin == domain or domain in _PUBLISHERS_OF.get(origin, ())


def domain_of_article(url: str, canonical_url: str) -> str:
    """The registrable domain of an article's link, "" without a link."""
    return registrable_domain(canonical_url or url)
