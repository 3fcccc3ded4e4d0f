"""`manage.py digest`: prints in every format, stores nothing unless sending, sends once."""

import json
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.management import CommandError, call_command
from pytest_django import Settings

from digests.models import Digest, Mailing, MailingState
from reader.models import Owner, Subscription
from tests import make
from tests.digests.windows import came

pytestmark = pytest.mark.django_db

SEVEN = datetime(2026, 3, 4, 7, 0, tzinfo=UTC)
NOW = "2026-03-04T07:00:00+00:00"


@pytest.fixture
def user(settings: Settings) -> User:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    user = make.user("ada", email="ada@example.org")
    Owner.objects.create(user=user)
    return user


@pytest.fixture
def paper(user: User) -> Subscription:
    paper = make.subscription(user, make.feed("https://paper.example/feed", title="Paper"))
    came(paper, now=SEVEN, points=95.0, title="Orchard prize", text="Pears won at the autumn fair in Ghent.")
    return paper


def run(*arguments: str, **options: Any) -> tuple[str, str]:
    """What the command printed and what it told."""
    out, err = StringIO(), StringIO()
    call_command("digest", *arguments, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


@pytest.mark.parametrize(
    ("form", "beginning"),
    [
        pytest.param("text", "Wednesday 4 March 2026 · Morning brief", id="text"),
        pytest.param("markdown", "# ", id="markdown"),
        pytest.param("html", "<!doctype html>", id="html"),
        pytest.param("json", "{", id="json"),
    ],
)
def test_prints_in_every_format_and_keeps_nothing(paper: Subscription, form: str, beginning: str) -> None:
    printed, _ = run("--format", form, "--now", NOW)
    assert printed.startswith(beginning)
    assert "Orchard prize" in printed
    assert "Paper" in printed
    assert not Digest.objects.exists()


def test_json_can_be_read_by_programs(paper: Subscription) -> None:
    found = json.loads(run("--format", "json", "--now", NOW, "--kind", "weekly")[0])
    assert (found["kind"], found["n_articles"]) == ("weekly", 1)
    assert found["topics"][0]["lead"]["url"].startswith("https://paper.example/")


def test_another_user_sees_nothing_of_it(paper: Subscription) -> None:
    make.user("ben")
    printed, _ = run("--user", "ben", "--now", NOW)
    assert "Orchard" not in printed


def test_repeated_calls_send_once(paper: Subscription) -> None:
    _, told = run("--send", "--now", NOW)
    assert told.strip() == "Sent to ada@example.org."
    _, again = run("--send", "--now", NOW)
    assert "already exists" in again
    assert "Already sent to ada@example.org." in again
    assert len(mail.outbox) == 1
    assert (Digest.objects.count(), Mailing.objects.get().state) == (1, MailingState.SENT)


def test_a_digest_without_news_is_not_sent(paper: Subscription) -> None:
    for _ in range(2):
        assert run("--send", "--now", "2026-02-01T08:00")[1].strip().endswith("Not sent, because it has no news.")
    assert (mail.outbox, Mailing.objects.count(), Digest.objects.count()) == ([], 0, 1)


def test_failed_email_shows_its_reason(user: User, paper: Subscription) -> None:
    User.objects.update(email="")
    with pytest.raises(CommandError, match=r"Not sent: .*address"):
        run("--send", "--now", NOW)
    assert not mail.outbox
    assert Digest.objects.count() == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(["--now", "yesterday"], "not a time like", id="a time in words"),
        pytest.param(["--now", "2026-02-31T07:00"], "day", id="a day that is none"),
        pytest.param(["--topics", "0"], "--topics must be from 1", id="no topics"),
        pytest.param(["--topics", "61"], "--topics must be from 1", id="too many topics"),
        pytest.param(["--kind", "noon"], "invalid choice: 'noon'", id="a kind that is none"),
        pytest.param(["--kind", "today", "--send"], "front page can't be sent", id="the front page by mail"),
        pytest.param(["--user", "nobody"], "No user is called nobody", id="a user that is none"),
    ],
)
def test_nonsense_is_refused_by_name_and_changes_nothing(
    paper: Subscription, arguments: list[str], complaint: str
) -> None:
    with pytest.raises(CommandError, match=complaint):
        run(*arguments)
    assert not Digest.objects.exists()
    assert not mail.outbox


def test_a_time_without_zone_is_the_installations(paper: Subscription, settings: Settings) -> None:
    settings.TIME_ZONE = "Europe/Berlin"
    printed, _ = run("--now", "2026-03-04T08:00")
    assert "Wed 4 Mar, 08:00 (CET)" in printed
