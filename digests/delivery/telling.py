"""Tell a person that a mail of theirs did not go out, or perhaps did not."""

from datetime import datetime

from django.urls import reverse

from digests.models import Mailing
from reader.models import Notification, NotificationKind


def tell_failed(mailing: Mailing, reason: str, *, now: datetime) -> None:
    """One notification, with the page where what the mail said can be read."""
    _tell(mailing, f"{name_of(mailing)} could not be mailed. {reason}", now)


def tell_uncertain(mailing: Mailing, *, now: datetime) -> None:
    """One notification; nobody but the person can find out whether it came."""
    text = (
        f"{name_of(mailing)} was perhaps mailed: the mail server had it and did not answer. Look whether it came; so"
        " that it does not come twice, it is not sent again by itself."
    )
    _tell(mailing, text, now)


def name_of(mailing: Mailing) -> str:
    """What the mail holds, as a sentence begins."""
    if mailing.digest is None:
        return "A mail with alerts"
    return f"The {mailing.digest.get_kind_display().lower()} of {mailing.digest.day:%-d %B}"


def _tell(mailing: Mailing, text: str, now: datetime) -> None:
    path = reverse("digest", args=[mailing.digest_id]) if mailing.digest_id else reverse("notifications")
    Notification.objects.create(
        user_id=mailing.user_id, kind=NotificationKind.MAIL, path=path, text=text[:700], happened_at=now
    )
