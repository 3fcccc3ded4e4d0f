"""Commands, schedules and tasks: output, errors, and repeatability."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from ipaddress import ip_network
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from django.utils.module_loading import import_string
from django_q.models import Schedule
from pytest_django import Settings

from feeds.models import Article, Feed, Poll, Stage
from feeds.polling.poller import PollReport
from feeds.search import indexer as search_indexer
from feeds.storage.work_queue import enqueue
from feeds.tasks import polling
from reader.models import Subscription
from reader.preferences.owner import create_owner
from rssmanager.doctor import examine
from rssmanager.management.commands import run as run_command
from rssmanager.operations.models import Worker
from rssmanager.schedules import RECURRING, write_schedules
from tests import make
from tests.feeds.servers import ScriptedServer, answer

pytestmark = pytest.mark.django_db(transaction=True)

FEED = b"<rss version='2.0'><channel><title>Paper</title><item><title>News</title></item></channel></rss>"


@pytest.fixture
def server(settings: Settings) -> Iterator[ScriptedServer]:
    settings.ENV = replace(settings.ENV, FETCH_ALLOWED_NETWORKS=(ip_network("127.0.0.0/8"),))
    server = ScriptedServer()
    yield server
    server.close()


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def own() -> None:
    create_owner(username="owner", email="o@example.org", password="correct horse battery")


def test_subscribe_finds_follows_and_polls(server: ScriptedServer) -> None:
    own()
    url = server.on("/feed", answer(200, FEED))
    assert run("subscribe", url, "--folder", "News") == f"Following Paper ({url}), 1 new articles.\n"
    assert "Already following" in run("subscribe", url)
    assert Subscription.objects.get().folder is not None
    assert Article.objects.count() == 1


def test_subscribe_explains_failure(server: ScriptedServer) -> None:
    own()
    with pytest.raises(CommandError, match="404"):
        run("subscribe", server.url("/nothing"))
    assert Feed.objects.count() == 0


def test_commands_need_an_existing_account() -> None:
    with pytest.raises(CommandError, match="no account yet"):
        run("export_opml")
    with pytest.raises(CommandError, match="No user is called nobody"):
        run("export_opml", "--user", "nobody")


def test_poll_reports_as_json(server: ScriptedServer) -> None:
    make.subscription(make.user(), make.feed(server.on("/feed", answer(200, FEED))))
    report = json.loads(run("poll", "--all", "--json"))
    assert {name: report[name] for name in ("feeds", "new", "delivered", "outcomes")} == {
        "feeds": 1,
        "new": 1,
        "delivered": 1,
        "outcomes": {"new": 1},
    }
    assert json.loads(run("poll", "--json"))["feeds"] == 0
    assert json.loads(run("poll", "--feed", server.url("/feed"), "--json"))["feeds"] == 1


def test_poll_refuses_unknown_feed() -> None:
    with pytest.raises(CommandError, match="subscribe"):
        run("poll", "--feed", "https://nowhere.example/feed")
    assert Poll.objects.count() == 0


def test_export_round_trips(tmp_path: Path) -> None:
    own()
    lines = "".join(f"<outline text='F{n}' xmlUrl='https://s{n}.example/f?a=1&amp;b={n}'/>" for n in range(5))
    (tmp_path / "a.opml").write_text(f"<opml><body><outline text='A &amp; B'>{lines}</outline></body></opml>")
    assert run("import_opml", str(tmp_path / "a.opml")).startswith("5 feeds followed, 0 already followed, 0 refused.")
    run("export_opml", "--output", str(tmp_path / "b.opml"))
    before = set(Subscription.objects.values_list("feed__url", "folder__name", "title"))
    Subscription.objects.all().delete()
    Feed.objects.all().delete()
    run("import_opml", str(tmp_path / "b.opml"))
    assert set(Subscription.objects.values_list("feed__url", "folder__name", "title")) == before


def test_unreadable_file_is_an_error_with_a_reason(tmp_path: Path) -> None:
    own()
    with pytest.raises(CommandError, match="Can't read"):
        run("import_opml", str(tmp_path / "missing.opml"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("Just a text,\nof two lines.", "no line is a web address"),
        ("<html><body>A page</body></html>", "it looks like a web page"),
        ("\0\1\2" * 99, "not a text file"),
        ("<opml><body><outline text='Folder'/></body></opml>", "lists no feed that can be followed"),
        ("<opml><body><outline text='cut", "lists no feed that can be followed"),
    ],
    ids=["text", "page", "binary", "no feed", "cut off"],
)
def test_file_that_is_no_list_is_an_error(tmp_path: Path, content: str, reason: str) -> None:
    own()
    path = tmp_path / "feeds.opml"
    path.write_text(content)
    with pytest.raises(CommandError, match=rf"^feeds\.opml: .*{reason}"):
        run("import_opml", str(path))
    assert not Subscription.objects.exists()


def test_schedules_match_the_table_however_often_written() -> None:
    Schedule.objects.create(name="left over", func="feeds.tasks.polling.tidy")
    for _ in range(2):
        assert write_schedules() == len(RECURRING)
    assert set(Schedule.objects.values_list("name", "minutes")) == {
        (schedule.name, schedule.minutes) for schedule in RECURRING
    }


@pytest.mark.parametrize("task", [schedule.task for schedule in RECURRING])
def test_every_scheduled_task_exists_and_is_repeatable(task: str) -> None:
    for _ in range(2):
        import_string(task)()


def test_doctor_suggests_a_fix() -> None:
    findings = {finding.subject: finding for finding in examine()}
    assert findings["database"].level == "ok"
    assert findings["account"].to_do.startswith("Create one at ")
    assert findings["worker"].level == "problem"
    write_schedules()
    Worker.objects.create(host="here", pid=1, seen_at=timezone.now())
    own()
    findings = {finding.subject: finding for finding in examine()}
    assert (findings["account"].level, findings["worker"].level) == ("ok", "ok")
    assert all(finding.to_do for finding in findings.values() if finding.level != "ok")


@pytest.mark.parametrize(
    ("n_due", "n_workers", "others", "n_called"),
    [
        pytest.param(99, 4, [], 0, id="little"),
        pytest.param(100, 4, [], 1, id="for one more"),
        pytest.param(250, 4, [], 2, id="for two more"),
        pytest.param(900, 4, [], 3, id="for all"),
        pytest.param(900, 1, [], 0, id="nobody else"),
        pytest.param(900, 1, [1, 2], 2, id="of another cluster"),
        pytest.param(900, 1, [-1], 0, id="of one that is starting"),
    ],
)
def test_backlog_queues_more_tasks(
    n_due: int, n_workers: int, others: list[int], n_called: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    clusters = [SimpleNamespace(workers=range(other + 1)) for other in others]  # one worker takes only urgent tasks
    monkeypatch.setattr(polling.Stat, "get_all", lambda: clusters)
    settings.ENV = replace(settings.ENV, WORKERS=n_workers)
    source = make.source("paper.example")
    Feed.objects.bulk_create(
        Feed(url=f"https://paper.example/{n}", url_key=n.to_bytes(16, "big"), source=source, next_poll_at=make.NOW)
        for n in range(n_due)
    )
    called: list[tuple[object, ...]] = []
    monkeypatch.setattr(polling, "call_worker", lambda *given: called.append(given))
    monkeypatch.setattr(polling, "poll_due", lambda until: PollReport())
    polling.poll()
    assert called == [("feeds.tasks.polling.poll_share", number) for number in range(n_called)]


@pytest.mark.parametrize(
    ("stage", "names"),
    [
        (None, []),
        (Stage.MATCH, ["feeds.tasks.stories.match_new"]),
        (Stage.ENRICH, ["feeds.tasks.events.enrich_new"]),
    ],
)
def test_queues_stage_only_with_waiting_articles(
    stage: Stage | None, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if stage is not None:
        enqueue([make.article().pk], stage)
    called: list[str] = []
    monkeypatch.setattr(polling, "call_worker", called.append)
    polling.sort_new()
    assert called == names


@pytest.mark.parametrize(("n_new", "n_revised", "is_called"), [(0, 0, False), (1, 0, True), (0, 1, True)])
def test_polled_articles_are_indexed_and_compared(
    n_new: int, n_revised: int, is_called: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []
    monkeypatch.setattr(polling, "call_worker", called.append)
    monkeypatch.setattr(polling, "poll_due", lambda **_: PollReport(n_new=n_new, n_revised=n_revised))
    polling.poll_feeds([1])
    assert called == ["feeds.tasks.polling.index_new", "feeds.tasks.stories.match_new"] * is_called


@pytest.mark.parametrize(
    ("given", "arguments", "expected"),
    [
        pytest.param("", ("--port", "8123"), "http://127.0.0.1:8123", id="where it listens"),
        pytest.param("", ("--host", "0.0.0.0"), "http://127.0.0.1:8000", id="everywhere is also here"),
        pytest.param("", ("--host", "::1"), "http://[::1]:8000", id="IPv6"),
        pytest.param("https://reader.example", ("--port", "8123"), "https://reader.example", id="unless it is said"),
    ],
)
def test_links_use_the_base_url(
    monkeypatch: pytest.MonkeyPatch, given: str, arguments: tuple[str, ...], expected: str
) -> None:
    links = []
    monkeypatch.setattr(run_command, "call_command", lambda *arguments, **options: None)
    monkeypatch.setattr(run_command, "run_together", lambda commands: links.append(os.environ["BASE_URL"]) or 0)
    monkeypatch.setenv("BASE_URL", given)
    if not given:
        monkeypatch.delenv("BASE_URL")
    with pytest.raises(SystemExit) as ended:
        run("run", *arguments)
    assert (ended.value.code, links) == (0, [expected])


def test_doctor_reports_a_search_backlog(monkeypatch: pytest.MonkeyPatch) -> None:
    search_indexer.queue_articles([make.article().pk])
    assert _finding("search") == ("ok", "1 articles waiting to be indexed")
    monkeypatch.setattr("rssmanager.doctor.feed_checks.MAX_UNINDEXED", 0)
    assert _finding("search") == ("note", "1 articles can't be found yet")
    polling.index_new()
    assert _finding("search") == ("ok", "0 articles waiting to be indexed")


def _finding(subject: str) -> tuple[str, str]:
    return next((finding.level, finding.seen) for finding in examine() if finding.subject == subject)
