"""The accounts of this installation, as administrators see and change them.

Users can't change their own account here, since the account settings do that. Users who may manage users without being
administrators don't change accounts that have rights, which they could otherwise take over. One active administrator
always remains: the accounts of all of them are locked while one is changed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _
from django_otp.plugins.otp_totp.models import TOTPDevice

from reader.models import Engagement, EngagementKind, Subscription
from rssmanager.accounts.changes import UNDO_PERIOD, can_notify, recorded
from rssmanager.accounts.deletion import close, close_permanently, is_only_administrator, reopen
from rssmanager.accounts.errors import ActionRefused
from rssmanager.accounts.models import AccountChange, ChangeKind, PendingDeletion
from rssmanager.authentication.models import AppPassword, BrowserSession, Identity, Passkey
from rssmanager.authentication.sessions import end_sessions

RECENTLY = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class UserRow:
    """A user; `deleted_from` is when the data of a deleted account is removed, None for all others."""

    user: User
    last_active_at: datetime | None
    n_feeds: int
    n_opened: int
    ways_in: tuple[str, ...]
    is_connected: bool
    deleted_from: datetime | None


def with_figures(users: QuerySet[User], *, now: datetime) -> QuerySet[User]:
    """The users with what `row_of` shows, all in their one query."""
    opened = Engagement.objects.filter(kind=EngagementKind.OPENED, happened_at__gt=now - RECENTLY)
    identities = Identity.objects.filter(user=OuterRef("pk"), issuer=settings.ENV.OIDC_ISSUER)
    apps = TOTPDevice.objects.filter(user=OuterRef("pk"), confirmed=True)
    return users.annotate(
        n_feeds=_of_each(Subscription.objects.all(), Count("pk")),
        n_opened=_of_each(opened, Count("article", distinct=True)),
        browser_seen_at=_of_each(BrowserSession.objects.all(), Max("seen_at")),
        reading_app_seen_at=_of_each(AppPassword.objects.all(), Max("last_used_at")),
        has_passkey=Exists(Passkey.objects.filter(user=OuterRef("pk"))),
        has_code_app=Exists(apps),
        has_reading_app=Exists(AppPassword.objects.filter(user=OuterRef("pk"))),
        is_connected=Exists(identities),
        deleted_from=Subquery(PendingDeletion.objects.filter(user=OuterRef("pk")).values("due_at")),
    )


def row_of(user: Any) -> UserRow:
    """What is shown of a user of `with_figures`."""
    times = (user.browser_seen_at, user.reading_app_seen_at, user.last_login)
    ways_in = {
        _("password"): user.has_usable_password(),
        _("authenticator app"): user.has_code_app,
        _("passkey"): user.has_passkey,
        settings.ENV.OIDC_NAME: user.is_connected,
        _("app passwords"): user.has_reading_app,
    }
    return UserRow(
        user=user,
        last_active_at=max((at for at in times if at is not None), default=None),
        n_feeds=user.n_feeds or 0,
        n_opened=user.n_opened or 0,
        ways_in=tuple(way for way, is_there in ways_in.items() if is_there),
        is_connected=user.is_connected,
        deleted_from=user.deleted_from,
    )


def may_change(actor: User, user: User) -> bool:
    """Whether `actor`, who may change users, may change this one."""
    return user != actor and (actor.is_superuser or not (user.is_staff or user.is_superuser))


def set_administrator(user: User, *, is_administrator: bool) -> None:
    """Make the user an administrator, or an ordinary user. Raises ActionRefused for the last administrator."""
    with _locked(user, removes=not is_administrator):
        user.is_staff = user.is_superuser = is_administrator
        user.save(update_fields=["is_staff", "is_superuser"])


def deactivate(user: User) -> None:
    """Keep the user from signing in, and sign them out everywhere. Raises ActionRefused for the last administrator."""
    with _locked(user, removes=True):
        user.is_active = False
        user.save(update_fields=["is_active"])
        end_sessions(user, except_key=None)


def activate(user: User, *, now: datetime) -> None:
    """Let the user sign in again; restores a deleted account. Raises ActionRefused if its data is being removed."""
    with _locked(user, removes=False):
        if PendingDeletion.objects.filter(user=user, due_at__lte=now).exists():
            raise ActionRefused(_("The data of this account is being removed."))
        reopen(user)
        # The link that was emailed would otherwise activate the account again after it was deactivated.
        deletions = AccountChange.objects.filter(user=user, kind=ChangeKind.DELETION, undone_at=None)
        deletions.update(undone_at=now, before={})


def delete(user: User, *, now: datetime) -> bool:
    """Close the account: for a week if its user can be sent a link that restores it (True), else permanently.

    Raises ActionRefused for the last administrator.
    """
    with _locked(user, removes=True):
        can_return = user.is_active and can_notify(user, now=now)
        if can_return:
            with recorded(user, ChangeKind.DELETION, browser=None, now=now):
                close(user, due_at=now + UNDO_PERIOD)
        else:
            close_permanently(user, now=now)
        end_sessions(user, except_key=None)
    return can_return


@contextmanager
def _locked(user: User, *, removes: bool) -> Iterator[None]:
    """A transaction in which the account and those of all administrators don't change otherwise.

    Raises ActionRefused if inside the last active administrator would be removed.
    """
    with transaction.atomic():
        list(User.objects.select_for_update().filter(Q(is_superuser=True) | Q(pk=user.pk)).order_by("pk"))
        user.refresh_from_db()
        if removes and is_only_administrator(user):
            raise ActionRefused(_("This is the only active administrator. Make another user an administrator first."))
        yield


def _of_each(rows: QuerySet[Any], figure: Any) -> Subquery:
    """A figure of each user's rows; None for users without any."""
    own = rows.filter(user=OuterRef("pk")).order_by().values("user")
    return Subquery(own.annotate(figure=figure).values("figure"))
