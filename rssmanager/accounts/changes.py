"""Account changes that are reported to the owner by email, with a link that undoes them for a week.

    with recorded(user, ChangeKind.PASSWORD, browser=browser_of(request), now=now):
        ...  # change it

What the change replaces is stored with it, in the same transaction. Undoing a change also undoes all later ones, newest
first, so the account is as it was before. The oldest valid link therefore has the last word, and an attacker can't undo
what the owner undid.

Emails go to every address that the account had within the last week. Each has a link, except to addresses that were
replaced by an earlier one: if an attacker sets an address and the owner restores their own by hand, the attacker's
address gets no link.

Without a mail server, no notice can be sent, so nothing is stored.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256

from django.contrib.auth.models import User
from django.db import transaction

from digests.delivery.enqueue import queue_about_account
from digests.delivery.smtp import is_printed
from digests.models import MailingKind
from feeds.tasks.enqueue import call_worker
from rssmanager.accounts.errors import UndoRefused
from rssmanager.accounts.models import AccountChange, ChangeKind, ChangeNotice, UndoLink
from rssmanager.accounts.snapshots import restore, snapshot
from rssmanager.authentication.sessions import Browser, end_sessions

UNDO_PERIOD = timedelta(days=7)
ALWAYS = (ChangeKind.SESSIONS, ChangeKind.EXPORT)  # they replace nothing, and are always recorded


@dataclass(frozen=True, slots=True)
class Recipient:
    """An address to notify, and whether its email has a link."""

    address: str
    has_link: bool


@contextmanager
def recorded(user: User, kind: ChangeKind, *, browser: Browser | None, now: datetime) -> Iterator[None]:
    """Record what changes inside, if anything does, and notify the owner. `browser` is None for an administrator."""
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)  # one change of an account at a time
        before = snapshot(user, kind)
        yield
        after = snapshot(user, kind)
        if kind in ALWAYS or before != after:
            _record(user, kind, before=before, detail=after.get("email", ""), browser=browser, now=now)


def can_notify(user: User, *, now: datetime) -> bool:
    """Whether a change made now would be reported by an email with a link."""
    return any(recipient.has_link for recipient in _recipients(user, ChangeKind.DELETION, now=now))


def find_change(token: str, *, now: datetime) -> AccountChange:
    """The change that the link with this token undoes. Raises UndoRefused."""
    link = UndoLink.objects.filter(digest=digest_of(token)).select_related("change__user").first()
    if link is None or link.change.expires_at <= now:
        raise UndoRefused(is_used=False)
    if link.change.undone_at is not None:
        raise UndoRefused(is_used=True)
    return link.change


def changes_to_undo(change: AccountChange) -> list[AccountChange]:
    """The change and all later ones that weren't undone, newest first."""
    since = AccountChange.objects.filter(user=change.user_id, pk__gte=change.pk, undone_at=None)
    return list(since.exclude(kind=ChangeKind.UNDO).order_by("-pk"))


def undo(token: str, *, now: datetime) -> AccountChange:
    """Undo the change and all later ones, and sign out every browser; returns the change as it was.

    Raises UndoRefused, and then changes nothing.
    """
    with transaction.atomic():
        User.objects.select_for_update().get(pk=find_change(token, now=now).user_id)
        change = find_change(token, now=now)  # again, as another link may have been used before we had the lock
        user = change.user
        recipients = _recipients(user, ChangeKind.UNDO, now=now)
        undone = changes_to_undo(change)
        for row in undone:
            restore(user, row.before)
        AccountChange.objects.filter(pk__in=[row.pk for row in undone]).update(undone_at=now, before={})
        _cancel_resets(user, now=now)
        end_sessions(user, except_key=None)
        _notify(_create(user, ChangeKind.UNDO, now=now), recipients, now=now)
    return change


def delete_expired(*, now: datetime) -> None:
    """Delete changes that can no longer be undone, with everything stored to restore them."""
    AccountChange.objects.filter(expires_at__lte=now).delete()


def digest_of(token: str) -> str:
    """The stored form of a link's token; its 256 random bits need no salt."""
    return sha256(token.encode()).hexdigest()


def unreplaced(chain: Sequence[str]) -> list[str]:
    """Of an account's addresses in order, those that weren't replaced by an earlier one again."""
    remaining: list[str] = []
    for address in chain:
        if address in remaining:
            del remaining[remaining.index(address) + 1 :]
        else:
            remaining.append(address)
    return remaining


def _record(
    user: User, kind: ChangeKind, *, before: dict[str, object], detail: str, browser: Browser | None, now: datetime
) -> None:
    change = _create(user, kind, now=now)
    change.before, change.detail, change.by_administrator = before, detail, browser is None
    if browser is not None:
        change.agent, change.address = browser.agent, browser.address
    change.save()
    recipients = _recipients(user, kind, now=now)
    if recipients:
        _notify(change, recipients, now=now)
    else:
        change.delete()  # it could not be undone, so its secrets must not be stored


def _create(user: User, kind: ChangeKind, *, now: datetime) -> AccountChange:
    return AccountChange.objects.create(user=user, kind=kind, made_at=now, expires_at=now + UNDO_PERIOD)


def _notify(change: AccountChange, recipients: Sequence[Recipient], *, now: datetime) -> None:
    for recipient in recipients:
        mailing = queue_about_account(change.user, MailingKind.NOTICE, recipient.address, now=now)
        ChangeNotice.objects.create(change=change, mailing=mailing, has_link=recipient.has_link)
    transaction.on_commit(partial(call_worker, "digests.tasks.mail.send"))


def _recipients(user: User, kind: ChangeKind, *, now: datetime) -> list[Recipient]:
    """The addresses to notify of a change that was made; a new email address itself isn't notified."""
    if is_printed():
        return []
    recent = AccountChange.objects.filter(user=user, kind=ChangeKind.EMAIL, undone_at=None, expires_at__gt=now)
    earlier = [before["email"] for before in recent.order_by("pk").values_list("before", flat=True)]
    current = User.objects.values_list("email", flat=True).get(pk=user.pk)
    may_undo = set(unreplaced([*earlier, current]))
    if kind == ChangeKind.EMAIL:
        may_undo.discard(current)
    if kind == ChangeKind.UNDO:
        may_undo.clear()
    addresses = dict.fromkeys(earlier if kind == ChangeKind.EMAIL else [*earlier, current])
    return [Recipient(address, address in may_undo) for address in addresses if address]


def _cancel_resets(user: User, *, now: datetime) -> None:
    """Invalidate password reset links that were sent earlier: each contains the time of the last sign-in."""
    last = user.last_login
    user.last_login = now if last is None else max(now, last + timedelta(seconds=1))  # links contain whole seconds
    user.save(update_fields=["last_login"])
