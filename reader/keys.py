"""The keys of the reader: the one table of them. The help shows it, and the script (`keys.js`) reads it from there.

They are those of Google Reader, which Miniflux, FreshRSS and most others kept: j and k walk, o opens, v shows the
original, m and s mark, u goes back, and, in a list, where there is no way back, shows only what is unread or all again.
Beside a list, u closes what is open, as Escape does, and n and p turn to the next as pages of a book are turned; in one
column, where opening leaves the list, they walk as j and k do. Undo is z, as everywhere.
"""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Key:
    """One command: the keys that give it, what it does in the script's words and in a person's.

    "g t" is g and then t. A command that leads to a page names its address in `to`.
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
            Key(("n",), "openNext", _("Next; opens it where articles stand beside the list")),
            Key(("p",), "openPrevious", _("Previous; opens it there")),
            Key(("o",), "open", _("Open")),
            Key(("u",), "back", _("Unread only, or all again; in an article, back to the list")),
            Key(("A",), "readAll", _("Mark all as read")),
            Key(("r",), "refresh", _("Look for what is new")),
        ),
    ),
    (
        _("With an article"),
        (
            Key(("v",), "original", _("Open the original")),
            Key(("m",), "read", _("Read, or keep unread")),
            Key(("s",), "star", _("Star")),
            Key(("l",), "like", _("Like")),
            Key(("d",), "dislike", _("Dislike")),
            Key(("x",), "skip", _("Skip")),
            Key(("z",), "undo", _("Take the last act back")),
            Key(("e",), "unfold", _("Others on its story, under its row")),
            Key(("t",), "story", _("Its story")),
            Key(("w",), "why", _("Why this score")),
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
            _go("h", "health", _("Feeds, and how they do")),
            _go("n", "notifications", _("Notifications")),
            _go("p", "settings", _("Settings")),
            Key(("/",), "search", _("Search")),
            Key(("?",), "help", _("These keys")),
        ),
    ),
)
