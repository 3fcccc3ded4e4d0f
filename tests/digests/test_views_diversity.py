"""The page of topics: asked for once, shown while it is renewed, to its owner alone, in a fixed number of queries."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from digests import diversity_asking
from digests.diversity import Followed, Piece, spread_of
from digests.diversity_asking import ASK_AGAIN_AFTER, FRESH_FOR, LATE_AFTER, TASK, look
from digests.models import DiversityReport
from feeds import calling
from reader.models import Subscription
from reader.preferences import set_time_zone
from rssmanager.env import PROJECT
from tests import make

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.digests.site_with_topics")]

URL = "/diversity/"
MINUTE = timedelta(minutes=1)
HOSTILE = "\"'><script>alert(1)</script>{{ 7|add:7 }}"


@pytest.fixture
def user(client: Client) -> User:
    made = make.user()
    client.force_login(made)
    return made


@pytest.fixture
def subscription(user: User) -> Subscription:
    return make.subscription(user)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    calls: list[tuple[object, ...]] = []
    monkeypatch.setattr(calling, "async_task", lambda *args: calls.append(args))
    return calls


def report(
    user: User,
    *,
    age: timedelta = MINUTE,
    labels: Sequence[str] = ("Geneva: talks", "ocean"),
    folders: Sequence[str] = ("News", "Science"),
    **values: Any,
) -> DiversityReport:
    """What a worker found so long ago: two feeds of the user's, six articles and two."""
    own = list(Subscription.objects.filter(user=user).values_list("pk", flat=True))
    followed = {pk: Followed(pk, f"Feed {n}", folders[n % len(folders)]) for n, pk in enumerate(own)}
    first, last = own[0], own[-1]
    pieces = [*[Piece(0, (first,))] * 6, *[Piece(1, (last,))] * 3]
    content = spread_of(pieces, labels, followed).as_json()
    values = {"made_at": timezone.now() - age, "content": content, **values}
    return DiversityReport.objects.create(user=user, **values)


def text_of(client: Client) -> str:
    answer = client.get(URL)
    assert answer.status_code == 200
    return (
        re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", answer.content.decode())).replace("\u2068", "").replace("\u2069", "")
    )


def test_nobody_sees_it_without_signing_in(client: Client, called: list[tuple[object, ...]]) -> None:
    answer = client.get(URL)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/login/")
    assert client.get(URL, headers={"X-Fragment": "state"}).status_code == 302
    assert not called


def test_it_is_only_looked_at(client: Client, subscription: Subscription, called: list[tuple[object, ...]]) -> None:
    assert client.post(URL).status_code == 405
    assert not called


def test_who_follows_nothing_is_told_what_would_be_here(
    client: Client, user: User, called: list[tuple[object, ...]]
) -> None:
    assert "You follow nothing yet" in text_of(client)
    assert not called
    assert not DiversityReport.objects.exists()


def test_the_first_look_asks_a_worker_and_shows_progress(
    client: Client, user: User, subscription: Subscription, called: list[tuple[object, ...]]
) -> None:
    answer = client.get(URL).content.decode()
    assert called == [(TASK, user.pk)]
    assert "<progress" in answer
    assert 'http-equiv="refresh"' in answer
    assert "renewing.js" in answer
    client.get(URL)
    assert len(called) == 1
    [kept] = DiversityReport.objects.all()
    assert (kept.user, kept.made_at) == (user, None)
    assert kept.asked_at is not None


def test_a_young_report_is_shown_and_nobody_called(
    client: Client, user: User, subscription: Subscription, called: list[tuple[object, ...]]
) -> None:
    make.subscription(user)
    report(user, age=FRESH_FOR - MINUTE)
    shown = text_of(client)
    assert "9 articles of the last 7 days, from 2 feeds" in shown
    assert "Half of what you get is about one topic: “Geneva: talks”." in shown
    assert "Only Feed 1 brings “ocean”." in shown
    assert "being renewed" not in shown
    assert not called


def test_an_old_report_is_shown_while_a_worker_makes_a_new_one(
    client: Client, user: User, subscription: Subscription, called: list[tuple[object, ...]]
) -> None:
    report(user, age=FRESH_FOR)
    for _ in range(2):
        shown = text_of(client)
        assert "Geneva: talks" in shown
        assert "being renewed" in shown
    assert called == [(TASK, user.pk)]


def test_a_report_of_another_version_is_made_anew(
    client: Client, user: User, subscription: Subscription, called: list[tuple[object, ...]]
) -> None:
    report(user, content={"version": 0, "topics": "as it was"})
    assert "A worker reads what your feeds brought" in text_of(client)
    assert called == [(TASK, user.pk)]


def test_a_worker_that_died_is_replaced_and_lateness_is_said(
    client: Client, user: User, subscription: Subscription, called: list[tuple[object, ...]]
) -> None:
    kept = DiversityReport.objects.create(user=user, asked_at=timezone.now() - LATE_AFTER - MINUTE)
    assert "This takes longer than it should" in text_of(client)
    assert not called
    kept.asked_at = timezone.now() - ASK_AGAIN_AFTER
    kept.save()
    assert "A worker reads what your feeds brought" in text_of(client)
    assert called == [(TASK, user.pk)]


def test_where_the_queue_fails_it_says_so_and_asks_again(
    client: Client, user: User, subscription: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise OperationalError("the queue's database is away")

    monkeypatch.setattr(calling, "async_task", fail)
    assert "Nobody could be asked" in text_of(client)
    assert DiversityReport.objects.get().asked_at is None
    calls: list[object] = []
    monkeypatch.setattr(calling, "async_task", lambda *args: calls.append(args))
    text_of(client)
    assert len(calls) == 1


def test_of_two_who_look_at_once_one_calls(
    user: User, subscription: Subscription, called: list[tuple[object, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    kept = report(user, age=FRESH_FOR + MINUTE)
    as_it_was = diversity_asking.State(made_at=kept.made_at)
    real = diversity_asking._state
    answers = [as_it_was, as_it_was]  # both saw that nobody had asked
    monkeypatch.setattr(diversity_asking, "_state", lambda *args: answers.pop() if answers else real(*args))
    states = [look(user, now), look(user, now)]
    assert len(called) == 1
    assert [each.asked_at for each in states] == [now, now]


def test_the_state_is_told_to_the_script_and_asks_nobody(
    client: Client, user: User, subscription: Subscription, called: list[tuple[object, ...]]
) -> None:
    def state() -> str:
        return client.get(URL, headers={"X-Fragment": "state"}).content.decode()

    assert 'data-made="" data-over="true"' in state()
    kept = DiversityReport.objects.create(user=user, asked_at=timezone.now())
    assert 'data-made="" data-over="false"' in state()
    DiversityReport.objects.filter(pk=kept.pk).delete()
    kept = report(user, age=FRESH_FOR * 2)
    assert kept.made_at
    assert f'data-made="{int(kept.made_at.timestamp())}" data-over="true"' in state()
    assert "<html" not in state()
    assert not called


def test_nobody_sees_what_another_reads(
    client: Client, user: User, subscription: Subscription, called: list[tuple[object, ...]]
) -> None:
    other = make.user()
    make.subscription(other)
    theirs = report(other, labels=("secret plans", "of another"))
    shown = text_of(client)
    assert "secret" not in shown
    assert called == [(TASK, user.pk)]
    theirs.refresh_from_db()
    assert theirs.asked_at is None


def test_a_feed_is_a_link_while_it_is_followed(
    client: Client, user: User, subscription: Subscription, called: list[tuple[object, ...]]
) -> None:
    gone = make.subscription(user)
    report(user)
    assert client.get(URL).content.decode().count(f'href="/feeds/{gone.pk}/"') == 3  # beside two of the sidebar
    gone.delete()
    answer = client.get(URL).content.decode()
    assert f"/feeds/{gone.pk}/" not in answer
    assert "Feed 1" in answer


def test_names_are_text_wherever_they_stand(
    client: Client, user: User, subscription: Subscription, called: list[tuple[object, ...]]
) -> None:
    make.subscription(user)
    kept = report(user, labels=(HOSTILE, HOSTILE + "2"), folders=(HOSTILE, HOSTILE + "2"))
    kept.content = json.loads(json.dumps(kept.content).replace("Feed ", json.dumps(HOSTILE)[1:-1]))
    kept.save()
    answer = client.get(URL).content.decode()
    assert "<script>alert" not in answer
    assert answer.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 20
    assert "{{ 7|add:7 }}" in answer


def test_a_week_without_articles_says_so(
    client: Client, user: User, subscription: Subscription, called: list[tuple[object, ...]]
) -> None:
    DiversityReport.objects.create(user=user, made_at=timezone.now(), content=spread_of([], [], {}).as_json())
    assert "Nothing came in the last 7 days." in text_of(client)


def test_the_drawing_has_its_table(
    client: Client, user: User, subscription: Subscription, called: list[tuple[object, ...]]
) -> None:
    make.subscription(user)
    report(user)
    answer = client.get(URL).content.decode()
    [table] = re.findall(r"<summary>As a table</summary>.*?</table>", answer, re.DOTALL)
    assert re.findall(r'<th scope="col">(?:<bdi>)?([^<]+)', table) == ["Topic", "News", "Science"]
    rows = re.findall(r"<bdi>([^<]+)</bdi></th><td>(\d+)</td><td>(\d+)</td>", table)
    assert rows == [("Geneva: talks", "6", "0"), ("ocean", "0", "3")]
    assert answer.count('class="strip"') == 2
    assert "News: most about “\u2068Geneva: talks\u2069” (100 %)" in answer


@pytest.mark.parametrize("n", [2, 40])
def test_queries_do_not_grow_with_feeds(
    client: Client,
    user: User,
    called: list[tuple[object, ...]],
    django_assert_num_queries: DjangoAssertNumQueries,
    n: int,
) -> None:
    for _ in range(n):
        make.subscription(user)
    report(user)
    client.get(URL)
    with django_assert_num_queries(12):
        assert client.get(URL).status_code == 200


def test_the_web_process_loads_nothing_that_gathering_needs() -> None:
    heavy = ("numpy", "scipy", "sklearn", "spacy", "digests.topics", "digests.diversity_making", "digests.labels")
    code = f"""
import django, sys
django.setup()
import digests.views.diversity, digests.diversity_urls
print(*[name for name in {heavy!r} if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT,
        env={"DJANGO_SETTINGS_MODULE": "rssmanager.settings", "PATH": "", "SECRET_KEY": "of a test"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_moments_are_told_by_the_persons_clock(
    client: Client, user: User, subscription: Subscription, called: list[tuple[object, ...]]
) -> None:
    set_time_zone(user, "Asia/Kathmandu")
    kept = report(user)
    assert isinstance(kept.made_at, datetime)
    local = kept.made_at.astimezone(ZoneInfo("Asia/Kathmandu"))
    assert f"{local:%H:%M} +0545" in client.get(URL).content.decode()
    assert f"{local:%H:%M} +0545" in client.get(URL, headers={"X-Fragment": "state"}).content.decode()
