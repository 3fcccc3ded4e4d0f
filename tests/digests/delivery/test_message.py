"""The mail as a mail client reads it, whatever strangers wrote into it."""

import re
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

import pytest
from pytest_django import Settings

from digests.delivery.errors import NotAccepted
from digests.delivery.message import MAX_SUBJECT, compose
from tests.digests.mails import letter, links
from tests.make import NOW

MESSAGE_ID = f"<{'0123456789abcdef' * 2}@a-rather-long-name-of-a-machine.reader.example.org>"


@pytest.fixture(autouse=True)
def _site(settings: Settings) -> None:
    settings.BASE_URL = "https://reader.example.org"
    settings.DEFAULT_FROM_EMAIL = "Léa's reader <digests@reader.example.org>"


def wire(recipient: str = "ada@example.org", **values: str) -> bytes:
    """A letter as Django's mail backend sends it."""
    mail = compose(letter(**values), recipient=recipient, message_id=MESSAGE_ID, written_at=NOW, links=links())
    return cast(bytes, mail.message().as_bytes(linesep="\r\n"))


def read(sent: bytes) -> EmailMessage:
    """The email as a mail app reads it."""
    return cast(EmailMessage, message_from_bytes(sent, policy=policy.default))


def text_of(message: EmailMessage, kind: str) -> str:
    body = message.get_body((kind,))
    assert body is not None
    return str(body.get_content())


def test_headers_have_sender_subject_and_unsubscribe() -> None:
    head = read(wire())
    assert {name: str(value) for name, value in head.items() if name != "Content-Type"} == {
        "MIME-Version": "1.0",
        "Subject": "Morning brief",
        "From": '"Léa\'s reader" <digests@reader.example.org>'
        if False
        else "Léa's reader <digests@reader.example.org>",
        "To": "ada@example.org",
        "Message-ID": MESSAGE_ID,
        "Date": "Wed, 04 Mar 2026 12:00:00 +0000",
        "List-Id": "<morning.digests.reader.example.org>",
        "List-Unsubscribe": f"<{links().unsubscribe}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    assert head["Date"].datetime == NOW


def test_there_are_a_text_and_then_a_page_of_the_same() -> None:
    message = read(wire(text="Grüße aus Köln – 日本語\n", html="<p>Grüße aus Köln – 日本語</p>"))
    assert message.get_content_type() == "multipart/alternative"
    parts = list(message.iter_parts())
    assert [part.get_content_type() for part in parts] == ["text/plain", "text/html"]
    assert [part.get_content_charset() for part in parts] == ["utf-8", "utf-8"]
    assert text_of(message, "plain") == "Grüße aus Köln – 日本語\r\n"
    assert text_of(message, "html").strip() == "<p>Grüße aus Köln – 日本語</p>"
    assert not message.defects
    assert not any(part.defects for part in parts)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Plain words\n", "quoted-printable"),
        ("Die Größe der Stadt Zürich bleibt in diesem Jahr unverändert\n", "quoted-printable"),
        ("日本語の見出し\n" * 50, "base64"),
        ("Учёные нашли на Камчатке\n" * 50, "base64"),
        ("", "quoted-printable"),
    ],
    ids=["English", "German", "Japanese", "Russian", "empty"],
)
def test_bodies_are_written_so_that_every_server_passes_them_on(text: str, encoding: str) -> None:
    sent = wire(text=text or "\n", html=text or "\n")
    assert sent.isascii()
    assert {part["Content-Transfer-Encoding"] for part in read(sent).iter_parts()} == {encoding}
    assert text_of(read(sent), "plain") == (text or "\n").replace("\n", "\r\n")


@pytest.mark.parametrize(
    "text",
    ["x" * 5000, "日" * 5000, "word " * 2000, "=" * 3000, "\t" * 3000, "a\u2028b\x85c\x0bd" * 500],
    ids=["one long word", "long Japanese", "long line", "equals signs", "tabs", "odd ends of lines"],
)
def test_no_line_is_longer_than_the_standard_allows(text: str) -> None:
    sent = wire(text=text, html=f"<p>{text}</p>", subject=text)
    assert max(map(len, sent.split(b"\r\n"))) <= 998
    assert text_of(read(sent), "plain") == text


@pytest.mark.parametrize(
    "subject",
    [
        "Hello\r\nBcc: victim@example.org",
        "Hello\nBcc: victim@example.org\n\nA body",
        "Hello\rBcc: victim@example.org",
        "Hello\x85Bcc: victim@example.org",
        "Hello\u2028Bcc: victim@example.org",
        "Hello\x00\x1b[31m\nBcc: victim@example.org",
    ],
    ids=["CRLF", "LF", "CR", "NEL", "line separator", "controls"],
)
def test_a_title_adds_no_header(subject: str) -> None:
    message = read(wire(subject=subject))
    assert message["Bcc"] is None
    assert len(message.get_all("Subject", [])) == 1
    assert str(message["Subject"]).startswith("Hello")
    assert str(message["Subject"]).isprintable()
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]


@pytest.mark.parametrize(
    "subject",
    ["Ein Überblick", "朝のまとめ", "צהריים: עדכון", "=?utf-8?b?QmNjOiB4QHkueg==?=", "Plain", "🙂 news"],
)
def test_subject_arrives_unchanged(subject: str) -> None:
    sent = wire(subject=subject)
    assert sent.partition(b"\r\n\r\n")[0].isascii()
    assert str(read(sent)["Subject"]) == subject
    assert b"\r\nSubject: \r\n" not in sent


def test_long_non_latin_subject_is_folded() -> None:
    head = wire(subject="日本語の見出し " * 15).partition(b"\r\n\r\n")[0]
    assert max(len(line) for line in head.split(b"\r\n") if b"=?utf-8" in line) <= 78
    assert str(read(head + b"\r\n\r\n")["Subject"]) == ("日本語の見出し " * 15).strip()


def test_a_long_subject_is_cut_with_a_sign() -> None:
    subject = str(read(wire(subject="word " * 100))["Subject"])
    assert len(subject) <= MAX_SUBJECT
    assert subject.endswith("word…")


@pytest.mark.parametrize("header", ["Message-ID", "List-Unsubscribe", "List-Id"])
def test_address_header_stays_on_one_line(header: str) -> None:
    head = wire().partition(b"\r\n\r\n")[0].decode()
    assert re.search(rf"(?m)^{header}: <\S+>\r?$", head)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ada",
        "ada@",
        "@example.org",
        "ada@example.org\nBcc: victim@example.org",
        "ada@example.org\r\nRCPT TO:<victim@example.org>",
        "ada@example.org, victim@example.org",
        "ada@example.org victim@example.org",
        "<>",
        "añil@example.org",
    ],
)
def test_an_address_that_is_none_is_refused_for_good(address: str) -> None:
    with pytest.raises(NotAccepted, match="isn't valid") as caught:
        wire(recipient=address)
    assert caught.value.is_final


def test_retries_differ_only_in_boundaries() -> None:
    first, second = (re.sub(rb"={15}\d+==", b"", wire()) for _ in range(2))
    assert first == second


def test_international_host_name_becomes_ascii(settings: Settings) -> None:
    settings.BASE_URL = "https://lesen.zürich.example:8443"
    assert str(read(wire())["List-Id"]) == "<morning.digests.lesen.xn--zrich-kva.example>"


def test_links_in_the_mail_do_not_depend_on_who_asks(settings: Settings) -> None:
    assert str(read(wire())["List-Unsubscribe"]).startswith("<https://reader.example.org/mail/unsubscribe/morning.1.")
    assert links().written_at + timedelta(days=30) > NOW
