"""Notify users when the condition of a feed changes, and when an import of a list is over."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from urllib.parse import quote

from django.db import transaction
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, override

from feeds.models import Condition, Source
from feeds.polling.schedule import LONG_SILENCE
from feeds.stored_text import reason_text
from reader.models import Import, ImportStatus, Notification, NotificationKind, Preferences, Subscription
from reader.preferences.store import language_of, languages_of
from reader.subscriptions.hosts_down import hosts_down
from reader.views.site_paths import strip_prefix

HOST_DOWN_FOR = timedelta(hours=2)  # before it is told; most hosts are back by then
_HOSTS_AGAIN = timedelta(days=1)  # at the earliest
_BROKEN: frozenset[str] = frozenset({Condition.UNHEALTHY, Condition.SILENT, Condition.DEAD})
_MINOR: frozenset[str] = frozenset({Condition.WELL})
_WORKING = frozenset({Condition.SILENT, Condition.WELL})
_SENTENCES = {
    Condition.WELL: _("%(feed)s is working again."),
    Condition.UNHEALTHY: _("%(feed)s needs attention: %(reason)s. We keep trying."),
    Condition.SILENT: _("%(feed)s has been quiet: %(reason)s"),
    Condition.DEAD: _("%(feed)s is gone: %(reason)s. Its articles stay, and we stopped polling it."),
}


def notify_subscribers() -> int:
    """Create notifications for changed conditions and for hosts that are down; returns how many. Safe to repeat.

    A working feed is news only after a problem was reported. Silence is a question, asked once until the feed publishes
    again, if it began while the user followed the feed: a list to import has many that publish rarely. Users who turned
    notifications for a feed off don't get them later either, nor do those who turned the kind off. When a feed works
    again, its problems aren't new any more.
    """
    changed = Subscription.objects.select_related("feed").filter(
        Q(announced_at=None) | Q(announced_at__lt=F("feed__condition_changed_at")),
        feed__condition_changed_at__isnull=False,
    )
    with transaction.atomic():
        subscriptions = [row for row in changed if not _was_silent_before(row)]
        _mark_over_as_seen(subscriptions)
        kinds = _wanted_kinds({row.user_id for row in subscriptions})
        wanted = [
            row
            for row in subscriptions
            if row.tells_of_trouble and row.feed.condition in kinds.get(row.user_id, _BROKEN)
        ]
        wanted = [row for row in wanted if row.announced_at or row.feed.condition != Condition.WELL]
        affected = _without_asked(wanted)
        languages = languages_of({row.user_id for row in affected})
        news = [_notification(row, languages[row.user_id]) for row in affected]
        Notification.objects.bulk_create(news, ignore_conflicts=True)
        for subscription in subscriptions:
            subscription.announced_at = subscription.feed.condition_changed_at
        Subscription.objects.bulk_update(subscriptions, ["announced_at"], batch_size=500)
    return len(affected) + _notify_of_hosts(timezone.now())


def _without_asked(subscriptions: Sequence[Subscription]) -> list[Subscription]:
    """Leave out the silent feeds that the user keeps anyway, or was asked about during this silence."""
    silent = {row.feed_id for row in subscriptions if row.feed.condition == Condition.SILENT}
    if not silent:
        return list(subscriptions)
    asked = Notification.objects.filter(kind=Condition.SILENT, feed__in=silent).order_by("happened_at")
    asked_at = {(user, feed): at for user, feed, at in asked.values_list("user", "feed", "happened_at")}
    return [row for row in subscriptions if row.feed_id not in silent or _may_ask(row, asked_at)]


def _may_ask(row: Subscription, asked_at: Mapping[tuple[int, int], datetime]) -> bool:
    asked, last = asked_at.get((row.user_id, row.feed_id)), row.feed.last_published_at
    return not row.is_kept and (asked is None or (last is not None and asked < last))


def _notify_of_hosts(now: datetime) -> int:
    """Tell users of each host that has been down for a while, once a day at most, instead of each feed there."""
    down = Source.objects.filter(down_since__lte=now - HOST_DOWN_FOR)
    if not down.exists():
        return 0
    hosts = hosts_down(Subscription.objects.filter(feed__source__in=down, tells_of_trouble=True))
    kinds = _wanted_kinds({host.user_id for host in hosts})
    recent = Notification.objects.filter(kind=NotificationKind.HOST, happened_at__gt=now - _HOSTS_AGAIN)
    told = set(recent.values_list("user", "path"))
    languages = languages_of({host.user_id for host in hosts})
    news = []
    for host in hosts:
        path = f"{strip_prefix(reverse('health'))}?q={quote(host.domain)}"[:200]
        if Condition.UNHEALTHY not in kinds.get(host.user_id, _BROKEN) or (host.user_id, path) in told:
            continue
        with override(languages[host.user_id]):
            text = ngettext(
                "%(host)s has been down for hours. %(n)s of your feeds waits for it, and we keep trying.",
                "%(host)s has been down for hours. %(n)s of your feeds wait for it, and we keep trying.",
                host.n_feeds,
            ) % {"host": host.domain, "n": host.n_feeds}
        kind = NotificationKind.HOST
        news.append(Notification(user_id=host.user_id, kind=kind, path=path, text=text, happened_at=now))
    Notification.objects.bulk_create(news)
    return len(news)


def _wanted_kinds(user_ids: Collection[int]) -> dict[int, frozenset[str]]:
    """The conditions that those users want to be notified of who changed the defaults; one query."""
    rows = Preferences.objects.filter(user__in=user_ids) if user_ids else ()
    return {
        row.user_id: (_BROKEN if row.notifies_broken else frozenset()) | (_MINOR if row.notifies_minor else frozenset())
        for row in rows
    }


def _mark_over_as_seen(subscriptions: Sequence[Subscription]) -> None:
    recovered = [row for row in subscriptions if row.feed.condition in _WORKING and row.announced_at]
    if recovered:
        pairs = {(row.user_id, row.feed_id) for row in recovered}
        users, feeds = {user for user, _feed in pairs}, {feed for _user, feed in pairs}
        unseen = Notification.objects.filter(user__in=users, feed__in=feeds, seen_at=None, kind__in=_BROKEN | _MINOR)
        unseen = unseen.exclude(kind=Condition.SILENT, feed__condition=Condition.SILENT)  # still a question
        over = [row.pk for row in unseen.only("user", "feed") if (row.user_id, row.feed_id) in pairs]
        Notification.objects.filter(pk__in=over).update(seen_at=timezone.now())


def _was_silent_before(subscription: Subscription) -> bool:
    """Whether the feed is silent, and already was when the user followed it."""
    last = subscription.feed.last_published_at
    if subscription.feed.condition != Condition.SILENT or last is None:
        return False
    return subscription.added_at - last >= LONG_SILENCE


def _notification(subscription: Subscription, language: str) -> Notification:
    feed = subscription.feed
    with override(language):
        values = {"feed": subscription.shown_title, "reason": reason_text(feed.condition_reason)}
        text = _SENTENCES[Condition(feed.condition)] % values
    return Notification(
        user_id=subscription.user_id,
        feed=feed,
        kind=feed.condition,
        text=text[:700],
        happened_at=feed.condition_changed_at or feed.added_at,
    )


def notify_of_import(job: Import, *, now: datetime) -> None:
    """Create a notification for an import that is over. Its page marks it as seen, so only users who left it notice."""
    with override(language_of(job.user_id)):
        text = _import_sentence(job)
    Notification.objects.create(
        user_id=job.user_id, kind=NotificationKind.IMPORT, path=_import_path(job), text=text[:700], happened_at=now
    )


def mark_import_seen(job: Import, *, now: datetime) -> None:
    """Mark the notification of an import as seen; one query."""
    mine = Notification.objects.filter(user=job.user_id, kind=NotificationKind.IMPORT, seen_at=None)
    mine.filter(path=_import_path(job)).update(seen_at=now)


def _import_path(job: Import) -> str:
    return strip_prefix(reverse("import", args=[job.pk]))


def _import_sentence(job: Import) -> str:
    if job.status == ImportStatus.FAILED:
        return _("The import failed. %(reason)s") % {"reason": job.message}
    n_failed = job.lines.filter(feed=None).count()
    text = ngettext("Import finished: %(n)s feed added.", "Import finished: %(n)s feeds added.", job.n_added)
    failed = ngettext("%(n)s line was skipped.", "%(n)s lines were skipped.", n_failed)
    return text % {"n": job.n_added} + (" " + failed % {"n": n_failed} if n_failed else "")
