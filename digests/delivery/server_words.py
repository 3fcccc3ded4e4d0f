"""What a mail server says, as it may be shown: one line, no control characters, no secrets."""

from base64 import b64encode

from django.conf import settings

from digests.rendering.tidy import one_line

LONGEST = 300  # characters of an answer
_LEAST_SECRET = 4  # characters; a shorter one would take letters out of the words around it


def said(code: int, answer: bytes | str) -> str:
    """The server's own words with their code, quoted; code -1, which smtplib gives to what has none, is left out."""
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return f"“{shown(text if code < 0 else f'{code} {text}')}”"


def shown(text: str) -> str:
    """A line of at most `LONGEST` characters, without the password that this reader signs in with."""
    for secret in _secrets():
        text = text.replace(secret, "…")
    line = one_line(text)
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def server_name() -> str:
    """The mail server as it is set up."""
    return f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"


def _secrets() -> tuple[str, ...]:
    """The password, and how it is written when signing in by PLAIN and LOGIN."""
    user, password = settings.EMAIL_HOST_USER or "", settings.EMAIL_HOST_PASSWORD or ""  # None: not in EMAIL_URL
    if len(password) < _LEAST_SECRET:
        return ()
    written = (f"\0{user}\0{password}", password)
    return (password, *(b64encode(each.encode()).decode() for each in written))
