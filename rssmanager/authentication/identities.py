"""Accounts connected to an OpenID Connect provider, identified by issuer and subject only."""

import re
from datetime import datetime
from itertools import count

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from reader.preferences.owner import is_owned
from rssmanager.authentication.errors import NotConnected
from rssmanager.authentication.models import Identity
from rssmanager.authentication.openid import ProviderUser

_NOT_IN_NAMES = re.compile(r"[^\w.@+-]")


def find_or_create_account(person: ProviderUser, *, creates: bool, now: datetime) -> User:
    """The connected account; if `creates`, a new one if there is none, but never the first. Raises NotConnected."""
    identity = Identity.objects.filter(issuer=person.issuer, subject=person.subject).select_related("user").first()
    if identity is None and creates and is_owned():
        return _create(person, now=now)
    if identity is None:
        raise NotConnected(
            _("It isn't connected to an account here. Sign in with your password, then connect it under Settings.")
        )
    if not identity.user.is_active:
        raise NotConnected(_("This account is closed."))
    return identity.user


def connect(user: User, person: ProviderUser, *, now: datetime) -> None:
    """Let that identity sign in as `user`. Raises NotConnected if either is connected to another already."""
    values = {"issuer": person.issuer, "subject": person.subject}
    if Identity.objects.filter(user=user, **values).exists():
        return
    try:
        with transaction.atomic():
            Identity.objects.create(user=user, connected_at=now, **values)
    except IntegrityError as error:
        raise NotConnected(
            _("It's already connected to another account, or your account is connected to another one there.")
        ) from error


def is_connected(user: User) -> bool:
    """Whether the current provider can sign in `user`."""
    return Identity.objects.filter(user=user, issuer=settings.ENV.OIDC_ISSUER).exists()


def disconnect(user: User) -> bool:
    """Remove the connection; False for users without a password, who could no longer sign in."""
    if not user.has_usable_password():
        return False
    Identity.objects.filter(user=user).delete()
    return True


def _create(person: ProviderUser, *, now: datetime) -> User:
    base = _NOT_IN_NAMES.sub("", person.name)[:140] or "reader"
    for number in count(1):
        name = base if number == 1 else f"{base}{number}"
        if not User.objects.filter(username__iexact=name).exists():
            break
    try:
        with transaction.atomic():
            user = User.objects.create_user(name, email=person.email)  # without a password
            Identity.objects.create(user=user, issuer=person.issuer, subject=person.subject, connected_at=now)
    except IntegrityError as error:
        raise NotConnected(_("Your account has just been created. Sign in again.")) from error
    return user
