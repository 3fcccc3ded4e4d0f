"""People who sign in, and what they sign in with."""

import time

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from rssmanager.signing_in import second_factor
from tests import make


@pytest.fixture
def ada() -> User:
    """Not signed in."""
    return make.user("ada", email="ada@example.org")


@pytest.fixture
def guarded(ada: User) -> list[str]:
    """Ada has a second factor; her recovery codes."""
    second_factor.begin(ada)
    codes = second_factor.confirm(ada, code_of(ada, back=1), now=timezone.now())
    assert len(codes) == 10
    return codes


def code_of(user: User, *, back: int = 0) -> str:
    """What the person's app shows now, or showed so many half minutes ago."""
    made = TOTP(TOTPDevice.objects.get(user=user).bin_key)
    made.time = time.time() - 30 * back
    return f"{made.token():06d}"


def is_signed_in(client: Client) -> bool:
    return client.get("/keys/").status_code == 200
