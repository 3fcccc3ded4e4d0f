"""Stories in the admin: their links are shown, they can be split for all users, and a split can be undone."""

import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from feeds.models import Article, Disposition, Link, Split, Story
from feeds.storage import work_queue
from feeds.stories import splits
from feeds.stories.engine import match
from feeds.tasks import stories as dedup_tasks
from rssmanager.env import PROJECT
from tests import make
from tests.markup import tight

pytestmark = pytest.mark.django_db

HARBOUR = (
    "The harbour of Elbufer stays closed until Thursday after the crane on pier four fell into the basin. Divers began "
    "to look for the hook on Monday morning, the harbour master said, and two ferries call at the northern quay now. "
    "Nobody was hurt when the crane came down, and the cause is to be found out by an engineer from the capital."
)


@pytest.fixture
def staff() -> User:
    return make.user(is_staff=True, is_superuser=True)


@pytest.fixture
def admin(staff: User) -> Client:
    client = Client()
    client.force_login(staff)
    return client


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr("feeds.stories.splits.async_task", lambda *arguments: calls.append(arguments))
    return calls


def articles_of_sources(n: int, **values: Any) -> list[Article]:
    """`n` articles of different sources, a minute apart."""
    sources = [make.source() for _ in range(n)]
    times = [make.NOW + timedelta(minutes=minute) for minute in range(n)]
    return [
        make.article(source=source, published_at=time, **values) for source, time in zip(sources, times, strict=True)
    ]


def split(admin: Client, story: Story, articles: list[Article]) -> str:
    """Split the articles off, and return the text of the page."""
    url = reverse("admin:feeds_story_change", args=[story.pk])
    return admin.post(url, {"articles": [article.pk for article in articles]}, follow=True).content.decode()


def stories() -> set[frozenset[int]]:
    """The stories as sets of article ids, without their own ids."""
    by_story: dict[int, set[int]] = {}
    for pk, story in Article.objects.exclude(story=None).values_list("pk", "story"):
        by_story.setdefault(story, set()).add(pk)
    return {frozenset(pks) for pks in by_story.values()}


def ids(*articles: Article) -> frozenset[int]:
    return frozenset(article.pk for article in articles)


@pytest.mark.parametrize("name", ["story", "link", "split"])
def test_a_list_costs_the_same_for_many_rows(admin: Client, name: str) -> None:
    counts = []
    for n in (1, 20):
        for _ in range(n):
            one, other = articles_of_sources(2)
            make.story(one, other)
            Split.objects.create(one=one, other=other, made_at=make.NOW)
        with CaptureQueriesContext(connection) as queries:
            assert admin.get(reverse(f"admin:feeds_{name}_changelist")).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("n", [3, 30])
def test_a_storys_page_costs_the_same_for_many_articles(admin: Client, n: int) -> None:
    url = reverse("admin:feeds_story_change", args=[make.story(*articles_of_sources(n)).pk])
    admin.get(url)  # the first answer looks up content types
    with CaptureQueriesContext(connection) as queries:
        assert admin.get(url).status_code == 200
    assert len(queries) == 7


def test_the_page_shows_articles_and_their_links(admin: Client) -> None:
    one, other = articles_of_sources(2)
    other.title = "<b>Second</b>"
    other.save()
    story = make.story(one, other, lead=other)
    Link.objects.update(evidence="both name Elbufer", closeness=0.42)
    page = tight(admin.get(reverse("admin:feeds_story_change", args=[story.pk])).content.decode())
    assert "&lt;b&gt;Second&lt;/b&gt;</a> (lead)" in page
    assert f"Same event: article {other.pk} (names and terms: both name Elbufer), closeness 0.42" in page
    assert f"Same event: article {one.pk} (names and terms: both name Elbufer), closeness 0.42" in page


def test_other_pages_open(admin: Client) -> None:
    one, other = articles_of_sources(2)
    make.story(one, other)
    row = Split.objects.create(one=one, other=other, made_at=make.NOW)
    for name, pk in (("link", Link.objects.get().pk), ("split", row.pk), ("article", one.pk)):
        assert admin.get(reverse(f"admin:feeds_{name}_change", args=[pk])).status_code == 200
    assert admin.get(reverse("admin:feeds_story_change", args=[10**9])).status_code == 302


def test_splitting_stores_it_and_wakes_a_worker(
    admin: Client,
    staff: User,
    queued: list[tuple[Any, ...]],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    one, two, three = articles_of_sources(3)
    story = make.story(one, two, three)
    with django_capture_on_commit_callbacks(execute=True):
        page = split(admin, story, [two])
    assert "Splitting off 1 article" in page
    assert "(being split off)" in page
    assert list(Split.objects.order_by("pk").values_list("one", "other", "user")) == [
        (one.pk, two.pk, staff.pk),
        (two.pk, three.pk, staff.pk),
    ]
    assert queued == [("feeds.tasks.stories.apply_splits",)]


@pytest.mark.parametrize("chosen", ["none", "all", "another's", "nonsense"])
def test_split_without_effect_is_refused(admin: Client, queued: list[tuple[Any, ...]], chosen: str) -> None:
    articles = articles_of_sources(2)
    story, stranger = make.story(*articles), make.article()
    pks = {
        "none": [],
        "all": [article.pk for article in articles],
        "another's": [stranger.pk],
        "nonsense": ["x", "9" * 30],
    }
    url = reverse("admin:feeds_story_change", args=[story.pk])
    page = admin.post(url, {"articles": pks[chosen]}, follow=True).content.decode()
    assert "leave at least one" in page
    assert (Split.objects.count(), queued) == (0, [])


def test_splitting_needs_permission() -> None:
    watcher = make.user(is_staff=True)
    watcher.user_permissions.add(Permission.objects.get(codename="view_story"))
    client = Client()
    client.force_login(watcher)
    articles = articles_of_sources(2)
    url = reverse("admin:feeds_story_change", args=[make.story(*articles).pk])
    assert "Split off selected articles" not in client.get(url).content.decode()
    assert client.post(url, {"articles": [articles[0].pk]}).status_code == 403
    assert not Split.objects.exists()
    client.force_login(make.user(is_staff=True))
    assert client.get(url).status_code == 403
    client.force_login(make.user())
    assert client.get(url).status_code == 302


def test_a_split_survives_regrouping(admin: Client, queued: list[tuple[Any, ...]]) -> None:
    one, two, three, four = articles_of_sources(4)
    split(admin, make.story(one, two, three, four), [three, four])
    dedup_tasks.apply_splits()
    assert stories() == {ids(one, two), ids(three, four)}
    dedup_tasks.undo_splits([], [one.pk, two.pk, three.pk, four.pk])  # only regroups them
    assert stories() == {ids(one, two), ids(three, four)}
    assert splits.pending_splits() == set()


def test_next_match_applies_a_pending_split(admin: Client, queued: list[tuple[Any, ...]]) -> None:
    one, two, three = articles_of_sources(3)
    split(admin, make.story(one, two, three), [one])
    dedup_tasks.match_new()
    assert stories() == {ids(two, three)}


def test_a_later_copy_joins_only_one_side_of_a_split(admin: Client, queued: list[tuple[Any, ...]]) -> None:
    title = "Harbour of Elbufer closed until Thursday after a crane fell"
    one, two = articles_of_sources(2, title=title, text=HARBOUR, language="en", word_count=70)
    work_queue.enqueue([one.pk, two.pk])
    match()
    assert stories() == {ids(one, two)}
    split(admin, Story.objects.get(), [two])
    dedup_tasks.apply_splits()
    assert stories() == set()
    copy = make.article(
        source=make.source(),
        title=title,
        text=HARBOUR,
        language="en",
        word_count=70,
        published_at=make.NOW + timedelta(hours=1),
    )
    work_queue.enqueue([one.pk, two.pk, copy.pk])
    match()
    assert stories() in ({ids(one, copy)}, {ids(two, copy)})


def test_deleting_one_row_undoes_the_whole_click(admin: Client, queued: list[tuple[Any, ...]]) -> None:
    one, two, three = articles_of_sources(3)
    split(admin, make.story(one, two, three), [one])
    dedup_tasks.apply_splits()
    apart = Split.objects.create(one=make.article(), other=make.article(), made_at=make.NOW)
    rows = list(Split.objects.exclude(pk=apart.pk).order_by("pk").values_list("pk", flat=True))
    url = reverse("admin:feeds_split_delete", args=[rows[0]])
    assert admin.get(url).content.decode().count(" is not ") >= 2
    answer = admin.post(url, {"post": "yes"}, follow=True).content.decode()
    assert "will be regrouped shortly" in answer
    assert list(Split.objects.all()) == [apart]
    assert queued == [("feeds.tasks.stories.undo_splits", rows, sorted(ids(one, two, three)))]
    dedup_tasks.undo_splits(*queued[0][1:])
    assert stories() == {ids(one, two, three)}


def test_splits_chosen_in_the_list_are_undone_too(admin: Client, queued: list[tuple[Any, ...]]) -> None:
    one, two = articles_of_sources(2)
    split(admin, make.story(one, two), [one])
    dedup_tasks.apply_splits()
    row = Split.objects.get()
    data = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
    assert admin.post(reverse("admin:feeds_split_changelist"), data).status_code == 302
    assert queued == [("feeds.tasks.stories.undo_splits", [row.pk], [one.pk, two.pk])]
    dedup_tasks.undo_splits(*queued[0][1:])
    assert stories() == {ids(one, two)}


def test_a_task_that_runs_early_undoes_the_split(admin: Client, queued: list[tuple[Any, ...]]) -> None:
    one, two = articles_of_sources(2)
    split(admin, make.story(one, two), [one])
    dedup_tasks.apply_splits()
    row = Split.objects.get()
    dedup_tasks.undo_splits([row.pk], [one.pk, two.pk])
    assert stories() == {ids(one, two)}
    assert not Split.objects.exists()


def test_undoing_one_click_keeps_other_splits(admin: Client, queued: list[tuple[Any, ...]]) -> None:
    one, two, three = articles_of_sources(3)
    story = make.story(one, two, three)
    split(admin, story, [one])
    dedup_tasks.apply_splits()
    split(admin, Story.objects.get(), [two])
    dedup_tasks.apply_splits()
    first = Split.objects.order_by("pk")[0]
    splits.undo(splits.of_same_clicks([first]))
    dedup_tasks.undo_splits(*queued[-1][1:])
    assert list(Split.objects.values_list("one", "other")) == [(two.pk, three.pk)]
    assert len(stories()) == 1
    assert ids(two, three) not in stories()


def test_a_copy_is_marked_in_the_list(admin: Client) -> None:
    one, other = articles_of_sources(2)
    make.story(one, other, disposition=Disposition.NEAR_DUPLICATE)
    assert "near_duplicate" in admin.get(reverse("admin:feeds_link_changelist")).content.decode()


@pytest.mark.slow
def test_the_web_process_loads_no_comparison_libraries() -> None:
    code = (
        "import django, sys; django.setup(); import rssmanager.urls\n"
        "from django.contrib import admin; admin.autodiscover()\n"
        "sys.exit(', '.join({'numpy', 'scipy', 'sklearn', 'spacy', 'datasketch', 'simhash'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.strip()) == (0, "")
