"""Pictures in digest emails, sent to a real mail server and fetched from a real web server."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_network

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from lxml import html
from pytest_django import Settings

from digests.delivery import pictures
from digests.delivery.enqueue import cancel_email, queue
from digests.delivery.links import ACTIONS_VALID_FOR, Subscribed, picture_token
from digests.delivery.pictures import MAX_MAIL_BYTES, MAX_PICTURE_BYTES, MAX_PICTURES, picture_for
from digests.delivery.preferences import save_mail_pictures
from digests.delivery.sending import SendReport, send_one
from digests.edition.document import SectionName
from digests.models import Mailing
from feeds.content.image_proxy import image_fetcher
from feeds.models import Article
from reader.models import MailPictures, Subscription
from tests import make
from tests.digests import kept
from tests.digests.editions import topic as any_topic
from tests.digests.mail_server import RealServer, Received
from tests.digests.mails import reader_with_mail, use_smtp
from tests.feeds.servers import Script, ScriptedServer, answer, moved, silent
from tests.make import NOW

pytestmark = pytest.mark.django_db

JPEG = b"\xff\xd8\xff" + b"j" * 5_000
PNG = b"\x89PNG\r\n\x1a\n" + b"p" * 5_000
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'>" + b" " * 5_000 + b"</svg>"


@pytest.fixture(autouse=True)
def _web(settings: Settings) -> Iterator[None]:
    """Servers on 127.0.0.2 represent the web; 127.0.0.1 is a private network."""
    allowed = (ip_network("127.0.0.2/32"),)
    settings.ENV = replace(settings.ENV, IMAGE_PROXY=True, FETCH_ALLOWED_NETWORKS=allowed, FETCH_TIMEOUT=0.5)
    settings.BASE_URL = "https://reader.example.org"
    image_fetcher.cache_clear()
    yield
    image_fetcher.cache_clear()


@pytest.fixture
def mail_server(settings: Settings) -> Iterator[RealServer]:
    server = RealServer()
    use_smtp(settings, server.port)
    yield server
    server.close()


@pytest.fixture
def web() -> Iterator[ScriptedServer]:
    server = ScriptedServer("127.0.0.2")
    yield server
    server.close()


@pytest.fixture
def ada() -> Subscription:
    return make.subscription(reader_with_mail())


def mailed(ada: Subscription, *urls: str, section: SectionName = SectionName.TOP) -> Mailing:
    """The email of a digest with a topic for each of these pictures; "" for a lead without one."""
    topics = [kept.topic(ada, section, label=f"Story {place}") for place, _ in enumerate(urls, start=1)]
    for topic, url in zip(topics, urls, strict=True):
        media = [{"url": url, "mime_type": "image/jpeg"}] if url else []
        Article.objects.filter(pk=topic.lead.article_id).update(media=media)
    return queue(kept.digest(ada.user, *topics), now=NOW)


def sent(mailing: Mailing, server: RealServer) -> Received:
    assert send_one(mailing, clock=lambda: NOW) == SendReport(n_sent=1)
    return server.received[-1]


def sources(mail: Received) -> list[str]:
    """What the HTML's pictures are loaded from."""
    return [str(src) for src in html.document_fromstring(mail.part("html")).xpath("//img/@src")]


def attached(mail: Received) -> dict[str, bytes]:
    """The email's pictures by content id, as the HTML names them."""
    parts = mail.message.walk()
    return {
        "cid:" + str(part["Content-ID"]).strip("<>"): part.get_payload(decode=True)
        for part in parts
        if part.get_content_maintype() == "image"
    }


def test_pictures_are_attached_and_shown_in_the_html(
    ada: Subscription, web: ScriptedServer, mail_server: RealServer
) -> None:
    web.on("/a.jpg", answer(200, JPEG))
    web.on("/b.png", answer(200, PNG))
    mail = sent(mailed(ada, web.url("/a.jpg"), "", web.url("/b.png")), mail_server)
    message = mail.message
    assert message.get_content_type() == "multipart/alternative"
    plain, related = message.iter_parts()
    assert (plain.get_content_type(), related.get_content_type()) == ("text/plain", "multipart/related")
    assert [part.get_content_type() for part in related.iter_parts()] == ["text/html", "image/jpeg", "image/png"]
    assert [part.get_content_disposition() for part in related.iter_parts()] == [None, "inline", "inline"]
    assert [part for part in message.walk() if part.defects] == []
    found = attached(mail)
    assert sources(mail) == list(found)
    assert list(found.values()) == [JPEG, PNG]
    assert "cid:" not in mail.part("plain")
    assert [request.headers.get("cookie") for request in web.requests] == [None, None]


def test_email_without_pictures_is_as_before(ada: Subscription, mail_server: RealServer) -> None:
    mail = sent(mailed(ada, "", ""), mail_server)
    assert [part.get_content_type() for part in mail.message.iter_parts()] == ["text/plain", "text/html"]
    assert sources(mail) == []


Answer = Callable[[ScriptedServer], Script]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(lambda web: answer(404), id="missing"),
        pytest.param(lambda web: answer(500, JPEG), id="failing"),
        pytest.param(lambda web: answer(200, SVG, content_type="image/jpeg"), id="SVG"),
        pytest.param(lambda web: answer(200, b"BM" + b"b" * 5_000), id="BMP"),
        pytest.param(lambda web: answer(200, b"GIF89a" + b"g" * 30), id="a pixel"),
        pytest.param(lambda web: answer(200, JPEG[:3] + b"j" * MAX_PICTURE_BYTES), id="too large"),
        pytest.param(lambda web: moved(302, "http://127.0.0.1:1/a.jpg"), id="a private network"),
        pytest.param(lambda web: silent(web), id="never answering"),
    ],
)
def test_email_is_sent_without_unusable_pictures(
    ada: Subscription, web: ScriptedServer, mail_server: RealServer, script: Answer
) -> None:
    web.on("/bad", script(web))
    web.on("/good.jpg", answer(200, JPEG))
    mail = sent(mailed(ada, web.url("/bad"), web.url("/good.jpg")), mail_server)
    assert list(attached(mail).values()) == [JPEG]
    assert sources(mail) == list(attached(mail))
    assert "Story 1" in mail.part("html")


def test_a_bug_in_fetching_does_not_hold_the_email_back(
    ada: Subscription, mail_server: RealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "fetch_picture", lambda url, fetcher: 1 / 0)
    assert sources(sent(mailed(ada, "https://paper.example/a.jpg"), mail_server)) == []


def test_email_turned_off_while_fetching_is_not_sent(
    ada: Subscription, mail_server: RealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    mailing = mailed(ada, "https://paper.example/a.jpg")
    monkeypatch.setattr(
        pictures, "fetch_picture", lambda url, fetcher: cancel_email(Subscribed(ada.user_id, "morning")) and None
    )
    assert send_one(mailing, clock=lambda: NOW) == SendReport()
    assert mail_server.received == []


def test_fetching_ends_at_the_time_limit(
    ada: Subscription, web: ScriptedServer, mail_server: RealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "SECONDS", 0.0)
    web.on("/a.jpg", answer(200, JPEG))
    assert attached(sent(mailed(ada, web.url("/a.jpg")), mail_server)) == {}
    assert web.requests == []


def test_email_stays_below_its_limit(ada: Subscription, web: ScriptedServer, mail_server: RealServer) -> None:
    large = JPEG[:3] + b"j" * (MAX_PICTURE_BYTES - 3)
    for place in range(6):
        web.on(f"/{place}.jpg", answer(200, large))
    mail = sent(mailed(ada, *(web.url(f"/{place}.jpg") for place in range(6))), mail_server)
    assert len(attached(mail)) == 2  # a third one of this size doesn't fit
    assert MAX_MAIL_BYTES / 2 < len(mail.content) < MAX_MAIL_BYTES
    assert len(web.requests) <= MAX_PICTURES


def test_lesser_topics_have_no_pictures(ada: Subscription, web: ScriptedServer, mail_server: RealServer) -> None:
    mail = sent(mailed(ada, web.url("/a.jpg"), section=SectionName.NOTEWORTHY), mail_server)
    assert (attached(mail), web.requests) == ({}, [])


def test_without_pictures_nothing_is_fetched(ada: Subscription, web: ScriptedServer, mail_server: RealServer) -> None:
    save_mail_pictures(ada.user, MailPictures.NONE)
    mail = sent(mailed(ada, web.url("/a.jpg")), mail_server)
    assert (sources(mail), attached(mail), web.requests) == ([], {}, [])


def test_articles_that_the_user_cannot_see_have_no_picture(
    ada: Subscription, web: ScriptedServer, mail_server: RealServer
) -> None:
    article = make.article(media=[{"url": web.url("/a.jpg"), "mime_type": "image/jpeg"}])
    topic = any_topic()
    topic = replace(topic, lead=replace(topic.lead, article_id=article.pk))
    mail = sent(queue(kept.digest(ada.user, topic), now=NOW), mail_server)
    assert (sources(mail), web.requests) == ([], [])


class TestLoaded:
    """Pictures that mail apps load from this server."""

    @pytest.fixture
    def src(self, ada: Subscription, web: ScriptedServer, mail_server: RealServer) -> str:
        """What the only picture of an email is loaded from."""
        web.on("/a.jpg", answer(200, JPEG))
        save_mail_pictures(ada.user, MailPictures.SERVER)
        mailing = mailed(ada, web.url("/a.jpg"))
        Mailing.objects.update(created_at=timezone.now())
        mail = sent(Mailing.objects.get(pk=mailing.pk), mail_server)
        assert (attached(mail), web.requests) == ({}, [])  # nothing is fetched before the email is opened
        (source,) = sources(mail)
        assert web.url("/a.jpg") not in mail.part("html")
        return source.removeprefix("https://reader.example.org")

    def test_loads_without_signing_in(self, src: str, client: Client) -> None:
        response = client.get(src)
        assert (response.status_code, response.content, response["Content-Type"]) == (200, JPEG, "image/jpeg")
        assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"
        assert response["Cross-Origin-Resource-Policy"] == "cross-origin"  # or webmail couldn't show it
        assert response.cookies == {}
        assert client.post(src).status_code == 405

    def test_forged_tokens_are_404(self, src: str, client: Client, web: ScriptedServer) -> None:
        head, _, token = src.rstrip("/").rpartition("/")
        for forged in (token[:-1], token.replace(".", ".9", 1), "a", "1.2.3.x"):
            assert client.get(f"{head}/{forged}/").status_code == 404
        assert web.requests == []

    def test_expired_token_is_404(self, src: str, client: Client, ada: Subscription) -> None:
        article = Article.objects.get(media__0__url__endswith="/a.jpg")
        until = timezone.now() - timedelta(seconds=1)
        token = picture_token(ada.user_id, article.pk, until=until)
        assert client.get(f"/mail/picture/{token}/").status_code == 404
        valid = picture_token(ada.user_id, article.pk, until=until + ACTIONS_VALID_FOR)
        assert client.get(f"/mail/picture/{valid}/").status_code == 200

    def test_ends_with_the_account_or_the_feed(self, src: str, client: Client, ada: Subscription) -> None:
        article = Article.objects.get(media__0__url__endswith="/a.jpg")
        assert picture_for(ada.user_id, article.pk)
        assert picture_for(make.user("other").pk, article.pk) == ""
        User.objects.filter(pk=ada.user_id).update(is_active=False)
        assert client.get(src).status_code == 404

    def test_without_the_proxy_pictures_are_attached(
        self, src: str, client: Client, ada: Subscription, settings: Settings
    ) -> None:
        settings.ENV = replace(settings.ENV, IMAGE_PROXY=False)
        assert client.get(src).status_code == 404
        assert pictures.mail_pictures_of(ada.user) == MailPictures.ATTACHED
