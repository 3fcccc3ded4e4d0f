"""A text file with one feed URL a line, newsboat's `urls` file among them.

A line is a URL, then optionally newsboat's tags: the first plain one becomes the folder, `"~…"` the title,
`"!…"` (hidden) is ignored. `#` begins a comment. Lines that name commands or stored searches are refused.
"""

import re

from feeds.errors import ImportFileError
from feeds.feed_address import not_a_web_address
from feeds.subscription_list import SubscriptionList, SubscriptionListBuilder, WantedFeed
from feeds.wording import gettext as _

_TAG = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')


def read_url_list_text(text: str, notes: tuple[str, ...] = ()) -> SubscriptionList:
    """Return the feeds of a list of URLs.

    Raises ImportFileError when no line is one.
    """
    builder = SubscriptionListBuilder()
    for number, line in enumerate(text.split("\n"), start=1):
        words = [quoted or bare for quoted, bare in _TAG.findall(line)]
        if not words or words[0].startswith("#"):
            continue
        if words[0].startswith("query:"):
            builder.refuse(number, line, _("a stored search, not a feed"))
        elif words[0].startswith("|"):
            builder.add(WantedFeed(url=line), line=number)
        else:
            builder.add(_wanted(words[0], words[1:]), line=number)
    found = builder.finish(notes=notes)
    if not found.feeds and all(each.reason == not_a_web_address() for each in found.refusals):
        raise ImportFileError(_("This is not a list of subscriptions: no line of it is a web address."))
    return found


def _wanted(url: str, tags: list[str]) -> WantedFeed:
    title = next((tag[1:] for tag in tags if tag.startswith("~")), "")
    folder = next((tag for tag in tags if tag[:1] not in ("~", "!", "#")), "")
    return WantedFeed(url=url, title=title, folder=(folder,) if folder else ())
