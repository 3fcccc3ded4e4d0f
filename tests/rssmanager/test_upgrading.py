"""From the first release to this one: all that people had is there, pages answer, feeds are polled."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from tests.feeds.servers import ScriptedServer, answer
from tests.rssmanager.first_release import ROWS
from tests.rssmanager.installation import Installation, installation

LOAD = "from tests.rssmanager.first_release import load; load()"
CHANGED = "import json; from tests.rssmanager.first_release import changed; print(json.dumps(changed()))"
# The worst moment: tables and rows are changed, and nothing of it is kept yet.
KILL = """
import os, signal
from django.core.management import call_command
from django.db.migrations import Migration
apply = Migration.apply
def apply_and_die(self, *arguments, **options):
    state = apply(self, *arguments, **options)
    if (self.app_label, self.name) == {at!r}:
        os.kill(os.getpid(), signal.SIGKILL)
    return state
Migration.apply = apply_and_die
call_command("prepare")
"""
PAGES = """
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from reader.models import Delivery, Folder, Subscription
plain = ("today", "home", "for_you", "important", "starred", "stories", "health", "folders", "notifications", "rules",
         "interests", "digests", "settings", "data", "account", "export_opml", "diversity")
about = {"feed": Subscription, "feed_health": Subscription, "folder": Folder}
for user in User.objects.all():
    client = Client(headers={"host": "localhost"})
    assert client.login(username=user.username, password="correct horse")
    urls = [reverse(name) for name in plain] + [f"{reverse('search')}?q=harbour"]
    urls += [reverse(name, args=[row.pk]) for name, model in about.items() for row in model.objects.filter(user=user)]
    articles = Delivery.objects.filter(user=user).values_list("article", flat=True)
    urls += [reverse("article", args=[pk]) for pk in articles]
    for url in urls:
        assert client.get(url).status_code == 200, (user.username, url)
    print(user.username, client.get(reverse("starred")).content.decode().count(" data-row>"))
"""
MOVE = """
from django.utils import timezone
import json
from feeds.models import Feed
feed = Feed.objects.exclude(items=None).order_by("pk")[0]
feed.url, feed.url_key = {url!r}, Feed.key_of({url!r})
feed.save()
item = feed.items.order_by("pk")[0]
known = {{"guid": item.guid, "link": item.article.link, "title": item.article.title}}
n = {{"followers": feed.subscriptions.count(), "items": feed.items.count()}}
print(json.dumps({{"feed": feed.pk, "known": known, **n}}))
"""
POLLED = """
from feeds.models import Article, Feed, Item
from reader.models import Delivery
new = Article.objects.get(title="After the upgrade: 新しい記事")
print(Item.objects.filter(feed={feed}).count(), new.deliveries.count())
"""


NEW = {"guid": "new", "link": "https://new.example/1", "title": "After the upgrade: 新しい記事"}


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Installation]:
    """With the database of the first release."""
    with installation(tmp_path, is_bare=True) as made:
        shell(made, LOAD)
        yield made


def shell(reader: Installation, code: str) -> str:
    return reader.run("shell", "--no-imports", "-c", code).stdout.strip()


def check_nothing_is_lost(reader: Installation) -> None:
    assert json.loads(shell(reader, CHANGED)) == []
    assert reader.run("migrate", "--check").returncode == 0


def test_the_database_has_something_of_all_that_there_was() -> None:
    assert {row["model"] for row in ROWS} >= {
        "auth.user", "feeds.article", "feeds.feed", "feeds.item", "feeds.poll", "feeds.revision", "feeds.source",
        "reader.articlestate", "reader.delivery", "reader.folder", "reader.import", "reader.importline",
        "reader.notification", "reader.owner", "reader.subscription",
    }  # fmt: skip


def test_nothing_is_lost_and_everything_works(reader: Installation) -> None:
    reader.run("prepare")
    check_nothing_is_lost(reader)
    assert shell(reader, PAGES).splitlines() == ["ada 1", "李雷 1"]
    findings = json.loads(reader.run("doctor", "--json", ok=False).stdout)
    assert [each["subject"] for each in findings if each["level"] == "problem"] == ["worker"]  # none was started


def test_feeds_are_polled_and_what_they_brought_before_does_not_come_again(reader: Installation) -> None:
    reader.run("prepare")
    server = ScriptedServer("127.0.0.2")
    try:
        url = server.on("/feed", answer(200, b""))
        moved = json.loads(shell(reader, MOVE.format(url=url)))
        server.on("/feed", answer(200, _document(NEW, moved["known"])))
        reader.run("poll", "--feed", url)
    finally:
        server.close()
    n_items, n_deliveries = shell(reader, POLLED.format(feed=moved["feed"])).split()
    assert (int(n_items), int(n_deliveries)) == (moved["items"] + 1, moved["followers"])


def _document(*entries: dict[str, str]) -> bytes:
    items = "".join(
        f"<item><guid isPermaLink='false'>{entry['guid']}</guid><link>{entry['link']}</link>"
        f"<title>{escape(entry['title'])}</title></item>"
        for entry in entries
    )
    return f"<rss version='2.0'><channel><title>Moved</title>{items}</channel></rss>".encode()


def test_an_upgrade_that_is_killed_goes_on_where_it_stopped(reader: Installation) -> None:
    for at in (("feeds", "0003_stories"), ("reader", "0007_news_and_preferences"), ("feeds", "0007_word_forms")):
        killed = reader.run("shell", "--no-imports", "-c", KILL.format(at=at), ok=False)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
    reader.run("prepare")
    check_nothing_is_lost(reader)
