"""A private feed, and another user whose public feed lists the same links: nothing of it reaches her by any way out."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import format_datetime
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.utils import timezone

from tests.attacks.filling import MALLORY, VICTIM
from tests.attacks.following import follow
from tests.attacks.site import Browser, Site
from tests.faults.processes import Cluster, cluster, sql, wait_until
from tests.feeds.servers import ScriptedServer, answer

TOKEN = "6f1d0c7e9b2a4d58a3c1e7f09b64d2aa"
SECRETS = ("zqmembers", "zqauthor", TOKEN)
WORDS = "The guild met on Tuesday and voted about the widening of the northern lock of the harbour. " * 6
TITLE = "Guild votes to widen the northern lock"
# Prints what an app of that user signs in with: a token, and the key of Fever.
SIGN_IN = """
import json
from django.contrib.auth.models import User
from django.utils import timezone
from rssmanager.authentication.app_passwords import create, fever_key
password = create(User.objects.get(username={name!r}), name="App", now=timezone.now())
print(json.dumps([password, fever_key({name!r}, password)]))
"""
# Prints the digest that would be made for that user now.
DIGEST = """
import json
from django.contrib.auth.models import User
from django.utils import timezone
from digests.assembly.make import preview
from digests.edition.kinds import Kind
from digests.rendering.as_json import as_json
digest = preview(User.objects.get(username={name!r}), Kind.MORNING, now=timezone.now())
print(json.dumps(as_json(digest)) if digest else "")
"""


@dataclass(frozen=True, slots=True)
class Town:
    """A private feed and a public one, each with a follower, whose articles have come; where their articles are."""

    publisher: ScriptedServer
    place: str

    def document(self, text: str, *, extra: str = "") -> bytes:
        items = "".join(
            f"<item><guid isPermaLink='false'>{n}</guid><link>{self.publisher.url(f'/{self.place}/{n}')}</link>"
            f"<title>{TITLE}, part {n}</title><pubDate>{format_datetime(timezone.now())}</pubDate>"
            f"<description><![CDATA[<p>{WORDS}</p>{text}]]></description>{extra}</item>"
            for n in range(2)
        )
        return f"<rss version='2.0'><channel><title>Paper</title>{items}</channel></rss>".encode()

    def publish(self) -> tuple[str, str]:
        """The addresses of the private and of the public feed."""
        picture, sound = self.publisher.url(f"/p.png?k={TOKEN}"), self.publisher.url(f"/e.mp3?auth={TOKEN}")
        private = self.document(
            f"<p>For zqmembers only.</p><img src='{picture}'>",
            extra=f"<author>zqauthor</author><enclosure url='{sound}' type='audio/mpeg'/>",
        )
        return (
            self.publisher.on(f"/{self.place}/members?token={TOKEN}", answer(200, private)),
            self.publisher.on(f"/{self.place}/open", answer(200, self.document(""))),
        )


@pytest.fixture(scope="module")
def publisher() -> Iterator[ScriptedServer]:
    server = ScriptedServer("127.0.0.2")
    yield server
    server.close()


@pytest.fixture(scope="module")
def worker(site: Site) -> Iterator[Cluster]:
    with cluster(site.reader) as running:
        yield running


@pytest.fixture(scope="module", params=["private-first", "public-first"])
def town(request: pytest.FixtureRequest, site: Site, publisher: ScriptedServer, worker: Cluster) -> Town:
    town = Town(publisher, request.param)
    follows = list(zip((VICTIM, MALLORY), town.publish(), strict=True))
    for name, url in follows if request.param == "private-first" else follows[::-1]:
        assert follow(site, site.person(name), url)
        wait_until(lambda url=url: n_delivered(site, url) == 2, f"nothing came of {url}", patience=180)
    wait_until(lambda: not sql(site.reader, "SELECT 1 FROM feeds_pending"), "not everything was matched", patience=180)
    return town


def n_delivered(site: Site, url: str) -> int:
    """How many articles of the feed were delivered and can be searched."""
    rows = (
        "reader_delivery d JOIN reader_subscription s ON s.id = d.subscription_id JOIN feeds_feed f ON f.id = s.feed_id"
        " WHERE d.article_id NOT IN (SELECT article_id FROM feeds_unindexed)"
    )
    return int(sql(site.reader, f"SELECT count(*) FROM {rows} AND f.url = '{url}'")[0][0])  # noqa: S608


def shown_to(site: Site, name: str) -> dict[str, str]:
    """What that user gets of any article, by the way out."""
    browser, numbers = (
        site.person(name),
        [pk for (pk,) in sql(site.reader, "SELECT id FROM feeds_article WHERE title LIKE 'Guild votes%'")],
    )
    paths = [
        "/",
        "/all/",
        "/for-you/",
        "/important/",
        "/stories/",
        "/health/",
        "/search/?q=guild",
        "/search/?q=members",
    ]
    paths += [f"/articles/{pk}/{end}" for pk in numbers for end in ("", "why/", "related/", "changes/")]
    paths += [f"/stories/{pk}/" for (pk,) in sql(site.reader, "SELECT id FROM feeds_story")]
    found = {path: browser.get(path).text for path in (*paths, "/export.opml", "/highlights.md")}
    found["export"] = exported(browser)
    found["digest"] = site.python(DIGEST.format(name=name))
    token, key = json.loads(site.python(SIGN_IN.format(name=name)))
    app, bearer = site.browser(), {"Authorization": f"Bearer {token}"}
    for call in ("articles", "stories", "today", "feeds", *(f"articles/{pk}" for pk in numbers)):
        found[f"JSON API {call}"] = app.get(f"/api/v1/{call}", headers=bearer).text
    ids = ",".join(map(str, numbers))
    fever = app.ask("POST", f"/api/fever.php?api&items&with_ids={ids}", data={"api_key": key})
    signed = app.ask("POST", "/api/greader.php/accounts/ClientLogin", data={"Email": name, "Passwd": token})
    headers = {"Authorization": f"GoogleLogin auth={signed.text.partition('Auth=')[2].strip()}"}
    contents = "/api/greader.php/reader/api/0/stream/"
    found |= {
        "Fever": app.ask("POST", "/api/fever.php?api&items", data={"api_key": key}).text + fever.text,
        "Google Reader": app.get(f"{contents}contents/user/-/state/com.google/reading-list", headers=headers).text,
        "Google Reader items": app.ask("POST", f"{contents}items/contents", headers=headers, data={"i": numbers}).text,
    }
    return found


def exported(browser: Browser) -> str:
    """Everything in a download of all data, unpacked."""
    given = browser.post("/settings/data/export/", token_of="/settings/data/")
    assert given.status_code == 200
    archive = ZipFile(BytesIO(given.content))
    return "".join(archive.read(name).decode() for name in archive.namelist())


def leaks(found: dict[str, str]) -> set[str]:
    return {way for way, content in found.items() if any(secret in content for secret in SECRETS)}


def test_private_feed_reaches_no_other_user(site: Site, town: Town) -> None:
    theirs = shown_to(site, MALLORY)
    assert leaks(theirs) == set()
    assert {"/all/", "/search/?q=guild", "Fever", "Google Reader", "JSON API articles"} <= {
        way
        for way, content in theirs.items()
        if TITLE in content  # her own, so that nothing is proved by silence
    }
    assert {"Fever", "Google Reader", "export"} <= leaks(shown_to(site, VICTIM))


def test_saving_the_page_brings_nothing_private(site: Site, town: Town) -> None:
    url = town.publisher.on(f"/{town.place}/0", answer(200, f"<title>{TITLE}</title><p>{WORDS}</p>".encode()))
    assert site.mallory.post("/save/", address=url).status_code in (200, 302)
    assert leaks(shown_to(site, MALLORY)) == set()


def test_pictures_of_a_private_feed_open_for_no_other_user(site: Site, town: Town) -> None:
    """Their addresses are signed, not bound to a user: she must not be able to learn one."""
    pages = "".join(shown_to(site, VICTIM).values())
    signed = set(re.findall(r"/img/[\w-]+/[\w=-]+", pages))
    assert signed
    seen = "".join(shown_to(site, MALLORY).values())
    assert [path for path in signed if path in seen] == []
