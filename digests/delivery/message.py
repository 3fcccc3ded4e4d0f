"""Turns an email's content into the message that is sent.

No `Precedence: bulk`: it is in no standard, and `Auto-Submitted` and `List-Id` keep autoresponders quiet.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from email.charset import BASE64, QP, Charset
from email.header import Header
from email.message import Message
from email.mime.image import MIMEImage
from email.mime.multipart import MIMEMultipart
from email.utils import format_datetime
from typing import Any, cast

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.core.mail.message import sanitize_address
from django.utils.translation import gettext as _

from digests.delivery.enqueue import mail_host
from digests.delivery.errors import NotAccepted
from digests.delivery.links import EmailLinks
from digests.rendering.clean_text import one_line
from digests.rendering.mail import AttachedPicture, EmailContent

MAX_SUBJECT = 150  # characters; inboxes show about 60
_BASE64_SIZE = 4 / 3  # bytes per byte; quoted-printable needs 3 for a non-ASCII byte


def compose(
    content: EmailContent, *, recipient: str, message_id: str, written_at: datetime, links: EmailLinks | None
) -> "_Message":
    """The message, identical for every attempt except for pictures that couldn't be fetched each time.

    `links` is None for an email that isn't part of a list.

    Raises NotAccepted if the address is invalid.
    """
    _check_address(recipient)
    charset = _charset(content.text + content.html)
    message = _Message(
        subject=_subject(content.subject),
        body=_canonical(content.text, charset),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[recipient],
        headers={
            "Message-ID": message_id,
            "Date": format_datetime(written_at),
            "Auto-Submitted": "auto-generated",  # RFC 3834
            **(_list_headers(links) if links else {}),
        },
    )
    if content.html:
        message.attach_alternative(_canonical(content.html, charset), "text/html")
    message.encoding = charset
    message.pictures = content.pictures
    return message


def _list_headers(links: EmailLinks) -> dict[str, str]:
    return {
        "List-Id": f"<{links.kind}.digests.{mail_host()}>",
        "List-Unsubscribe": f"<{links.unsubscribe}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",  # RFC 8058
    }


class _Message(EmailMultiAlternatives):
    """An email whose long headers aren't folded: some mail apps don't read a folded Message-ID or List-Unsubscribe.

    `pictures` travel with the HTML in a multipart/related (RFC 2387), so that mail apps don't list them as attachments.
    """

    pictures: tuple[AttachedPicture, ...] = ()

    def message(self, **options: Any) -> Any:
        message = super().message(**options)
        message.policy = message.policy.clone(max_line_length=None)
        if self.pictures:
            parts = cast(list[Message], message.get_payload())
            message.set_payload([*parts[:-1], _related(parts[-1], self.pictures)])
        return message


def _related(page: Message, pictures: Sequence[AttachedPicture]) -> MIMEMultipart:
    """The HTML and its pictures."""
    related = MIMEMultipart("related", type="text/html")
    related.attach(page)
    for number, picture in enumerate(pictures, start=1):
        kind = picture.mime_type.removeprefix("image/")
        part = MIMEImage(picture.content, kind)
        part["Content-ID"] = f"<{picture.content_id}>"
        part["Content-Disposition"] = f'inline; filename="{number}.{kind}"'
        related.attach(part)
    return related


def _subject(text: str) -> str:
    """The subject on one line, in encoded words if it isn't ASCII or looks encoded.

    Encoded here because Django doesn't count the header's name and would leave its line empty.
    """
    line = one_line(text)
    line = line if len(line) <= MAX_SUBJECT else line[: MAX_SUBJECT - 1].rstrip() + "…"
    if line.isascii() and "=?" not in line:
        return line
    return Header(line, "utf-8", header_name="Subject").encode().replace("\n", "")


def _charset(text: str) -> Charset:
    """UTF-8 in quoted-printable, or in base64 if that is shorter."""
    n_bytes, n_ascii = len(text.encode("utf-8", "replace")), sum(character.isascii() for character in text)
    charset = Charset("utf-8")
    quoted_size = n_ascii + 3 * (n_bytes - n_ascii)
    charset.body_encoding = QP if quoted_size <= _BASE64_SIZE * n_bytes else BASE64
    return charset


def _canonical(text: str, charset: Charset) -> str:
    """The text with CRLF line ends if base64 hides them from smtplib; RFC 2045 6.8."""
    return re.sub(r"\r\n|\r|\n", "\r\n", text) if charset.body_encoding == BASE64 else text


def _check_address(address: str) -> None:
    try:
        sanitize_address(address, settings.DEFAULT_CHARSET)
        is_valid = address.rpartition("@")[0].isascii() and "@" in address
    except (TypeError, ValueError):  # TypeError for an empty address
        is_valid = False
    if not is_valid:
        raise NotAccepted(_("Your email address isn't valid."), is_final=True)
