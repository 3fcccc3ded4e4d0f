"""The operations page: access, content, and constant queries."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone
from django_q.models import Failure, OrmQ, Schedule
from pytest_django import DjangoAssertNumQueries, Settings

from feeds.models import Poll
from rssmanager.monitoring import dashboard, tasks
from rssmanager.monitoring.models import DatabaseSize, SlowQuery, TaskTally, Worker
from rssmanager.queueing.refused_tasks import QUEUE, SCHEDULES, refuse
from rssmanager.schedules import write_schedules
from tests import make
from tests.markup import tight

pytestmark = pytest.mark.django_db
PAGE = "/admin/operations/"


@pytest.fixture
def operator(client: Client) -> User:
    user = make.user(is_staff=True, is_superuser=True)
    client.force_login(user)
    return user


def make_failure(number: int = 1) -> Failure:
    now = timezone.now()
    return Failure.objects.create(
        id=f"{number:032}", name="lima", func="feeds.tasks.polling.tidy", args=(), kwargs={}, started=now, stopped=now,
        success=False, result="no such table : Traceback …",
    )  # fmt: skip


class TestAccess:
    def test_visitors_are_redirected_to_sign_in(self, client: Client) -> None:
        failure = make_failure()
        assert client.get(PAGE).status_code == 302
        assert client.post(f"{PAGE}run/{failure.pk}/").status_code == 302
        assert Failure.objects.count() == 1

    @pytest.mark.parametrize(("values", "status"), [({}, 302), ({"is_staff": True}, 403)], ids=["reader", "staff"])
    def test_user_without_access_does_not_see_it(self, client: Client, values: dict[str, bool], status: int) -> None:
        failure = make_failure()
        client.force_login(make.user(**values))
        assert client.get(PAGE).status_code == status
        assert client.post(f"{PAGE}run/{failure.pk}/").status_code == status
        assert Failure.objects.count() == 1

    def test_staff_with_permission_sees_it_but_runs_nothing(self, client: Client) -> None:
        failure, user = make_failure(), make.user(is_staff=True)
        user.user_permissions.add(Permission.objects.get(codename="see_operations"))
        client.force_login(user)
        assert "Run again" not in client.get(PAGE).content.decode()
        assert client.post(f"{PAGE}run/{failure.pk}/").status_code == 403
        assert Failure.objects.count() == 1

    def test_admin_links_to_it(self, client: Client, operator: User) -> None:
        assert f'href="{PAGE}"' in client.get("/admin/").content.decode()


def test_reports_progress(client: Client, operator: User) -> None:
    now = timezone.now()
    write_schedules()
    Schedule.objects.filter(func="feeds.tasks.polling.tidy").update(next_run=now - timedelta(hours=3))
    TaskTally.objects.create(task="feeds.tasks.polling.tidy", n_failed=4, consecutive_failures=2, last_success_at=now)
    Worker.objects.create(host="tower", pid=7, seen_at=now, task="feeds.tasks.polling.poll", task_began_at=now)
    SlowQuery.objects.create(key="a", sql="SELECT slow", n=3, seconds=9, worst=4.2, last_at=now, last_place="home")
    feed = make.feed("https://me:pa55@slow.example/feed", title="", consecutive_failures=5)
    for seconds in (1.0, 20.0, 30.0):
        Poll.objects.create(feed=feed, started_at=now, outcome="timeout", seconds=seconds, n_bytes=2048)
    for days in (2, 1):
        DatabaseSize.objects.create(on=(now - timedelta(days=days)).date(), n_bytes=1000 * days)
    make_failure()
    page = client.get(PAGE).content.decode()
    assert "pa55" not in page
    for words in (
        "(late)",
        "4, including the last 2",
        "tower, process 7",
        "SELECT slow",
        "20.0",
        "no such table",
        "<polyline",
    ):
        assert words in page
    assert page.count("(late)") == 1


def test_shows_results_of_scheduled_tasks(client: Client, operator: User) -> None:
    now = timezone.now()
    write_schedules()
    hour = timedelta(hours=1)
    TaskTally.objects.create(
        task="feeds.tasks.polling.tidy",
        consecutive_failures=1,
        last_began_at=now - 2 * hour,
        last_failure_at=now - hour,
    )
    TaskTally.objects.create(
        task="feeds.tasks.polling.poll", n_done=1, last_began_at=now - 3 * hour, last_success_at=now - 3 * hour
    )
    rows = {schedule_row.schedule.func: schedule_row for schedule_row in dashboard.schedule_rows(now)}
    assert [rows[f"feeds.tasks.polling.{name}"].went_well for name in ("tidy", "poll", "index_new")] == [
        False,
        True,
        None,
    ]
    html = tight(client.get(PAGE).content.decode().replace("\xa0", " "))
    for words in ("Next run", "Last run", "2 hours ago", "3 hours ago", "<strong>failed</strong>", "<td>OK</td>"):
        assert words in html


def test_shows_arguments_and_full_error_of_failed_task(client: Client, operator: User) -> None:
    Failure.objects.filter(pk=make_failure().pk).update(
        args=[[1, 2], "x"], result="no such table : Traceback (most recent call last):\n  line 3\n  line 4"
    )
    page = client.get(PAGE).content.decode()
    assert "feeds.tasks.polling.tidy([1, 2], &#x27;x&#x27;)" in page
    assert "<summary>no such table</summary>" in page
    assert "\n  line 3\n  line 4</pre>" in page


def test_old_pickled_task_is_not_shown_or_run(client: Client, operator: User) -> None:
    failure = make_failure()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE django_q_task SET args = 'gASVAA==', kwargs = 'gASVAA==', result = 'gASVAA=='")
    page = client.get(PAGE).content.decode()
    assert "Recorded by an older version, and no longer readable." in page
    assert "gASV" not in page
    client.post(f"{PAGE}run/{failure.pk}/")
    assert (Failure.objects.count(), OrmQ.objects.count()) == (1, 0)


def test_shows_refused_tasks(client: Client, operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rssmanager.queueing.refused_tasks.close_old_connections", lambda: None)  # this test's own row
    assert "Refused tasks" not in client.get(PAGE).content.decode()
    for _ in range(3):
        refuse("os.system<b>", place=QUEUE)
    refuse("os.mkdir", place=SCHEDULES)
    html = tight(client.get(PAGE).content.decode())
    assert '<th scope="row">os.system&lt;b&gt;</th><td>queue</td><td>3</td><td>now</td>' in html
    assert '<th scope="row">os.mkdir</th><td>schedules</td><td>1</td><td>now</td>' in html
    assert "Run again" not in html


def test_deletes_old_failures() -> None:
    now = timezone.now()
    for number, days in ((1, 91), (2, 89)):
        Failure.objects.filter(pk=make_failure(number).pk).update(stopped=now - timedelta(days=days))
    tasks.record()
    assert list(Failure.objects.values_list("pk", flat=True)) == [f"{2:032}"]


def test_retries_failed_task(client: Client, operator: User, settings: Settings) -> None:
    if settings.ENV.REDIS_URL:
        pytest.skip("the queue is in Redis here")
    failure = make_failure()
    assert client.get(f"{PAGE}run/{failure.pk}/").status_code == 405
    response = client.post(f"{PAGE}run/{failure.pk}/", follow=True)
    assert "Queued again: feeds.tasks.polling.tidy" in response.content.decode()
    assert (Failure.objects.count(), OrmQ.objects.count()) == (0, 1)
    assert client.post(f"{PAGE}run/{failure.pk}/").status_code == 404


def test_takes_constant_queries(
    client: Client, operator: User, settings: Settings, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    cache.clear()
    client.get(PAGE)
    for number in range(1, 30):
        make_failure(number)
        feed = make.feed(consecutive_failures=1)
        Poll.objects.create(feed=feed, started_at=timezone.now(), outcome="new", seconds=number)
    with django_assert_max_num_queries(26):
        client.get(PAGE)
