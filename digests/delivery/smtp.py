"""One connection to the mail server, and the exchange by which it takes a mail exactly once.

A server takes a mail when it has read the line with a single dot that ends it (RFC 5321 4.1.1.4); a connection that
ends before leaves nothing. So everything up to there is safe to repeat, whatever goes wrong, and is sent without that
line. Then `hand_over` is called, which records that from now on nobody may know, the connection is looked at once more,
the dot is sent, and the answer read. A mail whose dot could not be sent was not taken. Only when the dot was sent and
no answer came is the mail in doubt.
"""

import re
import smtplib
import ssl
from collections.abc import Callable
from contextlib import suppress
from email import message_from_bytes, policy
from email.headerregistry import Address
from email.utils import parseaddr
from types import TracebackType
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.utils.encoding import punycode
from django.utils.translation import gettext as _

from digests.delivery.errors import ClaimLost, NotTaken, Unanswered
from digests.delivery.server_words import said, server_name, shown

COMMAND_TIMEOUT = 30.0  # seconds to connect, and for the answer to each command
ANSWER_TIMEOUT = 600.0  # seconds for the answer to the dot: servers look for spam then; RFC 5321 4.5.3.2.6
SIGN_IN_FIRST = frozenset((530, 534, 535, 538))  # RFC 4954: not this mail is wrong, but how we sign in
CLOSING = 421  # the server takes nothing more on this connection


def is_printed() -> bool:
    """Whether mails are printed on the worker's console, because no EMAIL_URL says to whom to give them."""
    return bool(settings.EMAIL_BACKEND.endswith("console.EmailBackend"))


class MailServer:
    """The server that EMAIL_URL names, connected when a mail is to be sent and kept for the next; use it in a `with`.

    Other backends than SMTP (mail printed on a console, kept for a test) are given the mail and asked nothing.
    """

    def __init__(self, *, timeout: float | None = None, answer_timeout: float = ANSWER_TIMEOUT) -> None:
        self._timeout = timeout or settings.EMAIL_TIMEOUT or COMMAND_TIMEOUT
        self._answer_timeout = answer_timeout
        self._backend: Any = None

    def __enter__(self) -> "MailServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Say goodbye; what the server answers to that matters to nobody."""
        backend, self._backend = self._backend, None
        if backend is not None:
            with suppress(OSError):
                backend.close()

    def deliver(self, message: EmailMessage, *, hand_over: Callable[[], bool]) -> None:
        """Give the mail to the server, calling `hand_over` right before it is complete: False calls it off.

        Raises NotTaken, Unanswered, and ClaimLost if `hand_over` said so.
        """
        smtp = self._connected()
        if smtp is None:
            if not hand_over():
                raise ClaimLost(_("It is not ours any more."))
            self._backend.send_messages([message])
            return
        try:
            self._give(smtp, message, hand_over)
        except NotTaken:
            raise  # the server said no; it may say yes to the next one
        except smtplib.SMTPException as error:
            self._drop(smtp)
            told = _("The connection to the mail server broke: %(reason)s.") % {"reason": shown(str(error))}
            raise NotTaken(told) from error
        except BaseException:
            self._drop(smtp)
            raise

    def _connected(self) -> smtplib.SMTP | None:
        """The connection, ready for a mail; None if the backend has none. Raises NotTaken."""
        if self._backend is not None and not self._is_ready():
            self.close()
        if self._backend is None:
            self._backend = get_connection(timeout=self._timeout)
            try:
                self._backend.open()
                if (connection := self._smtp()) is not None:
                    connection.ehlo_or_helo_if_needed()
            except (OSError, UnicodeError) as error:  # smtplib's own errors are OSErrors
                self.close()
                raise _no_connection(error) from error
        return self._smtp()

    def _smtp(self) -> smtplib.SMTP | None:
        connection = getattr(self._backend, "connection", None)
        return connection if isinstance(connection, smtplib.SMTP) else None

    def _is_ready(self) -> bool:
        """Whether the connection that is open takes another mail: servers close idle ones."""
        connection = self._smtp()
        try:
            return connection is None or connection.rset()[0] == 250
        except smtplib.SMTPException:
            return False

    def _drop(self, smtp: smtplib.SMTP) -> None:
        """Cut the connection at once: in the middle of a mail there is no goodbye."""
        smtp.close()
        self.close()

    def _give(self, smtp: smtplib.SMTP, message: EmailMessage, hand_over: Callable[[], bool]) -> None:
        sender, recipient = _bare(message.from_email), _bare(message.to[0])
        needs_utf8 = not (sender.isascii() and recipient.isascii())
        if needs_utf8 and not smtp.has_extn("smtputf8"):
            told = _("The mail server takes no address like %(address)s (no SMTPUTF8).") % {"address": shown(recipient)}
            raise NotTaken(told, is_final=True)
        body = as_sent(message, utf8=needs_utf8)
        options = [f"SIZE={len(body)}"] if smtp.has_extn("size") else []
        options += ["SMTPUTF8", "BODY=8BITMIME"] if needs_utf8 else []
        _expect(smtp.mail(sender, options), _("the sender"))
        _expect(smtp.rcpt(recipient), _("the address"))
        _expect(smtp.docmd("DATA"), _("the mail"), wanted=354)
        smtp.send(body)
        self._look(smtp)
        if not hand_over():
            raise ClaimLost(_("It is not ours any more."))
        self._look(smtp)  # recording may have taken its time
        smtp.send(b".\r\n")
        _expect(self._answer(smtp), "the mail")

    def _look(self, smtp: smtplib.SMTP) -> None:
        """Raise NotTaken if the server closed, or said anything, before the mail is complete."""
        connection, lines = smtp.sock, smtp.file
        if connection is None or lines is None:
            raise smtplib.SMTPServerDisconnected("it was closed")
        connection.settimeout(0)
        try:
            early = lines.peek(1) or connection.recv(1)  # what came along with the last answer, what came since
        except (BlockingIOError, ssl.SSLWantReadError):
            connection.settimeout(self._timeout)
            return
        except OSError as error:
            raise smtplib.SMTPServerDisconnected(str(error)) from error
        raise smtplib.SMTPServerDisconnected("it answered before the mail was complete" if early else "it was closed")

    def _answer(self, smtp: smtplib.SMTP) -> tuple[int, bytes]:
        """What the server says to the dot. Raises Unanswered if nothing, or nothing that can be understood."""
        try:
            if smtp.sock is not None:
                smtp.sock.settimeout(self._answer_timeout)
            code, words = smtp.getreply()
        except smtplib.SMTPException as error:
            told = _("The mail server had it and did not answer: %(reason)s.") % {"reason": shown(str(error))}
            raise Unanswered(told) from error
        if not (200 <= code < 300 or 400 <= code < 600):
            told = _("The mail server had it, and its answer says nothing: %(answer)s.") % {"answer": said(code, words)}
            raise Unanswered(told)
        if smtp.sock is not None:
            smtp.sock.settimeout(self._timeout)
        return code, words


def as_sent(message: EmailMessage, *, utf8: bool = False) -> bytes:
    """The mail as it goes over the wire, without the dot that ends it: CRLF everywhere, one dot more where a line
    begins with one. `utf8`: addresses that are not ASCII stand in its head as they are (RFC 6532).
    """
    written = message.message().as_bytes()
    if utf8:
        written = _with_addresses(written, {"From": message.from_email, "To": message.to[0]})
    head, blank, body = re.sub(rb"\r\n|\r|\n", b"\r\n", written).partition(b"\r\n\r\n")
    # The standard library breaks the line before a long address; RFC 5322 allows that, some readers are confused.
    lines = re.sub(rb"(?m)^(Message-ID|List-[\w-]+):[ ]\r\n[ ]", rb"\1: ", head) + blank + body
    return re.sub(rb"(?m)^\.", b"..", lines if lines.endswith(b"\r\n") else lines + b"\r\n")


def _with_addresses(written: bytes, addresses: dict[str, str]) -> bytes:
    """The mail with the addresses in its head as they are: Django writes them in a way that is read as other ones."""
    parsed = message_from_bytes(written, policy=policy.SMTPUTF8)
    for header, address in addresses.items():
        name, local_part = parseaddr(address)[0], _bare(address).rpartition("@")
        del parsed[header]
        parsed[header] = Address(name, username=local_part[0], domain=local_part[2])
    return parsed.as_bytes()


def _bare(address: str) -> str:
    """The address without a name, its domain as ASCII."""
    local_part, _, domain = parseaddr(address)[1].rpartition("@")
    return f"{local_part}@{punycode(domain)}"


def _expect(answer: tuple[int, bytes], what: str, *, wanted: int | None = None) -> None:
    """Raise NotTaken unless the server says yes: `wanted`, or any 2xx."""
    code, words = answer
    if code == wanted or (wanted is None and 200 <= code < 300):
        return
    if code in SIGN_IN_FIRST:
        raise _not_signed_in(code, words)
    is_final = 500 <= code < 600
    if is_final:
        told = _("The mail server refuses %(what)s. It says %(answer)s.")
    else:
        told = _("The mail server does not take %(what)s at present. It says %(answer)s.")
    told %= {"what": what, "answer": said(code, words)}
    raise NotTaken(told, is_final=is_final, is_for_all=code == CLOSING)


def _not_signed_in(code: int, words: bytes | str) -> NotTaken:
    told = _(
        "The mail server does not let this reader sign in; whoever runs it must look at EMAIL_URL. It says %(answer)s."
    )
    return NotTaken(told % {"answer": said(code, words)}, is_for_all=True)


def _no_connection(error: OSError | UnicodeError) -> NotTaken:
    """Why there is no connection to the mail server; it concerns all mails, and time or the operator may heal it."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return _not_signed_in(error.smtp_code, error.smtp_error)
    return NotTaken(_why_not_connected(error), is_for_all=True)


def _why_not_connected(error: OSError | UnicodeError) -> str:
    server = server_name()
    if isinstance(error, smtplib.SMTPResponseException):
        told = _("The mail server %(server)s takes no mail at present. It says %(answer)s.")
        return told % {"server": server, "answer": said(error.smtp_code, error.smtp_error)}
    if isinstance(error, smtplib.SMTPException):
        told = _("The mail server %(server)s cannot be used: %(reason)s")
        return told % {"server": server, "reason": shown(str(error))}
    if isinstance(error, UnicodeError):  # its words hold a letter of what it is about, so they are not repeated
        return _("The name or password in EMAIL_URL cannot be sent to the mail server.")
    if isinstance(error, ssl.SSLCertVerificationError):
        told = _("The certificate of the mail server %(server)s is refused: %(reason)s.")
        return told % {"server": server, "reason": shown(error.verify_message)}
    if isinstance(error, TimeoutError):
        return _("The mail server %(server)s does not answer.") % {"server": server}
    told = _("The mail server %(server)s cannot be reached: %(reason)s.")
    return told % {"server": server, "reason": shown(error.strerror or str(error))}
