"""Users and their means of signing in."""

import time
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from rssmanager.authentication import second_factor
from rssmanager.authentication.models import BrowserSession
from tests import make


@pytest.fixture
def ada() -> User:
    """Not signed in."""
    return make.user("ada", email="ada@example.org")


@pytest.fixture
def guarded(ada: User) -> list[str]:
    """Ada's recovery codes, with a second factor set up."""
    return set_up_app(ada)


def set_up_app(user: User) -> list[str]:
    """Set up a second factor with the app's previous code; return the recovery codes."""
    second_factor.start_setup(user)
    assert second_factor.confirm(user, code_of(user, back=1), now=timezone.now())
    return second_factor.new_recovery_codes(user)


def code_of(user: User, *, back: int = 0) -> str:
    """The code that the user's app shows now, or `back` half minutes ago."""
    device = TOTP(TOTPDevice.objects.get(user=user).bin_key)
    device.time = time.time() - 30 * back
    return f"{device.token():06d}"


def sign_in_earlier(client: Client, user: User, *, ago: timedelta = timedelta(hours=1)) -> None:
    """Sign in with a session of that age, without confirmation since."""
    client.logout()
    client.force_login(user)
    BrowserSession.objects.filter(user=user).update(began_at=timezone.now() - ago)


def is_signed_in(client: Client) -> bool:
    return client.get("/keys/").status_code == 200
