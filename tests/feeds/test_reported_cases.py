"""What users of feed readers report, written anew: documents as publishers write them, and what the user sees."""

from pathlib import Path

import pytest
from django.test import Client

from rssmanager.env import PROJECT
from tests.feeds.reported import Reported, atom, item, json_feed, rss

pytestmark = pytest.mark.django_db

REPORTS = PROJECT.parent / "shared" / "data" / "reports"


@pytest.fixture
def reported(client: Client) -> Reported:
    return Reported(client)


@pytest.mark.parametrize(
    "document",
    [
        rss(item("Cranes", "Cranes <b>come down</b>.", guid="1")),
        atom(
            "<entry><id>urn:1</id><title>Cranes</title><updated>2026-11-20T08:00:00Z</updated>"
            "<link href='https://paper.example/cranes'/>"
            "<content type='html'>Cranes &lt;b>come down&lt;/b>.</content></entry>"
        ),
        json_feed(
            {
                "id": "1",
                "url": "https://paper.example/cranes",
                "title": "Cranes",
                "content_html": "Cranes <b>come down</b>.",
                "date_published": "2026-11-20T08:00:00Z",
            }
        ),
    ],
    ids=["rss", "atom", "json"],
)
def test_entry_is_shown_as_published(reported: Reported, document: bytes) -> None:
    [seen] = reported.read(document)
    assert (seen.title, seen.link) == ("Cranes", "https://paper.example/cranes")
    assert seen.body == "Cranes <b>come down</b>."
    assert not seen.is_read
    poll = reported.poll()
    assert (poll.outcome, poll.n_new) == ("unchanged", 0)


def test_changed_text_is_shown_as_updated(reported: Reported) -> None:
    [seen] = reported.read(rss(item(guid="1")))
    seen.open()
    [seen] = reported.read(rss(item(body="Cranes stay up.", guid="1")))
    assert (seen.text, seen.is_read, seen.is_updated) == ("Cranes stay up.", True, True)


# Articles after all versions of the case's document were polled.
COUNTS = {
    "d04-empty-guid": 3, "d08-comic": 4, "d09-tumblr": 3, "d10-entware": 3, "d11-github": 4, "d12-discourse": 4,
    "d13-dupe-guid-real": 3, "d17-trailing-case": 2, "j01-external": 2, "p02-double-title": 6,
    "p03-cdata-terminator": 2, "p05-rel-link": 1, "p06-nested-base": 1, "p07-content-texthtml": 6,
    "p09-isPermalink": 3, "p15-rss-xhtml-body": 3, "p16-links": 9, "p18-rdf": 1, "q01-junk-after": 1,
    "q09-two-links": 2, "q11-empty-items": 0, "q12-longtitle": 2, "q15-which-body": 7, "u01-guid-scheme": 1,
    "u02-noguid-newdate": 1, "u03-updated": 1, "u05-notitle": 2,
}  # fmt: skip


@pytest.mark.skipif(not REPORTS.exists(), reason="../shared/data is not here")
@pytest.mark.parametrize("name", COUNTS)
def test_reported_feed_has_all_articles(reported: Reported, name: str) -> None:
    assert len(reported.read(*documents(REPORTS / name))) == COUNTS[name]


def documents(case: Path) -> list[bytes]:
    """The versions of a case's document, in order."""
    return [path.read_bytes() for path in sorted(case.glob("feed.*")) if not path.name.endswith(".meta.json")]
