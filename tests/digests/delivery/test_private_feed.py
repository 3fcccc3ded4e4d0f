"""The token of a private feed."""

from datetime import timedelta
from hashlib import sha256

import pytest

from digests.delivery.private_feed import renew_token, switch_off, user_of_token
from digests.models import PrivateFeed
from tests import make

pytestmark = pytest.mark.django_db

NOW = make.NOW


def test_a_token_opens_the_digests_of_whom_it_was_made_for() -> None:
    ada, bob = make.user("ada"), make.user("bob")
    of_ada, of_bob = renew_token(ada, now=NOW), renew_token(bob, now=NOW)
    assert (user_of_token(of_ada, now=NOW), user_of_token(of_bob, now=NOW)) == (ada, bob)
    assert of_ada != of_bob
    assert len(of_ada) >= 43  # 256 bits


def test_only_its_hash_is_stored() -> None:
    token = renew_token(make.user(), now=NOW)
    assert PrivateFeed.objects.values_list("token_hash", flat=True).get() == sha256(token.encode()).hexdigest()


def test_a_new_token_shuts_the_one_before() -> None:
    user = make.user()
    old = renew_token(user, now=NOW)
    user_of_token(old, now=NOW)
    new = renew_token(user, now=NOW + timedelta(days=1))
    assert (user_of_token(old, now=NOW), user_of_token(new, now=NOW)) == (None, user)
    assert PrivateFeed.objects.get().made_at == NOW + timedelta(days=1)


def test_a_feed_that_was_switched_off_opens_nothing() -> None:
    user, other = make.user(), make.user()
    token, of_other = renew_token(user, now=NOW), renew_token(other, now=NOW)
    assert (switch_off(user), switch_off(user)) == (True, False)
    assert (user_of_token(token, now=NOW), user_of_token(of_other, now=NOW)) == (None, other)


@pytest.mark.parametrize("token", ["", "x", "é", "\ud800", "a" * 5000, "%00"], ids=ascii)
def test_invalid_token_opens_nothing(token: str) -> None:
    renew_token(make.user(), now=NOW)
    assert user_of_token(token, now=NOW) is None


def test_the_stored_hash_is_no_token() -> None:
    renew_token(make.user(), now=NOW)
    assert user_of_token(PrivateFeed.objects.get().token_hash, now=NOW) is None


def test_inactive_account_opens_nothing() -> None:
    user = make.user()
    token = renew_token(user, now=NOW)
    user.is_active = False
    user.save()
    assert user_of_token(token, now=NOW) is None
    assert PrivateFeed.objects.get().used_at is None


def test_reading_is_noted_to_the_hour() -> None:
    token = renew_token(make.user(), now=NOW)
    noted = []
    for minutes in (0, 59, 60, 61):
        user_of_token(token, now=NOW + timedelta(minutes=minutes))
        noted.append(PrivateFeed.objects.get().used_at)
    hour = NOW + timedelta(hours=1)
    assert noted == [NOW, NOW, hour, hour]
