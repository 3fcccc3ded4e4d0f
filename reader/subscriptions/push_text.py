"""How new articles of a feed are announced by its hub, or why not, in sentences. No queries."""

from datetime import datetime
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from feeds.models import Feed, FeedStatus, PushState, PushSubscription
from reader.preferences.relative_time import ago, day


def explain_push(feed: Feed, push: PushSubscription | None, *, why_off: str, now: datetime) -> list[str]:
    """The sentences; none for a feed without a hub. `why_off` is that of `feeds.push.availability`; `now` is in the
    user's time zone."""
    if not feed.hub_url or feed.status != FeedStatus.ACTIVE:
        return []
    text = {"hub": urlsplit(feed.hub_url).hostname or ""}
    if why_off == "address":
        return [_("Its hub, %(hub)s, could announce new articles, but this server has no public address.") % text]
    if why_off:
        return [_("Its hub, %(hub)s, could announce new articles, but push is turned off on this server.") % text]
    if push is None or push.state in (PushState.WAITING, PushState.ENDING):
        return [_("It names a hub, %(hub)s. We'll ask it to announce new articles.") % text]
    if push.state == PushState.DENIED:
        text["reason"] = push.reason
        return [_("Its hub, %(hub)s, refuses to announce new articles (%(reason)s). It's polled as usual.") % text]
    if push.state == PushState.REQUESTED:
        return [_("Its hub, %(hub)s, hasn't confirmed our subscription yet. It's polled as usual.") % text]
    if push.lease_until is None or push.verified_at is None or not push.is_active(now):
        return [_("Its hub, %(hub)s, hasn't renewed our subscription. It's polled as usual.") % text]
    text |= {
        "moment": ago(push.verified_at.astimezone(now.tzinfo), now),
        "day": day(push.lease_until.astimezone(now.tzinfo), now),
    }
    if not push.announces:
        unused = _(
            "Its hub, %(hub)s, hasn't announced the latest articles (confirmed %(moment)s). It's polled as usual."
        )
        return [unused % text]
    found = [
        _("Pushed by its hub, %(hub)s: new articles arrive within seconds.") % text,
        _("Subscription renewed %(moment)s, valid until %(day)s.") % text,
    ]
    if push.pinged_at is not None:
        found.append(_("Last announcement %(moment)s.") % {"moment": ago(push.pinged_at.astimezone(now.tzinfo), now)})
    return found
