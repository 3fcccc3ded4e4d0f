"""Texts that a worker stored in English, in the language of the user who reads them.

Evidence of deduplication is always stored in English; the reasons for a feed's condition and interval, in the worker's
language. Texts that aren't known, such as those in another language, stay as they are.
"""

import re
from datetime import timedelta

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy, pgettext

from feeds.polling.schedule import format_duration
from feeds.wording import format_number, join_list

_EVIDENCE: tuple[tuple[str, Promise], ...] = (
    (r"same guid", gettext_lazy("same GUID")),
    (r"same content", gettext_lazy("same content")),
    (r"changed content", gettext_lazy("changed content")),
    (r"another feed has the fuller version", gettext_lazy("another feed has the fuller version")),
    (r"the newer version is kept", gettext_lazy("the newer version is kept")),
    (r"guid reused for different content", gettext_lazy("GUID reused for different content")),
    (r"same canonical URL", gettext_lazy("same canonical URL")),
    (r"other wording", gettext_lazy("other wording")),
    (r"same part of the same page", gettext_lazy("same part of the same page")),
    (r"another part of the same page", gettext_lazy("another part of the same page")),
    (r"another entry with the same link", gettext_lazy("another entry with the same link")),
    (r"SimHash distance (?P<n>\d+)", gettext_lazy("SimHash distance %(n)s")),
    (r"(?P<n>\d) of the first 3 sentences the same", gettext_lazy("%(n)s of the first 3 sentences the same")),
    (r"3-word phrases (?P<n>\d+)% the same", gettext_lazy("3-word phrases %(n)s%% the same")),
    (r"titles (?P<n>\d+)% the same", gettext_lazy("titles %(n)s%% the same")),
    (r"titles alike", gettext_lazy("titles alike")),
    (r"same publisher", gettext_lazy("same publisher")),
    (r"texts overlap", gettext_lazy("texts overlap")),
    (r"one replaces the other", gettext_lazy("one replaces the other")),
    (r"terms (?P<n>\d+) ?% alike", gettext_lazy("terms %(n)s%% alike")),
    (r"translated terms (?P<n>\d+) ?% alike", gettext_lazy("translated terms %(n)s%% alike")),
    (r"headlines mean much the same \((?P<n>\d+) ?%\)", gettext_lazy("headlines mean much the same (%(n)s%%)")),
)
_CONDITIONS: tuple[tuple[str, Promise], ...] = (
    (r"(?P<silence>nothing new for .+); keep it\?", gettext_lazy("%(silence)s; keep it?")),
    (
        r"its last (?P<n>\d+) responses were not valid feeds",
        ngettext_lazy("its last response was not a valid feed", "its last %(n)s responses were not valid feeds", "n"),
    ),
    (
        r"its last (?P<n>\d+) polls timed out",
        ngettext_lazy("its last poll timed out", "its last %(n)s polls timed out", "n"),
    ),
    (
        r"its last (?P<n>\d+) polls failed",
        ngettext_lazy("its last poll failed", "its last %(n)s polls failed", "n"),
    ),
    (
        r"(?P<n>\d+) of (?P<all>\d+) polls failed within 7 days",
        ngettext_lazy(
            "%(n)s of %(all)s poll failed within 7 days", "%(n)s of %(all)s polls failed within 7 days", "all"
        ),
    ),
    (
        r"its site blocks feed readers with a bot check",
        gettext_lazy("its site blocks feed readers with a bot check"),
    ),
    (
        r"it redirects to (?P<host>\S+), and we don't send its password there",
        gettext_lazy("it redirects to %(host)s, and we don't send its password there"),
    ),
    (r"the publisher says it is gone for good \(410\)", gettext_lazy("the publisher says it is gone for good (410)")),
)
_INTERVALS: tuple[tuple[str, Promise], ...] = (
    (r"gone for good \(410\)", gettext_lazy("gone for good (410)")),
    (r"merged into another feed", gettext_lazy("merged into another feed")),
    (r"a sample, never polled", gettext_lazy("a sample, never polled")),
    (r"again in 60 s: the last poll failed", gettext_lazy("again in 60 s: the last poll failed")),
    (
        r"in (?P<span>.+): (?:the last poll failed|(?P<n>\d+) polls failed in a row)",
        ngettext_lazy("in %(span)s: the last poll failed", "in %(span)s: %(n)s polls failed in a row", "n"),
    ),
    (
        r"(?P<interval>.+): the publisher asked us to slow down",
        gettext_lazy("%(interval)s: the publisher asked us to slow down"),
    ),
    (r"(?P<interval>.+): (?P<reason>.+)", gettext_lazy("%(interval)s: %(reason)s")),
    (r"every (?P<span>.+)", gettext_lazy("every %(span)s")),
    (
        r"the publisher asks for at most one poll in (?P<span>.+)",
        gettext_lazy("the publisher asks for at most one poll in %(span)s"),
    ),
    (
        r"nothing new for (?P<n>\d+) days?",
        ngettext_lazy("nothing new for %(n)s day", "nothing new for %(n)s days", "n"),
    ),
    (
        r"nothing new for (?P<n>\d+) years?",
        ngettext_lazy("nothing new for %(n)s year", "nothing new for %(n)s years", "n"),
    ),
    (r"default for this kind of feed", gettext_lazy("default for this kind of feed")),
    (r"its hub announces new entries", gettext_lazy("its hub announces new entries")),
    (r"unchanged in (?P<n>\d+) polls", ngettext_lazy("unchanged in %(n)s polls", "unchanged in %(n)s polls", "n")),
    (
        r"new entries in the last (?P<n>\d+) polls",
        ngettext_lazy("new entries in the last %(n)s polls", "new entries in the last %(n)s polls", "n"),
    ),
    (r"about (?P<n>[\d.,]+) new entries per poll", gettext_lazy("about %(n)s new entries per poll")),
)
_TEXTS = tuple((re.compile(pattern), text) for pattern, text in (*_EVIDENCE, *_CONDITIONS, *_INTERVALS))
_NAMES = "both name "
_DURATION = re.compile(r"(?P<n>[\d.]+) (?P<unit>s|min|h|days?)")
_UNITS = {"s": "seconds", "min": "minutes", "h": "hours", "day": "days", "days": "days"}
_DECIMAL = re.compile(r"\d+\.\d")
_LAYERS = {
    "guid": gettext_lazy("GUID"),
    "url": gettext_lazy("URL"),
    "content": gettext_lazy("text"),
    "title": gettext_lazy("title"),
    "entities": gettext_lazy("names and terms"),
}


def evidence_text(stored: str) -> str:
    """`both name Norvik and Oslo; terms 56% alike`."""
    clauses = (
        part
        for clause in stored.split("; ")
        for part in ([clause] if clause.startswith(_NAMES) else clause.split(", "))
    )
    return pgettext("between pieces of evidence", "; ").join(map(_clause, clauses))


def layer_name(layer: str) -> str:
    """What the layer of deduplication compares."""
    return str(_LAYERS.get(layer, layer))


def reason_text(stored: str) -> str:
    """The reason for a condition (`its last 3 polls failed`) or an interval (`every 6 h: unchanged in 4 polls`)."""
    for pattern, text in _TEXTS:
        if match := pattern.fullmatch(stored):
            return str(text % {name: _value(value) for name, value in match.groupdict(default="1").items()})
    return stored


def _clause(stored: str) -> str:
    if stored.startswith(_NAMES):
        return _("both name %(names)s") % {"names": join_list(stored.removeprefix(_NAMES).split(", "))}
    return reason_text(stored)


def _value(stored: str) -> str | int:
    """A number, for the plural, or a part of a text."""
    if stored.isdecimal():
        return int(stored)
    if duration := _DURATION.fullmatch(stored):
        return format_duration(timedelta(**{_UNITS[duration["unit"]]: float(duration["n"])}))
    return format_number(float(stored), 1) if _DECIMAL.fullmatch(stored) else reason_text(stored)
