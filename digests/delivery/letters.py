"""What a mail says: the digest or the alerts that it was queued for, with addresses that lead back."""

from collections.abc import Mapping, Sequence

from django.urls import reverse
from django.utils.translation import gettext as _

from digests.alerting import breaking_prefix
from digests.keeping import edition_of, with_topics
from digests.links import LetterLinks
from digests.models import Digest, Mailing
from digests.rendering.mail import AlertLine, Letter, alerts_letter, digest_letter
from reader.access import visible_articles
from reader.models import Notification, NotificationKind, Subscription
from reader.preferences import time_zone_of


def links_of(mailing: Mailing) -> LetterLinks:
    """The addresses in a mail; the same for every try."""
    if mailing.digest is None:
        return LetterLinks(mailing.user_id, mailing.created_at)
    return LetterLinks(mailing.user_id, mailing.created_at, mailing.digest.kind, mailing.digest.pk)


def letter_of(mailing: Mailing) -> Letter | None:
    """The letter; None when nothing is left to tell."""
    links = links_of(mailing)
    if mailing.digest_id is not None:
        digest = with_topics(Digest.objects.filter(pk=mailing.digest_id)).get()
        return digest_letter(edition_of(digest), links=links)
    lines = _lines(mailing, links)
    return alerts_letter(lines, links=links) if lines else None


def _lines(mailing: Mailing, links: LetterLinks) -> list[AlertLine]:
    """What was told, the oldest first, by the person's clock; what was deleted since is left out."""
    told = Notification.objects.filter(pk__in=mailing.notifications.values("pk"), user=mailing.user_id)
    notifications = list(told.order_by("happened_at", "pk"))
    addresses, zone = _addresses(mailing, notifications, links), time_zone_of(mailing.user)
    return [
        AlertLine(
            text=each.text.removeprefix(breaking_prefix()),
            url=addresses[each.pk],
            heading=_("Breaking news") if each.kind == NotificationKind.BREAKING else _("Feed health"),
            happened_at=each.happened_at.astimezone(zone),
        )
        for each in notifications
    ]


def _addresses(mailing: Mailing, told: Sequence[Notification], links: LetterLinks) -> Mapping[int, str]:
    """Where each leads by its number: the article or feed that it is about, "" where that is not the person's now."""
    own = Subscription.objects.filter(user=mailing.user_id, feed__in={each.feed_id for each in told})
    feeds: dict[int | None, int] = dict(own.values_list("feed", "pk"))
    seen = visible_articles(mailing.user).filter(pk__in=[each.article_id for each in told if each.article_id])
    articles = set(seen.values_list("pk", flat=True))

    def address(of: Notification) -> str:
        if of.article_id in articles:
            return links.article(of.article_id)
        return links.at(reverse("feed", args=[feeds[of.feed_id]])) if of.feed_id in feeds else ""

    return {each.pk: address(each) for each in told}
