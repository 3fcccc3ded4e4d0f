"""Pages of feeds, folders, rules and searches in a pseudo-language that marks translations."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from feeds.models import PollOutcome
from feeds.subscription_lists.url_list import read_url_list
from reader.models import Duplicate, Import, ImportLine, ImportStatus, RuleRun, SavedSearch, Subscription
from reader.subscriptions.starter_packs import chosen, starter_sets
from tests import make
from tests.rssmanager.pseudo import CODE, speaking_marked, unmarked, unmarked_in_page

pytestmark = pytest.mark.django_db

TITLE = "标题"  # for all names by publishers and users
NAMES = {"rssmanager", "OPML", "ETag"}  # the same in every language
_MACHINES = re.compile(
    r'<time\b.*?</time>|<(option|textarea)\b.*?</\1>|(https://)?[\w.]+\.example[^\s<"]*|placeholder="[^"]*"', re.DOTALL
)
LIST = "https://one.example/f\nhttps://one.example/f\nquery:x\n|无\n"


@pytest.fixture(autouse=True)
def marked(settings: Settings) -> Iterator[None]:
    settings.LANGUAGE_CODE = CODE
    with speaking_marked():
        yield


@pytest.fixture
def reader(client: Client) -> User:
    user = make.user("x")
    client.force_login(user)
    return user


@pytest.fixture
def followed(reader: User) -> Subscription:
    """A feed with every status: failing, noisy, limited, and replaced by a page with links."""
    now = timezone.now()
    feed = make.feed(
        title=TITLE,
        next_poll_at=now + timedelta(hours=2),
        last_polled_at=now,
        last_success_at=now - timedelta(days=40),
        consecutive_failures=4,
        consecutive_unchanged=3,
        interval_seconds=900,
        publisher_minimum_seconds=1800,
        publisher_minimum_by="ttl",
        skip_hours=7,
        skip_days=3,
        kind_is_fixed=True,
        etag="x",
        discovered_feeds=[{"url": "https://two.example/f", "title": TITLE}],
    )
    for number, outcome in enumerate((PollOutcome.NEW, PollOutcome.NOT_MODIFIED, PollOutcome.TIMEOUT, "timeout")):
        make.poll(feed, outcome, started_at=now - timedelta(hours=9 - number), seconds=1.5, well_formed=True)
    return make.subscription(
        reader,
        feed,
        folder=make.folder(reader, TITLE),
        quiet_until=(now + timedelta(days=9)).date(),
        is_digest_only=True,
        fetches_full_text=True,
        n_month=90,
        n_quarter=200,
    )


def words_of(client: Client, address: str, **query: str) -> set[str]:
    """Unmarked words in the main part of a page."""
    page = client.get(address, query).content.decode()
    return said_in(page[page.index("<main") : page.index("</main>")])


def said_in(html: str) -> set[str]:
    return set(unmarked_in_page(_MACHINES.sub(" ", html))) - NAMES


@pytest.mark.parametrize("name", ["feed_health", "feed_edit", "feed_unfollow"])
def test_pages_of_one_feed(client: Client, followed: Subscription, name: str) -> None:
    assert words_of(client, reverse(name, args=[followed.pk])) == set()


def test_list_of_feeds(client: Client, reader: User, followed: Subscription) -> None:
    make.subscription(reader, make.feed(title=TITLE))
    client.post(reverse("feed_unfollow", args=[followed.pk]))
    assert words_of(client, reverse("health")) == words_of(client, reverse("health"), which="never") == set()
    assert words_of(client, reverse("health"), q="无") == set()


def test_folders_and_duplicates(client: Client, reader: User, followed: Subscription) -> None:
    other = make.subscription(reader, make.feed(title=TITLE))
    pair = Duplicate.objects.create(user=reader, one=followed, other=other, why="articles", n_common=8, n_recent=9)
    assert words_of(client, reverse("folders")) == words_of(client, reverse("duplicates")) == set()
    assert words_of(client, reverse("folder_edit", args=[followed.folder_id])) == set()
    assert words_of(client, reverse("duplicate_merge", args=[pair.pk]), keep=str(other.pk)) == set()


def test_following_and_importing(client: Client, reader: User, followed: Subscription) -> None:
    page = client.get(reverse("subscribe")).content.decode()
    page = re.sub(
        r'<(span|bdi) lang="..">.*?</\1|<strong>[A-Z]\w+</strong>', "", page
    )  # names of starter feeds, in their own language
    assert said_in(page[page.index("<main") : page.index("</main>")]) == set()
    upload = SimpleUploadedFile("标题.txt", LIST.encode())
    response = client.post(reverse("subscribe"), {"form": "list", "list-file": upload})
    assert words_of(client, response["Location"]) - {"txt", "query"} == set()
    job = Import.objects.get()
    ImportLine.objects.create(job=job, line=3, label=TITLE, reason=TITLE)
    for status in ImportStatus:
        Import.objects.update(status=status, finished_at=timezone.now(), n_total=3, n_done=2, n_added=2, kind="file")
        assert words_of(client, reverse("import", args=[job.pk])) - {"txt", "query"} == set(), status


NOTHING = {"field": "title", "test": "contains", "value": "," * 9}


def test_rules(client: Client, reader: User, followed: Subscription) -> None:
    for values in ({"mutes": True, "stars": True, "marks_read": True, "lift": 10}, {"is_on": False, "n_hits": 1}):
        rule = make.rule(reader, name=TITLE, words=TITLE, pattern="*", author="x", folder=followed.folder, **values)
    RuleRun.objects.create(rule=rule, asked_at=timezone.now(), n_total=9)
    assert words_of(client, reverse("rules")) == set()
    assert words_of(client, reverse("rule_edit", args=[rule.pk])) == set()
    posted = client.post(reverse("rule_new"), NOTHING | {"act": "save", "tag": "a,b"}).content.decode()
    assert said_in(posted[posted.index("<main") : posted.index("</main>")]) == set()


def test_searches(client: Client, reader: User) -> None:
    saved = SavedSearch.objects.create(user=reader, name=TITLE, query=TITLE)
    for words in ("", TITLE, "(无 is:x", "..."):
        assert words_of(client, reverse("search"), q=words) == set()
    assert words_of(client, reverse("saved_search", args=[saved.pk])) == set()
    assert words_of(client, reverse("saved_search_edit", args=[saved.pk])) == set()


def test_list_errors_are_translated() -> None:
    refused = read_url_list(LIST).refusals
    assert len(refused) == 3
    assert [word for refusal in refused for word in unmarked(refusal.reason)] == []


def test_starter_topics_become_translated_folders() -> None:
    by_topic = {starter_set_.topic: starter_set_.feeds[0].url for starter_set_ in starter_sets()}
    assert chosen([by_topic["World"], by_topic["Deutsch"]])[0].folder == ("⟦World⟧",)
    assert chosen([by_topic["Deutsch"]])[0].folder == ("Deutsch",)
