"""Whose account is meant by whom a provider names: by issuer and subject, and by nothing else."""

import re
from datetime import datetime
from itertools import count

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from reader.owner import is_owned
from rssmanager.signing_in.errors import NotConnected
from rssmanager.signing_in.models import Identity
from rssmanager.signing_in.openid import Person

_NOT_IN_NAMES = re.compile(r"[^\w.@+-]")


def account_of(person: Person, *, creates: bool, now: datetime) -> User:
    """The account; a new one where there is none and `creates`, but never the first. Raises NotConnected."""
    found = Identity.objects.filter(issuer=person.issuer, subject=person.subject).select_related("user").first()
    if found is None and creates and is_owned():
        return _create(person, now=now)
    if found is None:
        raise NotConnected(_("No account here is connected with that one. Sign in by password, and connect it there."))
    if not found.user.is_active:
        raise NotConnected(_("This account is closed."))
    return found.user


def connect(user: User, person: Person, *, now: datetime) -> None:
    """Let that person sign in as `user`. Raises NotConnected where either has another already."""
    values = {"issuer": person.issuer, "subject": person.subject}
    if Identity.objects.filter(user=user, **values).exists():
        return
    try:
        with transaction.atomic():
            Identity.objects.create(user=user, connected_at=now, **values)
    except IntegrityError as error:
        raise NotConnected(_("One of the two is connected with another account already.")) from error


def is_connected(user: User) -> bool:
    """Whether somebody whom the provider of today knows may sign in as `user`."""
    return Identity.objects.filter(user=user, issuer=settings.ENV.OIDC_ISSUER).exists()


def disconnect(user: User) -> bool:
    """Let nobody sign in so any more; False for who could not sign in at all then."""
    if not user.has_usable_password():
        return False
    Identity.objects.filter(user=user).delete()
    return True


def _create(person: Person, *, now: datetime) -> User:
    wanted = _NOT_IN_NAMES.sub("", person.name)[:140] or "reader"
    for number in count(1):
        name = wanted if number == 1 else f"{wanted}{number}"
        if not User.objects.filter(username__iexact=name).exists():
            break
    try:
        with transaction.atomic():
            user = User.objects.create_user(name, email=person.email)  # without a password
            Identity.objects.create(user=user, issuer=person.issuer, subject=person.subject, connected_at=now)
    except IntegrityError as error:
        raise NotConnected(_("That was tried twice at once. Sign in once more.")) from error
    return user
