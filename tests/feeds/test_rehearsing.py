"""The dry run says what the real run then does, and leaves no trace."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.apps import apps
from pytest_django import Settings

from feeds import rehearsing
from feeds.change_examples import Example, examples
from feeds.dedup.changes import Changes, Kind
from feeds.dedup.policies import POLICIES
from feeds.enrichment import enrich
from feeds.models import Article, Link, Sketch, Story
from feeds.rededuplication import rededuplicate, regroup_linked
from feeds.rehearsing import Rehearsal, rehearse, rehearse_regrouping
from feeds.stories import StoryRules
from tests import make
from tests.feeds.small_archive import fill, stories

pytestmark = pytest.mark.django_db

COPIES = [
    ["bees", "bees revised", "bees elsewhere"],
    ["charts", "charts and flood"],
    ["crane", "crane copied", "crane late"],
]
ALL_STORIES = [*COPIES, ["quake 0", "quake 1", "quake 2"]]


def set_rules(settings: Settings, policy: str, closeness: float = 0.3) -> None:
    settings.ENV = replace(settings.ENV, DEDUP_POLICY=policy, DEDUP_CLOSENESS=closeness)


def silent(what: str, n_done: int, n_all: int) -> None:
    """Nobody watches."""


def enrich_all(on_batch: Callable[[int], None]) -> None:
    enrich(on_batch=on_batch)


def run(since_days: float | None = None) -> Changes:
    since = None if since_days is None else make.NOW - timedelta(days=since_days)
    return rededuplicate(since=since, enrich=enrich_all, on_progress=silent).changes


def dry_run(policy: str, closeness: float = 0.3, since_days: float | None = None) -> Rehearsal:
    since = None if since_days is None else make.NOW - timedelta(days=since_days)
    return rehearse(POLICIES[policy], StoryRules(closeness), since=since)


def everything() -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    return {
        model._meta.label: sorted(
            (tuple(bytes(v) if isinstance(v, memoryview) else v for v in row) for row in model.objects.values_list()),
            key=repr,
        )
        for model in apps.get_models()
    }


@pytest.fixture
def made(settings: Settings) -> dict[str, Article]:
    """The small archive, deduplicated and enriched."""
    set_rules(settings, "layered")
    made = fill()
    run()
    return made


@pytest.mark.parametrize("since_days", [None, 90, 5.95, 1.95, 0.95], ids=lambda days: f"since {days}")
@pytest.mark.parametrize(
    ("policy", "closeness"),
    [("layered", 0.3), ("layered", 0.9), ("three_tier", 0.3), ("newest", 0.3)],
    ids=["the same again", "closer", "three tiers", "newest"],
)
def test_says_what_the_real_run_does(
    made: dict[str, Article], settings: Settings, policy: str, closeness: float, since_days: float | None
) -> None:
    said = dry_run(policy, closeness, since_days)
    set_rules(settings, policy, closeness)
    done = run(since_days)
    assert said.changes == done
    assert said.n_links_after == Link.objects.count()
    assert said.n_stories_after == Story.objects.count()
    assert dry_run(policy, closeness, since_days).changes.stories == ()


@pytest.mark.parametrize("policy", ["three_tier", "newest"])
def test_says_what_returning_does(made: dict[str, Article], settings: Settings, policy: str) -> None:
    set_rules(settings, policy)
    run()
    said = dry_run("layered")
    assert said.changes.count(Kind.MADE) > 0
    set_rules(settings, "layered")
    assert run() == said.changes
    assert stories(made) == ALL_STORIES


def test_small_pieces_and_stories_let_go_change_nothing(
    made: dict[str, Article], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = dry_run("three_tier").changes
    monkeypatch.setattr("feeds.archive.CHUNK", 2)
    assert dry_run("three_tier").changes == whole
    assert dry_run("layered").changes.stories == ()


def test_what_is_complete_is_let_go(made: dict[str, Article], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feeds.archive.CHUNK", 1)
    closed: list[dict[int, int]] = []
    really = rehearsing._OpenTies.close

    def close(self: rehearsing._OpenTies, before: object) -> dict[int, int]:
        closed.append(really(self, before))  # type: ignore[arg-type]
        return closed[-1]

    monkeypatch.setattr(rehearsing._OpenTies, "close", close)
    dry_run("layered")
    cranes = {made[name].pk for name in ("crane", "crane copied", "crane late")}
    with_stories = [set(each) for each in closed if each]
    assert (with_stories[0], len(with_stories)) == (cranes, 2)


def test_writes_nothing(made: dict[str, Article]) -> None:
    make.article(title="Just arrived")
    before = everything()
    for policy in POLICIES:
        found = dry_run(policy, 0.8)
        examples(found.changes, n=20, policy=POLICIES[policy])
        dry_run(policy, since_days=5)
    rehearse_regrouping(StoryRules(0.9))
    assert everything() == before


def test_a_split_stays(made: dict[str, Article]) -> None:
    assert dry_run("layered").changes.stories == ()
    assert stories(made) == ALL_STORIES


def test_events_of_what_is_not_enriched_stay(made: dict[str, Article]) -> None:
    Sketch.objects.all().delete()
    said = dry_run("layered")
    assert (said.n_without_names, said.changes.stories, said.n_links_after) == (15, (), Link.objects.count())


def test_new_articles_have_no_events_yet(made: dict[str, Article], settings: Settings) -> None:
    Sketch.objects.filter(article__title__contains="earthquake").delete()
    Link.objects.filter(layer="entities").delete()
    said = dry_run("layered")
    assert said.n_without_names == 3
    assert [each.kind for each in said.changes.stories] == [Kind.DISSOLVED]


def test_regrouping_says_what_it_does(made: dict[str, Article], settings: Settings) -> None:
    said = rehearse_regrouping(StoryRules(0.9))
    set_rules(settings, "layered", 0.9)
    done = regroup_linked(since=None, on_progress=silent)
    assert said.changes == done.changes
    assert said.changes.count(Kind.DISSOLVED) == 1
    assert stories(made) == COPIES


def test_examples_tell_titles_and_the_strongest_tie(made: dict[str, Article], settings: Settings) -> None:
    set_rules(settings, "newest")
    run()
    found = examples(dry_run("layered").changes, n=1, policy=POLICIES["layered"])
    assert found == [
        Example(
            Kind.MADE,
            3,
            (("Harbour crane goes for scrap",), ("Sixty years on the quay",), ("A crane leaves town",)),
            "content",
            "SimHash distance 0",
        )
    ]


def test_examples_of_what_dissolves_tell_what_tied_it(made: dict[str, Article]) -> None:
    found = examples(rehearse_regrouping(StoryRules(0.9)).changes, n=20, policy=None)
    assert [(each.kind, each.n_articles, each.layer) for each in found] == [(Kind.DISSOLVED, 3, "entities")]
    assert "headlines mean much the same" in found[0].evidence


def test_an_empty_archive() -> None:
    assert dry_run("layered") == Rehearsal(Changes(0, (), ()), 0, 0, 0, 0, 0, 0)
    assert rehearse_regrouping(StoryRules()) == Rehearsal(Changes(0, (), ()), 0, 0, 0, 0, 0, 0)


def test_tells_how_far_it_is(made: dict[str, Article], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feeds.archive.CHUNK", 10)
    heard: list[tuple[int, int]] = []
    rehearse(POLICIES["newest"], StoryRules(), on_chunk=lambda done, total: heard.append((done, total)))
    assert heard == [(10, 15), (15, 15)]
