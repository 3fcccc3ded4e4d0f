"""The table of keyboard shortcuts. The help shows it, and `keys.js` reads it from there.

They follow Google Reader, as Miniflux and FreshRSS do. In a list, u switches between unread and all; in an article it
goes back; beside a list it closes the article, as Escape does. n and p open the next and previous article beside a
list, and move like j and k in one column. N and P open the next and previous feed, as there; J and K do, too, as in
FreshRSS.
"""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Key:
    """A command: its keys, its name in the script, and its description.

    "g t" is g and then t. `to`: the URL name of the page it opens.
    """

    keys: tuple[str, ...]
    does: str
    words: str | Promise
    to: str = ""


def _go(key: str, to: str, words: str | Promise) -> Key:
    return Key((f"g {key}",), "go", words, to)


KEYS = (
    (
        _("In a list"),
        (
            Key(("j",), "next", _("Next")),
            Key(("k",), "previous", _("Previous")),
            Key(("n",), "openNext", _("Next; opens it in three columns")),
            Key(("p",), "openPrevious", _("Previous; opens it in three columns")),
            Key(("o",), "open", _("Open")),
            Key(("u",), "back", _("Unread only or all; in an article, back to the list")),
            Key(("A",), "readAll", _("Mark all as read")),
            Key(("a",), "add", _("Follow a feed"), "subscribe"),
            Key(("r",), "refresh", _("Check the feed for new articles; elsewhere, reload")),
        ),
    ),
    (
        _("With an article"),
        (
            Key(("Space",), "pageDown", _("Page down; at the end, the next article")),
            Key(("v",), "original", _("Open the original")),
            Key(("m",), "read", _("Mark as read or unread")),
            Key(("s",), "star", _("Star")),
            Key(("l",), "like", _("Like")),
            Key(("d",), "dislike", _("Dislike")),
            Key(("x",), "skip", _("Skip")),
            Key(("z",), "undo", _("Undo")),
            Key(("e",), "unfold", _("Show other sources below")),
            Key(("h",), "highlight", _("Highlight the selected text")),
            Key(("t",), "story", _("Open the story")),
            Key(("w",), "why", _("Why this score")),
        ),
    ),
    (
        _("In the sidebar"),
        (
            Key(("N", "J"), "nextFeed", _("Next feed")),
            Key(("P", "K"), "previousFeed", _("Previous feed")),
            Key((">",), "nextFolder", _("Next folder")),
            Key(("<",), "previousFolder", _("Previous folder")),
        ),
    ),
    (
        _("Go to"),
        (
            _go("t", "today", _("Today")),
            _go("f", "for_you", _("For you")),
            _go("i", "important", _("Important")),
            _go("a", "home", _("All articles")),
            _go("e", "stories", _("Stories")),
            _go("s", "starred", _("Starred")),
            _go("d", "digests", _("Digests")),
            _go("h", "health", _("Feeds")),
            _go("n", "notifications", _("Notifications")),
            _go("p", "settings", _("Settings")),
            Key(("/",), "search", _("Search")),
            Key(("?",), "help", _("Keyboard shortcuts")),
        ),
    ),
)
