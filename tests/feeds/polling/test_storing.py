"""Groups of polls: what is stored together, and what isn't."""

from dataclasses import replace
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from feeds.fetching import FetchResult
from feeds.models import Feed, FeedStatus, Item, Poll, PollOutcome, Source
from feeds.parsing.feed import ParsedFeed
from feeds.polling.record import PollResult
from feeds.polling.storing import MAX_POLLS, Answer, Group, Storer
from feeds.storage import ingest
from feeds.storage.drafts import Document
from tests import make
from tests.make_draft import LIBRARY, NOW, draft

TOKEN = uuid4()
NOT_MODIFIED = PollResult(PollOutcome.NOT_MODIFIED, "", FetchResult("https://paper.example/", 304))


def leased(n: int) -> Feed:
    feed = make.feed(f"https://paper{n}.example/feed.xml")
    Source.objects.filter(pk=feed.source_id).update(lease_token=TOKEN)
    return feed


def answer(feed: Feed, guid: str, url: str, text: str) -> Answer:
    document = Document(
        ParsedFeed(title=feed.title),
        (draft(guid, url=url, text=text),),
        marks={},
        present=frozenset(),
        n_entries=1,
        n_repeated=0,
        n_malformed=0,
        n_beyond=0,
        n_uncertain_dates=0,
    )
    return Answer(feed, PollResult(PollOutcome.UNCHANGED, "", document=document), NOW)


def store(answers: list[Answer]) -> list[Poll | None]:
    storer = Storer(TOKEN, FeedStatus.ACTIVE, jitter=lambda: 0.0, set_feed=lambda feed_id: None)
    return storer.store(answers)


@pytest.mark.django_db
@pytest.mark.vendor
@pytest.mark.parametrize("n_feeds", [1, 20])
def test_each_unchanged_feed_costs_one_statement(n_feeds: int) -> None:
    answers = [Answer(leased(n), NOT_MODIFIED, NOW) for n in range(n_feeds)]
    with CaptureQueriesContext(connection) as queries:
        polls = store(answers)
    feeds = list(Feed.objects.order_by("pk"))
    assert [poll.outcome for poll in polls if poll] == ["not_modified"] * n_feeds
    assert {feed.last_polled_at for feed in feeds} == {NOW}
    assert Poll.objects.count() == n_feeds
    updates = [query["sql"] for query in queries if query["sql"].startswith("UPDATE feeds_feed")]
    others = [query["sql"] for query in queries if not query["sql"].startswith("UPDATE feeds_feed")]
    assert (len(updates), len(others)) == (n_feeds, 4)  # a savepoint, its release, locks, polls


@pytest.mark.django_db
@pytest.mark.vendor
def test_a_lost_lease_drops_only_its_own_answer() -> None:
    ours, theirs = leased(1), leased(2)
    Source.objects.filter(pk=theirs.source_id).update(lease_token=uuid4())
    polls = store(
        [answer(theirs, "a", "https://paper2.example/a", "A"), answer(ours, "b", "https://paper1.example/b", "B")]
    )
    assert [poll and poll.feed_id for poll in polls] == [None, ours.pk]
    assert list(Item.objects.values_list("feed", "guid")) == [(ours.pk, "b")]
    theirs.refresh_from_db()
    assert theirs.last_polled_at is None


@pytest.mark.django_db
@pytest.mark.vendor
def test_feeds_stored_together_find_their_own_items() -> None:
    """Both feeds use the guid "a"; the second poll finds one unchanged and one changed."""
    one, other = leased(1), leased(2)
    first = [answer(one, "a", "https://paper1.example/a", "A"), answer(other, "a", "https://paper2.example/a", "B")]
    store(first)
    changed = answer(other, "a", "https://paper2.example/a", LIBRARY)
    polls = store([replace(first[0]), changed])
    assert [(poll.n_new, poll.n_revised) for poll in polls if poll] == [(0, 0), (0, 1)]
    assert list(Item.objects.order_by("feed").values_list("article__text", flat=True)) == ["A", LIBRARY]


@pytest.mark.django_db
@pytest.mark.vendor
def test_a_deleted_feed_does_not_stop_a_group_that_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, deleted = leased(1), leased(2)
    answers = [
        answer(ours, "a", "https://paper1.example/a", "A"),
        answer(deleted, "b", "https://paper2.example/b", "B"),
    ]
    Feed.objects.filter(pk=deleted.pk).delete()
    write, errors = ingest.write, [IntegrityError("an article was purged")]

    def refuse_once(plans: list[ingest.Plan]) -> list[ingest.Stored]:
        if errors:
            raise errors.pop()
        return write(plans)

    monkeypatch.setattr(ingest, "write", refuse_once)
    polls = store(answers)
    assert [poll and poll.feed_id for poll in polls] == [ours.pk, None]
    assert Item.objects.count() == 1


def test_feeds_that_share_a_page_are_not_stored_together() -> None:
    group = Group()
    assert group.add(answer(Feed(pk=1), "a", "https://paper.example/a", "A"))
    assert not group.add(answer(Feed(pk=2), "b", "https://paper.example/a", "B"))
    assert group.add(answer(Feed(pk=3), "c", "https://paper.example/c", "C"))
    assert [waiting.feed.pk for waiting in group.answers] == [1, 3]


def test_a_group_is_full_of_polls_entries_or_characters() -> None:
    polls, entries, characters = Group(), Group(), Group()
    for n in range(MAX_POLLS):
        assert not polls.is_full
        polls.add(Answer(Feed(pk=n), NOT_MODIFIED, NOW))
    several = answer(Feed(pk=1), "a", "https://paper.example/a", "A")
    document = several.result.document
    assert document is not None
    many = tuple(draft(str(n), url=f"https://paper.example/{n}") for n in range(100))
    entries.add(replace(several, result=replace(several.result, document=replace(document, drafts=many))))
    long = (replace(draft("long"), markup="x" * 1_000_000),)
    characters.add(replace(several, result=replace(several.result, document=replace(document, drafts=long))))
    assert (polls.is_full, entries.is_full, characters.is_full) == (True, True, True)
