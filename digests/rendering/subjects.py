"""What a digest is called where there is one line for it: the subject of its mail, its title in a feed. Pure."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from digests.edition import Edition
from digests.rendering import words
from digests.rendering.tidy import tidy
from digests.rendering.wrapping import shortened, width

WIDTH = 78  # columns that a list of mails may show; what RFC 5322 recommends for a line


def subject(edition: Edition) -> str:
    """`Morning brief, Sat 21 Nov: Geneva: talks, second round and 14 more`, one line of at most 78 columns."""
    edition = tidy(edition)
    told = {"digest": edition.title, "day": words.short_dates(edition)}
    if edition.is_empty:
        return _("%(digest)s, %(day)s: nothing new") % told
    n_more = len(edition.topics) - 1
    subject = _("%(digest)s, %(day)s: %(topic)s")
    if n_more:
        told["n"] = words.grouped(n_more)
        subject = ngettext(
            "%(digest)s, %(day)s: %(topic)s and %(n)s more", "%(digest)s, %(day)s: %(topic)s and %(n)s more", n_more
        )
    room = WIDTH - width(subject % {**told, "topic": ""})
    return (subject % {**told, "topic": shortened(edition.topics[0].heading, room)}).rstrip()
