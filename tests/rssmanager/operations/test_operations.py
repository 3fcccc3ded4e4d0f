"""The operations page: access, problems, figures, and constant queries."""

import re
from datetime import timedelta

import pytest
import redis
from django.contrib.auth.models import Permission, User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone
from django_q.models import Failure, OrmQ, Schedule
from pytest_django import DjangoAssertNumQueries, Settings

from digests.models import DigestPlan
from feeds.models import Pending, Poll, Stage, Unindexed
from rssmanager.operations import background_work, dashboard, names, queue_depths, tasks
from rssmanager.operations.models import DatabaseSize, SlowQuery, TaskTally, Worker
from rssmanager.operations.problems import find_problems
from rssmanager.operations.queue import QueueState
from rssmanager.queueing.allowed_tasks import ALLOWED_TASKS
from rssmanager.queueing.refused_tasks import QUEUE, SCHEDULES, refuse
from rssmanager.schedules import RECURRING, write_schedules
from tests import make
from tests.markup import tight

pytestmark = pytest.mark.django_db
PAGE = "/settings/operations/"


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

    @pytest.mark.parametrize("values", [{}, {"is_staff": True}], ids=["reader", "staff"])
    def test_user_without_access_does_not_see_it(self, client: Client, values: dict[str, bool]) -> None:
        failure = make_failure()
        client.force_login(make.user(**values))
        assert client.get(PAGE).status_code == 403
        assert client.post(f"{PAGE}run/{failure.pk}/").status_code == 403
        assert Failure.objects.count() == 1
        assert f'href="{PAGE}"' not in client.get("/settings/").content.decode()

    def test_permission_without_staff_is_not_enough(self, client: Client) -> None:
        user = make.user()
        user.user_permissions.add(Permission.objects.get(codename="see_operations"))
        client.force_login(user)
        assert client.get(PAGE).status_code == 403

    def test_staff_with_permission_sees_it_but_runs_nothing(self, client: Client) -> None:
        failure, user = make_failure(), make.user(is_staff=True)
        user.user_permissions.add(Permission.objects.get(codename="see_operations"))
        client.force_login(user)
        assert "Run again" not in client.get(PAGE).content.decode()
        assert client.post(f"{PAGE}run/{failure.pk}/").status_code == 403
        assert Failure.objects.count() == 1

    def test_settings_link_to_it(self, client: Client, operator: User) -> None:
        assert f'href="{PAGE}"' in client.get("/settings/").content.decode()

    def test_old_address_leads_to_it(self, client: Client, operator: User) -> None:
        assert client.get("/admin/operations/")["Location"] == PAGE


@pytest.fixture
def at_work(operator: User) -> None:
    """Everything runs."""
    write_schedules()
    Worker.objects.create(host="tower", pid=7, seen_at=timezone.now())


def unreachable(now: object) -> None:
    raise redis.ConnectionError


def problems(user: User) -> list[str]:
    now = timezone.now()
    return [problem.what for problem in find_problems(dashboard.look(user, now=now), now=now)]


class TestProblems:
    def test_none(self, client: Client, operator: User, at_work: None) -> None:
        assert problems(operator) == []
        assert "Everything is running." in client.get(PAGE).content.decode()

    def test_without_worker_only_that_is_reported_of_what_is_late(self, client: Client, operator: User) -> None:
        make.feed(next_poll_at=timezone.now() - timedelta(hours=3))
        assert problems(operator) == ["No worker is running, so no feeds are checked."]
        html = tight(client.get(PAGE).content.decode())
        assert "1 problem needs your attention." in html
        assert "Start one with “python manage.py qcluster”, or restart the app." in html
        assert "Everything is running." not in html

    def test_queue_that_does_not_respond(
        self, client: Client, operator: User, at_work: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(dashboard, "queue", lambda now: None)
        monkeypatch.setattr(background_work, "queue_state", unreachable)
        assert problems(operator) == ["The task queue isn't responding, so nothing is done."]
        assert client.get(PAGE).status_code == 200

    def test_missing_schedules(self, operator: User, at_work: None) -> None:
        Schedule.objects.filter(func="feeds.tasks.polling.poll").delete()
        assert problems(operator) == ["Scheduled tasks are missing."]

    def test_late_schedules_and_not_the_feeds_they_delay(self, operator: User, at_work: None) -> None:
        now = timezone.now()
        Schedule.objects.filter(func="feeds.tasks.polling.poll").update(next_run=now - timedelta(hours=3))
        make.feed(next_poll_at=now - timedelta(hours=3))
        assert problems(operator) == ["No scheduled task has started in the last 3 h."]

    def test_late_feeds(self, operator: User, at_work: None) -> None:
        make.feed(next_poll_at=timezone.now() - timedelta(hours=3))
        assert problems(operator) == ["Feeds are checked 3 h late."]

    def test_task_that_runs_too_long(self, operator: User, at_work: None) -> None:
        began = timezone.now() - timedelta(minutes=3)
        Worker.objects.update(task="feeds.tasks.stories.match_new", task_began_at=began)
        make.feed(next_poll_at=timezone.now() - timedelta(hours=3))
        assert problems(operator) == ["“Compare articles” has been running for 3 min."]

    def test_waiting_tasks(self, operator: User, at_work: None, monkeypatch: pytest.MonkeyPatch) -> None:
        state = QueueState(n_waiting=4, oldest_at=timezone.now() - timedelta(minutes=50), n_claimed=0)
        monkeypatch.setattr(background_work, "queue_state", lambda now: state)
        assert problems(operator) == ["Tasks have been waiting for 50 min."]

    def test_disk_almost_full(self, operator: User, at_work: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(dashboard, "disk", lambda: dashboard.Disk(total=10**12, free=10**8))
        assert problems(operator) == ["The disk is almost full: 100 MB are free."]

    def test_task_that_keeps_failing(self, operator: User, at_work: None) -> None:
        TaskTally.objects.create(task="feeds.tasks.polling.poll", consecutive_failures=2)
        TaskTally.objects.create(task="reader.tasks.recurring.purge", consecutive_failures=3)
        assert problems(operator) == ["“Delete expired articles” failed 3 times in a row."]

    def test_articles_given_up(self, client: Client, operator: User, at_work: None) -> None:
        article = make.article()
        Pending.objects.create(article=article, stage=Stage.MATCH, n_tries=100)
        Unindexed.objects.update_or_create(article=article, defaults={"n_tries": 100})
        assert problems(operator) == [
            "1 article couldn't be compared.",
            "1 article can't be found by searching.",
        ]
        html = client.get(PAGE).content.decode()
        assert html.count(f">{article.title}</a>") == 2
        assert "python manage.py rededuplicate --resume" in html

    def test_late_digest_of_active_users_only(self, operator: User, at_work: None) -> None:
        late = timezone.now() - timedelta(hours=1)
        DigestPlan.objects.create(user=make.user(is_active=False), kind="morning", at="06:30", next_at=late)
        assert problems(operator) == []
        DigestPlan.objects.create(user=operator, kind="morning", at="06:30", next_at=late)
        assert problems(operator) == ["1 digest is late."]

    def test_most_feeds_failing(self, operator: User, at_work: None) -> None:
        later = timezone.now() + timedelta(hours=1)
        for n_failures in (1, 1, 1, 1, 0):
            make.feed(consecutive_failures=n_failures, next_poll_at=later)
        assert problems(operator) == []  # four may be down by chance
        make.feed(consecutive_failures=1, next_poll_at=later)
        assert problems(operator) == ["Most feeds can't be reached."]

    def test_refused_tasks_of_a_week(self, operator: User, at_work: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("rssmanager.queueing.refused_tasks.close_old_connections", lambda: None)  # this test's row
        refuse("os.system", place=QUEUE)
        assert problems(operator) == ["Unknown tasks in the queue didn't run."]
        Failure.objects.update(stopped=timezone.now() - timedelta(days=8))
        assert problems(operator) == []


def test_recurring_tasks_and_stages_have_names() -> None:
    assert {task.task for task in RECURRING} <= names.TASKS.keys() <= ALLOWED_TASKS
    assert names.STAGES.keys() == queue_depths.STAGES.keys()


def test_links_failing_feeds(client: Client, operator: User) -> None:
    own = make.subscription(operator, make.feed(title="Followed", consecutive_failures=2))
    other = make.feed(title="Others'", consecutive_failures=9)
    make.subscription(make.user(), other)
    html = client.get(PAGE).content.decode()
    assert f'href="/feeds/{own.pk}/health/"' in html
    assert f'href="/admin/feeds/feed/{other.pk}/change/"' in html
    assert "failed 9 times in a row" in tight(html)


def test_reports_progress(client: Client, operator: User) -> None:
    now = timezone.now()
    write_schedules()
    Schedule.objects.filter(func="feeds.tasks.polling.tidy").update(next_run=now - timedelta(hours=3))
    TaskTally.objects.create(
        task="feeds.tasks.polling.tidy",
        n_failed=4,
        consecutive_failures=2,
        last_success_at=now,
        last_began_at=now,
    )
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
    html = tight(page)
    for words in (
        '<strong class="is-bad">late</strong>',
        "failed 2 times",
        "tower, process 7",
        "Check feeds, for",
        "SELECT slow",
        "20.0",
        "no such table",
        "<polyline",
    ):
        assert words in html
    assert page.count('<strong class="is-bad">late</strong>') == 1


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
    for words in ("Next run", "Last run", "2 h ago", "3 h ago", "failed 1 time<", "<td>OK</td>"):
        assert words in html


def test_shows_arguments_and_full_error_of_failed_task(client: Client, operator: User) -> None:
    Failure.objects.filter(pk=make_failure().pk).update(
        args=[[1, 2], "x"], result="no such table : Traceback (most recent call last):\n  line 3\n  line 4"
    )
    page = client.get(PAGE).content.decode()
    assert "<strong>Delete old polls</strong>" in page
    assert "<code>feeds.tasks.polling.tidy([1, 2], &#x27;x&#x27;)</code>" in page
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
    assert "<code>os.system&lt;b&gt;</code>" in html
    assert re.search(r"in the queue ?· ?3 times", html)
    assert re.search(r"in the schedules ?· ?1 time", html)
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
    assert "Queued again: Delete old polls" in response.content.decode()
    assert (Failure.objects.count(), OrmQ.objects.count()) == (0, 1)
    assert client.post(f"{PAGE}run/{failure.pk}/").status_code == 404


def test_takes_constant_queries(
    client: Client, operator: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    def fill(numbers: range) -> None:
        for number in numbers:
            make_failure(number)
            feed = make.feed(consecutive_failures=1)
            make.subscription(operator, feed)
            Poll.objects.create(feed=feed, started_at=timezone.now(), outcome="new", seconds=number)
            Worker.objects.create(host="tower", pid=number, seen_at=timezone.now())
            TaskTally.objects.create(task=f"task{number}", consecutive_failures=3)

    cache.clear()
    write_schedules()
    fill(range(1, 2))
    client.get(PAGE)
    with django_assert_max_num_queries(45) as few:
        client.get(PAGE)
    fill(range(2, 30))
    with django_assert_max_num_queries(len(few)):
        client.get(PAGE)
