"""A dry run reports what the real run does, and changes nothing."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.apps import apps
from pytest_django import Settings

from feeds.dedup.partition_diff import Kind
from feeds.models import Article, Sketch
from feeds.stories.event_engine import enrich
from feeds.stories.rebuild import (
    Example,
    Rededuplication,
    find_examples,
    rededuplicate,
    regroup_linked,
    rolled_back,
)
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
    """Ignore the progress."""


def enrich_all(on_batch: Callable[[int], None]) -> None:
    enrich(on_batch=on_batch)


def run(since_days: float | None = None) -> Rededuplication:
    since = None if since_days is None else make.NOW - timedelta(days=since_days)
    return rededuplicate(since=since, enrich=enrich_all, on_progress=silent)


def dry_run(since_days: float | None = None) -> Rededuplication:
    with rolled_back():
        return run(since_days)


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
def archive(settings: Settings) -> dict[str, Article]:
    """The small archive, deduplicated and enriched."""
    set_rules(settings, "layered")
    archive = fill()
    run()
    return archive


@pytest.mark.parametrize("since_days", [None, 5.95], ids=lambda days: f"since {days}")
@pytest.mark.parametrize(
    ("policy", "closeness"),
    [("layered", 0.9), ("three_tier", 0.3), ("newest", 0.3)],
    ids=["closer", "three tiers", "newest"],
)
@pytest.mark.vendor
def test_dry_run_reports_what_the_real_run_does(
    archive: dict[str, Article], settings: Settings, policy: str, closeness: float, since_days: float | None
) -> None:
    set_rules(settings, policy, closeness)
    before = everything()
    expected = dry_run(since_days)
    assert everything() == before
    assert run(since_days) == expected
    assert dry_run(since_days).changes.stories == ()


def test_another_policy_and_back(archive: dict[str, Article], settings: Settings) -> None:
    set_rules(settings, "newest")
    run()
    assert stories(archive) != ALL_STORIES
    set_rules(settings, "layered")
    run()
    assert stories(archive) == ALL_STORIES


def test_deleted_sketches_change_nothing(archive: dict[str, Article]) -> None:
    Sketch.objects.all().delete()
    assert run().changes.stories == ()


def test_regrouping_dissolves_and_keeps_links(archive: dict[str, Article], settings: Settings) -> None:
    set_rules(settings, "layered", 1.0)
    result = regroup_linked(since=None, on_progress=silent)
    assert result.changes.count(Kind.DISSOLVED) == 1
    assert result.n_links_after == result.n_links_before
    assert stories(archive) == COPIES
    [example] = find_examples(result.changes, n=20)
    assert (example.kind, example.n_articles, example.layer) == (Kind.DISSOLVED, 3, "entities")
    assert "headlines mean much the same" in example.evidence


def test_examples_have_titles_and_evidence(archive: dict[str, Article], settings: Settings) -> None:
    set_rules(settings, "newest")
    run()
    set_rules(settings, "layered")
    with rolled_back():
        examples = find_examples(run().changes, n=1)
    assert examples == [
        Example(
            Kind.MADE,
            3,
            (("Harbour crane goes for scrap",), ("Sixty years on the quay",), ("A crane leaves town",)),
            "content",
            "SimHash distance 0",
        )
    ]
