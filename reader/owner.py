"""The first account. Whoever opens a new installation first owns it; nobody after them can."""

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from reader.errors import AlreadyOwned
from reader.models import Owner


def is_owned() -> bool:
    """Whether any account exists, however it was made."""
    return User.objects.exists()


def create_owner(*, username: str, email: str, password: str) -> User:
    """Make the owner's account, which may administer. Raises AlreadyOwned, also for the later of two at once."""
    if is_owned():
        raise AlreadyOwned(_("This reader has an owner already. Please sign in."))
    try:
        with transaction.atomic():
            user = User.objects.create_superuser(username=username, email=email, password=password)
            Owner.objects.create(user=user)
    except IntegrityError as error:
        raise AlreadyOwned(_("Somebody else was faster: this reader has an owner now. Please sign in.")) from error
    return user
