"""The setup code: who may create the owner account where others could open the page first.

A browser on this machine needs none if `BASE_URL` says that the app is only used here. Everyone else does: strangers
find the name of a new server in certificate logs within minutes. The code is derived from the secret key, so that all
processes and machines agree on it without storing it, and `prepare` prints it. It opens nothing once an account exists.
"""

from base64 import b32encode
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac

from reader.preferences.owner import is_owned
from rssmanager.middleware.trusted_proxies import is_from_here, is_loopback

_LENGTH, _GROUP = 20, 5  # characters of 5 bits: 100 bits


def setup_code() -> str:
    """The code, in groups to read aloud."""
    digest = salted_hmac("rssmanager.setup_code", "owner", algorithm="sha256").digest()
    letters = b32encode(digest).decode().lower()[:_LENGTH]
    return "-".join(letters[start : start + _GROUP] for start in range(0, _LENGTH, _GROUP))


def is_setup_code(text: str) -> bool:
    """Whether a user typed the code, whatever its case, spaces and hyphens."""
    given, code = ("".join(filter(str.isalnum, words)).lower() for words in (text, setup_code()))
    return constant_time_compare(given, code)


def needs_setup_code(request: HttpRequest) -> bool:
    """Whether the browser may be another's than the administrator's."""
    return not (_is_local() and is_from_here(request))


def setup_hint() -> str | None:
    """How to create the owner account; None if there is an account."""
    if is_owned():
        return None
    where = "in a browser on this machine, or elsewhere" if _is_local() else f"at {settings.BASE_URL}/setup/"
    return f"There is no account yet. Create it {where} with the setup code {setup_code()}"


def _is_local() -> bool:
    return is_loopback(urlsplit(settings.BASE_URL).hostname or "")
