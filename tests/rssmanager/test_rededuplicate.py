"""`rededuplicate`: complete, interrupted and resumed runs, errors, and output."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from feeds.models import Article, Link, Pending, Stage, Story, StoryChange
from feeds.storage import work_queue
from feeds.stories import engine, near_duplicate_stage
from feeds.stories.rebuild import COMPARING, INDEXING, READING, n_waiting, rededuplicate, resume
from rssmanager.management.commands import rededuplicate as command
from tests import make
from tests.feeds.small_archive import HARBOUR, fill, published, stories
from tests.feeds.stories.test_rebuild import ALL_STORIES, COPIES, enrich_all, everything, set_rules, silent

pytestmark = [pytest.mark.django_db, pytest.mark.vendor]

COUNTS = {"before", "after", "made", "joined", "grown", "split", "dissolved"}


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("rededuplicate", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def articles(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> dict[str, Article]:
    """The small archive, not deduplicated yet, with small batches."""
    set_rules(settings, "layered")
    monkeypatch.setattr(engine, "match_pending", partial(near_duplicate_stage.match_pending, limit=4))
    return fill()


def stopping(when: str, at: int) -> Callable[[str, int, int], None]:
    def on_progress(what: str, n_done: int, n_all: int) -> None:
        if what == when and n_done >= at:
            raise KeyboardInterrupt

    return on_progress


def test_deduplicates_all_and_reports(articles: dict[str, Article]) -> None:
    heard: list[tuple[str, int, int]] = []
    result = rededuplicate(since=None, enrich=enrich_all, on_progress=lambda *said: heard.append(said))
    assert stories(articles) == ALL_STORIES
    assert (result.n_matched, result.n_enriched, result.n_waiting) == (15, 15, 0)
    assert (result.n_stories_before, result.n_stories_after, result.n_links_before) == (0, 4, 0)
    assert result.n_links_after == Link.objects.count()
    assert heard == [
        (INDEXING, 15, 15),
        *((COMPARING, n, 15) for n in (4, 8, 12, 15)),
        (READING, 15, 15),
    ]


def test_running_twice_changes_nothing(articles: dict[str, Article]) -> None:
    rededuplicate(since=None, enrich=enrich_all, on_progress=silent)
    StoryChange.objects.all().delete()
    numbers = dict(Article.objects.values_list("pk", "story"))
    assert rededuplicate(since=None, enrich=enrich_all, on_progress=silent).changes.moved == ()
    assert dict(Article.objects.values_list("pk", "story")) == numbers
    assert not StoryChange.objects.exists()


@pytest.mark.parametrize(
    ("when", "at", "n_left"), [(COMPARING, 4, 11), (COMPARING, 12, 3), (READING, 15, 0)], ids=["early", "late", "end"]
)
def test_resumes_where_it_was_interrupted(articles: dict[str, Article], when: str, at: int, n_left: int) -> None:
    with pytest.raises(KeyboardInterrupt):
        rededuplicate(since=None, enrich=enrich_all, on_progress=stopping(when, at))
    assert work_queue.n_waiting(Stage.MATCH) == n_left
    result = resume(enrich=enrich_all, on_progress=silent)
    assert (result.n_matched, result.n_waiting) == (n_left, 0)
    assert stories(articles) == ALL_STORIES


def test_worker_can_resume(articles: dict[str, Article]) -> None:
    with pytest.raises(KeyboardInterrupt):
        rededuplicate(since=None, enrich=enrich_all, on_progress=stopping(COMPARING, 4))
    engine.match()
    enrich_all(lambda n: None)
    assert (stories(articles), n_waiting()) == (ALL_STORIES, 0)


def test_claimed_articles_are_retried(articles: dict[str, Article], monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*args: object, **options: object) -> int:
        raise KeyboardInterrupt

    really = near_duplicate_stage.replace_links
    monkeypatch.setattr(near_duplicate_stage, "replace_links", killed)
    with pytest.raises(KeyboardInterrupt):
        rededuplicate(since=None, enrich=enrich_all, on_progress=silent)
    monkeypatch.setattr(near_duplicate_stage, "replace_links", really)
    assert Pending.objects.exclude(claimed_until=None).count() == 4
    assert (resume(enrich=enrich_all, on_progress=silent).n_matched, stories(articles)) == (15, ALL_STORIES)


def test_restarting_begins_from_scratch(articles: dict[str, Article]) -> None:
    with pytest.raises(KeyboardInterrupt):
        rededuplicate(since=None, enrich=enrich_all, on_progress=stopping(COMPARING, 8))
    assert rededuplicate(since=None, enrich=enrich_all, on_progress=silent).n_matched == 15
    assert stories(articles) == ALL_STORIES


def test_nothing_changes_before_the_queue_is_filled(articles: dict[str, Article]) -> None:
    rededuplicate(since=None, enrich=enrich_all, on_progress=silent)
    before = everything()
    with pytest.raises(KeyboardInterrupt):
        rededuplicate(since=None, enrich=enrich_all, on_progress=stopping(INDEXING, 1))
    assert everything() == before


def test_retries_articles_given_up(articles: dict[str, Article]) -> None:
    Pending.objects.create(article=articles["notes"], stage=Stage.ENRICH, n_tries=5)
    assert rededuplicate(since=None, enrich=enrich_all, on_progress=silent).n_matched == 15
    assert not Pending.objects.exists()


def test_resuming_retries_articles_given_up(articles: dict[str, Article]) -> None:
    Pending.objects.create(article=articles["notes"], stage=Stage.MATCH, n_tries=5)
    run("--resume")
    assert not Pending.objects.exists()


def test_events_can_be_left_to_the_worker(articles: dict[str, Article]) -> None:
    assert json.loads(run("--no-events", "--json"))["waiting"] == 15
    assert stories(articles) == COPIES


def test_since_keeps_older_articles(settings: Settings) -> None:
    set_rules(settings, "layered")
    now = timezone.now()
    days = (make.NOW - now) / timedelta(days=1)
    old = [published(f"Old {n}", HARBOUR, domain=f"old{n}.example", days=days + 60 + 15 * n) for n in (0, 1)]
    new = [published(f"New {n}", HARBOUR, domain=f"new{n}.example", days=days + 40 + n) for n in (0, 1)]
    planned = json.loads(run("--since", "50", "--dry-run", "--json"))
    report = json.loads(run("--since", "50", "--json"))
    assert (planned["compared"], report["compared"], report["read"]) == (2, 2, 2)
    assert planned["stories"] == report["stories"] == {**dict.fromkeys(COUNTS, 0), "after": 1, "made": 1}
    assert [Article.objects.get(pk=article.pk).story_id is None for article in (*old, *new)] == [
        False,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--policy", "newest"), "DEDUP_POLICY=newest"),
        (("--closeness", "0.5"), "DEDUP_CLOSENESS=0.5"),
        (("--closeness", "0.5", "--regroup"), "DEDUP_CLOSENESS=0.5"),
        (("--resume",), "Nothing to resume"),
        (("--resume", "--since", "3"), "be combined"),
        (("--closeness", "2", "--dry-run"), "between 0.1 and 1.0"),
        (("--since", "0"), "at least 1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_refuses_and_changes_nothing(articles: dict[str, Article], arguments: tuple[str, ...], named: str) -> None:
    before = everything()
    with pytest.raises(CommandError, match=named) as refused:
        run(*arguments)
    assert refused.value.returncode == 1
    assert everything() == before


def test_accepts_current_settings(articles: dict[str, Article]) -> None:
    run("--policy", "layered", "--closeness", "0.3", "--no-events")
    assert stories(articles) == COPIES


def test_regroups_by_another_closeness_and_back(articles: dict[str, Article], settings: Settings) -> None:
    run()
    links = sorted(Link.objects.values_list())
    set_rules(settings, "layered", 1.0)
    assert json.loads(run("--regroup", "--json"))["stories"]["dissolved"] == 1
    assert stories(articles) == COPIES
    set_rules(settings, "layered", 0.3)
    assert json.loads(run("--regroup", "--json"))["stories"]["made"] == 1
    assert stories(articles) == ALL_STORIES
    assert sorted(Link.objects.values_list()) == links


def test_json_of_both_runs(articles: dict[str, Article]) -> None:
    dry = json.loads(run("--dry-run", "--no-events", "--show", "2", "--json"))
    examples, _ = dry.pop("examples"), dry.pop("seconds")
    assert dry["stories"] == {**dict.fromkeys(COUNTS, 0), "after": 3, "made": 3}
    assert (dry["dry_run"], dry["moved"], dry["compared"], dry["read"]) == (True, 8, 15, 0)
    assert [example.keys() for example in examples] == [{"kind", "articles", "parts", "layer", "evidence"}] * 2
    report = json.loads(run("--no-events", "--json"))
    del report["seconds"]
    assert report == dry | {"dry_run": False}


def test_empty_archive(settings: Settings) -> None:
    set_rules(settings, "layered")
    nothing = dict.fromkeys(COUNTS, 0)
    for arguments in ((), ("--dry-run",), ("--regroup",), ("--regroup", "--dry-run")):
        assert json.loads(run(*arguments, "--json"))["stories"] == nothing
    assert "0 articles" in run("--dry-run")


def test_prints_text(articles: dict[str, Article]) -> None:
    Article.objects.filter(pk=articles["crane late"].pk).update(title="Crane\x1b[2J\u202e\n\x07gone " + "x" * 200)
    output = run("--dry-run", "--policy", "layered", "--closeness", "0.4")
    assert output.startswith("Dry run with policy layered, closeness 0.4. Nothing was changed.\n")
    assert "Stories: 0 before, 4 after (4 made, 0 joined, 0 grown, 0 split, 0 dissolved).\n" in output
    assert (
        "\nmade, 3 articles (content: SimHash distance 0)\n"
        "  - Harbour crane goes for scrap\n"
        "  - Sixty years on the quay\n"
        "  - Crane[2J gone\n"
    ) in output
    assert "15 articles compared, 15 checked for events.\nStories: 0 before, 4 now (4 made, " in run()


def test_explains_resuming_after_ctrl_c(articles: dict[str, Article], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_silent", stopping(COMPARING, 4))
    with pytest.raises(CommandError, match=r"Interrupted; 15 articles are waiting\. Continue with --resume") as stopped:
        run()
    assert stopped.value.returncode == 130
    monkeypatch.undo()
    assert json.loads(run("--resume", "--json"))["compared"] == 11
    assert stories(articles) == ALL_STORIES


@pytest.mark.parametrize(
    ("n_done", "n_all", "seconds", "expected"),
    [
        (0, 10, 1.0, "Compared 0 of 10 articles"),
        (400, 12_400, 0.0, "Compared 400 of 12,400 articles"),
        (400, 12_400, 0.5, "Compared 400 of 12,400 articles, 800 per second, 0:00:15 left"),
        (10, 10, 5.0, "Compared 10 of 10 articles, 2 per second, 0:00:00 left"),
    ],
    ids=["none", "no time", "on the way", "done"],
)
def test_progress_line(n_done: int, n_all: int, seconds: float, expected: str) -> None:
    assert command.progress_line("Compared", n_done, n_all, seconds) == expected


def test_progress_is_one_line_per_step() -> None:
    written: list[str] = []
    seconds = iter([0.0, 1.0, 1.1, 2.0, 3.0])
    progress = command._Progress(written.append, clock=lambda: next(seconds))
    for what, n_done in (("Indexed", 1), ("Indexed", 2), ("Indexed", 3), ("Compared", 1)):
        progress(what, n_done, 3)
    assert [line.strip("\r") for line in written] == [
        "\x1b[KIndexed 1 of 3 articles",
        "\x1b[KIndexed 3 of 3 articles, 3 per second, 0:00:00 left\n",
        "\x1b[KCompared 1 of 3 articles",
    ]


def test_policies_agree_with_the_environment(settings: Settings) -> None:
    settings.ENV = replace(settings.ENV, DEDUP_POLICY="newest")
    assert json.loads(run("--dry-run", "--json"))["policy"] == "newest"
    assert Story.objects.count() == 0
