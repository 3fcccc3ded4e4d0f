"""Only the first visitor can create the owner's account."""

from unittest.mock import patch

import pytest
from django.contrib.auth.models import User

from reader.errors import AlreadyOwned
from reader.models import Owner
from reader.preferences.owner import create_owner
from tests import make

pytestmark = pytest.mark.django_db


def create(name: str = "ada") -> User:
    return create_owner(username=name, email="", password="correct horse battery")


def test_first_visitor_becomes_owner_and_administrator() -> None:
    user = create()
    assert (user.is_superuser, user.is_staff, user.check_password("correct horse battery")) == (True, True, True)
    assert Owner.objects.get().user == user


def test_refuses_second_visitor() -> None:
    create()
    with pytest.raises(AlreadyOwned):
        create("eve")
    assert list(User.objects.values_list("username", flat=True)) == ["ada"]


def test_account_created_by_command_closes_setup() -> None:
    make.user("by-command")
    with pytest.raises(AlreadyOwned):
        create("eve")
    assert not Owner.objects.exists()


@pytest.mark.parametrize("name", ["eve", "ada"], ids=["another name", "the same name"])
def test_refuses_the_later_of_two_at_once(name: str) -> None:
    create()
    with patch("reader.preferences.owner.is_owned", return_value=False), pytest.raises(AlreadyOwned):
        create(name)  # checked before the first was stored
    assert (User.objects.count(), Owner.objects.count()) == (1, 1)
