"""Golden files: digests of the sample publishers' day in each kind and format, at fixed times.

The publishers' documents are dated relative to a fixed time, at which the app's clock starts. Timestamps set by
polling are moved to when they would have happened: an article is first seen ten minutes after publication, and
revised at noon. Then come the morning brief at 07:00, the midday update at 12:00 and the evening recap at 18:00, and a
weekly roundup. Row ids are replaced by their order of appearance, and ports are removed.

`GOLDEN=write make test` rewrites the files, for review with `git diff`.
"""

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from ipaddress import ip_network
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db.models import F, QuerySet
from django.utils import timezone
from pytest_django import Settings

from digests.assembly.make import make
from digests.edition.kinds import Kind
from feeds.models import Article, Feed, FeedStatus, Poll, Revision
from reader.preferences.owner import create_owner
from rssmanager.demo import populate
from rssmanager.demo.server import DemoServer, can_bind

GOLDEN = Path(__file__).parent / "data" / "digests"
SATURDAY = datetime(2026, 11, 21, tzinfo=UTC)
MOMENTS = {
    Kind.MORNING: SATURDAY.replace(hour=7),
    Kind.WEEKLY: SATURDAY.replace(hour=8),
    Kind.MIDDAY: SATURDAY.replace(hour=12),
    Kind.EVENING: SATURDAY.replace(hour=18),
}
POLLED_AT = SATURDAY.replace(hour=17)
ENDINGS = {"text": "txt", "markdown": "md", "html": "html", "json": "json"}
SEEN_AFTER = timedelta(minutes=10)

_PORT = re.compile(r"(127\.0\.1\.\d+):\d+")
_ID = re.compile(r'("(?:id|story_id)": )(\d+)')

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not can_bind("127.0.1.1"), reason="the publishers have no addresses of their own here"),
]


@pytest.fixture
def owner(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[User]:
    """The demo's user, whose feeds are polled three times on that Saturday, in a fixed order: if
    two feeds have the same article, the same one always delivers it first.
    """
    allowed = (ip_network("127.0.0.0/8"),)
    settings.ENV = replace(settings.ENV, FETCH_ALLOWED_NETWORKS=allowed, FETCH_CONCURRENCY=1)
    monkeypatch.setattr(populate, "make_due", _make_due_in_order)
    monkeypatch.setattr(timezone, "now", _clock_from(POLLED_AT))
    owner = create_owner(username="demo", email="demo@example.org", password="correct horse battery")
    with DemoServer(POLLED_AT, slow_seconds=0.2) as server:
        populate.subscribe(owner, server, now=POLLED_AT)
        for number in range(3):
            if number:
                server.advance()
            populate.poll_round(now=timezone.now())
        populate.find_stories()
        _set_back()
        populate.rate(owner, now=POLLED_AT)
        yield owner


def _clock_from(start: datetime) -> Callable[[], datetime]:
    started = time.monotonic()
    return lambda: start + timedelta(seconds=time.monotonic() - started)


def _make_due_in_order(feeds: QuerySet[Feed], now: datetime) -> None:
    for number, feed in enumerate(feeds.filter(status=FeedStatus.ACTIVE).order_by("-title")):
        Feed.objects.filter(pk=feed.pk).update(next_poll_at=now - number * timedelta(seconds=1))


def _set_back() -> None:
    Article.objects.update(first_seen_at=F("published_at") + SEEN_AFTER)
    Article.objects.filter(revised_at__isnull=False).update(revised_at=SATURDAY.replace(hour=11))
    Revision.objects.update(replaced_at=SATURDAY.replace(hour=11))
    Poll.objects.update(started_at=SATURDAY.replace(hour=6), seconds=0.1)


def test_digests_of_a_saturday(owner: User) -> None:
    written = {}
    for kind, moment in sorted(MOMENTS.items(), key=lambda item: item[1]):
        for form, ending in ENDINGS.items():
            written[f"{kind.value}.{ending}"] = _steady(_printed(owner, kind, moment, form))
        make(owner, kind, now=moment)
    if os.environ.get("GOLDEN") == "write":
        for name, text in written.items():
            (GOLDEN / name).write_text(text, encoding="utf-8")
    golden = {name: (GOLDEN / name).read_text(encoding="utf-8") for name in written}
    differing = [name for name in written if written[name] != golden[name]]
    for name in differing[:1]:
        assert written[name].splitlines() == golden[name].splitlines(), name
    assert not differing


def _printed(owner: User, kind: Kind, moment: datetime, form: str) -> str:
    out = StringIO()
    arguments = ["--user", owner.username, "--kind", kind.value, "--format", form, "--now", moment.isoformat()]
    call_command("digest", *arguments, stdout=out)
    return out.getvalue()


def _steady(text: str) -> str:
    """The text without values that change from run to run."""
    numbers: dict[tuple[str, str], int] = {}
    text = _PORT.sub(r"\1", text)
    return _ID.sub(lambda found: f"{found[1]}{numbers.setdefault((found[1], found[2]), len(numbers) + 1)}", text)
