"""`make screenshots` leaves no page out."""

from tests.digests.test_views_access import ADDRESSES as OF_DIGESTS
from tests.reader.test_views_access import ADDRESSES as OF_READER
from tests.rssmanager.accounts.test_views_access import ADDRESSES as OF_ACCOUNT
from tests.screenshots.places import PLACES

NO_PAGES = {"export_opml", "interests_export", "counts"}  # files, and a piece of a page


def test_every_page_is_read() -> None:
    pages = {
        address.name
        for address in (*OF_READER, *OF_DIGESTS, *OF_ACCOUNT)
        if address.method == "get" and address.status == 200
    }
    assert pages - {place.name for place in PLACES} == NO_PAGES
