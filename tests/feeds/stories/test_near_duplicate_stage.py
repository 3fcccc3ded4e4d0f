"""The near-duplicate stage: links, stories and item states of layers 3 and 4, with a database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from feeds.dedup.budgets import Budget
from feeds.dedup.near_duplicate_policies import POLICIES
from feeds.models import Article, BlockingKey, Item, Link, Pending, Split, Stage, Story, StoryChange
from feeds.storage import work_queue
from feeds.storage.work_queue import StageReport
from feeds.stories import engine
from feeds.stories.near_duplicate_stage import READ_FOR_EVENTS, match_pending
from feeds.stories.store import StoryRules, regroup
from tests import make
from tests.feeds.storing import store as store_drafts
from tests.make_draft import draft

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
RULES = StoryRules()
CRANES = "Harbour office to take down its two oldest cranes before autumn"
LONG = (
    "The harbour office said on Tuesday that the two oldest cranes will be taken down before the autumn storms, since "
    "an inspection found rust in the main bearings. The work is to begin in August and will close the eastern quay."
)


def store(feed: str, name: str, *, title: str = CRANES, text: str = LONG, **values: Any) -> Article:
    """Store an entry with that name and its own URL, as a poll of the feed does."""
    feed_row = make.feed(f"https://{feed}.example/feed.xml") if not _feeds(feed) else _feeds(feed)[0]
    entry = draft(
        name,
        url=f"https://{feed}.example/{name}",
        title=title,
        text=text,
        published_at=values.pop("published_at", NOW),
        word_count=len(text.split()),
        **values,
    )
    with transaction.atomic():
        store_drafts(feed_row, [entry], now=NOW)
    return Article.objects.get(url=entry.url)


def _feeds(feed: str) -> list[Any]:
    return list(make.Feed.objects.select_related("source").filter(url=f"https://{feed}.example/feed.xml"))


def match(policy: str = "layered", *, limit: int = 400) -> StageReport:
    report = StageReport()
    while match_pending(POLICIES[policy], RULES, now=NOW, report=report, limit=limit):
        pass
    return report


def stories() -> set[frozenset[str]]:
    by_story: dict[int, set[str]] = {}
    for story, url in Article.objects.exclude(story=None).values_list("story", "url"):
        by_story.setdefault(story, set()).add(url.removeprefix("https://").replace(".example/", ":"))
    return set(map(frozenset, by_story.values()))


def item_of(article: Article) -> Item:
    return Item.objects.get(article=article)


def test_a_copy_joins_the_first_with_evidence() -> None:
    first = store("paper", "a", text=LONG + " Nobody knows what they cost.")
    copy = store("wire", "b", title="Old cranes to go", text=LONG.replace("Tuesday", "Wednesday"))
    report = match()
    assert (report.n_articles, report.n_matches, report.n_stories) == (2, 1, 1)
    assert stories() == {frozenset({"paper:a", "wire:b"})}
    story = Story.objects.get()
    assert (story.lead, story.n_articles, story.n_sources) == (first, 2, 2)
    item = item_of(copy)
    assert (item.disposition, item.layer, item.rival) == ("near_duplicate", "content", first)
    assert item.evidence == "3-word phrases 77% the same"
    assert (item_of(first).disposition, item_of(first).rival) == ("unique", None)
    assert set(StoryChange.objects.values_list("article", flat=True)) == {first.pk, copy.pk}
    assert not Pending.objects.filter(stage=Stage.MATCH).exists()
    assert Pending.objects.filter(stage=Stage.ENRICH).count() == 2


def test_what_was_old_on_arrival_is_not_read_for_events() -> None:
    store("paper", "a")
    Article.objects.update(first_seen_at=F("published_at") + READ_FOR_EVENTS + timedelta(seconds=1))
    recent = store("wire", "b", title="Library opens after the fire", text="Readers queued from early morning. " * 8)
    match()
    assert [pending.article_id for pending in Pending.objects.all()] == [recent.pk]


def test_unrelated_articles_are_not_linked() -> None:
    store("paper", "a")
    store("wire", "b", title="Library opens after the fire", text="Readers queued from early morning. " * 8)
    assert match().n_matches == 0
    assert not Story.objects.exists()
    assert not StoryChange.objects.exists()
    assert set(Item.objects.values_list("disposition", flat=True)) == {"unique"}


def test_it_makes_no_difference_which_batch_an_article_is_in() -> None:
    for feed in ("paper", "wire", "herald"):
        store(feed, "a")
    match(limit=1)
    assert stories() == {frozenset({"paper:a", "wire:a", "herald:a"})}
    assert Link.objects.count() == 3


def test_unmatched_article_has_no_links() -> None:
    store("paper", "a")
    crowded = store("wire", "b")
    match()
    Article.objects.filter(pk=crowded.pk).update(is_unmatched=True)
    work_queue.enqueue([crowded.pk])
    match()
    assert (stories(), Link.objects.count(), item_of(crowded).disposition) == (set(), 0, "unique")
    store("herald", "c")
    match()
    assert stories() == {frozenset({"paper:a", "herald:c"})}


def test_no_article_gets_more_links_than_it_may() -> None:
    for n in range(6):
        store(f"paper{n}", "a")
    report = StageReport()
    while match_pending(POLICIES["layered"], RULES, now=NOW, report=report, budget=Budget(links=2)):
        pass
    assert (report.n_candidates, report.n_matches) == (15, 6)


def test_one_feed_gets_few_of_an_articles_comparisons() -> None:
    for n in range(6):
        store("paper", str(n))
    budget = Budget(of_one_feed=2, crowded=3)
    report = StageReport()
    while match_pending(POLICIES["layered"], RULES, now=NOW, report=report, budget=budget):
        pass
    assert report.n_candidates <= 6 * 2
    copy = store("wire", "copy")
    report = StageReport()
    match_pending(POLICIES["layered"], RULES, now=NOW, report=report, budget=budget)
    assert (report.n_candidates, item_of(copy).disposition) == (2, "near_duplicate")


def test_matching_again_changes_nothing() -> None:
    store("paper", "a")
    store("wire", "b")
    match()
    before = list(Link.objects.values_list("one", "other", "evidence")), stories()
    changes = StoryChange.objects.count()
    work_queue.enqueue(Article.objects.values_list("pk", flat=True))
    match()
    assert (list(Link.objects.values_list("one", "other", "evidence")), stories()) == before
    assert StoryChange.objects.count() == changes


def test_a_revised_article_is_compared_again() -> None:
    store("paper", "a")
    copy = store("wire", "b")
    match()
    with transaction.atomic():
        feed = _feeds("wire")[0]
        other = draft("b", url=copy.url, title="Library opens after the fire", text="Readers queue.", word_count=2)
        store_drafts(feed, [other], now=NOW)
    assert Pending.objects.get(article=copy).stage == Stage.MATCH
    match()
    assert stories() == set()
    assert not Link.objects.exists()
    assert item_of(copy).layer == "guid"  # it is shown as revised


def test_titles_and_texts_out_of_the_window_are_left() -> None:
    store("paper", "a", text="")
    store("wire", "b", text="", published_at=NOW - timedelta(hours=80))
    assert match().n_matches == 0
    store("herald", "c", title="Old cranes to go", published_at=NOW - timedelta(days=29))
    store("evening", "d", title="Old cranes to go")
    assert match().n_matches == 1


def test_a_series_is_neither_flagged_nor_joined() -> None:
    title = "The morning news in two minutes"
    store("paper", "mon", title=title, text="")
    second = store("paper", "tue", title=title, text="", published_at=NOW + timedelta(days=1))
    match()
    assert stories() == set()
    assert (item_of(second).disposition, item_of(second).rival) == ("unique", None)


def test_a_version_under_the_same_path_is_flagged_and_joined() -> None:
    first = store("paper", "old-cranes-to-go", text="")
    second = store("paper", "old-cranes-to-go?v=2", text="", published_at=NOW + timedelta(hours=1))
    match()
    assert stories() == {frozenset({"paper:old-cranes-to-go", "paper:old-cranes-to-go?v=2"})}
    item = item_of(second)
    assert (item.disposition, item.rival) == ("revision", first)
    assert item.evidence == "titles 100% the same, same publisher, one replaces the other"


def test_the_fullest_leads_then_the_better_source() -> None:
    store("paper", "a")
    store("wire", "b", text=LONG + " Nobody was hurt.")
    match()
    assert Story.objects.get().lead == Article.objects.get(url="https://wire.example/b")
    make.source("herald.example", tier=1)
    best = store("herald", "c", text=LONG + " Nobody was hurt.")
    match()
    assert Story.objects.get().lead == best


def test_an_article_that_grows_becomes_the_lead() -> None:
    first = store("paper", "a", text=LONG + " Nobody was hurt.")
    second = store("wire", "b")
    match()
    assert Story.objects.get().lead == first
    with transaction.atomic():
        feed, text = _feeds("wire")[0], LONG + " Nobody was hurt, and the cranes will be sold for their steel."
        fuller = draft("b", url=second.url, title=CRANES, text=text, word_count=len(text.split()))
        store_drafts(feed, [fuller], now=NOW)
    StoryChange.objects.all().delete()
    match()
    assert Story.objects.get().lead == second
    assert set(StoryChange.objects.values_list("article", flat=True)) == {first.pk, second.pk}


def test_deleting_an_article_updates_its_story() -> None:
    one, two, three = (store(feed, "x") for feed in ("a", "b", "c"))
    match()
    three.delete()
    regroup([one.pk, two.pk], RULES)
    assert Story.objects.get().n_articles == 2
    two.delete()
    regroup([one.pk], RULES)
    assert not Story.objects.exists()


def test_under_newest_the_newest_leads() -> None:
    store("paper", "a", text=LONG)
    newer = store("paper", "b", text="Short.", published_at=NOW + timedelta(hours=2))
    report = StageReport()
    rules = StoryRules(newest_leads=True)
    while match_pending(POLICIES["newest"], rules, now=NOW, report=report):
        pass
    assert Story.objects.get().lead == newer
    assert not Pending.objects.exists()  # no events under this policy


@pytest.mark.parametrize(("retention_days", "n_stories"), [(0, 0), (30, 1)])
def test_three_tier_looks_back_as_far_as_articles_are_kept(
    settings: Settings, retention_days: int, n_stories: int
) -> None:
    settings.ENV = replace(settings.ENV, DEDUP_POLICY="three_tier", RETENTION_DAYS=retention_days)
    store("paper", "a", published_at=NOW - timedelta(days=20))
    store("wire", "b")
    engine.match()
    assert Story.objects.count() == n_stories


def test_another_policy_replaces_the_links() -> None:
    store("paper", "a")
    store("wire", "b")
    match()
    work_queue.enqueue(Article.objects.values_list("pk", flat=True))
    match("newest")
    assert not Link.objects.exists()
    assert stories() == set()


def test_two_stories_become_one_and_keep_a_number() -> None:
    one, two = store("a", "1"), store("b", "2")
    match()
    other = "Readers queued from early morning when the rebuilt town library opened its doors after the fire. " * 2
    three = store("c", "3", title="Library opens", text=other)
    store("d", "4", title="Library opens its doors", text=other)
    match()
    assert len(stories()) == 2
    number = Article.objects.get(pk=one.pk).story_id
    make.link(two, three, "near_duplicate", joins=True)
    regroup([two.pk], RULES)
    assert stories() == {frozenset({"a:1", "b:2", "c:3", "d:4"})}
    assert Story.objects.get().pk == number


def test_a_split_is_remembered() -> None:
    articles = [store(feed, "x") for feed in ("a", "b", "c")]
    match()
    for other in articles[:2]:
        Split.objects.create(one=other, other=articles[2], user=make.user(), made_at=NOW)
    regroup([articles[2].pk], RULES)
    assert stories() == {frozenset({"a:x", "b:x"})}
    work_queue.enqueue([article.pk for article in articles])
    match()
    assert stories() == {frozenset({"a:x", "b:x"})}
    Split.objects.all().delete()
    regroup([articles[2].pk], RULES)
    assert stories() == {frozenset({"a:x", "b:x", "c:x"})}


def test_no_article_is_lost_when_a_worker_dies_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    store("paper", "a")
    store("wire", "b")
    with monkeypatch.context() as patched:
        patched.setattr("feeds.stories.near_duplicate_stage.replace_links", _die)
        with pytest.raises(KeyboardInterrupt):
            match()
    assert not Link.objects.exists()
    assert match_pending(POLICIES["layered"], RULES, now=NOW, report=StageReport()) == 0  # its claim still holds
    later = NOW + work_queue.LEASE
    report = StageReport()
    while match_pending(POLICIES["layered"], RULES, now=later, report=report):
        pass
    assert report.n_articles == 2
    assert stories() == {frozenset({"paper:a", "wire:b"})}


def _die(*args: object, **options: object) -> int:
    raise KeyboardInterrupt


def test_a_faulty_article_does_not_block_others(monkeypatch: pytest.MonkeyPatch) -> None:
    store("paper", "a")
    faulty = store("wire", "faulty", title="Faulty")
    for name in ("b", "c"):
        store(name, name)
    compare = POLICIES["layered"].keys

    def keys(subject: Any) -> Any:
        if subject.title.normalized == "faulty":
            raise RuntimeError("a fault of ours")
        return compare(subject)

    policy = type(POLICIES["layered"])(
        "layered", POLICIES["layered"].window, keys, POLICIES["layered"].compare, lambda one, other: True
    )
    now = NOW
    for _ in range(30):
        try:
            match_pending(policy, RULES, now=now, report=StageReport())
        except RuntimeError:
            now += work_queue.LEASE
    assert list(Pending.objects.values_list("article", flat=True)) == [faulty.pk]
    assert work_queue.n_given_up() == 1
    assert stories() == {frozenset({"paper:a", "b:b", "c:c"})}


def test_stale_keys_are_ignored() -> None:
    deleted = store("paper", "a")
    match()
    Article.objects.filter(pk=deleted.pk).delete()
    assert BlockingKey.objects.exists()
    store("wire", "b")
    assert match().n_matches == 0


def test_queries_do_not_grow_with_the_batch() -> None:
    counts = []
    for n, size in enumerate((3, 3, 30)):
        for i in range(size):
            store(f"f{n}-{i}", "x", title=f"{CRANES} once more", text=LONG)
        with CaptureQueriesContext(
            connection,
        ) as captured:
            match_pending(POLICIES["layered"], RULES, now=NOW, report=StageReport())
        counts.append(sum(query["sql"].startswith("SELECT") for query in captured))
    assert counts[1] == counts[2]  # the first batch finds nobody before it
