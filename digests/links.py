"""Addresses that a mail holds. Whoever has a mail may do with its links what they are for, and nothing else.

A token says who, what and until when, and is signed with the installation's key; it is the only authority on the pages
it leads to (`digests.views.links`), so these work without signing in, and whoever is signed in makes no difference. The
end of its validity is part of it and comes from the time given, not from a clock, so all tries of a mail hold the same
addresses. A change of what a token holds needs a new number in its salt: old ones are then refused, not misread.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urljoin

from django.conf import settings
from django.core.signing import BadSignature, Signer, b62_decode, b62_encode
from django.urls import reverse
from django.utils.translation import pgettext

from digests.kinds import PLANNED, Kind

ACTS_LAST = timedelta(days=30)
ALERTS = "alerts"  # what a person may unsubscribe from, beside the kinds of digest
_SEPARATOR = "."
_ACT = "digests.links.act.1"
_UNSUBSCRIBE = "digests.links.unsubscribe.1"


class BadLink(Exception):
    """A token that was not made here, or whose time is over (`is_expired`)."""

    def __init__(self, message: str, *, is_expired: bool = False) -> None:
        super().__init__(message)
        self.is_expired = is_expired


class MailAct(StrEnum):
    """What can be done with an article out of a mail."""

    READ = "read"
    SKIP = "skip"
    LIKE = "like"


@dataclass(frozen=True, slots=True)
class ArticleAct:
    """Who may do what with which article."""

    user_id: int
    article_id: int
    act: MailAct


@dataclass(frozen=True, slots=True)
class Subscribed:
    """What mail a person gets: `what` is a planned kind of digest or `ALERTS`."""

    user_id: int
    what: str

    def __post_init__(self) -> None:
        if self.what != ALERTS and self.what not in PLANNED:
            raise ValueError(f"No mail is called {self.what!r}")

    @property
    def name(self) -> str:
        """As it is told within a sentence."""
        return pgettext("within a sentence", "alerts") if self.what == ALERTS else Kind(self.what).in_sentence


@dataclass(frozen=True, slots=True)
class LetterLinks:
    """The absolute addresses of one mail to one person; without a digest it is a mail of alerts.

    `written_at` is when the mail was first written, from which on its acts are valid for `ACTS_LAST`.
    """

    user_id: int
    written_at: datetime
    kind: str = ALERTS
    digest_id: int | None = None

    @property
    def page(self) -> str:
        """Where the same stands on the web: the digest, or the notifications. Asks to sign in."""
        return self.at(reverse("notifications") if self.digest_id is None else reverse("digest", args=[self.digest_id]))

    @property
    def settings(self) -> str:
        """Where the person says what they want by mail. Asks to sign in."""
        return self.at(reverse("digest_settings"))

    @property
    def unsubscribe(self) -> str:
        """A page with one button, and what `List-Unsubscribe` names. Valid for good."""
        return self.at(reverse("mail_unsubscribe", args=[unsubscribe_token(Subscribed(self.user_id, self.kind))]))

    def act(self, article_id: int, act: str) -> str:
        """A page with one button that does `act` (`read`, `skip` or `like`)."""
        asked = ArticleAct(self.user_id, article_id, MailAct(act))
        return self.at(reverse("mail_act", args=[act_token(asked, until=self.written_at + ACTS_LAST)]))

    def article(self, article_id: int) -> str:
        """The article's page in the reader. Asks to sign in."""
        return self.at(reverse("article", args=[article_id]))

    def at(self, path: str) -> str:
        """A page of this site by its path, as `reverse` gives it."""
        return urljoin(settings.BASE_URL, path)


def act_token(asked: ArticleAct, *, until: datetime) -> str:
    """Valid up to the whole second `until`."""
    parts = (asked.act.value, str(asked.user_id), str(asked.article_id), b62_encode(int(until.timestamp())))
    return _signer(_ACT).sign(_SEPARATOR.join(parts))


def act_of(token: str, *, now: datetime) -> ArticleAct:
    """What a token allows. Raises BadLink."""
    act, user_id, article_id, until = _opened(token, _ACT, r"([a-z]+)\.(\d+)\.(\d+)\.(\w+)")
    if now.timestamp() > b62_decode(until):
        raise BadLink("Its time is over", is_expired=True)
    return ArticleAct(int(user_id), int(article_id), MailAct(act))


def unsubscribe_token(subscribed: Subscribed) -> str:
    """Valid for good, for one person and one kind of mail."""
    return _signer(_UNSUBSCRIBE).sign(f"{subscribed.what}{_SEPARATOR}{subscribed.user_id}")


def subscribed_of(token: str) -> Subscribed:
    """What a token allows to stop. Raises BadLink."""
    what, user_id = _opened(token, _UNSUBSCRIBE, r"([a-z]+)\.(\d+)")
    return Subscribed(int(user_id), what)


def _signer(salt: str) -> Signer:
    return Signer(salt=salt, sep=_SEPARATOR)


def _opened(token: str, salt: str, form: str) -> tuple[str, ...]:
    """The parts of what was signed. Raises BadLink."""
    try:
        signed = _signer(salt).unsign(token)
    except BadSignature as error:
        raise BadLink("It was not made here") from error
    if not (match := re.fullmatch(form, signed)):
        raise BadLink("It was made here and says nothing")
    return match.groups()
