"""A letter as the mail that goes out: its head, its two forms, and nothing that a stranger's words could break.

No `Precedence: bulk`: it is in no standard, and `Auto-Submitted` and `List-Id` keep answering machines quiet.
"""

import re
from datetime import datetime
from email.charset import BASE64, QP, Charset
from email.header import Header
from email.utils import format_datetime

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.core.mail.message import sanitize_address
from django.utils.translation import gettext as _

from digests.delivery.errors import NotTaken
from digests.delivery.queueing import mail_host
from digests.links import LetterLinks
from digests.rendering.mail import Letter
from digests.rendering.tidy import one_line

LONGEST_SUBJECT = 150  # characters; lists show 60
_BASE64_SIZE = 4 / 3  # of a byte; quoted-printable takes 3 for what is not ASCII


def compose(
    letter: Letter, *, recipient: str, message_id: str, written_at: datetime, links: LetterLinks
) -> EmailMultiAlternatives:
    """The same mail, byte for byte but for what parts it, each time. Raises NotTaken for an address that is none."""
    _check_address(recipient)
    charset = _charset(letter.text + letter.html)
    message = EmailMultiAlternatives(
        subject=_subject(letter.subject),
        body=_canonical(letter.text, charset),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[recipient],
        headers={
            "Message-ID": message_id,
            "Date": format_datetime(written_at),
            "List-Id": f"<{links.kind}.digests.{mail_host()}>",
            "List-Unsubscribe": f"<{links.unsubscribe}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",  # RFC 8058
            "Auto-Submitted": "auto-generated",  # RFC 3834
        },
    )
    message.attach_alternative(_canonical(letter.html, charset), "text/html")
    message.encoding = charset
    return message


def _subject(text: str) -> str:
    """One line, in encoded words where it is not ASCII, or looks as if it were encoded.

    Encoded here because Django does not count the header's name and would leave its line empty.
    """
    line = one_line(text)
    line = line if len(line) <= LONGEST_SUBJECT else line[: LONGEST_SUBJECT - 1].rstrip() + "…"
    if line.isascii() and "=?" not in line:
        return line
    return Header(line, "utf-8", header_name="Subject").encode().replace("\n", "")


def _charset(text: str) -> Charset:
    """UTF-8 in lines that every server passes on: quoted-printable, or base64 where that is shorter."""
    n_bytes, n_ascii = len(text.encode("utf-8", "replace")), sum(character.isascii() for character in text)
    charset = Charset("utf-8")
    quoted_size = n_ascii + 3 * (n_bytes - n_ascii)
    charset.body_encoding = QP if quoted_size <= _BASE64_SIZE * n_bytes else BASE64
    return charset


def _canonical(text: str, charset: Charset) -> str:
    """The text with the ends of lines that mail has, where encoding hides them from who sends it; RFC 2045 6.8."""
    return re.sub(r"\r\n|\r|\n", "\r\n", text) if charset.body_encoding == BASE64 else text


def _check_address(address: str) -> None:
    try:
        sanitize_address(address, settings.DEFAULT_CHARSET)
        is_one = "@" in address
    except (TypeError, ValueError):  # the former for an address without anything in it
        is_one = False
    if not is_one:
        raise NotTaken(_("Your e-mail address is not one that mail can be sent to."), is_final=True)
