"""What a digest is called where there is one line for it: the subject of its mail, its title in a feed. Pure."""

from digests.edition import Edition
from digests.rendering import words
from digests.rendering.tidy import tidy
from digests.rendering.wrapping import shortened, width

WIDTH = 78  # columns that a list of mails may show; what RFC 5322 recommends for a line


def subject(edition: Edition) -> str:
    """`Morning brief, Sat 21 Nov: Geneva: talks, second round and 14 more`, one line of at most 78 columns."""
    edition = tidy(edition)
    beginning = f"{edition.title}, {words.short_dates(edition)}: "
    if edition.is_empty:
        return f"{beginning}nothing new"
    n_more = len(edition.topics) - 1
    end = f" and {n_more:,} more" if n_more else ""
    first = edition.topics[0]
    return f"{beginning}{shortened(first.label or first.lead.title, WIDTH - width(beginning) - width(end))}{end}"
