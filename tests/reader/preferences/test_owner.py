"""The first account, and nobody after."""

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


def test_the_first_visitor_owns_and_administers() -> None:
    user = create()
    assert (user.is_superuser, user.is_staff, user.check_password("correct horse battery")) == (True, True, True)
    assert Owner.objects.get().user == user


def test_the_second_visitor_is_refused() -> None:
    create()
    with pytest.raises(AlreadyOwned):
        create("eve")
    assert list(User.objects.values_list("username", flat=True)) == ["ada"]


def test_an_account_made_by_command_closes_the_door_too() -> None:
    make.user("by-command")
    with pytest.raises(AlreadyOwned):
        create("eve")
    assert not Owner.objects.exists()


@pytest.mark.parametrize("name", ["eve", "ada"], ids=["another name", "the same name"])
def test_of_two_at_once_the_later_is_refused_and_leaves_nothing(name: str) -> None:
    create()
    with patch("reader.preferences.owner.is_owned", return_value=False), pytest.raises(AlreadyOwned):
        create(name)  # looked before the first was stored
    assert (User.objects.count(), Owner.objects.count()) == (1, 1)
