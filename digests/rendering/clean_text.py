"""Cleans text from publishers for any line of any format. Pure.

Before an edition is rendered, every text (titles, names, labels, summaries) becomes one line without control
characters, and only http(s) URLs stay. Escaping is left to the formats.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import quote, urlsplit

from django.utils.translation import gettext as _

from digests.edition.document import Edition, Entry, FeedReport, Topic

# Controls, soft hyphens, lone surrogates, noncharacters that XML forbids, direction overrides and invisible characters.
# Joiners (U+200C, U+200D) and the marks U+200E, U+200F are part of writing and stay.
_UNFIT = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u200b\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)
_NO_ADDRESS = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}")
_SAFE_IN_URL = "!#$%&'()*+,-./:;=?@[]_~"  # RFC 3986; `%` so that nothing is encoded twice


def one_line(text: str) -> str:
    """The text on one line with single spaces, without invisible characters."""
    return " ".join(_UNFIT.sub("", text).split())


def web_address(url: str) -> str:
    """An http(s) URL with spaces, quotes, angle brackets, backslashes and controls percent-encoded; "" for any other.

    Letters of other scripts stay.
    """
    url = _NO_ADDRESS.sub("", url).strip()
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return ""
    return "".join(map(_encoded, url))


def tidy(edition: Edition) -> Edition:
    """The edition with every text on one line and only http(s) URLs."""
    return replace(
        edition,
        topics=tuple(map(_topic, edition.topics)),
        report=_report(edition.report),
        findings=tuple(
            replace(finding, check=one_line(finding.check), text=one_line(finding.text)) for finding in edition.findings
        ),
    )


def _encoded(character: str) -> str:
    if character.isascii():
        return quote(character, safe=_SAFE_IN_URL)
    return character if character.isprintable() else quote(character)


def _topic(topic: Topic) -> Topic:
    return replace(
        topic,
        label=one_line(topic.label),
        lead=_entry(topic.lead),
        related=tuple(map(_entry, topic.related)),
        sources=_names(topic.sources),
        category=one_line(topic.category),
        summary=one_line(topic.summary),
        moved=one_line(topic.moved),
    )


def _entry(entry: Entry) -> Entry:
    return replace(
        entry,
        title=one_line(entry.title) or _("Untitled"),
        url=web_address(entry.url),
        source=one_line(entry.source),
        language=entry.language if _LANGUAGE.fullmatch(entry.language) else "",
    )


def _report(report: FeedReport) -> FeedReport:
    return replace(
        report,
        unhealthy=tuple(
            replace(feed, name=one_line(feed.name), reason=one_line(feed.reason)) for feed in report.unhealthy
        ),
        movements=tuple(replace(movement, label=one_line(movement.label)) for movement in report.movements),
    )


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(filter(None, map(one_line, names)))
