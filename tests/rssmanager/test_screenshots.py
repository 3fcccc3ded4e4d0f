"""`make screenshots` covers every page."""

from tests.digests.test_views_access import ADDRESSES as OF_DIGESTS
from tests.reader.test_views_access import ADDRESSES as OF_READER
from tests.rssmanager.accounts.test_views_access import ADDRESSES as OF_ACCOUNT
from tests.screenshots.places import PLACES

# Files, fragments of pages, and what other sites hold.
NO_PAGES = {
    "export_opml",
    "interests_export",
    "highlights_export",
    "counts",
    "sidebar",
    "feed_polled",
    "article_player",
    "article_chapters",
}


def test_covers_every_page() -> None:
    pages = {
        address.name
        for address in (*OF_READER, *OF_DIGESTS, *OF_ACCOUNT)
        if address.method == "get" and address.status == 200
    }
    assert pages - {place.name for place in PLACES} == NO_PAGES
