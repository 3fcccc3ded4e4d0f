"""Newsboat against a running server: what it downloads, reads and stars, and what it has after a restart.

As a client of FeedHQ, another Google Reader: Debian's Newsboat is older than its support of FreshRSS.
"""

import os
import pty
import select
import shutil
import sqlite3
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from reader.models import ArticleState, Delivery
from tests import make
from tests.rssmanager.api.conftest import App

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(shutil.which("newsboat") is None, reason="newsboat isn't installed"),
]
N = 60


@dataclass(frozen=True, slots=True)
class Newsboat:
    """Newsboat with a cache of its own."""

    folder: Path

    @property
    def command(self) -> list[str]:
        files = {"-C": "config", "-u": "urls", "-c": "cache.db"}
        return ["newsboat", *(part for flag, name in files.items() for part in (flag, str(self.folder / name)))]

    def sync(self) -> None:
        subprocess.run([*self.command, "-x", "reload"], check=True, timeout=60)

    def cached(self) -> dict[str, bool]:
        """By title, whether an article is unread."""
        with sqlite3.connect(self.folder / "cache.db") as cache:
            rows = cache.execute("SELECT title, unread FROM rss_item").fetchall()
        assert len(rows) == len({title for title, _ in rows})
        return {title: bool(unread) for title, unread in rows}

    def type(self, *keys: str) -> None:
        """Type into its list of feeds, and leave."""
        child, terminal = pty.fork()
        if not child:
            os.environ.update(TERM="xterm", LINES="40", COLUMNS="100")
            os.execvp("newsboat", self.command)  # noqa: S606
        for key in (*keys, "Q"):
            _drain(terminal)
            os.write(terminal, key.encode())
        _drain(terminal)
        os.waitpid(child, 0)
        os.close(terminal)


def _drain(terminal: int) -> None:
    """Read what it draws until it is quiet."""
    while select.select([terminal], [], [], 0.3)[0]:
        try:
            if not os.read(terminal, 65536):
                return
        except OSError:  # it ended
            return


@pytest.fixture
def newsboat(app: App, live_server: LiveServer, tmp_path: Path) -> Newsboat:
    (tmp_path / "urls").write_text("")
    (tmp_path / "config").write_text(
        f'urls-source "feedhq"\nfeedhq-url "{live_server.url}/api/greader.php"\nfeedhq-login "ada"\n'
        f'feedhq-password "{app.password}"\nfeedhq-flag-star "s"\nfeedhq-min-items {N}\n'
        "feedhq-show-special-feeds no\n"
    )
    return Newsboat(tmp_path)


def states() -> dict[int, tuple[bool, bool]]:
    """By article, whether it is read, and starred."""
    rows = ArticleState.objects.values_list("article_id", "is_read", "is_starred")
    return {pk: (is_read, is_starred) for pk, is_read, is_starred in rows}


def test_nothing_is_lost_or_doubled(app: App, newsboat: Newsboat) -> None:
    folder = make.folder(app.user)
    subscription = make.subscription(app.user, make.feed(title="Paper"), folder=folder)
    titles = [f"Title <{n}>" for n in range(N)]
    articles = [make.article(feed=subscription.feed, title=title) for title in titles]
    for article in articles:
        make.delivery(subscription, article)
    app.post("edit-tag", i=articles[7].pk, a="user/-/state/com.google/read")
    newsboat.sync()
    assert newsboat.cached() == {title.translate({60: "＜", 62: "＞"}): n != 7 for n, title in enumerate(titles)}

    newsboat.type("\r", "\r")  # the feed, its first article
    assert states() == {articles[7].pk: (True, False), articles[0].pk: (True, False)}
    newsboat.type("\r", "\x05", "s\r")  # the feed, the flags of its first unread article
    assert states() == {articles[7].pk: (True, False), articles[0].pk: (True, False), articles[1].pk: (False, True)}
    newsboat.type("A")
    assert not Delivery.objects.filter(is_read=False).exists()
    newsboat.sync()
    assert set(newsboat.cached().values()) == {False}
    assert len(newsboat.cached()) == N
