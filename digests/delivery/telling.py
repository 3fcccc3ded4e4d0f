"""Tell a person that a mail of theirs did not go out, or perhaps did not."""

from datetime import datetime

from django.urls import reverse
from django.utils.dateformat import format as dated
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from digests.kinds import Kind
from digests.models import Mailing
from reader.models import Notification, NotificationKind
from reader.site_paths import within


def tell_failed(mailing: Mailing, reason: str, *, now: datetime) -> None:
    """One notification, with the page where what the mail said can be read."""
    _tell(mailing, _("%(mail)s could not be mailed. %(reason)s") % {"mail": name_of(mailing), "reason": reason}, now)


def tell_uncertain(mailing: Mailing, *, now: datetime) -> None:
    """One notification; nobody but the person can find out whether it came."""
    text = _(
        "%(mail)s was perhaps mailed: the mail server had it and did not answer. Look whether it came; so that it does"
        " not come twice, it is not sent again by itself."
    )
    _tell(mailing, text % {"mail": name_of(mailing)}, now)


def name_of(mailing: Mailing) -> str:
    """What the mail holds, as a sentence begins."""
    if mailing.digest is None:
        return _("A mail with alerts")
    day = dated(mailing.digest.day, pgettext("date format", "j F"))
    return _("%(digest)s of %(day)s") % {"digest": capfirst(Kind(mailing.digest.kind).in_sentence), "day": day}


def _tell(mailing: Mailing, text: str, now: datetime) -> None:
    path = reverse("digest", args=[mailing.digest_id]) if mailing.digest_id else reverse("notifications")
    Notification.objects.create(
        user_id=mailing.user_id, kind=NotificationKind.MAIL, path=within(path), text=text[:700], happened_at=now
    )
