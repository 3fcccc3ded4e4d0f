"""Sends one email through Django's mail backend and reports whether the mail server accepted it.

An email that was refused, or whose connection broke before its text was sent, can safely be sent again. `hand_over`
records the moment right before the text is sent; if no answer arrives after that, delivery is unconfirmed.
"""

import smtplib
import ssl
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.utils.translation import gettext as _

from digests.delivery.errors import ClaimLost, NotAccepted, Unconfirmed
from digests.rendering.clean_text import one_line

LONGEST = 300  # characters
_MIN_SECRET = 4  # characters; replacing a shorter one would damage ordinary words
COMMAND_TIMEOUT = 30.0  # seconds to connect, and for the answer to each command
ANSWER_TIMEOUT = 600.0  # seconds for the answer to the text: servers check for spam then; RFC 5321 4.5.3.2.6
SIGN_IN_FIRST = frozenset((530, 534, 535, 538))  # RFC 4954: the account is refused, not this email
CLOSING = 421  # the server accepts nothing more on this connection


def is_printed() -> bool:
    """Whether emails are printed on the worker's console because EMAIL_URL names no server."""
    return bool(settings.EMAIL_BACKEND.endswith("console.EmailBackend"))


class MailServer:
    """The server in EMAIL_URL, connected for the first email and kept for the next ones; use it in a `with`."""

    def __init__(self, *, timeout: float | None = None, answer_timeout: float = ANSWER_TIMEOUT) -> None:
        self._timeout = timeout or settings.EMAIL_TIMEOUT or COMMAND_TIMEOUT
        self._answer_timeout = answer_timeout
        self._backend: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connection; errors in doing so don't matter."""
        backend, self._backend = self._backend, None
        if backend is not None:
            with suppress(OSError):
                backend.close()

    def deliver(self, message: EmailMessage, *, hand_over: Callable[[], bool]) -> None:
        """Send the email, calling `hand_over` right before its text; False cancels it.

        Raises NotAccepted, Unconfirmed, and ClaimLost if `hand_over` returned False.
        """
        smtp = self._connected()
        if smtp is None:  # a console or a test's mailbox
            _claim(hand_over)
            self._backend.send_messages([message])
            return
        exchange = _Exchange(smtp, hand_over, self._answer_timeout)
        try:
            self._backend.send_messages([message])
        except smtplib.SMTPRecipientsRefused as error:
            raise _refusal(*next(iter(error.recipients.values())), _("the address")) from error
        except smtplib.SMTPSenderRefused as error:
            raise _refusal(error.smtp_code, error.smtp_error, _("the sender")) from error
        except smtplib.SMTPDataError as error:
            if not 400 <= error.smtp_code < 600:
                answer = quoted_answer(error.smtp_code, error.smtp_error)
                raise Unconfirmed(_("The mail server's answer is unclear: %(answer)s.") % {"answer": answer}) from error
            raise _refusal(error.smtp_code, error.smtp_error, _("the email")) from error
        except BaseException as error:
            self._drop(smtp)  # the server may be waiting for the rest of the text
            if not isinstance(error, smtplib.SMTPException | OSError) or error is exchange.own_error:
                raise
            reason = {"reason": shown(str(error))}
            if exchange.is_handed_over:
                raise Unconfirmed(_("The mail server didn't confirm the email: %(reason)s.") % reason) from error
            raise NotAccepted(_("The connection to the mail server was lost: %(reason)s.") % reason) from error
        finally:
            exchange.end()

    def _connected(self) -> smtplib.SMTP | None:
        """The connection, ready for an email; None if the backend has none. Raises NotAccepted."""
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
        """Whether the open connection takes another email: servers close idle ones."""
        connection = self._smtp()
        try:
            return connection is None or connection.rset()[0] == 250
        except smtplib.SMTPException:
            return False

    def _drop(self, smtp: smtplib.SMTP) -> None:
        """Cut the connection without QUIT, which would wait for an answer again."""
        smtp.close()
        self.close()


class _Exchange:
    """One email on an open connection; extends the connection's `send` for the text of the email."""

    def __init__(self, smtp: smtplib.SMTP, hand_over: Callable[[], bool], answer_timeout: float) -> None:
        self._smtp, self._hand_over, self._answer_timeout = smtp, hand_over, answer_timeout
        self._timeout = smtp.sock.gettimeout() if smtp.sock else None
        self.own_error: BaseException | None = None  # raised by `hand_over`
        self.is_handed_over = False
        smtp.send = self._send  # type: ignore[assignment,method-assign]

    def _send(self, content: Any) -> None:
        if isinstance(content, bytes) and content.endswith(b"\r\n.\r\n"):  # the text; commands are sent as str
            try:
                _claim(self._hand_over)
            except BaseException as error:
                self.own_error = error
                raise
            self.is_handed_over = True
            self._set_timeout(self._answer_timeout)
        type(self._smtp).send(self._smtp, content)

    def _set_timeout(self, seconds: float | None) -> None:
        if self._smtp.sock:
            self._smtp.sock.settimeout(seconds)

    def end(self) -> None:
        """Give the connection back as it was."""
        del self._smtp.send
        self._set_timeout(self._timeout)


def _claim(hand_over: Callable[[], bool]) -> None:
    if not hand_over():
        raise ClaimLost(_("Another worker is sending this email."))


def _refusal(code: int, words: bytes | str, what: str) -> NotAccepted:
    """The server's refusal of `what`: final for 5xx, and for every email if it closes or wants another password."""
    if code in SIGN_IN_FIRST:
        return _not_signed_in(code, words)
    is_final = 500 <= code < 600
    if is_final:
        reason = _("The mail server refuses %(what)s: %(answer)s.")
    else:
        reason = _("The mail server doesn't accept %(what)s right now: %(answer)s.")
    reason %= {"what": what, "answer": quoted_answer(code, words)}
    return NotAccepted(reason, is_final=is_final, is_for_all=code == CLOSING)


def _not_signed_in(code: int, words: bytes | str) -> NotAccepted:
    reason = _("The mail server rejects the sign-in. The administrator needs to check EMAIL_URL: %(answer)s.")
    return NotAccepted(reason % {"answer": quoted_answer(code, words)}, is_for_all=True)


def _no_connection(error: OSError | UnicodeError) -> NotAccepted:
    """Why there is no connection to the mail server; affects every email, and is worth another try."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return _not_signed_in(error.smtp_code, error.smtp_error)
    return NotAccepted(_why_not_connected(error), is_for_all=True)


def _why_not_connected(error: OSError | UnicodeError) -> str:
    server = server_name()
    if isinstance(error, smtplib.SMTPResponseException):
        reason = _("The mail server %(server)s doesn't accept email right now: %(answer)s.")
        return reason % {"server": server, "answer": quoted_answer(error.smtp_code, error.smtp_error)}
    if isinstance(error, smtplib.SMTPException):
        reason = _("The mail server %(server)s can't be used: %(reason)s")
        return reason % {"server": server, "reason": shown(str(error))}
    if isinstance(error, UnicodeError):  # its message quotes the password's characters, so it isn't repeated
        return _("The user name or password in EMAIL_URL can't be sent to the mail server.")
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = _("The certificate of the mail server %(server)s isn't valid: %(reason)s.")
        return reason % {"server": server, "reason": shown(error.verify_message)}
    if isinstance(error, TimeoutError):
        return _("The mail server %(server)s doesn't respond.") % {"server": server}
    reason = _("The mail server %(server)s can't be reached: %(reason)s.")
    return reason % {"server": server, "reason": shown(error.strerror or str(error))}


def quoted_answer(code: int, answer: bytes | str) -> str:
    """The server's answer with its code, in quotation marks; code -1 (smtplib: none) is left out."""
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return f"“{shown(text if code < 0 else f'{code} {text}')}”"


def shown(text: str) -> str:
    """A line of at most `LONGEST` characters without the password of the mail account."""
    for secret in _secrets():
        text = text.replace(secret, "…")
    line = one_line(text)
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def server_name() -> str:
    """The configured mail server."""
    return f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"


def _secrets() -> tuple[str, ...]:
    """The password, also as encoded for PLAIN and LOGIN."""
    user, password = settings.EMAIL_HOST_USER or "", settings.EMAIL_HOST_PASSWORD or ""  # None: not in EMAIL_URL
    if len(password) < _MIN_SECRET:
        return ()
    written = (f"\0{user}\0{password}", password)
    return (password, *(b64encode(secret.encode()).decode() for secret in written))
