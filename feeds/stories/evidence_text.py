"""Evidence of deduplication in the user's language; it is stored in English, whatever the worker's language."""

import re
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from feeds.wording import join_list

_NAMES = "both name "
_CLAUSES: tuple[tuple[re.Pattern[str], Promise], ...] = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"same guid", gettext_lazy("same GUID")),
        (r"same content", gettext_lazy("same content")),
        (r"changed content", gettext_lazy("changed content")),
        (r"another feed has the fuller version", gettext_lazy("another feed has the fuller version")),
        (r"guid reused for different content", gettext_lazy("GUID reused for different content")),
        (r"same canonical URL", gettext_lazy("same canonical URL")),
        (r"other wording", gettext_lazy("other wording")),
        (r"same part of the same page", gettext_lazy("same part of the same page")),
        (r"another part of the same page", gettext_lazy("another part of the same page")),
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
)
_LAYERS = {
    "guid": gettext_lazy("GUID"),
    "url": gettext_lazy("URL"),
    "content": gettext_lazy("text"),
    "title": gettext_lazy("title"),
    "entities": gettext_lazy("names and terms"),
}


def evidence_text(stored: str) -> str:
    """`both name Norvik and Oslo; terms 56% alike`. A clause that isn't known stays as it is."""
    clauses = (
        part
        for clause in stored.split("; ")
        for part in ([clause] if clause.startswith(_NAMES) else clause.split(", "))
    )
    return pgettext("between pieces of evidence", "; ").join(map(_clause, clauses))


def layer_name(layer: str) -> str:
    """What the layer of deduplication compares."""
    return str(_LAYERS.get(layer, layer))


def _clause(stored: str) -> str:
    if stored.startswith(_NAMES):
        return _("both name %(names)s") % {"names": join_list(stored.removeprefix(_NAMES).split(", "))}
    for pattern, text in _CLAUSES:
        if match := pattern.fullmatch(stored):
            values: dict[str, Any] = match.groupdict()
            return str(text) % values
    return stored
