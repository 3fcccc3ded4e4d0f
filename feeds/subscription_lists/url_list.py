"""Reads a text file with one feed URL per line, such as newsboat's `urls` file.

A URL may be followed by newsboat's tags: the first plain one becomes the folder, `"~…"` the title, `"!…"` (hidden) is
ignored. `#` starts a comment. Commands and saved searches are skipped.
"""

import io
import re
from itertools import islice

from feeds.discovery.feed_address import not_a_url_reason
from feeds.errors import ImportFileError
from feeds.subscription_lists.model import ListedFeed, SubscriptionList, SubscriptionListBuilder
from feeds.wording import format_number
from feeds.wording import gettext as _

MAX_ADDRESSES = 50_000  # the same as sources in a feeds.yaml
MAX_TAGS = 100  # of one line
_TAG = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')


def read_url_list(text: str, notes: tuple[str, ...] = ()) -> SubscriptionList:
    """Return the feeds of a list of URLs. Raises ImportFileError if no line is a URL."""
    builder = SubscriptionListBuilder()
    n_entries = 0
    for number, line in enumerate(io.StringIO(text), start=1):
        words = [match[1] or match[2] or "" for match in islice(_TAG.finditer(line), MAX_TAGS)]
        if not words or words[0].startswith("#"):
            continue
        n_entries += 1
        if n_entries > MAX_ADDRESSES:
            notes = (*notes, _("Only the first %(n)s URLs were read.") % {"n": format_number(MAX_ADDRESSES)})
            break
        line = line.rstrip("\n")
        if words[0].startswith("query:"):
            builder.refuse(number, line, _("a saved search, not a feed"))
        elif words[0].startswith("|"):
            builder.add(ListedFeed(url=line), line=number)
        else:
            builder.add(_listed_feed(words[0], words[1:]), line=number)
    result = builder.finish(notes=notes)
    if not result.feeds and all(refusal.reason == not_a_url_reason() for refusal in result.refusals):
        raise ImportFileError(_("This is not a subscription list: no line is a web address."))
    return result


def _listed_feed(url: str, tags: list[str]) -> ListedFeed:
    title = next((tag[1:] for tag in tags if tag.startswith("~")), "")
    folder = next((tag for tag in tags if tag[:1] not in ("~", "!", "#")), "")
    return ListedFeed(url=url, title=title, folder=(folder,) if folder else ())
