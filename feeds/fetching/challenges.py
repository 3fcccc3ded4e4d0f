"""Recognizes pages that ask visitors to prove that they are human, by what the services that make them document. Pure.

Such a page comes instead of the feed, with any status. Its script and puzzle are for browsers; a feed reader can't and
shouldn't solve them, but its user can ask the publisher to let feeds through.
"""

from feeds.fetching.result import FetchResult
from feeds.wording import gettext as _

STATUSES = frozenset({401, 403, 429, 503})  # of responses whose body is read for it
READ_BYTES = 2**16
_HEADERS = {  # with the first word of their value; the name of the service
    ("cf-mitigated", "challenge"): "Cloudflare",
    ("x-vercel-mitigated", "challenge"): "Vercel",
    ("x-amzn-waf-action", "challenge"): "AWS",
    ("x-amzn-waf-action", "captcha"): "AWS",
}
_MARKS = {  # in lower case; not what the services put on ordinary pages too
    b"_cf_chl_opt": "Cloudflare",
    b"<title>just a moment...": "Cloudflare",
    b"cf-browser-verification": "Cloudflare",
    b"/.within.website/x/cmd/anubis/": "Anubis",
    b'id="anubis_challenge"': "Anubis",
    b"<title>ddos-guard": "DDoS-Guard",
    b"captcha-delivery.com": "DataDome",
    b"px-captcha": "HUMAN",
    b"_incapsula_resource?swudnsai": "Imperva",
}
_MARKS_OF_ERRORS = {b"h-captcha": "hCaptcha", b"g-recaptcha": "reCAPTCHA", b"cf-turnstile": "Cloudflare"}


def challenge_of(response: FetchResult) -> str:
    """Return the name of the service whose challenge this is, "" for any other response."""
    if response.status in (304, 404, 410):
        return ""
    for (name, word), service in _HEADERS.items():
        if response.headers.get(name, "").lower().startswith(word):
            return service
    page = response.body[:READ_BYTES].lower()
    if b"<html" not in page and b"<!doctype html" not in page:
        return ""
    marks = _MARKS | _MARKS_OF_ERRORS if response.status in STATUSES else _MARKS
    return next((service for mark, service in marks.items() if mark in page), "")


def challenge_message(service: str) -> str:
    """Say what happened, for a poll's record."""
    return _("the site asks visitors to prove that they are human (%(service)s)") % {"service": service}
