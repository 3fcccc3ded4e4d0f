"""The exchange with a mail server: taken once, or surely not, or in doubt, and each is told from the others."""

import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from pytest_django import Settings

from digests.delivery.errors import ClaimLost, NotAccepted, Unconfirmed
from digests.delivery.message import compose
from digests.delivery.smtp import MailServer
from tests.digests.mail_server import OK, PATIENCE, Conversation, RealServer, Script, ScriptedServer, free_port
from tests.digests.mails import letter, links, use_smtp
from tests.make import NOW

TIMEOUT = 0.2  # seconds; for servers that never answer, so nothing depends on how long it is
PASSWORD = "not so secret after all"


class Post:
    """Mails sent from a test, and what was recorded on the way."""

    def __init__(self) -> None:
        self.n_handed_over = 0

    def hand_over(self) -> bool:
        self.n_handed_over += 1
        return True

    def send(self, server: MailServer, message: EmailMessage | None = None) -> None:
        server.deliver(message or mail_to(), hand_over=self.hand_over)


def mail_to(recipient: str = "ada@example.org", **values: str) -> EmailMessage:
    return compose(letter(**values), recipient=recipient, message_id="<1@x>", written_at=NOW, links=links())


@pytest.fixture(autouse=True)
def _sender(settings: Settings) -> None:
    settings.DEFAULT_FROM_EMAIL = "Reader <digests@reader.example.org>"


@pytest.fixture
def post() -> Post:
    return Post()


@pytest.fixture
def real(settings: Settings) -> Iterator[RealServer]:
    server = RealServer()
    use_smtp(settings, server.port)
    yield server
    server.close()


@pytest.fixture
def scripted(settings: Settings) -> Iterator[Callable[..., ScriptedServer]]:
    made: list[ScriptedServer] = []

    def make(*scripts: Script, **values: Any) -> ScriptedServer:
        made.append(ScriptedServer(*scripts, **values))
        use_smtp(settings, made[-1].port)
        return made[-1]

    yield make
    for each in made:
        each.close()


# Taken


def test_a_mail_arrives_whole(real: RealServer, post: Post) -> None:
    with MailServer() as server:
        post.send(server, mail_to(subject="Grüße", text="Zeile\n.\n..\nEnde ß\n", html="<p>ß</p>"))
    taken = real.received[0]
    assert (taken.sender, taken.recipients) == ("digests@reader.example.org", ["ada@example.org"])
    assert taken.part("plain") == "Zeile\n.\n..\nEnde ß\n"
    assert taken.part("html").strip() == "<p>ß</p>"
    assert str(taken.message["Subject"]) == "Grüße"
    assert len(real.received) == post.n_handed_over == 1


def test_one_connection_serves_many_mails(real: RealServer, post: Post) -> None:
    with MailServer() as server:
        for _ in range(3):
            post.send(server)
    assert (len(real.received), real.n_connections, post.n_handed_over) == (3, 1, 3)


def test_refused_email_keeps_the_connection_open(real: RealServer, post: Post) -> None:
    real.say("RCPT", "550 no such user")
    real.say("DOT", "554 looks like spam", "451 busy")
    with MailServer() as server:
        for _ in range(3):
            with pytest.raises(NotAccepted):
                post.send(server)
        post.send(server)
    assert (len(real.received), real.n_connections) == (1, 1)


def test_closed_connection_is_reopened(scripted: Callable[..., ScriptedServer], post: Post) -> None:
    def once(talk: Conversation) -> None:
        talk.until("DATA")
        talk.body()
        talk.say(OK)

    server = scripted(once)
    with MailServer() as open_server:
        post.send(open_server)
        post.send(open_server)
    assert server.n_connections == post.n_handed_over == 2


def test_a_domain_with_non_ascii_letters_is_sent_as_ascii(real: RealServer, post: Post) -> None:
    with MailServer() as server:
        post.send(server, mail_to("ada@bücher.example", text="Hallo ß\n"))
    assert real.received[0].recipients == ["ada@xn--bcher-kva.example"]
    assert real.received[0].part("plain") == "Hallo ß\n"


def test_other_backends_are_simply_given_the_mail(settings: Settings, post: Post) -> None:
    with MailServer() as server:
        post.send(server)
    assert [each.subject for each in mail.outbox] == ["Morning brief"]
    assert post.n_handed_over == 1


def test_canceled_email_reaches_no_backend() -> None:
    with MailServer() as server, pytest.raises(ClaimLost):
        server.deliver(mail_to(), hand_over=lambda: False)
    assert mail.outbox == []


# Surely not taken


@pytest.mark.parametrize(
    ("command", "answer", "is_final", "is_for_all", "words"),
    [
        ("RCPT", "451 4.7.1 Greylisted, try again later", False, False, "“451 4.7.1 Greylisted, try again later”"),
        ("RCPT", "550 5.1.1 <ada@example.org>: no such user", True, False, "refuses the address: “550 5.1.1"),
        ("RCPT", "421 closing", False, True, "“421 closing”"),
        ("MAIL", "452 no space", False, False, "doesn't accept the sender right now: “452 no space”"),
        ("MAIL", "553 sender not allowed", True, False, "refuses the sender: “553 sender not allowed”"),
        ("MAIL", "530 5.7.0 Authentication required", False, True, "EMAIL_URL: “530 5.7.0 Authentication"),
        ("DOT", "451 busy", False, False, "doesn't accept the email right now: “451 busy”"),
        ("DOT", "554 spam", True, False, "refuses the email: “554 spam”"),
    ],
)
def test_refusal_quotes_the_server(
    real: RealServer, post: Post, command: str, answer: str, is_final: bool, is_for_all: bool, words: str
) -> None:
    real.say(command, answer)
    with MailServer() as server, pytest.raises(NotAccepted) as caught:
        post.send(server)
    assert (caught.value.is_final, caught.value.is_for_all) == (is_final, is_for_all)
    assert words in str(caught.value)
    assert not real.received
    assert post.n_handed_over == (command == "DOT")  # only once the server accepts sender and address


def test_unreachable_server_keeps_email_waiting(settings: Settings, post: Post) -> None:
    use_smtp(settings, port := free_port())
    with MailServer() as server, pytest.raises(NotAccepted) as caught:
        post.send(server)
    assert str(caught.value) == f"The mail server 127.0.0.1:{port} can't be reached: Connection refused."
    assert (caught.value.is_final, caught.value.is_for_all, post.n_handed_over) == (False, True, 0)


def test_a_host_that_has_no_address_is_tried_again(
    settings: Settings, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*args: object, **values: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    use_smtp(settings, 25)
    settings.EMAIL_HOST = "mail.invalid"
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with (
        MailServer() as server,
        pytest.raises(NotAccepted, match=r"mail\.invalid:25 can't be reached: Name or") as caught,
    ):
        post.send(server)
    assert caught.value.is_for_all


def _no_banner(talk: Conversation) -> None:
    talk.hold()


def _closes_at_once(talk: Conversation) -> None:
    pass


def _too_busy(talk: Conversation) -> None:
    talk.say("421 too many connections")


def _not_mail(talk: Conversation) -> None:
    talk.say("HTTP/1.1 400 Bad Request", "", "")


def _silent_after_hello(talk: Conversation) -> None:
    talk.say("220 mail.test")
    talk.hold()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (_no_banner, "can't be used: Connection unexpectedly closed: timed out"),
        (_closes_at_once, "can't be used: Connection unexpectedly closed"),
        (_too_busy, "doesn't accept email right now: “421 too many connections”"),
        (_not_mail, "doesn't accept email right now: “/1.1 400"),
        (_silent_after_hello, "can't be used: Connection unexpectedly closed: timed out"),
    ],
)
def test_a_server_that_does_not_begin_takes_no_mail(
    scripted: Callable[..., ScriptedServer], post: Post, script: Script, words: str
) -> None:
    scripted(script)
    with MailServer(timeout=TIMEOUT) as server, pytest.raises(NotAccepted) as caught:
        post.send(server)
    assert words in str(caught.value)
    assert (caught.value.is_final, caught.value.is_for_all, post.n_handed_over) == (False, True, 0)


def _silent_at(command: str) -> Script:
    def script(talk: Conversation) -> None:
        talk.until(command)
        talk.hold()

    return script


def _closes_at(command: str) -> Script:
    return lambda talk: talk.until(command)


def _no_data(talk: Conversation) -> None:
    talk.until("DATA")
    talk.say("451 not now")
    talk.hold()


@pytest.mark.parametrize(
    "script",
    [
        _silent_at("MAIL"),
        _silent_at("RCPT"),
        _silent_at("DATA"),
        _closes_at("MAIL"),
        _closes_at("RCPT"),
        _closes_at("DATA"),
        _no_data,
    ],
    ids=[
        "silent at MAIL",
        "silent at RCPT",
        "silent at DATA",
        "closes at MAIL",
        "closes at RCPT",
        "closes at DATA",
        "refuses DATA",
    ],
)
def test_whatever_breaks_before_the_dot_is_no_doubt(
    scripted: Callable[..., ScriptedServer], post: Post, script: Script
) -> None:
    scripted(script)
    body = "x" * 72 + "\n"
    with MailServer(timeout=TIMEOUT, answer_timeout=TIMEOUT) as server, pytest.raises(NotAccepted) as caught:
        post.send(server, mail_to(text=body * 200_000))  # 15 MB do not fit between two sockets
    assert (caught.value.is_final, caught.value.is_for_all) == (False, False)
    assert post.n_handed_over == 0


def test_an_email_called_off_at_the_last_moment_is_not_sent(scripted: Callable[..., ScriptedServer]) -> None:
    received: list[bytes] = []

    def script(talk: Conversation) -> None:
        talk.until("DATA")
        received.append(talk.body())

    server_side = scripted(script)
    with MailServer() as server, pytest.raises(ClaimLost):
        server.deliver(mail_to(), hand_over=lambda: False)
    server_side.close()
    assert len(received) == 1
    assert b"What happened." not in received[0]


def test_an_error_while_recording_leaves_no_email_behind(scripted: Callable[..., ScriptedServer]) -> None:
    received: list[bytes] = []

    def script(talk: Conversation) -> None:
        talk.until("DATA")
        received.append(talk.body())

    def fail() -> bool:
        raise OSError("the disk is full")

    server_side = scripted(script)
    with MailServer() as server, pytest.raises(OSError, match="the disk is full"):
        server.deliver(mail_to(), hand_over=fail)
    server_side.close()
    assert received == [b""]


# In doubt


def _closes_in_the_mail(talk: Conversation) -> None:
    talk.until("DATA")
    talk.say("354 go ahead")
    talk.lines.readline()
    talk.reset()


def _closes_after_the_dot(talk: Conversation) -> None:
    talk.until("DATA")
    talk.body()


def _resets_after_the_dot(talk: Conversation) -> None:
    talk.until("DATA")
    talk.body()
    talk.reset()


def _silent_after_the_dot(talk: Conversation) -> None:
    talk.until("DATA")
    talk.body()
    talk.hold()


def _mumbles_after_the_dot(talk: Conversation) -> None:
    talk.until("DATA")
    talk.body()
    talk.say("hm")


def _goes_on_after_the_dot(talk: Conversation) -> None:
    talk.until("DATA")
    talk.body()
    talk.say("354 go ahead")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (_closes_in_the_mail, "didn't confirm the email: "),
        (_closes_after_the_dot, "didn't confirm the email: Connection unexpectedly closed"),
        (_resets_after_the_dot, "didn't confirm the email: Connection unexpectedly closed"),
        (_silent_after_the_dot, "didn't confirm the email: Connection unexpectedly closed: timed out"),
        (_mumbles_after_the_dot, "answer is unclear: “"),
        (_goes_on_after_the_dot, "answer is unclear: “354 go ahead”"),
    ],
)
def test_without_an_answer_to_the_dot_a_mail_is_in_doubt(
    scripted: Callable[..., ScriptedServer], post: Post, script: Script, words: str
) -> None:
    scripted(script)
    with MailServer(timeout=PATIENCE, answer_timeout=TIMEOUT) as server, pytest.raises(Unconfirmed) as caught:
        post.send(server)
    assert words in str(caught.value)
    assert post.n_handed_over == 1


def test_the_answer_to_the_dot_may_take_longer_than_others(scripted: Callable[..., ScriptedServer], post: Post) -> None:
    def script(talk: Conversation) -> None:
        talk.until("DATA")
        talk.body()
        talk.think(2 * TIMEOUT)
        talk.say(OK)
        talk.until("QUIT")

    scripted(script)
    with MailServer(timeout=TIMEOUT, answer_timeout=PATIENCE) as server:
        post.send(server)
        assert server._backend.connection.sock.gettimeout() == TIMEOUT  # for the commands of the next mail
    assert post.n_handed_over == 1


# Signing in, and TLS


NO_TLS_NEEDED = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")  # on loopback it is not


@NO_TLS_NEEDED
def test_it_signs_in(settings: Settings, post: Post) -> None:
    guarded = RealServer(auth_required=True, auth_require_tls=False)
    guarded._options["authenticator"] = guarded.accept_login
    use_smtp(settings, guarded.port, HOST_USER="reader", HOST_PASSWORD="secret")
    try:
        with MailServer() as server:
            post.send(server)
        assert len(guarded.received) == 1
        assert guarded.logins == [(b"reader", b"secret")]
    finally:
        guarded.close()


@NO_TLS_NEEDED
def test_refused_password_is_reported_not_shown(settings: Settings, post: Post) -> None:
    guarded = RealServer(auth_required=True, auth_require_tls=False)
    guarded._options["authenticator"] = guarded.accept_login
    use_smtp(settings, guarded.port, HOST_USER="reader", HOST_PASSWORD=PASSWORD)
    try:
        with MailServer() as server, pytest.raises(NotAccepted, match=r"EMAIL_URL: “535 5\.7\.8") as caught:
            post.send(server)
        assert (caught.value.is_final, caught.value.is_for_all) == (False, True)
        assert PASSWORD not in str(caught.value)
    finally:
        guarded.close()


def test_a_server_without_signing_in_is_not_given_the_password(
    scripted: Callable[..., ScriptedServer], settings: Settings, post: Post
) -> None:
    scripted(_silent_at("NOTHING"))
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "reader", PASSWORD
    with MailServer() as server, pytest.raises(NotAccepted, match="can't be used: SMTP AUTH extension not supported"):
        post.send(server)


def test_a_password_that_cannot_be_sent_is_not_repeated_either(settings: Settings, post: Post) -> None:
    guarded = RealServer(auth_require_tls=False)
    guarded._options["authenticator"] = guarded.accept_login
    use_smtp(settings, guarded.port, HOST_USER="reader", HOST_PASSWORD="pässword")
    try:
        with MailServer() as server, pytest.raises(NotAccepted) as caught:
            post.send(server)
        assert str(caught.value) == "The user name or password in EMAIL_URL can't be sent to the mail server."
    finally:
        guarded.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `cert.pem` and `key.pem` of 127.0.0.1, which vouches for itself."""
    folder = tmp_path_factory.mktemp("mail-tls")
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test"
        " -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem"
    )
    try:
        subprocess.run(command.split(), cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    except FileNotFoundError:
        pytest.skip("the openssl command is not here to make a certificate")
    return folder


@pytest.fixture
def secured(certificate: Path, settings: Settings) -> Iterator[RealServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    server = RealServer(tls_context=context, require_starttls=True)
    use_smtp(settings, server.port, USE_TLS=True)
    yield server
    server.close()


def test_mails_go_over_tls(secured: RealServer, certificate: Path, post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
    with MailServer() as server:
        post.send(server)
        post.send(server)
    assert (len(secured.received), secured.n_connections, post.n_handed_over) == (2, 1, 2)


def test_untrusted_certificate_stops_all_email(secured: RealServer, post: Post) -> None:
    with MailServer() as server, pytest.raises(NotAccepted, match="isn't valid: self-signed certificate") as caught:
        post.send(server)
    assert (caught.value.is_final, caught.value.is_for_all) == (False, True)
    assert not secured.received


def test_no_email_without_required_tls(real: RealServer, settings: Settings, post: Post) -> None:
    settings.EMAIL_USE_TLS = True
    with MailServer() as server, pytest.raises(NotAccepted, match="STARTTLS extension not supported") as caught:
        post.send(server)
    assert caught.value.is_for_all
    assert not real.received
