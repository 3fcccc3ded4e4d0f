"""Why an article stands with another, in words that a template can put a link into. Pure."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from feeds.models import Disposition

_SENTENCES = {
    Disposition.NEAR_DUPLICATE: gettext_lazy("Near-duplicate of %(article)s"),
    Disposition.SAME_EVENT: gettext_lazy("Same event as %(article)s"),
    Disposition.EXACT_DUPLICATE: gettext_lazy("The same as %(article)s"),
}
_RIVAL = "%(article)s"


@dataclass(frozen=True, slots=True)
class Rival:
    """The article on the other side, as far as the person may know it.

    Of an article that none of their feeds brought they learn the publisher only: `article_id` is None and `title` "".
    One that is gone has neither, and `source` is "".
    """

    source: str = ""
    article_id: int | None = None
    title: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence around its rival: `opening`, the rival, `closing`. `layer` of deduplication said so."""

    opening: str
    rival: Rival
    closing: str
    layer: str


def reason(disposition: str, rival: Rival, *, layer: str, evidence: str, is_later: bool = True) -> Reason:
    """`Near-duplicate of … (SimHash distance 2)`, `Same event as …: both name Geneva`, `Updated version of … (…)`.

    `is_later`: the article was published after its rival; it tells an updated version from an earlier one.
    """
    kind = Disposition(disposition)
    if kind == Disposition.REVISION:
        sentence = (
            _("Updated version, at another address, of %(article)s")
            if is_later
            else _("Earlier version, at another address, of %(article)s")
        )
    else:
        sentence = str(_SENTENCES.get(kind) or _("Held against %(article)s"))
    opening, __, after = sentence.partition(_RIVAL)
    return Reason(opening.rstrip(), rival, after + _closing(kind, evidence), layer)


def _closing(kind: Disposition, evidence: str) -> str:
    if not evidence:
        return ""
    return f": {evidence}" if kind == Disposition.SAME_EVENT else f" ({evidence})"
