"""Signed links and pictures in emails.

A token says who may do what until when and is signed with the installation's key. It is the only authority on the pages
it leads to (`digests.views.links`): they need no sign-in and ignore it. The end of validity is part of the token, so
every attempt to send an email has the same links. When the content of tokens changes, change the number in the salt:
old tokens are then rejected instead of misread.
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

from digests.edition.kinds import PLANNED, Kind

ACTIONS_VALID_FOR = timedelta(days=30)
ALERTS = "alerts"  # can be unsubscribed from, like the kinds of digest
_SEPARATOR = "."
_ACT = "digests.delivery.links.act.1"
_PICTURE = "digests.delivery.links.picture.1"
_UNSUBSCRIBE = "digests.delivery.links.unsubscribe.1"


class EmailAction(StrEnum):
    """Actions on an article in an email."""

    READ = "read"
    SKIP = "skip"
    LIKE = "like"


@dataclass(frozen=True, slots=True)
class ArticleAction:
    """The action on an article that a token allows a user."""

    user_id: int
    article_id: int
    act: EmailAction


class BadLink(Exception):
    """A token that is forged, malformed, or expired; `expired` is what an expired one allowed."""

    def __init__(self, message: str, *, expired: ArticleAction | None = None) -> None:
        super().__init__(message)
        self.expired = expired


@dataclass(frozen=True, slots=True)
class Subscribed:
    """A kind of email that a user gets: `what` is a planned kind of digest or `ALERTS`."""

    user_id: int
    what: str

    def __post_init__(self) -> None:
        if self.what != ALERTS and self.what not in PLANNED:
            raise ValueError(f"There is no kind of email {self.what!r}")

    @property
    def name(self) -> str:
        """The name within a sentence."""
        return pgettext("within a sentence", "alerts") if self.what == ALERTS else Kind(self.what).in_sentence


@dataclass(frozen=True, slots=True)
class EmailLinks:
    """The absolute URLs in one email; without a digest it is an email with alerts.

    Actions are valid for `ACTIONS_VALID_FOR` from `written_at`, when the email was first written.
    """

    user_id: int
    written_at: datetime
    kind: str = ALERTS
    digest_id: int | None = None

    @property
    def page(self) -> str:
        """The digest or the notifications on the web. Requires sign-in."""
        return self.at(reverse("notifications") if self.digest_id is None else reverse("digest", args=[self.digest_id]))

    @property
    def settings(self) -> str:
        """The email settings. Requires sign-in."""
        return self.at(reverse("digest_settings"))

    @property
    def unsubscribe(self) -> str:
        """A page with one button, also in `List-Unsubscribe`. Never expires."""
        return self.at(reverse("mail_unsubscribe", args=[unsubscribe_token(Subscribed(self.user_id, self.kind))]))

    def act(self, article_id: int, act: str) -> str:
        """A page with one button that does `act` (`read`, `skip` or `like`)."""
        action = ArticleAction(self.user_id, article_id, EmailAction(act))
        return self.at(reverse("mail_act", args=[action_token(action, until=self.written_at + ACTIONS_VALID_FOR)]))

    def picture(self, article_id: int) -> str:
        """The picture of an article, which this server fetches when a mail app asks for it."""
        token = picture_token(self.user_id, article_id, until=self.written_at + ACTIONS_VALID_FOR)
        return self.at(reverse("mail_picture", args=[token]))

    def article(self, article_id: int) -> str:
        """The article's page in the reader. Requires sign-in."""
        return self.at(reverse("article", args=[article_id]))

    def at(self, path: str) -> str:
        """The absolute URL of a path."""
        return urljoin(settings.BASE_URL, path)


def action_token(action: ArticleAction, *, until: datetime) -> str:
    """A token for an action, valid until `until`."""
    parts = (action.act.value, str(action.user_id), str(action.article_id), b62_encode(int(until.timestamp())))
    return _signer(_ACT).sign(_SEPARATOR.join(parts))


def read_action_token(token: str, *, now: datetime) -> ArticleAction:
    """The action that a token allows. Raises BadLink."""
    act, user_id, article_id, until = _verified(token, _ACT, r"([a-z]+)\.(\d+)\.(\d+)\.(\w+)")
    action = ArticleAction(int(user_id), int(article_id), EmailAction(act))
    if now.timestamp() > b62_decode(until):
        raise BadLink("The token has expired", expired=action)
    return action


def picture_token(user_id: int, article_id: int, *, until: datetime) -> str:
    """A token for the picture of an article that the user may see, valid until `until`."""
    parts = (str(user_id), str(article_id), b62_encode(int(until.timestamp())))
    return _signer(_PICTURE).sign(_SEPARATOR.join(parts))


def read_picture_token(token: str, *, now: datetime) -> tuple[int, int]:
    """The user and the article of a token. Raises BadLink."""
    user_id, article_id, until = _verified(token, _PICTURE, r"(\d+)\.(\d+)\.(\w+)")
    if now.timestamp() > b62_decode(until):
        raise BadLink("The token has expired")
    return int(user_id), int(article_id)


def unsubscribe_token(subscribed: Subscribed) -> str:
    """A token for one user and one kind of email. Never expires."""
    return _signer(_UNSUBSCRIBE).sign(f"{subscribed.what}{_SEPARATOR}{subscribed.user_id}")


def read_unsubscribe_token(token: str) -> Subscribed:
    """What a token unsubscribes from. Raises BadLink."""
    what, user_id = _verified(token, _UNSUBSCRIBE, r"([a-z]+)\.(\d+)")
    return Subscribed(int(user_id), what)


def _signer(salt: str) -> Signer:
    return Signer(salt=salt, sep=_SEPARATOR)


def _verified(token: str, salt: str, form: str) -> tuple[str, ...]:
    """The parts of a signed value. Raises BadLink."""
    try:
        signed = _signer(salt).unsign(token)
    except BadSignature as error:
        raise BadLink("The signature is invalid") from error
    if not (match := re.fullmatch(form, signed)):
        raise BadLink("The token is malformed")
    return match.groups()
