"""The event stage: stores names and vectors, and links reports on the same event."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from feeds.dedup.vectors import DIMENSIONS
from feeds.models import Article, BlockingKey, Item, Link, Pending, Sketch, Stage, Story
from feeds.storage import work_queue
from feeds.storage.work_queue import StageReport
from feeds.stories import engine
from feeds.stories.event_stage import enrich_pending
from feeds.stories.store import StoryRules
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
RULES = StoryRules()
METRO = (
    "Northline Ferries halts crossings after grounding at Port Mellow",
    "Northline Ferries has halted its crossings after one of its ships ran aground at Port Mellow with 214 people on "
    "board. Everybody was taken ashore by the coast guard, captain Ines Varga said; the engines had failed.",
)
EVENING = (
    "Coast guard rescues 214 from stranded Northline ferry at Port Mellow",
    "The coast guard under captain Ines Varga rescued 214 people from a Northline ferry that was stranded off Port "
    "Mellow when its engines failed. The harbour authority is going to inspect the ship before crossings resume.",
)
PEAS = ("When to sow peas in a cold spring", "Peas bear a little frost, so sow early and cover them at night.")


def waiting(report: tuple[str, str], *, hours: float = 0, **values: Any) -> Article:
    """An article with an item that waits to be enriched."""
    title, text = report
    source = values.pop("source", None) or make.source()
    article = make.article(
        title=title,
        text=text,
        word_count=len(text.split()),
        source=source,
        language=values.pop("language", "en"),
        published_at=NOW + timedelta(hours=hours),
        **values,
    )
    make.item(make.feed(), article)
    work_queue.enqueue([article.pk], Stage.ENRICH)
    return article


def enrich(*, limit: int = 64, with_meaning: bool = True) -> StageReport:
    report = StageReport()
    while enrich_pending(RULES, now=NOW, report=report, limit=limit, with_meaning=with_meaning):
        pass
    return report


@pytest.mark.parametrize("limit", [64, 1], ids=["one batch", "one by one"])
@pytest.mark.parametrize("with_meaning", [True, False], ids=["with meaning", "without"])
def test_two_reports_on_one_event_make_a_story(limit: int, with_meaning: bool) -> None:
    metro, evening, peas = waiting(METRO), waiting(EVENING, hours=3), waiting(PEAS)
    report = enrich(limit=limit, with_meaning=with_meaning)
    assert (report.n_articles, report.n_matches) == (3, 1)
    assert set(Story.objects.get().articles.all()) == {metro, evening}
    item = Item.objects.get(article=evening)
    assert (item.disposition, item.layer, item.rival) == ("same_event", "entities", metro)
    assert item.evidence.startswith("both name Coast Guard") or "Ines Varga" in item.evidence
    assert Item.objects.get(article=peas).disposition == "unique"
    assert not Pending.objects.exists()


def test_one_publishers_reports_are_not_even_compared() -> None:
    paper = make.source("paper.example")
    waiting(METRO, source=paper, url="https://paper.example/1")
    waiting(EVENING, source=paper, url="https://paper.example/2")
    report = enrich()
    assert (report.n_candidates, report.n_matches, Story.objects.count()) == (0, 0, 0)


def test_without_links_feed_names_are_publishers() -> None:
    host = make.source("feedhost.example")
    for title, report in (("The Metro", METRO), ("The Evening", EVENING)):
        waiting(report, source=host, url="", feed=make.feed(title=title))
    assert enrich().n_matches == 1


def test_keeps_names_and_meaning() -> None:
    metro = waiting(METRO)
    enrich()
    sketch = Sketch.objects.get(article=metro)
    assert "port mellow" in sketch.names["places"] + sketch.names["organizations"] + sketch.names["people"]
    assert len(bytes(sketch.vector)) == DIMENSIONS


def test_reports_more_than_a_day_apart_are_two_events() -> None:
    waiting(METRO)
    waiting(EVENING, hours=25)
    assert enrich().n_matches == 0


def test_across_languages_by_meaning() -> None:
    waiting(("Ministers of 41 countries agree on a fund against drought in Lisbon", ""))
    waiting(("41国部长在里斯本就抗旱基金达成一致", ""), language="zh")
    enrich()
    assert Story.objects.get().n_articles == 2


def test_enriching_again_changes_nothing() -> None:
    waiting(METRO)
    waiting(EVENING)
    enrich()
    before = list(Link.objects.values_list("one", "other", "closeness", "evidence"))
    n_keys = BlockingKey.objects.count()
    work_queue.enqueue(Article.objects.values_list("pk", flat=True), Stage.ENRICH)
    enrich()
    assert list(Link.objects.values_list("one", "other", "closeness", "evidence")) == before
    assert BlockingKey.objects.count() == n_keys


def test_an_interruption_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting(METRO)
    waiting(EVENING)

    def die(*args: object, **options: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("feeds.stories.event_stage.replace_links", die)
        with pytest.raises(KeyboardInterrupt):
            enrich()
    report = StageReport()
    while enrich_pending(RULES, now=NOW + work_queue.LEASE, report=report):
        pass
    assert Story.objects.get().n_articles == 2
    assert not Pending.objects.exists()


def test_tolerates_a_deleted_article() -> None:
    deleted = waiting(METRO)
    waiting(EVENING)
    batch = work_queue.claim(Stage.ENRICH, now=NOW, limit=5)
    Article.objects.filter(pk=deleted.pk).delete()
    work_queue.finish(batch)
    assert not Pending.objects.exists()


def test_queries_do_not_grow_with_the_batch() -> None:
    counts = []
    for size in (2, 2, 12):
        for _ in range(size):
            waiting(METRO)
        with CaptureQueriesContext(connection) as captured:
            enrich_pending(RULES, now=NOW, report=StageReport())
        counts.append(sum(query["sql"].startswith("SELECT") for query in captured))
    assert counts[1] == counts[2]


def test_deletes_only_old_keys_and_sketches() -> None:
    old = waiting(METRO, hours=-24 * 60, first_seen_at=NOW - timedelta(days=60))
    late = waiting(METRO, hours=-24 * 60, first_seen_at=NOW)  # an old article that came today
    young = waiting(EVENING)
    enrich()
    engine.delete_old_keys(now=NOW)
    assert set(Sketch.objects.values_list("article", flat=True)) == {late.pk, young.pk}
    assert set(BlockingKey.objects.values_list("article_id", flat=True)) == {late.pk, young.pk}
    assert old.pk
