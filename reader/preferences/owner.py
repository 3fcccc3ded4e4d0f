"""The owner account, created by the first visitor of a new installation."""

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from reader.errors import AlreadyOwned
from reader.models import Owner


def is_owned() -> bool:
    """Whether any account exists."""
    return User.objects.exists()


def create_owner(*, username: str, email: str, password: str) -> User:
    """Create the owner account, an administrator. Raises AlreadyOwned, also for the later of two at once."""
    if is_owned():
        raise AlreadyOwned(_("This installation already has an owner. Please sign in."))
    try:
        with transaction.atomic():
            user = User.objects.create_superuser(username=username, email=email, password=password)
            Owner.objects.create(user=user)
    except IntegrityError as error:
        raise AlreadyOwned(_("Someone else just became the owner. Please sign in.")) from error
    return user
