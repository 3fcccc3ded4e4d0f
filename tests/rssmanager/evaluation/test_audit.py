"""`manage.py evaluate audit`: stories of files and of the database, by kind, with their evidence."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from feeds.models import Link
from feeds.stories.rebuild import rededuplicate
from rssmanager.evaluation.audit import audit_database
from tests import make
from tests.feeds import small_archive

TEXT = small_archive.HARBOUR


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("evaluate", "audit", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def items(tmp_path: Path) -> Path:
    rows = [
        {
            "title": "Harbour crane goes for scrap",
            "text": TEXT,
            "url": "https://quay.example/1",
            "published": "2026-03-02",
        },
        {"title": "Sixty years on the quay", "text": TEXT, "url": "https://river.example/2", "published": "2026-03-03"},
        {"title": "Hives counted", "text": small_archive.BEES, "url": "https://hill.example/a"},
        {"title": "Hives counted again", "text": small_archive.BEES, "url": "https://hill.example/b"},
        {"title": "Owls", "text": small_archive.NIGHT, "url": "https://hill.example/c"},
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_stories_are_shown_by_kind_with_titles_and_evidence(items: Path) -> None:
    lines = [" ".join(line.split()) for line in run(str(items)).splitlines() if line]
    assert lines == [
        "One publisher: 1 story, 2 of 5 articles",
        "o1",
        "1 undated hill.example: Hives counted",
        "2 undated hill.example: Hives counted again",
        "1 and 2: content, 1.00: SimHash distance 0",
        "Several publishers: 1 story, 2 of 5 articles",
        "s1",
        "1 2026-03-02 00:00 quay.example: Harbour crane goes for scrap",
        "2 2026-03-03 00:00 river.example: Sixty years on the quay",
        "1 and 2: content, 1.00: SimHash distance 0",
    ]


def test_counts_as_json(items: Path) -> None:
    assert json.loads(run(str(items), "--json")) == {
        "n": 5,
        "one_publisher": {"stories": 1, "articles": 2, "largest": 2},
        "several_publishers": {"stories": 1, "articles": 2, "largest": 2},
    }


def test_missing_file_is_named() -> None:
    with pytest.raises(CommandError, match=r"nowhere\.jsonl"):
        run("nowhere.jsonl")


@pytest.mark.django_db
def test_stored_stories_and_links_are_shown() -> None:
    small_archive.fill()
    make.article(title="Alone")
    rededuplicate(since=None, enrich=None, on_progress=lambda step, done, total: None)
    audit = audit_database()
    shown = {tuple(item.title for item in story.items) for story in audit.stories}
    assert ("Harbour crane goes for scrap", "Sixty years on the quay", "A crane leaves town") in shown
    assert all(story.evidence for story in audit.stories)
    assert Link.objects.exists()
