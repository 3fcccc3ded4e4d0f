"""The content of an email: the digest, the alerts or the news about the account it was queued for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.urls import reverse
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from digests.alerts import breaking_prefix
from digests.delivery.links import EmailLinks
from digests.delivery.pictures import mail_pictures_of, pictured_leads, room_beside, to_attach
from digests.edition.document import Edition
from digests.models import ABOUT_ACCOUNTS, Digest, Mailing
from digests.models.edition_store import edition_of, with_topics
from digests.rendering.mail import AlertLine, EmailContent, alerts_email, digest_email
from reader.access import visible_articles
from reader.models import MailPictures, Notification, NotificationKind, Subscription
from reader.preferences.store import time_zone_of

_ABOUT_ACCOUNT = "rssmanager.accounts.emails.content_of"  # by name, because accounts know digests, not the reverse


def links_of(mailing: Mailing) -> EmailLinks | None:
    """The links in an email, the same for every attempt; None if nobody can unsubscribe from it."""
    if mailing.kind in ABOUT_ACCOUNTS:
        return None
    if mailing.digest is None:
        return EmailLinks(mailing.user_id, mailing.created_at)
    return EmailLinks(mailing.user_id, mailing.created_at, mailing.digest.kind, mailing.digest.pk)


def email_content_of(mailing: Mailing) -> EmailContent | None:
    """The email's content; None if there is nothing left to say, such as after its notifications were deleted."""
    links = links_of(mailing)
    if links is None:
        content: EmailContent | None = import_string(_ABOUT_ACCOUNT)(mailing)
        return content
    if mailing.digest_id is not None:
        digest = with_topics(Digest.objects.filter(pk=mailing.digest_id)).get()
        return _with_pictures(mailing, edition_of(digest), links)
    lines = _lines(mailing, links)
    return alerts_email(lines, links=links) if lines else None


def _with_pictures(mailing: Mailing, edition: Edition, links: EmailLinks) -> EmailContent:
    """The digest with pictures of its top stories, as the user wants them. Never fails because of a picture."""
    content = digest_email(edition, links=links)
    chosen = mail_pictures_of(mailing.user)
    leads = {} if chosen == MailPictures.NONE else pictured_leads(mailing.user, edition)
    if not leads:
        return content
    if chosen == MailPictures.SERVER:
        return digest_email(edition, links=links, pictures={pk: links.picture(pk) for pk in leads})
    attached = to_attach(leads, message_id=mailing.message_id, room=room_beside(content))
    if not attached:
        return content
    addresses = {pk: f"cid:{picture.content_id}" for pk, picture in attached.items()}
    content = digest_email(edition, links=links, pictures=addresses)
    shown = tuple(picture for picture in attached.values() if f"cid:{picture.content_id}" in content.html)
    return replace(content, pictures=shown)


def _lines(mailing: Mailing, links: EmailLinks) -> list[AlertLine]:
    """The notifications that still exist, oldest first, in the user's time zone."""
    rows = Notification.objects.filter(pk__in=mailing.notifications.values("pk"), user=mailing.user_id)
    notifications = list(rows.order_by("happened_at", "pk"))
    addresses, zone = _addresses(mailing, notifications, links), time_zone_of(mailing.user)
    return [
        AlertLine(
            text=notification.text.removeprefix(breaking_prefix()),
            url=addresses[notification.pk],
            heading=_("Breaking news") if notification.kind == NotificationKind.BREAKING else _("Feed health"),
            happened_at=notification.happened_at.astimezone(zone),
        )
        for notification in notifications
    ]


def _addresses(mailing: Mailing, notifications: Sequence[Notification], links: EmailLinks) -> Mapping[int, str]:
    """The page of each notification's article or feed, by notification id; "" if the user can't open it."""
    own = Subscription.objects.filter(
        user=mailing.user_id, feed__in={notification.feed_id for notification in notifications}
    )
    feeds: dict[int | None, int] = dict(own.values_list("feed", "pk"))
    article_ids = [notification.article_id for notification in notifications if notification.article_id]
    visible = visible_articles(mailing.user).filter(pk__in=article_ids)
    articles = set(visible.values_list("pk", flat=True))

    def address(notification: Notification) -> str:
        if notification.article_id in articles:
            return links.article(notification.article_id)
        return links.at(reverse("feed", args=[feeds[notification.feed_id]])) if notification.feed_id in feeds else ""

    return {notification.pk: address(notification) for notification in notifications}
