"""Looking each minute costs little, and calls a worker for what is due and nothing else."""

import re
import subprocess
import sys
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.module_loading import import_string

from digests.edition.kinds import Kind
from digests.models import AlertSettings, Digest, DigestPlan, MailedNotification, Mailing, MailingKind
from digests.tasks import recurring
from reader.models import Notification
from rssmanager.env import PROJECT
from tests import make
from tests.make import NOW
from tests.reader.assessed import assess

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tasks that were handed to the queue, at `NOW`."""
    calls: list[str] = []
    monkeypatch.setattr(recurring, "call_worker", lambda name: calls.append(name))
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    return calls


def plan(user: User, **values: Any) -> DigestPlan:
    return DigestPlan.objects.create(user=user, kind=Kind.MORNING, at=time(7), **{"next_at": NOW, **values})


def test_no_worker_is_called_without_work(called: list[str]) -> None:
    plan(make.user(), next_at=NOW + MINUTE)
    plan(make.user(), claimed_until=NOW + MINUTE)
    recurring.start_due_work()
    assert called == []


def test_a_worker_is_called_for_what_is_due(called: list[str]) -> None:
    plan(make.user())
    recurring.start_due_work()
    assert called == ["digests.tasks.make.make_due"]


def test_a_worker_is_called_for_a_front_page_that_is_outdated(called: list[str]) -> None:
    user = make.user()
    plan(user, next_at=None, is_on=False)
    make.subscription(user, make.feed(last_new_at=NOW))
    hour_ago = NOW - timedelta(hours=1)
    Digest.objects.create(
        user=user,
        kind=Kind.TODAY,
        day=NOW.date(),
        time_zone="UTC",
        begins_at=hour_ago - timedelta(days=1),
        ends_at=hour_ago,
        made_at=hour_ago,
        opened_at=hour_ago,
    )
    recurring.start_due_work()
    assert called == ["digests.tasks.make.renew_pages"]


def test_a_worker_is_called_for_mail_that_waits(called: list[str]) -> None:
    mailing = Mailing.objects.create(
        user=make.user(), kind=MailingKind.ALERTS, message_id="<1@here>", created_at=NOW, next_try_at=NOW + MINUTE
    )
    recurring.start_due_work()
    assert called == []
    Mailing.objects.filter(pk=mailing.pk).update(next_try_at=NOW)
    recurring.start_due_work()
    assert called == ["digests.tasks.mail.send"]


def test_every_worker_that_is_called_is_there() -> None:
    named = set(re.findall(r'call_worker\("([\w.]+)"\)', Path(recurring.__file__ or "").read_text()))
    assert len(named) == 4
    assert all(callable(import_string(name)) for name in named)


def test_users_with_feeds_get_a_plan(called: list[str]) -> None:
    user = make.subscription(make.user()).user
    recurring.start_due_work()
    [made] = DigestPlan.objects.all()
    assert (made.user, made.kind, made.next_at) == (user, Kind.MORNING, datetime(2026, 3, 5, 7, tzinfo=UTC))
    assert called == []


def test_breaking_news_is_announced_and_emailed_within_a_minute(called: list[str]) -> None:
    user = make.user(email="reader@example.org")
    AlertSettings.objects.create(user=user, breaking_by_mail=True, mail_from=NOW)
    article = make.article(published_at=NOW)
    assess(article, tier=1, authority=95.0, depth=100.0, shared_importance=38.75)
    delivery = make.delivery(make.subscription(user), article)
    delivery.relevance, delivery.static_importance, delivery.n_publishers = 90.0, 76.75, 4
    delivery.save()
    recurring.send_alerts()
    [told] = Notification.objects.all()
    assert told.article == article
    assert [mailed_notification.notification for mailed_notification in MailedNotification.objects.all()] == [told]
    assert called == ["digests.tasks.mail.send"]
    recurring.send_alerts()
    assert len(called) == 1
    assert Notification.objects.count() == MailedNotification.objects.count() == 1


HEAVY = (
    "numpy",
    "scipy",
    "sklearn",
    "spacy",
    "digests.topics",
    "digests.assembly.pipeline",
    "digests.assembly.make",
    "reader.scoring.rate",
)


def test_finding_due_plans_loads_no_heavy_library() -> None:
    code = f"""
import django, sys
django.setup()
import digests.tasks.recurring
print(*[name for name in {HEAVY!r} if name in sys.modules])
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
