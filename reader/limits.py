"""How many rows of a kind a user may have: more than anyone needs, and an end to what a script can fill.

Every way in (pages, APIs, imports, commands) creates rows through functions that check this. Requests at the same
moment may exceed a limit by a few.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import ngettext_lazy

from feeds.wording import format_number
from reader.errors import LimitReached, ReaderError


@dataclass(frozen=True, slots=True)
class Limit:
    """`text` is a sentence for the user, with `%(n)s`."""

    most: int
    text: str | Promise

    def check(self, rows: QuerySet[Any], n_new: int = 1, *, error: Callable[[str], ReaderError] = LimitReached) -> None:
        """Raise the error if the user's rows and `n_new` more are too many."""
        if n_new > 0 and rows.count() + n_new > self.most:
            raise error(str(self.text) % {"n": format_number(self.most)})


APP_PASSWORDS = Limit(
    50,
    ngettext_lazy(
        "You can have up to %(n)s app password. Revoke one first.",
        "You can have up to %(n)s app passwords. Revoke one first.",
        50,
    ),
)
FEEDS = Limit(  # as many as a list may have
    50_000,
    ngettext_lazy(
        "You can follow up to %(n)s feed. Unfollow one first.",
        "You can follow up to %(n)s feeds. Unfollow one first.",
        50_000,
    ),
)
FOLDERS = Limit(  # the sidebar lists them all
    1000,
    ngettext_lazy(
        "You can have up to %(n)s folder. Delete one first.",
        "You can have up to %(n)s folders. Delete one first.",
        1000,
    ),
)
HIGHLIGHTS = Limit(
    20_000,
    ngettext_lazy(
        "You can have up to %(n)s highlight. Delete one first.",
        "You can have up to %(n)s highlights. Delete one first.",
        20_000,
    ),
)
IMPORTS = Limit(  # each is stored with its file
    20,
    ngettext_lazy(
        "Up to %(n)s import can wait. Try again when it's done.",
        "Up to %(n)s imports can wait. Try again when one is done.",
        20,
    ),
)
INTERESTS = Limit(  # more than a profile and an imported one together
    10_000,
    ngettext_lazy(
        "You can have up to %(n)s interest. Remove one first.",
        "You can have up to %(n)s interests. Remove one first.",
        10_000,
    ),
)
PASSKEYS = Limit(
    50,
    ngettext_lazy(
        "You can have up to %(n)s passkey. Remove one first.",
        "You can have up to %(n)s passkeys. Remove one first.",
        50,
    ),
)
RULES = Limit(  # every new article is compared with all of them
    200,
    ngettext_lazy(
        "You can have up to %(n)s rule. Delete one first.", "You can have up to %(n)s rules. Delete one first.", 200
    ),
)
SEARCHES = Limit(  # the sidebar lists them all
    50,
    ngettext_lazy("You can save %(n)s search. Delete one first.", "You can save %(n)s searches. Delete one first.", 50),
)
TAGS = Limit(  # the sidebar and the input's suggestions list them all
    1000,
    ngettext_lazy(
        "You can have up to %(n)s tag. Delete one first.", "You can have up to %(n)s tags. Delete one first.", 1000
    ),
)
WEBHOOKS = Limit(  # each is a request for every matching article
    20,
    ngettext_lazy(
        "Up to %(n)s rule can send to a URL. Remove its URL first.",
        "Up to %(n)s rules can send to a URL. Remove the URL from one first.",
        20,
    ),
)
