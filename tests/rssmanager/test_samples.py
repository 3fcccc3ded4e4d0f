"""Sample feeds in an ordinary installation: following, importing, sharing, unfollowing and returning."""

import json
import socket
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db.models import Count
from django.test import Client
from django.utils import timezone

from digests.access import front_pages
from digests.edition.kinds import Kind
from digests.models import Digest, DigestTopic
from feeds.errors import FetchError
from feeds.models import Article, Condition, Feed, FeedStatus, Item, Poll, PollOutcome, Source
from feeds.polling.leases import claim, due_feeds, make_due
from feeds.polling.poller import Poller
from feeds.tasks.polling import poll, poll_feeds
from reader.articles.read_state import star
from reader.lists.sidebar import sidebar_of
from reader.models import ArticleState, Delivery, Folder, Import, ImportStatus, Subscription
from reader.subscriptions.bulk_actions import request_poll
from reader.subscriptions.opml_export import export_list
from reader.subscriptions.status_text import feed_sentence
from reader.subscriptions.unfollow import undo_unfollow
from reader.tasks.recurring import deliver_new, resume_imports
from rssmanager.accounts.exporting import export_lines
from rssmanager.demo import samples
from rssmanager.demo.install_samples import YOUNG_FOR, begin, remove_samples, take_in, unfinished
from rssmanager.demo.process import finish
from rssmanager.demo.publishers import load_publishers
from rssmanager.demo.samples import SamplePublishers, moment_of, sample_feeds
from rssmanager.demo.tasks import LEFT_ALONE_FOR, ingest_samples, resume
from tests import make

NOW = datetime(2026, 11, 21, 9, 30, 40, tzinfo=UTC)
MOMENT = NOW.replace(second=0)
FEW = ("tidepool", "orbital-notes", "harbour-courier")  # four feeds, two of which share an article

stored = pytest.mark.django_db(transaction=True)
Enqueued = list[tuple[object, ...]]


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail on DNS lookups and on connections to anything but the test database and Redis."""
    look_up, connect = socket.getaddrinfo, socket.socket.connect
    own = urlsplit(settings.ENV.REDIS_URL)

    def is_own(address: tuple[object, ...]) -> bool:
        return bool(own.hostname) and tuple(address[:2]) == (own.hostname, own.port or 6379)

    def look_up_own(*given: Any, **named: Any) -> Any:
        assert is_own(given), f"the network was asked: {given}"
        return look_up(*given, **named)

    def connect_own(self: socket.socket, address: Any) -> None:
        assert is_own(address), f"the network was asked: {address}"
        connect(self, address)

    monkeypatch.setattr(socket, "getaddrinfo", look_up_own)
    monkeypatch.setattr(socket.socket, "connect", connect_own)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [(publisher, feed) for publisher in load_publishers() if publisher.key in FEW for feed in publisher.feeds]
    monkeypatch.setattr(samples, "_offered", lambda: chosen)


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> Enqueued:
    calls: Enqueued = []
    for module in ("rssmanager.demo.views", "rssmanager.demo.tasks", "reader.tasks.recurring"):
        monkeypatch.setattr(f"{module}.call_worker", lambda *given: calls.append(given))
    return calls


@pytest.fixture
def ada(client: Client) -> User:
    """Signed in."""
    user = make.user("ada")
    client.force_login(user)
    return user


def import_samples(user: User) -> Import:
    job = begin(user, now=timezone.now())
    take_in(job, now=timezone.now())
    deliver_new()
    return job


def rows_of(user: User) -> list[object]:
    """The rows of a user that following and unfollowing change."""
    return [
        list(model.objects.filter(user=user).order_by("pk").values())
        for model in (Subscription, Folder, Delivery, ArticleState, Import, Digest)
    ]


# Replacing the network


def test_url_always_returns_the_same_document() -> None:
    publishers = SamplePublishers("https://reader.example.org/samples")
    for sample_feed in sample_feeds(MOMENT):
        response = publishers.fetch(sample_feed.wanted.url)
        assert response.status == 200
        assert response.body == publishers.fetch(sample_feed.wanted.url, etag="x").body
        assert moment_of(sample_feed.wanted.url) == MOMENT


def test_urls_are_https_at_reserved_names() -> None:
    feeds = sample_feeds(MOMENT)
    assert all(feed.wanted.url.startswith(f"https://{feed.domain}/2026-11-21-0930/") for feed in feeds)
    assert all(feed.domain.endswith(".example") for feed in feeds)
    assert len({feed.wanted.url for feed in feeds}) == len(feeds) == 25


def test_offers_no_hostile_or_ended_feeds() -> None:
    titles = {sample_feed.wanted.title for sample_feed in sample_feeds(MOMENT)}
    assert not titles & {"Lanternfish", "Old Mill Echo"}


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("https://tidepool.example/feed.xml", id="no moment"),
        pytest.param("https://nobody.example/2026-11-21-0930/feed.xml", id="no publisher"),
        pytest.param("http://127.0.0.1/feed.xml", id="elsewhere"),
        pytest.param("https://tidepool.example/2026-11-21-0930/other", id="no feed"),
    ],
)
def test_other_urls_are_not_samples(url: str) -> None:
    with pytest.raises(FetchError):
        SamplePublishers("").fetch(url)


def test_serves_images_and_sounds_itself(client: Client) -> None:
    publishers = SamplePublishers("https://reader.example.org/samples")
    bodies = b"".join(publishers.fetch(sample_feed.wanted.url).body for sample_feed in sample_feeds(MOMENT)).decode(
        errors="replace"
    )
    for path in ("tidepool/images/chart-oyster-count.png", "night-bus-radio/audio/episode-88.mp3"):
        assert f"https://reader.example.org/samples/{path}" in bodies
        response = client.get(f"/samples/{path}")
        assert response["Content-Type"] in ("image/png", "audio/mpeg")
    assert ".example/2026-11-21-0930/images/" not in bodies


@pytest.mark.parametrize(
    "path",
    ["tidepool/images/other.png", "tidepool/feed.xml", "tidepool/audio/None.mp3", "nobody/images/x.png", "tidepool/"],
)
def test_serves_nothing_else(client: Client, path: str) -> None:
    assert client.get(f"/samples/{path}").status_code == 404


# Following and importing


@pytest.mark.slow
@stored
def test_fills_the_account() -> None:
    user = make.user()
    job = import_samples(user)
    job.refresh_from_db()
    assert (job.status, job.n_added, job.message) == (ImportStatus.DONE, 25, "")
    assert set(Poll.objects.values_list("outcome")) == {(PollOutcome.NEW,)}
    assert Delivery.objects.filter(user=user).values("article").distinct().count() == Article.objects.count() > 300
    recent = Article.objects.filter(published_at__gt=timezone.now() - timedelta(days=1)).count()
    assert recent > 60
    finish(user.pk)
    assert Delivery.objects.filter(user=user, is_rated=False).count() == 0
    assert Article.objects.exclude(story=None).count() > 30
    topics = DigestTopic.objects.filter(digest__user=user).values("digest__kind").annotate(n=Count("pk"))
    assert {topic["digest__kind"]: topic["n"] > 15 for topic in topics} == {Kind.TODAY: True, Kind.MORNING: True}
    assert Feed.objects.filter(icon__digest__gt="").count() > 10
    tiers = Source.objects.filter(domain__in=("meridian-wire.example", "quarry-lane.example"))
    assert dict(tiers.values_list("domain", "tier")) == {"meridian-wire.example": 1, "quarry-lane.example": 4}
    sidebar = sidebar_of(user, here="today")
    assert (sidebar.n_feeds, sidebar.n_samples, sidebar.n_attention) == (25, 25, 0)


@stored
@pytest.mark.usefixtures("few")
def test_starting_twice_adds_nothing() -> None:
    user = make.user()
    job = import_samples(user)
    counts = [model.objects.count() for model in (Feed, Article, Item, Delivery, Subscription, Folder, Import, Poll)]
    assert begin(user, now=timezone.now()) == job
    assert import_samples(user) == job
    finish(user.pk)
    finish(user.pk)
    again = [model.objects.count() for model in (Feed, Article, Item, Delivery, Subscription, Folder, Import, Poll)]
    assert again == counts
    assert Digest.objects.filter(user=user).count() == 2


@stored
@pytest.mark.usefixtures("few")
def test_users_share_only_feeds_and_articles() -> None:
    ada, bob = make.user(), make.user()
    import_samples(ada)
    counts = [model.objects.count() for model in (Feed, Article, Item, Poll)]
    star(ada, Article.objects.all()[0].pk, is_starred=True, now=NOW)
    before = rows_of(ada)
    import_samples(bob)
    finish(bob.pk)
    remove_samples(bob, now=timezone.now())
    assert [model.objects.count() for model in (Feed, Article, Item, Poll)] == counts
    assert rows_of(ada)[:2] + rows_of(ada)[3:] == before[:2] + before[3:]
    assert Subscription.objects.filter(user=bob).count() == 0


@stored
@pytest.mark.usefixtures("few")
def test_later_sign_up_gets_their_own_day() -> None:
    early, late, later = make.user(), make.user(), make.user()
    begin(early, now=NOW)
    begin(late, now=NOW + YOUNG_FOR - timedelta(minutes=1))
    begin(later, now=NOW + YOUNG_FOR)
    moments = [moment_of(url) for url in Feed.objects.order_by("pk").values_list("url", flat=True)]
    assert moments == [MOMENT] * 4 + [MOMENT + YOUNG_FOR] * 4


@stored
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("killed_after", [0, 1, 3])
def test_continues_after_a_kill_between_documents(
    monkeypatch: pytest.MonkeyPatch, enqueued: Enqueued, killed_after: int
) -> None:
    user = make.user()
    job = begin(user, now=timezone.now())
    with monkeypatch.context() as patched:
        store = Poller._store_group

        def die(poller: Poller) -> None:
            if Poll.objects.count() == killed_after:
                raise SystemExit
            store(poller)

        patched.setattr("feeds.polling.storing.MAX_POLLS", 1)
        patched.setattr(Poller, "_store_group", die)
        patched.setattr(
            "feeds.polling.leases.release", lambda *given, **named: None
        )  # a killed process releases nothing
        with pytest.raises(SystemExit):
            ingest_samples(job.pk)
    assert Poll.objects.count() == killed_after
    assert Source.objects.exclude(lease_token=None).exists()
    assert unfinished(begun_before=timezone.now()) == [job.pk]
    ingest_samples(job.pk)
    assert Poll.objects.count() == Poll.objects.values("feed").distinct().count() == 4
    assert Feed.objects.filter(last_success_at=None).count() == 0
    assert unfinished(begun_before=timezone.now()) == []
    assert Delivery.objects.filter(user=user).values("article").distinct().count() == Article.objects.count()
    assert enqueued[-1] == ("rssmanager.demo.process.finish", user.pk)


@stored
@pytest.mark.usefixtures("few")
def test_interrupted_work_is_resumed_only_by_its_task(enqueued: Enqueued) -> None:
    job = begin(make.user(), now=NOW)
    long_ago = timezone.now() - timedelta(hours=1)
    Import.objects.update(created_at=timezone.now() - LEFT_ALONE_FOR / 2)
    resume()
    assert Import.objects.get().status == ImportStatus.WAITING
    Import.objects.update(created_at=long_ago)
    resume_imports()
    assert Import.objects.get().status == ImportStatus.WAITING
    resume()
    job.refresh_from_db()
    assert (job.status, Poll.objects.count()) == (ImportStatus.DONE, 4)
    resume()
    assert Poll.objects.count() == 4


# Never polled, never reported as broken


@stored
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("is_taken", [False, True], ids=["waiting", "taken in"])
def test_is_never_polled(is_taken: bool) -> None:
    user = make.user()
    if is_taken:
        import_samples(user)
    else:
        begin(user, now=NOW)
    n_polls = Poll.objects.count()
    later = timezone.now() + timedelta(days=9)
    make_due(Feed.objects.all(), timezone.now())
    assert list(due_feeds(later)) == []
    assert claim(later, token=uuid4(), limit=10).feeds == ()
    poll()
    poll_feeds(list(Feed.objects.values_list("pk", flat=True)))
    call_command("poll", "--all", "--no-events", stdout=StringIO())
    assert Poll.objects.count() == n_polls
    assert Feed.objects.exclude(status=FeedStatus.SAMPLE).count() == 0


@stored
@pytest.mark.usefixtures("few")
def test_samples_are_labelled_and_not_unhealthy() -> None:
    user = make.user()
    import_samples(user)
    for feed in Feed.objects.all():
        assert (feed.condition, feed.next_poll_at) == (Condition.WELL, None)
        sentence = feed_sentence(feed, feed.polls.get(), timezone.now())
        assert sentence == "A sample feed that came with the app. It's never polled."
        assert request_poll(feed, now=timezone.now()) == "This is a sample feed that came with the app."


@stored
@pytest.mark.usefixtures("few")
def test_samples_are_not_exported() -> None:
    user = make.user()
    own = make.subscription(user)
    import_samples(user)
    assert [outline.url for outline in export_list(user)] == [own.feed.url]
    lines = export_lines(user, now=NOW)
    assert [line["url"] for line in lines if line["kind"] == "feed"] == [own.feed.url]


# Unfollowing and returning


@stored
@pytest.mark.usefixtures("few")
def test_undoing_unfollow_restores_emptied_folders() -> None:
    user = make.user()
    own = make.subscription(user, folder=make.folder(user, "Science"))
    make.folder(user, "Empty before")
    import_samples(user)
    finish(user.pk)
    starred = Article.objects.filter(feed__title="Orbital Notes")[0]
    star(user, starred.pk, is_starred=True, now=NOW)
    before = _places(user)
    assert {"News", "Science"} == {folder for folder, _, _ in before}
    removed = remove_samples(user, now=timezone.now())
    assert _places(user) == [("Science", own.feed.url, 0)]
    assert set(Folder.objects.filter(user=user).values_list("name", flat=True)) == {"Science", "Empty before"}
    assert not front_pages(user).exists()
    assert ArticleState.objects.get(user=user, is_starred=True).article == starred
    assert remove_samples(user, now=timezone.now()) == []
    assert len(undo_unfollow(user, removed[0], now=timezone.now())) == 4
    assert _places(user) == before


def _places(user: User) -> list[tuple[str, str, int]]:
    mine = Subscription.objects.filter(user=user).annotate(n=Count("deliveries"))
    return sorted(mine.values_list("folder__name", "feed__url", "n"))


@stored
@pytest.mark.usefixtures("few")
def test_recreated_folder_is_reused() -> None:
    user = make.user()
    import_samples(user)
    removed = remove_samples(user, now=timezone.now())
    make.folder(user, "Science")
    undo_unfollow(user, removed[0], now=timezone.now())
    assert Folder.objects.filter(user=user).count() == 2
    assert Subscription.objects.filter(user=user, folder=None).count() == 0


@stored
@pytest.mark.usefixtures("few")
def test_folder_with_a_rule_stays() -> None:
    user = make.user()
    import_samples(user)
    folder = Folder.objects.get(user=user, name="Science")
    rule = make.rule(user, words="whale", folder=folder)
    remove_samples(user, now=timezone.now())
    rule.refresh_from_db()
    assert (rule.folder, Folder.objects.get(user=user)) == (folder, folder)


@stored
@pytest.mark.usefixtures("few")
def test_undoing_before_a_worker_starts_prevents_it(enqueued: Enqueued) -> None:
    user = make.user()
    job = begin(user, now=NOW)
    assert remove_samples(user, now=NOW) == []
    ingest_samples(job.pk)
    assert Subscription.objects.count() == Poll.objects.count() == 0
    assert begin(user, now=NOW) != job


# Pages and commands


@stored
@pytest.mark.usefixtures("few")
def test_one_click_starts_and_a_second_continues(client: Client, ada: User, enqueued: Enqueued) -> None:
    first = client.post("/samples/")
    second = client.post("/samples/")
    job = Import.objects.get(user=ada)
    assert first["Location"] == second["Location"] == f"/imports/{job.pk}/"
    assert enqueued == [("rssmanager.demo.tasks.ingest_samples", job.pk)] * 2
    ingest_samples(job.pk)
    client.post("/samples/")
    assert enqueued[2:] == [("rssmanager.demo.process.finish", ada.pk)]


@stored
@pytest.mark.usefixtures("few")
def test_unfollow_can_be_undone(client: Client, ada: User, enqueued: Enqueued) -> None:
    import_samples(ada)
    page = client.post("/samples/leave/", {"next": "/health/"}, follow=True)
    assert page.redirect_chain == [("/health/", 302)]
    assert "Sample feeds removed." in page.content.decode()
    assert Subscription.objects.count() == 0
    undo = str(next(iter(page.context["messages"])).extra_tags)
    client.post(undo)
    assert Subscription.objects.filter(user=ada).count() == 4


@stored
def test_unfollowing_none_says_so(client: Client, ada: User) -> None:
    own = make.subscription(ada)
    page = client.post("/samples/leave/", follow=True)
    assert "follow any sample feeds." in page.content.decode()
    assert Subscription.objects.get() == own


@stored
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("path", ["/samples/", "/samples/leave/"])
def test_access(client: Client, path: str, enqueued: Enqueued) -> None:
    mine = make.user()
    import_samples(mine)
    before = rows_of(mine)
    n_imports = Import.objects.count()
    assert client.post(path)["Location"] == f"/login/?next={path}"
    client.force_login(make.user())
    assert client.get(path).status_code == 405
    assert Client(enforce_csrf_checks=True).post(path).status_code in (302, 403)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(make.user())
    assert strict.post(path).status_code == 403
    assert (Import.objects.count(), enqueued) == (n_imports, [])
    assert client.post(path).status_code == 302
    assert rows_of(mine) == before


PLACES = ["/subscribe/", "/", "/all/", "/health/", "/for-you/"]


@stored
@pytest.mark.parametrize("path", PLACES)
def test_offered_only_to_users_without_feeds(client: Client, ada: User, path: str) -> None:
    assert 'action="/samples/"' in client.get(path).content.decode()
    make.subscription(ada)
    assert "/samples/" not in client.get(path).content.decode()


@stored
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("path", ["/subscribe/", "/health/"])
def test_unfollowing_is_offered_while_they_are_followed(client: Client, ada: User, path: str) -> None:
    import_samples(ada)
    page = client.get(path).content.decode()
    assert "You're using 4 sample feeds." in page
    assert 'action="/samples/leave/"' in page


@stored
@pytest.mark.usefixtures("few")
def test_command_adds_and_removes_samples() -> None:
    make.user("ada")
    report = json.loads(_said("samples", "--user", "ada", "--json"))
    assert (report["feeds"], report["articles"]) == (4, Article.objects.count())
    assert report["rated"] == Delivery.objects.count()
    assert _said("samples", "--user", "ada").startswith("4 sample feeds followed: ")
    assert json.loads(_said("samples", "--user", "ada", "--remove", "--json")) == {"removed": 4}
    assert _said("samples", "--user", "ada", "--remove") == "0 sample feeds removed.\n"


def _said(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()
