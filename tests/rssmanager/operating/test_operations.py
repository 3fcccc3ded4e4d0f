"""The page of operations: for whom, what it says, and that it costs the same however much there is."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from django_q.models import Failure, OrmQ, Schedule
from pytest_django import DjangoAssertNumQueries, Settings

from feeds.models import Poll
from rssmanager.operating.models import DatabaseSize, SlowQuery, TaskTally, Worker
from rssmanager.schedules import write_schedules
from tests import make

pytestmark = pytest.mark.django_db
PAGE = "/admin/operations/"


@pytest.fixture
def operator(client: Client) -> User:
    user = make.user(is_staff=True, is_superuser=True)
    client.force_login(user)
    return user


def a_failure(number: int = 1) -> Failure:
    now = timezone.now()
    return Failure.objects.create(
        id=f"{number:032}", name="lima", func="feeds.tasks.tidy", args=(), kwargs={}, started=now, stopped=now,
        success=False, result="no such table : Traceback …",
    )  # fmt: skip


class TestAccess:
    def test_nobody_is_sent_to_sign_in(self, client: Client) -> None:
        failure = a_failure()
        assert client.get(PAGE).status_code == 302
        assert client.post(f"{PAGE}run/{failure.pk}/").status_code == 302
        assert Failure.objects.count() == 1

    @pytest.mark.parametrize(("values", "status"), [({}, 302), ({"is_staff": True}, 403)], ids=["reader", "staff"])
    def test_who_may_not_see_it_does_not(self, client: Client, values: dict[str, bool], status: int) -> None:
        failure = a_failure()
        client.force_login(make.user(**values))
        assert client.get(PAGE).status_code == status
        assert client.post(f"{PAGE}run/{failure.pk}/").status_code == status
        assert Failure.objects.count() == 1

    def test_staff_with_the_permission_sees_it_and_runs_nothing(self, client: Client) -> None:
        failure, user = a_failure(), make.user(is_staff=True)
        user.user_permissions.add(Permission.objects.get(codename="see_operations"))
        client.force_login(user)
        assert "Run again" not in client.get(PAGE).content.decode()
        assert client.post(f"{PAGE}run/{failure.pk}/").status_code == 403
        assert Failure.objects.count() == 1

    def test_the_admin_leads_there(self, client: Client, operator: User) -> None:
        assert f'href="{PAGE}"' in client.get("/admin/").content.decode()


def test_says_what_goes_on(client: Client, operator: User) -> None:
    now = timezone.now()
    write_schedules()
    Schedule.objects.filter(func="feeds.tasks.tidy").update(next_run=now - timedelta(hours=3))
    TaskTally.objects.create(task="feeds.tasks.tidy", n_failed=4, failures_running=2, last_success_at=now)
    Worker.objects.create(host="tower", pid=7, seen_at=now, task="feeds.tasks.poll", task_began_at=now)
    SlowQuery.objects.create(key="a", sql="SELECT slow", n=3, seconds=9, worst=4.2, last_at=now, last_place="home")
    feed = make.feed("https://me:pa55@slow.example/feed", title="", failures_running=5)
    for seconds in (1.0, 20.0, 30.0):
        Poll.objects.create(feed=feed, started_at=now, outcome="timeout", seconds=seconds, n_bytes=2048)
    for days in (2, 1):
        DatabaseSize.objects.create(on=(now - timedelta(days=days)).date(), n_bytes=1000 * days)
    a_failure()
    page = client.get(PAGE).content.decode()
    assert "pa55" not in page
    for words in (
        "(late)",
        "4, the last 2 in a row",
        "tower, process 7",
        "SELECT slow",
        "20.0",
        "no such table",
        "<polyline",
    ):
        assert words in page
    assert page.count("(late)") == 1


def test_a_failed_task_runs_again(client: Client, operator: User, settings: Settings) -> None:
    if settings.ENV.REDIS_URL:
        pytest.skip("the queue is in Redis here")
    failure = a_failure()
    assert client.get(f"{PAGE}run/{failure.pk}/").status_code == 405
    answer = client.post(f"{PAGE}run/{failure.pk}/", follow=True)
    assert "In the queue again: feeds.tasks.tidy" in answer.content.decode()
    assert (Failure.objects.count(), OrmQ.objects.count()) == (0, 1)
    assert client.post(f"{PAGE}run/{failure.pk}/").status_code == 404


def test_costs_the_same_however_much_there_is(
    client: Client, operator: User, settings: Settings, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    cache.clear()
    client.get(PAGE)
    for number in range(1, 30):
        a_failure(number)
        feed = make.feed(failures_running=1)
        Poll.objects.create(feed=feed, started_at=timezone.now(), outcome="new", seconds=number)
    with django_assert_max_num_queries(26):
        client.get(PAGE)
