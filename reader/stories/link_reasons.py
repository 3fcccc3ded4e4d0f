"""Why two articles are linked, in sentences that templates can put a link into. Pure."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from feeds.models import Disposition
from feeds.stored_text import evidence_text, layer_name

_SENTENCES = {
    Disposition.NEAR_DUPLICATE: gettext_lazy("Near-duplicate of %(article)s"),
    Disposition.SAME_EVENT: gettext_lazy("Same event as %(article)s"),
    Disposition.EXACT_DUPLICATE: gettext_lazy("Identical to %(article)s"),
}
_RIVAL = "%(article)s"


@dataclass(frozen=True, slots=True)
class OtherArticle:
    """The linked article, if the user may see it.

    If none of their feeds has it, only `source` is set, to the publisher. If it was deleted, `source` is "" too.
    """

    source: str = ""
    article_id: int | None = None
    title: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence: `opening`, a link to `rival`, `closing`. `layer`: what decided, such as the title."""

    opening: str
    rival: OtherArticle
    closing: str
    layer: str


def reason(disposition: str, rival: OtherArticle, *, layer: str, evidence: str, is_later: bool = True) -> Reason:
    """`Near-duplicate of … (SimHash distance 2)`, `Same event as …: both name Geneva`, `Updated version of … (…)`.

    `is_later`: the article was published after the other, so it's the updated version.
    """
    kind = Disposition(disposition)
    if kind == Disposition.REVISION:
        sentence = (
            _("Updated version, at another URL, of %(article)s")
            if is_later
            else _("Earlier version, at another URL, of %(article)s")
        )
    else:
        sentence = str(_SENTENCES.get(kind) or _("Compared with %(article)s"))
    opening, __, after = sentence.partition(_RIVAL)
    return Reason(opening.rstrip(), rival, after + _closing(kind, evidence), layer_name(layer))


def _closing(kind: Disposition, evidence: str) -> str:
    if not evidence:
        return ""
    if kind == Disposition.SAME_EVENT:
        return pgettext("after a link", ": %(evidence)s") % {"evidence": evidence_text(evidence)}
    return pgettext("after a link", " (%(evidence)s)") % {"evidence": evidence_text(evidence)}
