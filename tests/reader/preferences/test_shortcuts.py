"""The table of keyboard shortcuts, its page and its dialog."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from reader.models import Preferences
from reader.preferences.shortcuts import KEYS
from rssmanager.env import PROJECT
from tests import make

ALL = [key for _, keys in KEYS for key in keys]
SCRIPT = (PROJECT / "static/js/keys.js").read_text()


def test_no_key_is_used_twice() -> None:
    keys = [key for shortcut in ALL for key in shortcut.keys]
    assert len(keys) == len(set(keys))


def test_prefix_keys_do_nothing_by_themselves() -> None:
    keys = {key for shortcut in ALL for key in shortcut.keys}
    assert not {key.split()[0] for key in keys if " " in key} & keys


def test_script_has_exactly_these_commands() -> None:
    block = SCRIPT[SCRIPT.index("const commands = {") : SCRIPT.index("const keyOf")]
    assert set(re.findall(r"^    (\w+)[:,]", block, re.M)) == {shortcut.does for shortcut in ALL}


@pytest.fixture
def ada(client: Client) -> User:
    user = make.user()
    client.force_login(user)
    return user


@pytest.mark.django_db
def test_help_lists_every_key(client: Client, ada: User) -> None:
    page = client.get("/keys/").content.decode()
    assert page.count("data-key=") == 2 * sum(len(shortcut.keys) for shortcut in ALL)  # on the page and in its dialog
    for shortcut in ALL:
        assert f"<dd>{shortcut.words}</dd>" in page
        assert not shortcut.to or f'data-to="{reverse(shortcut.to)}"' in page


@pytest.mark.django_db
def test_shortcuts_can_be_turned_off(client: Client, ada: User) -> None:
    Preferences.objects.create(user=ada, has_keys=False)
    assert "data-key=" not in client.get("/all/").content.decode()
    assert "Turned off" in client.get("/keys/").content.decode()
